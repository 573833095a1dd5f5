"""Vertices through vertex programs of "pvs"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctm import _arrays, _native, _run
from ctm._progress import Progress, reporting
from ctm._result import Stats

if TYPE_CHECKING:
    from ctm._program import Program


class Transformed(Mapping[int, NDArray[np.float32]]):
    """What vertices get: by the number of the output, arrays (vertices, 4)."""

    def __init__(self, outputs: dict[int, NDArray[np.float32]], stats: Stats) -> None:
        self._outputs = outputs
        self.stats = stats
        """What the run did."""

    def __getitem__(self, number: int) -> NDArray[np.float32]:
        try:
            return self._outputs[number]
        except KeyError:
            found = ", ".join(map(str, self._outputs)) or "none"
            raise KeyError(f"there is no output {number}: the program writes {found}") from None

    def __iter__(self) -> Iterator[int]:
        return iter(self._outputs)

    def __len__(self) -> int:
        return len(self._outputs)

    def __repr__(self) -> str:
        return f"<ctm.Transformed: {self.stats.lanes} vertices, outputs {list(self)}>"


def transform(
    program: Program,
    inputs: Mapping[int, ArrayLike] | None,
    vertices: int | None,
    constants: Mapping[int | str, ArrayLike] | None,
    engine: _native.Engine,
    progress: Progress,
) -> Transformed:
    """Runs a vertex program; see `Program.transform`."""
    arrays = {_run.number(key, "input"): _rows(value, f"input {key}") for key, value in (inputs or {}).items()}
    if vertices is None:
        if not arrays:
            raise ValueError("how many vertices there are is not known: give inputs that have a row for each, or vertices")
        vertices = len(next(iter(arrays.values())))
    values = {program.constant(key): _arrays.vector(value, f"constant {key}") for key, value in (constants or {}).items()}
    with reporting(progress, "vertex") as report:
        outputs, stats, seconds = _native.run_vertices(program._native, engine, vertices, arrays, values, report)
    return Transformed(outputs, Stats(*stats, engine.name, run_seconds=seconds, seconds=seconds))


def _rows(value: ArrayLike, name: str) -> NDArray[np.float32]:
    """Four numbers for each vertex; those that an array lacks are 0, 0, 0, 1, as in vertex arrays."""
    array = np.asarray(value, dtype=np.float32)
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2 or not 1 <= array.shape[1] <= 4:
        raise ValueError(f"{name} has shape {array.shape}: give a row for each vertex, of 1 to 4 numbers")
    rows = np.zeros((len(array), 4), np.float32)
    rows[:, 3] = 1
    rows[:, : array.shape[1]] = array
    return rows
