"""What the extension module has. It is not an interface: `ctm` is."""

from collections.abc import Callable
from typing import Any, TypedDict, final

import numpy as np
from numpy.typing import NDArray

class Error(Exception):
    code: str | None
class AssemblyError(Error): ...

class CompileError(Error):
    line: int
    column: int

__version__: str

Described = tuple[str, str, int | None, str, str]
Stats = tuple[int, int, int, bool]
Ran = tuple[dict[int, NDArray[Any] | Memory], Stats, list[float]]
Counts = tuple[list[tuple[int, bool, str, int, int]], list[int]]
Progress = Callable[[int, int], object] | None
Change = tuple[str, int, bool]
Access = tuple[bool, str, list[int], list[int], bool]
Step = tuple[int, int, str, bool, list[Change], list[Access], tuple[int, int], str | None]
Variable = tuple[str, int | None, bool]
Steps = tuple[list[Step], list[Change], list[list[Variable]]]
Corner = tuple[float, float, float, float]
Corners = tuple[Corner, Corner, Corner]
Taken = tuple[int, list[int], str, list[tuple[str, list[str]]], list[str], list[str]]
Names = tuple[
    list[tuple[str, str, int, int, int | None, list[float], bool]],
    list[tuple[str, int, str]],
    list[tuple[str, int, int, int]],
    list[tuple[str, int]],
    bool,
]
Words = dict[int, NDArray[np.uint32]]

class TextureItems(TypedDict):
    levels: list[NDArray[Any]]
    kind: str
    layers: int
    filter: str
    wraps: tuple[str, ...]

class JobItems(TypedDict):
    width: int
    height: int
    origin: tuple[int, int]
    inputs: dict[int, NDArray[Any] | Memory]
    textures: dict[int, TextureItems]
    outputs: dict[int, str]
    constants: dict[int, tuple[float, ...]]
    uniforms: dict[str, tuple[float, ...]]
    varyings: dict[int, Corners]
    time: float
    mouse: tuple[float, ...]

class DrawItems(TypedDict):
    vs: Program
    tcs: Program | None
    tes: Program | None
    gs: Program | None
    primitive: str
    vertices: int
    first: int
    instances: int
    patch_vertices: int
    tess_domain: str
    tess_spacing: str
    point_mode: bool
    clockwise: bool
    levels: tuple[float, ...]
    stream: int
    attributes: dict[int, NDArray[np.uint32]]
    banks: dict[int, NDArray[np.uint32]]
    capture: list[tuple[int, int]]

class LaunchItems(TypedDict):
    blocks: tuple[int, int, int]
    threads: tuple[int, int, int]
    memory: dict[int, NDArray[np.uint32]]
    banks: dict[int, NDArray[np.uint32]]
    shared_memory: int

@final
class Program:
    @staticmethod
    def assemble(text: str, isa: str) -> Program: ...
    @staticmethod
    def compile(
        text: str,
        language: str,
        defines: list[tuple[str, str]],
        entry: str | None,
        precise: bool,
        texel_coordinates: bool,
        linked: list[str],
    ) -> Program: ...
    @property
    def isa(self) -> str: ...
    @property
    def stage(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def inputs(self) -> list[int]: ...
    @property
    def outputs(self) -> list[int]: ...
    @property
    def stores(self) -> list[int]: ...
    @property
    def names(self) -> Names | None: ...
    @property
    def source(self) -> tuple[str, str, list[tuple[str, str]], str | None, bool, bool, list[str]] | None: ...
    @property
    def lines(self) -> list[int]: ...
    def check(self) -> list[Described]: ...
    def instructions(self) -> list[Taken]: ...
    def save(self, path: str) -> bool: ...

@final
class CardTrace:
    @staticmethod
    def open(path: str) -> CardTrace: ...
    @staticmethod
    def read(bytes: bytes) -> CardTrace: ...
    @property
    def card(self) -> str: ...
    @property
    def submissions(self) -> int: ...
    @property
    def draws(self) -> int: ...
    @property
    def damage(self) -> str | None: ...
    def replay(
        self, engine: Engine, draw: int | None, seconds: float | None, pixel: tuple[int, int] | None, progress: Progress
    ) -> CardReplay: ...

@final
class CardReplay:
    @property
    def draws(self) -> int: ...
    @property
    def submissions(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def history(self) -> list[tuple[int, str]]: ...
    def picture(self, target: int) -> NDArray[np.float32] | None: ...
    def depth(self) -> NDArray[np.float32] | None: ...

@final
class Memory:
    def __new__(cls, width: int, height: int, name: str) -> Memory: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...

@final
class Engine:
    def __new__(
        cls, name: str | None, threads: int, seconds: float | None, instructions: int | None, memory: int | None
    ) -> Engine: ...
    @property
    def name(self) -> str: ...

def engines() -> list[str]: ...
def attributes() -> list[tuple[int, str]]: ...
def draw(
    engine: Engine, draw: DrawItems, progress: Progress
) -> tuple[NDArray[np.float32], int, Stats, list[tuple[str, int, str, int]], float]: ...
def heat_map(lanes: list[int]) -> bytes: ...
def load(bytes: bytes, isa: str | None) -> list[tuple[str | None, Program]]: ...
def open_file(path: str, isa: str | None) -> list[tuple[str | None, Program]]: ...
def explain(name: str, isa: str | None) -> str | None: ...
def run_vertices(
    program: Program,
    engine: Engine,
    count: int,
    inputs: dict[int, NDArray[np.float32]],
    constants: dict[int, tuple[float, float, float, float]],
    progress: Progress,
) -> tuple[dict[int, NDArray[np.float32]], Stats, float]: ...
def run_pixels(program: Program, engine: Engine, job: JobItems, progress: Progress) -> Ran: ...
def count_pixels(program: Program, engine: Engine, job: JobItems, progress: Progress) -> Counts: ...
def trace_pixels(
    program: Program, engine: Engine, job: JobItems, lane: tuple[int, int], most: int
) -> tuple[Ran, Steps]: ...
def run_threads(program: Program, engine: Engine, launch: LaunchItems, progress: Progress) -> tuple[Words, Stats]: ...
def count_threads(program: Program, engine: Engine, launch: LaunchItems, progress: Progress) -> Counts: ...
def trace_threads(
    program: Program, engine: Engine, launch: LaunchItems, thread: int, most: int
) -> tuple[Words, Stats, Steps]: ...
