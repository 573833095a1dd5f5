"""Runs."""

from __future__ import annotations

from collections.abc import ItemsView, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctm import _arrays, _native
from ctm._counts import Counts
from ctm._options import JobOptions, LaunchOptions, takes
from ctm._progress import Progress, reporting
from ctm._result import Launch, Result, Stats
from ctm._texture import Texture
from ctm._trace import Trace

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ctm._program import Program

Corners = tuple[tuple[float, float, float, float], tuple[float, float, float, float], tuple[float, float, float, float]]
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

_ENGINES: dict[tuple[Any, ...], _native.Engine] = {}


def engine_of(
    engine: str | None = None,
    threads: int | None = None,
    seconds: float | None = None,
    instructions: int | None = None,
    memory: int | None = None,
) -> _native.Engine:
    """An engine; those without limits are kept, with what they compile."""
    key = (engine, threads or 0, seconds, instructions, memory)
    made = _ENGINES.get(key)
    if made is None:
        if len(_ENGINES) >= 16:
            _ENGINES.clear()
        made = _ENGINES[key] = _native.Engine(*key)
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
    uniforms: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """Values of uniforms of a shader, by name."""
    varyings: dict[int, Corners] = field(default_factory=dict)
    """Interpolated inputs at the top left, top right and bottom left corner, by slot."""
    time: float = 0.0
    """Seconds, for uniforms of a shader that are called as a time or a frame is."""
    mouse: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Column and row of the mouse, and of the last press of its button, for uniforms of a shader that are called so."""

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
            "uniforms": self.uniforms,
            "varyings": self.varyings,
            "time": self.time,
            "mouse": self.mouse,
        }

    def _result(self, ran: _native.Ran, engine: _native.Engine) -> Result:
        outputs, stats, seconds = ran
        # What is an array already stays the same.
        arrays = {number: np.asarray(output) for number, output in outputs.items()}
        return Result(self, arrays, Stats(*stats, engine.name, *seconds))


def job(program: Program, domain: tuple[int, int] | None, options: JobOptions) -> Job:
    """The job that `run` runs."""
    how: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    like = how.pop("like", None)
    if domain is not None:
        how["domain"] = pair(domain, "domain", 1)
    if "origin" in how:
        how["origin"] = pair(how["origin"], "origin", 0)
    if "mouse" in how:
        how["mouse"] = _mouse(how["mouse"])
    if "inputs" in how:
        how["inputs"] = {
            program.input(key): _arrays.image(array, f"input {key}") for key, array in _items(how["inputs"], "inputs")
        }
    if "textures" in how:
        how["textures"] = {program.input(key): texture for key, texture in _items(how["textures"], "textures")}
    if "constants" in how:
        how["constants"] = {
            program.constant(key): _arrays.vector(value, f"constant {key}") for key, value in _items(how["constants"], "constants")
        }
    if "uniforms" in how:
        how["uniforms"] = {name: _arrays.numbers(value, f"uniform {name}") for name, value in _items(how["uniforms"], "uniforms")}
    if "varyings" in how:
        how["varyings"] = {
            program.varying(key): _corners(value, f"varying {key}") for key, value in _items(how["varyings"], "varyings")
        }
    if "outputs" in how:
        how["outputs"] = {number(key, "output"): name for key, name in _items(how["outputs"], "outputs")}
    if like is not None:
        return replace(like.job if isinstance(like, Result) else like, program=program, **how)
    if domain is None:
        arrays = how.get("inputs")
        if not arrays:
            raise ValueError("there is no domain: give the width and height of the lanes, or inputs that have the same size")
        first = arrays[min(arrays)]
        how["domain"] = (first.shape[1], first.shape[0])
    return Job(program, **how)


@takes(JobOptions)
def run(
    program: Program, domain: tuple[int, int] | None = None, *, progress: Progress = None, **options: Unpack[JobOptions]
) -> Result:
    """Runs a pixel program for every position of a rectangle.

    - `domain`: width and height. Without one it is the size of the first input.
    - `inputs`: arrays by number, (height, width) or (height, width, channels) of float32, float16, uint8 or uint16. Integers are fractions:
      255 and 65535 stand for 1. Other types raise TypeError, as a conversion would lose something. Textures of a shader are called by name.
    - `textures`: what programs of "x1k" sample, a `ctm.Texture` each, by the number of the input, or the name that a shader has for it.
    - `constants`: numbers, or up to 4 numbers, by the number of the float constant, or by its name in the text ("c4"; "C4" of "r700").
    - `uniforms`: of a compiled shader, by name: a number for each channel, column and element, in this order, or one for all. Those that are
      not given have the value that their name stands for (`iTime`, `u_resolution`), that of the source, or 0.
    - `varyings`: interpolated inputs by slot, or by the name that a shader has for them: one value of up to four numbers, two for the top left
      and bottom right corner, or three for the top left, top right and bottom left one. Those that are not given go from 0 to 1.
    - `outputs`: formats by number, where not FLOAT32_4: FLOAT32_1, FLOAT32_2, UINT8_4, UINT16_1.
    - `like`: a job, or the result of one: everything that is not given is as it was there.
    - `engine`: a name of `ctm.engines()`; without one the fastest. All give the same bits. `threads`: of the host.
    - `seconds`, `instructions`, `memory`: limits of the run.
    - `origin`: the position that the first lane gets, where the run is a part of a larger one.
    - `time`: seconds, for uniforms that are called as a time or a frame is (60 frames in a second); `mouse`: column and row of the mouse, and of
      the last press of its button.
    - `progress`: a function that is called about 20 times a second and at the end, with the lanes that are done and those in all, or True for a
      bar of tqdm. What it raises ends the run.

    The lock of the interpreter is not held meanwhile, and Ctrl-C ends the run. Raises `Error` if a lane traps or a limit is reached,
    TypeError and ValueError if something does not fit.
    """
    return job(program, domain, options).run(progress)


def _launch(
    blocks: int | tuple[int, ...], threads: int | tuple[int, ...], options: LaunchOptions
) -> tuple[_native.Engine, _native.LaunchItems]:
    engine = engine_of(
        options.get("engine"),
        options.get("threads_of_host"),
        options.get("seconds"),
        options.get("instructions"),
        options.get("memory_limit"),
    )
    memory = options.get("memory") or {}
    return engine, {
        "blocks": _three(blocks, "blocks"),
        "threads": _three(threads, "threads"),
        "memory": {number(key, "address"): _arrays.words(words, f"memory at {key:#x}") for key, words in memory.items()},
        "banks": words_of_banks(options.get("banks")),
        "shared_memory": number(options.get("shared_memory") or 0, "number of bytes"),
    }


def words_of_banks(banks: Mapping[int, ArrayLike] | None) -> dict[int, NDArray[np.uint32]]:
    """Constant banks by number."""
    return {number(key, "bank"): _arrays.words(words, f"bank {key}") for key, words in (banks or {}).items()}


def launch(
    program: Program, blocks: int | tuple[int, ...], threads: int | tuple[int, ...], options: LaunchOptions, progress: Progress
) -> Launch:
    """Runs compute code; see `Program.launch`."""
    engine, items = _launch(blocks, threads, options)
    with reporting(progress) as report:
        words, stats = _native.run_threads(program._native, engine, items, report)
    return Launch(words, Stats(*stats, engine.name))


def count_threads(
    program: Program, blocks: int | tuple[int, ...], threads: int | tuple[int, ...], options: LaunchOptions, progress: Progress
) -> Counts:
    """Runs compute code by the reference, and counts; see `Program.count_threads`."""
    engine, items = _launch(blocks, threads, options)
    with reporting(progress) as report:
        counts = _native.count_threads(program._native, engine, items, report)
    return Counts.of(counts, (-1,))


def trace_thread(
    program: Program, thread: int, blocks: int | tuple[int, ...], threads: int | tuple[int, ...], options: LaunchOptions, most: int
) -> Trace:
    """Runs compute code, and returns what one thread went through; see `Program.trace_thread`."""
    engine, items = _launch(blocks, threads, options)
    words, stats, steps = _native.trace_threads(program._native, engine, items, thread, most)
    return Trace.of(steps, thread, Launch(words, Stats(*stats, engine.name)))


def _three(value: int | tuple[int, ...], name: str) -> tuple[int, int, int]:
    sizes = (value,) if isinstance(value, int) else tuple(value)
    if not 1 <= len(sizes) <= 3 or any(size < 1 for size in sizes):
        raise ValueError(f"{name} are {_arrays.shown(value)}: give one to three sizes of at least 1")
    x, y, z = (*sizes, 1, 1)[:3]
    return (x, y, z)


def number(value: int, what: str) -> int:
    number = value.__index__() if hasattr(value, "__index__") else None
    if number is None or number < 0:
        article = "an" if what[0] in "aeiou" else "a"
        raise TypeError(f"{_arrays.shown(value)} is not {article} {what}: give its number")
    return number


def pair(value: tuple[int, int], name: str, least: int) -> tuple[int, int]:
    """Two whole numbers."""
    if isinstance(value, np.ndarray):
        raise TypeError(f"the {name} is {_arrays.shown(value)}: give two numbers; arrays are given as inputs={{0: array}}")
    wanted = "a width and a height of at least 1" if least else "a column and a row from 0 on"
    try:
        first, second = (number(part, name) for part in value)
    except (TypeError, ValueError):
        raise ValueError(f"the {name} is {_arrays.shown(value)}: give {wanted}") from None
    if min(first, second) < least:
        raise ValueError(f"the {name} is {_arrays.shown(value)}: give {wanted}")
    return (first, second)


def _items(value: Mapping[_Key, _Value], name: str) -> ItemsView[_Key, _Value]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is {_arrays.shown(value)}: give a dict, as in {name}={{0: ...}}")
    return value.items()


def _mouse(value: Sequence[float]) -> tuple[float, float, float, float]:
    numbers = [float(number) for number in value]
    if len(numbers) not in (2, 4):
        raise ValueError(f"mouse is {_arrays.shown(value)}: give column and row, and perhaps those of the last press of its button")
    x, y, pressed_x, pressed_y = (*numbers, 0.0, 0.0)[:4]
    return (x, y, pressed_x, pressed_y)


def _corners(value: ArrayLike, name: str) -> Corners:
    """The values of an interpolated input at the top left, top right and bottom left corner."""
    array = np.atleast_2d(np.asarray(value, dtype=np.float32))
    if array.ndim != 2 or not 1 <= array.shape[0] <= 3 or not 1 <= array.shape[1] <= 4:
        raise ValueError(f"{name} has shape {np.shape(value)}: give one to three corners of up to four numbers")
    corners = np.tile(np.array([0, 0, 0, 1], np.float32), (array.shape[0], 1))
    corners[:, : array.shape[1]] = array
    if len(corners) == 2:
        above, below = corners
        if (above[2:] != below[2:]).any():
            raise ValueError(f"{name}: with two corners, the third and fourth number stay as they are; give three corners")
        corners = np.array([above, [below[0], *above[1:]], [above[0], below[1], *above[2:]]])
    rows = [tuple(float(number) for number in corner) for corner in (corners if len(corners) == 3 else np.repeat(corners, 3, axis=0))]
    return (_four(rows[0]), _four(rows[1]), _four(rows[2]))


def _four(values: tuple[float, ...]) -> tuple[float, float, float, float]:
    return (values[0], values[1], values[2], values[3])
