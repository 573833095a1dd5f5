"""What the extension module has. It is not an interface: `ctm` is."""

from collections.abc import Callable
from typing import Any, TypedDict, final

import numpy as np
from numpy.typing import NDArray

class Error(Exception): ...
class AssemblyError(Error): ...

Described = tuple[str, str, int | None, str, str]
Stats = tuple[int, int, int, bool]
Ran = tuple[dict[int, NDArray[Any] | Memory], Stats, list[float]]
Counts = tuple[list[tuple[int, bool, str, int, int]], list[int]]
Progress = Callable[[int, int], object] | None
Change = tuple[str, int, bool]
Access = tuple[bool, str, list[int], list[int], bool]
Step = tuple[int, int, str, bool, list[Change], list[Access], tuple[int, int], str | None]
Steps = tuple[list[Step], list[Change]]
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

@final
class Program:
    @staticmethod
    def assemble(text: str, isa: str) -> Program: ...
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
    def check(self) -> list[Described]: ...

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
def load(bytes: bytes, isa: str | None) -> list[tuple[str | None, Program]]: ...
def open_file(path: str) -> Program: ...
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
