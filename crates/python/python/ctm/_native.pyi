"""What the extension module has. It is no interface: `ctm` is."""

from typing import Any, TypedDict, final

import numpy as np
from numpy.typing import NDArray

class Error(Exception): ...
class AssemblyError(Error): ...

Described = tuple[str, str, int | None, str, str]
Stats = tuple[int, int, int, bool]
Ran = tuple[dict[int, NDArray[Any]], Stats, list[float]]
Change = tuple[str, int, bool]
Access = tuple[bool, str, list[int], list[int], bool]
Step = tuple[int, int, str, bool, list[Change], list[Access], tuple[int, int], str | None]
Steps = tuple[list[Step], list[Change]]
Memory = dict[int, NDArray[np.uint32]]

class JobItems(TypedDict):
    width: int
    height: int
    inputs: dict[int, NDArray[Any]]
    outputs: dict[int, str]
    constants: dict[int, tuple[float, ...]]

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
    def check(self) -> list[Described]: ...

@final
class Engine:
    def __new__(
        cls, name: str | None, threads: int, seconds: float | None, instructions: int | None, memory: int | None
    ) -> Engine: ...
    @property
    def name(self) -> str: ...

def engines() -> list[str]: ...
def load(bytes: bytes, isa: str | None) -> list[tuple[str | None, Program]]: ...
def open_file(path: str) -> Program: ...
def run_pixels(program: Program, engine: Engine, job: JobItems) -> Ran: ...
def trace_pixels(
    program: Program, engine: Engine, job: JobItems, lane: tuple[int, int], most: int
) -> tuple[Ran, Steps]: ...
def run_threads(program: Program, engine: Engine, launch: LaunchItems) -> tuple[Memory, Stats]: ...
def trace_threads(
    program: Program, engine: Engine, launch: LaunchItems, thread: int, most: int
) -> tuple[Memory, Stats, Steps]: ...
