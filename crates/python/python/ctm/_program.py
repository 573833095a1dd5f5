"""Programs."""

from __future__ import annotations

import html
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ctm import _instruction, _native, _run, _trace, _vertices
from ctm._counts import Counts
from ctm._instruction import Instruction
from ctm._names import ShaderTexture, Uniform, Varying
from ctm._options import EngineOptions, JobOptions, LaunchOptions, takes
from ctm._progress import Progress
from ctm._result import Launch, Result

if TYPE_CHECKING:
    from typing_extensions import Unpack


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
        self._instructions: tuple[Instruction, ...] | None = None
        self._source: tuple[Any, ...] | None = None
        self._names = native.names

    @property
    def isa(self) -> str:
        """The instruction set: "x1k", "r700", "sm50" or "pvs"."""
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

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """Its instructions one by one, taken apart: address, words, operations with their operands, what they read and write. Clauses of "r700"
        follow the instruction that is the first to run them."""
        if self._instructions is None:
            self._instructions = _instruction.instructions(self._native)
        return self._instructions

    @property
    def is_shader(self) -> bool:
        """It was compiled from a shader, and has the names of its source."""
        return self._names is not None

    @property
    def uniforms(self) -> dict[str, Uniform]:
        """The uniforms that it uses, by name, if it was compiled from a shader."""
        return {each[0]: Uniform(*each[:5], tuple(each[5]), each[6]) for each in self._names[0]} if self._names else {}

    @property
    def textures(self) -> dict[str, ShaderTexture]:
        """The textures that it uses, by name, if it was compiled from a shader."""
        return {each[0]: ShaderTexture(*each) for each in self._names[1]} if self._names else {}

    @property
    def varyings(self) -> dict[str, Varying]:
        """The interpolated inputs that it uses, by name, if it was compiled from a shader."""
        return {each[0]: Varying(*each) for each in self._names[2]} if self._names else {}

    @property
    def bottom_up(self) -> bool:
        """The shader expects row 0 to be the lowest of the picture, as OpenGL has it: `numpy.flipud` turns an output into a picture."""
        return self._names is not None and self._names[4]

    @property
    def lines(self) -> list[int]:
        """The line of the shader that each instruction comes from, from 1; 0 if it has none. Empty if it was not compiled from one."""
        return self._native.lines

    def input(self, name: int | str) -> int:
        """The number of an input. Textures of a shader have names. Raises ValueError for other names, TypeError for what is none."""
        return _numbered(name, "input", {texture.name: texture.input for texture in self.textures.values()})

    def varying(self, name: int | str) -> int:
        """The first slot of an interpolated input, which has a name in a shader. Raises ValueError for other names, TypeError for what is none."""
        return _numbered(name, "varying", {varying.name: varying.slot for varying in self.varyings.values()})

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

    @takes(JobOptions)
    def run(
        self, domain: tuple[int, int] | None = None, *, progress: Progress = None, **options: Unpack[JobOptions]
    ) -> Result:
        """Runs it for every position of a rectangle; see `ctm.run`."""
        return _run.job(self, domain, options).run(progress)

    @takes(JobOptions)
    def count(
        self, domain: tuple[int, int] | None = None, *, progress: Progress = None, **options: Unpack[JobOptions]
    ) -> Counts:
        """Runs it as `ctm.run` does, without machine code, and returns how often each instruction executed, and how many each lane executed."""
        return _run.job(self, domain, options).count(progress)

    @takes(JobOptions)
    def trace(
        self,
        lane: tuple[int, int] = (0, 0),
        domain: tuple[int, int] | None = None,
        *,
        most: int = 65536,
        **options: Unpack[JobOptions],
    ) -> _trace.Trace:
        """Runs it, and returns what the lane at column `lane[0]` and row `lane[1]` went through. Options are those of `ctm.run`, and
        `most`, the number of steps that are kept. That of a shader has its variables, too: `Trace.variables`."""
        return _run.job(self, domain, options).trace(_run.pair(lane, "lane", 0), most)

    @takes(LaunchOptions)
    def launch(
        self,
        blocks: int | tuple[int, ...] = 1,
        threads: int | tuple[int, ...] = 1,
        *,
        progress: Progress = None,
        **options: Unpack[LaunchOptions],
    ) -> Launch:
        """Runs compute code of "sm50" over blocks of threads.

        `memory` has words by address of global memory (a multiple of 2048, not 0): arrays of values of 4 bytes. `banks` has the words of
        constant banks; arguments of a kernel begin at word 80 of bank 0. Each block has `shared_memory` bytes of memory, 49152 at most.
        `progress`, `engine`, `threads_of_host`, `seconds`, `instructions` and `memory_limit` are as in `ctm.run`."""
        return _run.launch(self, blocks, threads, options, progress)

    @takes(LaunchOptions)
    def count_threads(
        self,
        blocks: int | tuple[int, ...] = 1,
        threads: int | tuple[int, ...] = 1,
        *,
        progress: Progress = None,
        **options: Unpack[LaunchOptions],
    ) -> Counts:
        """Launches it by the reference, and returns how often each instruction executed, and how many each thread executed. Options are those of
        `launch`."""
        return _run.count_threads(self, blocks, threads, options, progress)

    @takes(LaunchOptions)
    def trace_thread(
        self,
        thread: int = 0,
        blocks: int | tuple[int, ...] = 1,
        threads: int | tuple[int, ...] = 1,
        *,
        most: int = 65536,
        **options: Unpack[LaunchOptions],
    ) -> _trace.Trace:
        """Launches it, and returns what a thread went through, counted block after block. Options are those of `launch`, and `most`."""
        return _run.trace_thread(self, thread, blocks, threads, options, most)

    @takes(EngineOptions)
    def transform(
        self,
        inputs: Mapping[int, ArrayLike] | None = None,
        *,
        vertices: int | None = None,
        constants: Mapping[int | str, ArrayLike] | None = None,
        progress: Progress = None,
        **options: Unpack[EngineOptions],
    ) -> _vertices.Transformed:
        """Runs a vertex program of "pvs" over vertices: `inputs` has arrays by the number of the input, with a row of up to four numbers for each
        vertex. What a row lacks, and inputs that are not given, is (0, 0, 0, 1). `vertices` says how many there are, where no input does.
        `constants`, `engine`, `threads` and limits are as in `ctm.run`."""
        return _vertices.transform(self, inputs, vertices, constants, _run.engine_of(**options), progress)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file of the form that the ending of its name stands for: ".x1k", ".r700", ".sm50" or ".pvs", as `isa` is, for assembly
        text; ".elf" for an image or object of "x1k" and "r700"; ".sph" for header and code of "sm50"; ".u32" for words.

        Words keep the instructions alone: a UserWarning says so if the program has constants or other information. Raises ValueError for other
        endings, and OSError if the file cannot be written."""
        if not self._native.save(os.fspath(path)):
            warnings.warn(
                f"{os.fspath(path)!r} keeps the instructions alone: constants and program information are lost; .{self.isa} keeps all",
                stacklevel=2,
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self._native == other._native

    def __hash__(self) -> int:
        return hash((self.isa, self.text))

    def __reduce__(self) -> tuple[Any, ...]:
        if self._source is not None:
            return _recompiled, (*self._source, self._name)
        return _restored, (self.text, self.isa, self._name)

    def __repr__(self) -> str:
        name = f" {self._name!r}" if self._name else ""
        if self._names is not None:
            found = (("uniforms", list(self.uniforms)), ("textures", list(self.textures)), ("varyings", list(self.varyings)))
            used = "".join(f", {kind} {', '.join(names)}" for kind, names in found if names)
            return f"<ctm.Program{name}: {self.isa} {self.stage} shader{used}>"
        return f"<ctm.Program{name}: {self.isa} {self.stage}, inputs {self.inputs}, outputs {self.outputs}>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p><pre>{html.escape(self.text)}</pre>"


def _restored(text: str, isa: str, name: str | None) -> Program:
    return Program(_native.Program.assemble(text, isa), name)


def _recompiled(
    text: str,
    language: str,
    defines: list[tuple[str, str]],
    entry: str | None,
    precise: bool,
    texel_coordinates: bool,
    linked: list[str],
    name: str | None,
) -> Program:
    source = (text, language, defines, entry, precise, texel_coordinates, linked)
    program = Program(_native.Program.compile(*source), name)
    program._source = source
    return program


def _numbered(name: int | str, what: str, names: dict[str, int]) -> int:
    """The number that a name stands for, or the number itself."""
    if not isinstance(name, str):
        return _run.number(name, what)
    if name not in names:
        known = f"it has {', '.join(names)}" if names else f"it has no {what} with a name; give its number"
        raise ValueError(f"unknown {what} {name!r}: {known}")
    return names[name]


def assemble(text: str, isa: str) -> Program:
    """Assembles a text of an instruction set: "x1k", "r700", "sm50" or "pvs".

    Raises `AssemblyError` with all that is wrong with it."""
    return Program(_native.Program.assemble(text, isa))


def compile(
    text: str,
    language: str = "glsl",
    *,
    defines: Mapping[str, object] | None = None,
    entry: str | None = None,
    precise: bool = False,
    texel_coordinates: bool = False,
    linked: Sequence[str] = (),
) -> Program:
    """Compiles a fragment shader to a program of "x1k", which has the names of its source.

    - `language`: "glsl" (also Shadertoy's form of it), "wgsl" or "ps", the text of Direct3D 9 pixel shaders.
    - `defines`: macros that GLSL starts with, by name; True defines one as 1.
    - `entry`: the entry point of WGSL, if there are several for fragments.
    - `precise`: numbers are calculated in the order of the text, each rounded.
    - `texel_coordinates`: coordinates of lookups in pixel shader text count texels; else they go from 0 to 1, as in Direct3D.
    - `linked`: further sources of a shader in GLSL, linked as OpenGL does it: each has its macros and its version, and all share functions and
      globals. `Program.lines` counts on through them.

    Raises `CompileError` (`AssemblyError` of pixel shader text) with what is wrong, and where."""
    macros = [(name, "1" if value is True else str(value)) for name, value in (defines or {}).items()]
    return _recompiled(text, language, macros, entry, precise, texel_coordinates, list(linked), None)


def load(source: str | os.PathLike[str] | bytes | bytearray | memoryview, isa: str | None = None) -> Program:
    """The only program of a file, or of bytes: assembly text; a shader (GLSL, WGSL, Direct3D 9), which is compiled; a container (program images
    of CTM, objects of LLVM, shader files of the Wii U, modules of deko3d, cubins); a log of Mesa's drivers; or words.

    Containers and logs say which instruction set they are for, and so do the endings .x1k, .r700, .sm50 and .pvs, and .frag, .glsl, .wgsl and
    .psh of shaders; of other texts and words it must be given. Raises `Error` if there is no such program or several, and OSError if the file
    cannot be read."""
    programs = load_all(source, isa)
    if len(programs) != 1:
        raise _native.Error(f"the file has {len(programs)} programs: take one of those that ctm.load_all gives")
    return programs[0]


def load_all(source: str | os.PathLike[str] | bytes | bytearray | memoryview, isa: str | None = None) -> list[Program]:
    """All programs of a file, or of bytes, at least one; see `load`."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        found = _native.load(bytes(source), isa)
    else:
        found = _native.open_file(os.fspath(source), isa)
    return [_loaded(program, name) for name, program in found]


def _loaded(native: _native.Program, name: str | None) -> Program:
    program = Program(native, name)
    program._source = native.source
    return program
