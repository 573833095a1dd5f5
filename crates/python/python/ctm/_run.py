"""Runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctm import _arrays, _native
from ctm._counts import Counts
from ctm._progress import Progress, reporting
from ctm._result import Launch, Result, Stats
from ctm._texture import Texture
from ctm._trace import Trace

if TYPE_CHECKING:
    from ctm._program import Program

_ENGINES: dict[tuple[Any, ...], _native.Engine] = {}


def engine_of(
    engine: str | None = None,
    threads: int = 0,
    seconds: float | None = None,
    instructions: int | None = None,
    memory: int | None = None,
) -> _native.Engine:
    """An engine; those without limits are kept, with what they compile."""
    key = (engine, threads, seconds, instructions, memory)
    made = _ENGINES.get(key)
    if made is None:
        if len(_ENGINES) >= 16:
            _ENGINES.clear()
        made = _ENGINES[key] = _native.Engine(engine, threads, seconds, instructions, memory)
    return made


@dataclass(frozen=True)
class Job:
    """What is run, and how. Jobs pickle."""

    program: Program
    """The program."""
    domain: tuple[int, int]
    """Width and height of the rectangle of lanes."""
    inputs: dict[int, NDArray[Any]] = field(default_factory=dict)
    """The arrays that it reads, by number."""
    constants: dict[int, tuple[float, float, float, float]] = field(default_factory=dict)
    """Float constants, by number."""
    textures: dict[int, Texture] = field(default_factory=dict)
    """What it samples, by the number of the input."""
    outputs: dict[int, str] = field(default_factory=dict)
    """Formats of outputs, by number."""
    engine: str | None = None
    """The engine's name; None is the fastest."""
    threads: int = 0
    """Threads of the host; 0 is one for each core."""
    seconds: float | None = None
    """How long the run may take."""
    instructions: int | None = None
    """Instructions that it may execute, counted for each lane."""
    memory: int | None = None
    """Bytes that it may allocate for what the program asks for."""
    origin: tuple[int, int] = (0, 0)
    """The position that the first lane gets: the run is a part of a larger one."""

    def run(self, progress: Progress = None) -> Result:
        """Runs it; `progress` is as in `ctm.run`."""
        engine = self._engine()
        with reporting(progress) as report:
            ran = _native.run_pixels(self.program._native, engine, self._items(), report)
        return self._result(ran, engine)

    def count(self, progress: Progress = None) -> Counts:
        """Runs it without machine code, and returns how often each instruction executed."""
        with reporting(progress) as report:
            counts = _native.count_pixels(self.program._native, self._engine(), self._items(), report)
        return Counts.of(counts, self.domain[::-1])

    def trace(self, lane: tuple[int, int], most: int = 65536) -> Trace:
        """Runs it by the reference, to the same results, and returns what a lane went through."""
        engine = self._engine()
        ran, steps = _native.trace_pixels(self.program._native, engine, self._items(), lane, most)
        return Trace.of(steps, lane, self._result(ran, engine))

    def _engine(self) -> _native.Engine:
        return engine_of(self.engine, self.threads, self.seconds, self.instructions, self.memory)

    def _items(self) -> _native.JobItems:
        width, height = self.domain
        # Arrays may have come here by ways that keep their values only.
        inputs = {number: _arrays.memory(_arrays.image(array, f"input {number}")) for number, array in self.inputs.items()}
        constants: dict[int, tuple[float, ...]] = {**self.constants}
        textures = {number: texture.items(f"texture {number}") for number, texture in self.textures.items()}
        return {
            "width": width,
            "height": height,
            "origin": self.origin,
            "inputs": inputs,
            "textures": textures,
            "outputs": self.outputs,
            "constants": constants,
        }

    def _result(self, ran: _native.Ran, engine: _native.Engine) -> Result:
        outputs, stats, seconds = ran
        # What is an array already stays the same.
        arrays = {number: np.asarray(output) for number, output in outputs.items()}
        return Result(self, arrays, Stats(*stats, engine.name, *seconds))


def job(
    program: Program,
    domain: tuple[int, int] | None = None,
    *,
    inputs: Mapping[int, ArrayLike] | None = None,
    textures: Mapping[int, Texture] | None = None,
    constants: Mapping[int | str, ArrayLike] | None = None,
    outputs: Mapping[int, str] | None = None,
    like: Job | Result | None = None,
    **how: Any,
) -> Job:
    """The job that `run` runs."""
    if unknown := how.keys() - {"origin", "engine", "threads", "seconds", "instructions", "memory"}:
        raise TypeError(f"unknown option {sorted(unknown)[0]!r}")
    if inputs is not None:
        how["inputs"] = {number(key, "input"): _arrays.image(array, f"input {key}") for key, array in inputs.items()}
    if textures is not None:
        how["textures"] = {number(key, "texture"): texture for key, texture in textures.items()}
    if constants is not None:
        how["constants"] = {
            program.constant(key): _arrays.vector(value, f"constant {key}") for key, value in constants.items()
        }
    if outputs is not None:
        how["outputs"] = {number(key, "output"): name for key, name in outputs.items()}
    if domain is not None:
        how["domain"] = _domain(domain)
    if like is not None:
        return replace(like.job if isinstance(like, Result) else like, program=program, **how)
    if domain is None:
        arrays = how.get("inputs")
        if not arrays:
            raise ValueError("there is no domain: give the width and height of the lanes, or inputs that have the same size")
        first = arrays[min(arrays)]
        how["domain"] = (first.shape[1], first.shape[0])
    return Job(program, **how)


def run(program: Program, domain: tuple[int, int] | None = None, *, progress: Progress = None, **options: Any) -> Result:
    """Runs a pixel program for every position of a rectangle.

    - `domain`: width and height. Without one it is the size of the first input.
    - `inputs`: arrays by number, (height, width) or (height, width, channels) of float32, float16, uint8 or uint16. Integers are fractions:
      255 and 65535 stand for 1. Other types raise TypeError, as a conversion would lose something.
    - `textures`: what programs of "x1k" sample, a `ctm.Texture` each, by the number of the input.
    - `constants`: numbers, or up to 4 numbers, by the number of the float constant, or by its name in the text ("c4"; "C4" of "r700").
    - `outputs`: formats by number, where not FLOAT32_4: FLOAT32_1, FLOAT32_2, UINT8_4, UINT16_1.
    - `like`: a job, or the result of one: everything that is not given is as it was there.
    - `engine`: a name of `ctm.engines()`; without one the fastest. All give the same bits. `threads`: of the host.
    - `seconds`, `instructions`, `memory`: limits of the run.
    - `origin`: the position that the first lane gets, where the run is a part of a larger one.
    - `progress`: a function that is called about 20 times a second and at the end, with the lanes that are done and those in all, or True for a
      bar of tqdm. What it raises ends the run.

    The lock of the interpreter is not held meanwhile, and Ctrl-C ends the run. Raises `Error` if a lane traps or a limit is reached,
    TypeError and ValueError if something does not fit.
    """
    return job(program, domain, **options).run(progress)


def trace(
    program: Program,
    lane: tuple[int, int],
    domain: tuple[int, int] | None = None,
    *,
    most: int = 65536,
    **options: Any,
) -> Trace:
    """Runs a program as `run` does, and returns what one lane went through."""
    return job(program, domain, **options).trace(lane, most)


def _launch_items(
    blocks: int | tuple[int, ...],
    threads: int | tuple[int, ...],
    memory: Mapping[int, ArrayLike] | None,
    banks: Mapping[int, ArrayLike] | None,
) -> _native.LaunchItems:
    return {
        "blocks": _three(blocks, "blocks"),
        "threads": _three(threads, "threads"),
        "memory": {
            number(key, "address"): _arrays.words(words, f"memory at {key:#x}") for key, words in (memory or {}).items()
        },
        "banks": words_of_banks(banks),
    }


def words_of_banks(banks: Mapping[int, ArrayLike] | None) -> dict[int, NDArray[np.uint32]]:
    """Constant banks by number."""
    return {number(key, "bank"): _arrays.words(words, f"bank {key}") for key, words in (banks or {}).items()}


def launch(
    program: Program,
    blocks: int | tuple[int, ...],
    threads: int | tuple[int, ...],
    *,
    memory: Mapping[int, ArrayLike] | None = None,
    banks: Mapping[int, ArrayLike] | None = None,
    progress: Progress = None,
    **how: Any,
) -> Launch:
    """Runs compute code; see `Program.launch`."""
    engine = _launch_engine(**how)
    items = _launch_items(blocks, threads, memory, banks)
    with reporting(progress) as report:
        words, stats = _native.run_threads(program._native, engine, items, report)
    return Launch(words, Stats(*stats, engine.name))


def count_threads(
    program: Program,
    blocks: int | tuple[int, ...],
    threads: int | tuple[int, ...],
    *,
    memory: Mapping[int, ArrayLike] | None = None,
    banks: Mapping[int, ArrayLike] | None = None,
    progress: Progress = None,
    **how: Any,
) -> Counts:
    """Runs compute code by the reference, and counts; see `Program.count_threads`."""
    items = _launch_items(blocks, threads, memory, banks)
    with reporting(progress) as report:
        counts = _native.count_threads(program._native, _launch_engine(**how), items, report)
    return Counts.of(counts, (-1,))


def trace_thread(
    program: Program,
    thread: int,
    blocks: int | tuple[int, ...],
    threads: int | tuple[int, ...],
    *,
    memory: Mapping[int, ArrayLike] | None = None,
    banks: Mapping[int, ArrayLike] | None = None,
    most: int = 65536,
    **how: Any,
) -> Trace:
    """Runs compute code, and returns what one thread went through; see `Program.trace_thread`."""
    engine = _launch_engine(**how)
    items = _launch_items(blocks, threads, memory, banks)
    words, stats, steps = _native.trace_threads(program._native, engine, items, thread, most)
    return Trace.of(steps, thread, Launch(words, Stats(*stats, engine.name)))


def _launch_engine(
    engine: str | None = None,
    threads_of_host: int = 0,
    seconds: float | None = None,
    instructions: int | None = None,
    memory_limit: int | None = None,
) -> _native.Engine:
    return engine_of(engine, threads_of_host, seconds, instructions, memory_limit)


def _three(value: int | tuple[int, ...], name: str) -> tuple[int, int, int]:
    sizes = (value,) if isinstance(value, int) else tuple(value)
    if not 1 <= len(sizes) <= 3 or any(size < 1 for size in sizes):
        raise ValueError(f"{name} are {value}: give one to three sizes of at least 1")
    x, y, z = (*sizes, 1, 1)[:3]
    return (x, y, z)


def number(value: int, what: str) -> int:
    number = value.__index__() if hasattr(value, "__index__") else None
    if number is None or number < 0:
        article = "an" if what[0] in "aeiou" else "a"
        raise TypeError(f"{value!r} is not {article} {what}: give its number")
    return number


def _domain(domain: tuple[int, int]) -> tuple[int, int]:
    if len(domain) != 2 or any(int(size) < 1 for size in domain):
        raise ValueError(f"the domain is {domain}: give a width and a height of at least 1")
    return (int(domain[0]), int(domain[1]))
