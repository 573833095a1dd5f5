"""Programs."""

from __future__ import annotations

import html
import os
import re
from dataclasses import dataclass
from typing import Any

from ctm import _native, _run, _trace
from ctm._counts import Counts
from ctm._result import Launch, Result


@dataclass(frozen=True)
class Finding:
    """Something that a check found."""

    code: str
    """What it is; `ctm explain CODE` has a page for each."""
    severity: str
    """"error", "warning" or "note"."""
    address: int | None
    """The address of the instruction, in the machine's units; None if the finding is about the program."""
    message: str
    """What is wrong, in a sentence."""
    help: str
    """What to do about it."""

    @property
    def place(self) -> str:
        """Where it is, in words."""
        return "the program" if self.address is None else f"instruction {self.address}"

    def __str__(self) -> str:
        return f"{self.severity}[{self.code}]: {self.place}: {self.message}"


class Program:
    """A program of one of the instruction sets. Programs are equal if they are the same machine code, can be hashed, and pickle."""

    def __init__(self, native: _native.Program, name: str | None = None) -> None:
        """Programs come from `assemble`, `load` and `load_all`."""
        self._native = native
        self._name = name
        self._text: str | None = None

    @property
    def isa(self) -> str:
        """The instruction set: "x1k", "r700" or "sm50"."""
        return self._native.isa

    @property
    def stage(self) -> str:
        """What part of a pipeline it is: "pixel", "vertex", "compute"."""
        return self._native.stage

    @property
    def name(self) -> str | None:
        """The name that its file gives it."""
        return self._name

    @property
    def text(self) -> str:
        """Its assembly text, which assembles to the same program."""
        if self._text is None:
            self._text = self._native.text
        return self._text

    @property
    def inputs(self) -> list[int]:
        """Numbers of the inputs (textures, of R700) that it reads."""
        return self._native.inputs

    @property
    def outputs(self) -> list[int]:
        """Numbers of the outputs (colours, of R700) that it writes."""
        return self._native.outputs

    def constant(self, name: int | str) -> int:
        """The number of a float constant. Programs carry no names of their own for them: names are those of the assembly text, "c4" or
        "const[4]", of "r700" "C4". Raises ValueError for other names, TypeError for what is none."""
        if not isinstance(name, str):
            return _run.number(name, "constant")
        found = re.fullmatch(r"C(\d+)" if self.isa == "r700" else r"c(\d+)|const\[(\d+)\]", name)
        number = int(found[found.lastindex or 1]) if found else 256
        if number > 255:
            known = "C0 to C255" if self.isa == "r700" else "c0 to c255, or const[0] to const[255]"
            raise ValueError(f"unknown constant {name!r}: programs of {self.isa} name their constants {known}")
        return number

    def check(self) -> list[Finding]:
        """What is wrong with it, or may be: findings about the whole program first, then in the order of addresses."""
        return [Finding(*found) for found in self._native.check()]

    def run(self, domain: tuple[int, int] | None = None, **options: Any) -> Result:
        """Runs it for every position of a rectangle; see `ctm.run`."""
        return _run.run(self, domain, **options)

    def count(self, domain: tuple[int, int] | None = None, **options: Any) -> Counts:
        """Runs it as `ctm.run` does, without machine code, and returns how often each instruction executed, and how many each lane executed."""
        progress = options.pop("progress", None)
        return _run.job(self, domain, **options).count(progress)

    def trace(self, lane: tuple[int, int] = (0, 0), domain: tuple[int, int] | None = None, **options: Any) -> _trace.Trace:
        """Runs it, and returns what the lane at column `lane[0]` and row `lane[1]` went through. Options are those of `ctm.run`, and
        `most`, the number of steps that are kept (65536)."""
        return _run.trace(self, lane, domain, **options)

    def launch(self, blocks: int | tuple[int, ...] = 1, threads: int | tuple[int, ...] = 1, **options: Any) -> Launch:
        """Runs compute code of "sm50" over blocks of threads; see `ctm._run.launch`.

        `memory` has words by address of global memory (a multiple of 2048, not 0): arrays of values of 4 bytes. `banks` has the words of
        constant banks; arguments of a kernel begin at word 80 of bank 0. `progress`, `engine`, `threads_of_host`, `seconds`, `instructions` and
        `memory_limit` are as in `ctm.run`."""
        return _run.launch(self, blocks, threads, **options)

    def count_threads(self, blocks: int | tuple[int, ...] = 1, threads: int | tuple[int, ...] = 1, **options: Any) -> Counts:
        """Launches it by the reference, and returns how often each instruction executed, and how many each thread executed. Options are those of
        `launch`."""
        return _run.count_threads(self, blocks, threads, **options)

    def trace_thread(
        self, thread: int = 0, blocks: int | tuple[int, ...] = 1, threads: int | tuple[int, ...] = 1, **options: Any
    ) -> _trace.Trace:
        """Launches it, and returns what a thread went through, counted block after block. Options are those of `launch`, and `most`."""
        return _run.trace_thread(self, thread, blocks, threads, **options)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self._native == other._native

    def __hash__(self) -> int:
        return hash((self.isa, self.text))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.text, self.isa, self._name)

    def __repr__(self) -> str:
        name = f" {self._name!r}" if self._name else ""
        return f"<ctm.Program{name}: {self.isa} {self.stage}, inputs {self.inputs}, outputs {self.outputs}>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p><pre>{html.escape(self.text)}</pre>"


def _restored(text: str, isa: str, name: str | None) -> Program:
    return Program(_native.Program.assemble(text, isa), name)


def assemble(text: str, isa: str) -> Program:
    """Assembles a text of an instruction set: "x1k", "r700" or "sm50".

    Raises `AssemblyError` with all that is wrong with it."""
    return Program(_native.Program.assemble(text, isa))


def load(source: str | os.PathLike[str] | bytes, isa: str | None = None) -> Program:
    """The only program of a file, or of bytes: assembly text, a container (program images of CTM, objects of LLVM, shader files of the
    Wii U, cubins), a log of Mesa's drivers, or words.

    Containers and logs say which instruction set they are for, and so do the endings .x1k, .r700 and .sm50; of other texts and words it
    must be given. Raises `Error` if there is no such program or several, and OSError if the file cannot be read."""
    if isinstance(source, (bytes, bytearray, memoryview)) or isa is not None:
        programs = load_all(source, isa)
        if len(programs) != 1:
            raise _native.Error(f"the file has {len(programs)} programs: take one of those that ctm.load_all gives")
        return programs[0]
    return Program(_native.open_file(os.fspath(source)))


def load_all(source: str | os.PathLike[str] | bytes, isa: str | None = None) -> list[Program]:
    """All programs of a file, or of bytes, at least one; see `load`."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
    else:
        with open(source, "rb") as file:
            data = file.read()
        ending = os.path.splitext(os.fspath(source))[1]
        if isa is None and ending in (".x1k", ".r700", ".sm50"):
            isa = ending[1:]
    return [Program(program, name) for name, program in _native.load(data, isa)]
