"""Many jobs on the workers of a Dask cluster: `LocalCluster`, ssh, or any other.

Dask brings its scheduler, retries and connections; what is here says what workers do. Install it by `pip install ctm-gpu[farm]`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctm._options import JobOptions
from ctm._program import Program
from ctm._result import Result
from ctm._run import Job, job

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Outcome", "run_many", "run_tiled"]


@dataclass(frozen=True)
class Outcome:
    """What became of a job."""

    index: int
    """Its number among the jobs, from 0."""
    job: Job
    """The job."""
    result: Any
    """What it gave, a `Result`, or what `keep` made of that; None if it failed."""
    error: BaseException | None
    """Why it failed: what `Job.run` raised, or what Dask says of workers that died with it again and again."""


def run_many(
    client: Client,
    jobs: Iterable[Job],
    *,
    keep: Callable[[Result], Any] | None = None,
    batch: int = 16,
    in_flight: int | None = None,
    retries: int = 2,
) -> Iterator[Outcome]:
    """Runs jobs on the workers of a cluster, and yields their outcomes as they come, in no order.

    - `keep`: what is wanted of each result. It is called where the job ran, so that little comes back: arrays are most of what a cluster moves.
    - `batch`: jobs that a worker gets at a time. Small jobs want large batches: each costs the cluster about a millisecond.
    - `in_flight`: batches that the cluster has at a time, twice its threads if not given. `jobs` may be endless: it is asked for more only
      when outcomes were taken, so that memory is bounded.
    - `retries`: how often a batch is tried again if a worker fails in another way than by the job's own error, which is its outcome. Jobs of
      workers that die go to others.
    """
    from distributed import as_completed

    if batch < 1 or (in_flight is not None and in_flight < 1):
        raise ValueError(f"batch is {batch} and in_flight {in_flight}: give numbers of at least 1")
    batches = iter(_batches(jobs, batch))
    width = in_flight or 2 * max(1, sum(client.nthreads().values()))
    running: dict[str, list[tuple[int, Job]]] = {}
    completed = as_completed()
    arrays = _SharedArrays(client)

    def submit(numbered: list[tuple[int, Job]]) -> None:
        without = [replace(each, inputs={}) for _, each in numbered]
        inputs = [{number: arrays.of(array) for number, array in each.inputs.items()} for _, each in numbered]
        future = client.submit(_run_batch, without, inputs, keep, retries=retries, pure=False)
        running[future.key] = numbered
        completed.add(future)

    for numbered in itertools.islice(batches, width):
        submit(numbered)
    try:
        for future in completed:
            done = running.pop(future.key)
            failed = future.exception()
            outcomes = [(None, failed)] * len(done) if failed is not None else future.result()
            future.release()
            if (following := next(batches, None)) is not None:
                submit(following)
            for (index, each), (result, error) in zip(done, outcomes):
                yield Outcome(index, each, result, error)
    finally:
        # Whoever takes no more outcomes wants no more work done.
        client.cancel(list(completed.futures))


def _batches(jobs: Iterable[Job], size: int) -> Iterator[list[tuple[int, Job]]]:
    numbered = enumerate(jobs)
    while batch := list(itertools.islice(numbered, size)):
        yield batch


class _SharedArrays:
    """Inputs that jobs have in common, sent to the cluster once: it keeps what it is sent for some time, and jobs are many."""

    def __init__(self, client: Client) -> None:
        self._client = client
        # The arrays themselves stay, as their numbers would name others.
        self._sent: dict[int, tuple[NDArray[Any], Any]] = {}

    def of(self, array: NDArray[Any]) -> Any:
        """The array, if it is small, or a future of it, which workers that die do not take along: the scheduler can make it again."""
        if array.nbytes < _SENT_ALONG:
            return array
        if id(array) not in self._sent:
            if len(self._sent) >= _SHARED:
                del self._sent[next(iter(self._sent))]
            self._sent[id(array)] = (array, self._client.submit(_itself, array, pure=False))
        return self._sent[id(array)][1]


# Bytes of an array that is sent along with each job, and arrays that are shared at a time.
_SENT_ALONG = 1 << 12
_SHARED = 64


def _itself(array: NDArray[Any]) -> NDArray[Any]:
    return array


def _run_batch(
    jobs: list[Job], inputs: list[dict[int, NDArray[Any]]], keep: Callable[[Result], Any] | None
) -> list[tuple[Any, BaseException | None]]:
    """What a worker does."""
    outcomes: list[tuple[Any, BaseException | None]] = []
    for each, arrays in zip(jobs, inputs):
        try:
            # A worker has as many jobs as threads.
            result = replace(each, inputs=arrays, threads=each.threads or 1).run()
            outcomes.append((keep(result) if keep is not None else result, None))
        except Exception as error:
            outcomes.append((None, error))
    return outcomes


_DTYPES = {
    "FLOAT32_1": (np.float32, 1),
    "FLOAT32_2": (np.float32, 2),
    "FLOAT32_4": (np.float32, 4),
    "UINT8_4": (np.uint8, 4),
    "UINT16_1": (np.uint16, 1),
}


def run_tiled(
    program: Program,
    domain: tuple[int, int],
    inputs: Mapping[int, Any] | None = None,
    *,
    tile: tuple[int, int] = (1024, 1024),
    halo: int | tuple[int, int] | None = None,
    origin_constant: int | str | None = None,
    output: int | None = None,
    format: str = "FLOAT32_4",
    constants: Mapping[int | str, ArrayLike] | None = None,
    **how: Any,
) -> Any:
    """A run over a domain of any size, tile by tile, as a dask array (height, width, channels) of one output.

    Nothing runs until parts of the array are wanted, as by `.compute()`, `.to_zarr(...)` or slices, on the workers of the current client; what
    runs on workers that die runs again on others.

    - `domain`: width and height of all of it.
    - `inputs`: dask arrays, or others, by number, of the size of the domain: (height, width) or (height, width, channels).
    - `tile`: width and height of a tile, at most 4096 with its halo.
    - `halo`: how far around their own position, in columns and rows, lanes look inputs up; with inputs it must be given. Each tile gets as much
      of its neighbours' inputs. Lookups beyond the edge of the domain find its edge, as those of one run do.
    - `origin_constant`: the float constant that gets x, y, 0, 0 of each tile's first input. Without inputs, lanes get their positions in the whole
      domain. With inputs, they get those in the tile's part of them, so that they find their own elements there; a program that also computes with
      its position adds this constant to it.
    - `output`, `format`: the output, the first of the program if not given, and its format.
    - `constants`, `engine`, `threads` (1 if not given), `seconds`, `instructions`, `memory`: as in `ctm.run`, for each tile.

    Raises ValueError if something does not fit, also where lookups are by fractions of an input's size, which differs from tile to tile."""
    import dask
    import dask.array

    (width, height), (across, down) = domain, tile
    arrays = {number: dask.array.asarray(array) for number, array in (inputs or {}).items()}
    if width < 1 or height < 1 or across < 1 or down < 1:
        raise ValueError(f"the domain is {domain} and a tile {tile}: give widths and heights of at least 1")
    for number, array in arrays.items():
        if array.shape[:2] != (height, width):
            raise ValueError(f"input {number} of shape {array.shape} does not have the size of the domain, {height} rows and {width} columns")
    if arrays and halo is None:
        raise ValueError("how far around their position lanes look up inputs is not known: give halo, 0 if only there")
    if arrays and _looks_up_fractions(program):
        raise ValueError("the program looks up by fractions of an input's size, which is that of a tile here: let it look up by elements")
    if format not in _DTYPES:
        raise ValueError(f"unknown format '{format}': formats are {', '.join(_DTYPES)}")
    margin_x, margin_y = (halo, halo) if isinstance(halo, int) else halo or (0, 0)
    number = output if output is not None else next(iter(program.outputs), 0)
    options = {"constants": constants or {}, "outputs": {number: format}, "threads": 1, **how}
    base = job(program, (1, 1), cast(JobOptions, options))
    place = None if origin_constant is None else program.constant(origin_constant)
    shared, compute = dask.delayed(base), dask.delayed(_run_tile)
    dtype, channels = _DTYPES[format]

    def part(x0: int, y0: int) -> Any:
        x1, y1 = min(x0 + across, width), min(y0 + down, height)
        left, top = max(x0 - margin_x, 0), max(y0 - margin_y, 0)
        rows, columns = slice(top, y1 + margin_y), slice(left, x1 + margin_x)
        found = [(number, array[rows, columns]) for number, array in arrays.items()]
        area = (x0, y0, x1, y1) if not arrays else (left, top, min(x1 + margin_x, width), min(y1 + margin_y, height))
        kept = (slice(y0 - area[1], y1 - area[1]), slice(x0 - area[0], x1 - area[0]))
        result = compute(shared, found, area, kept, number, place)
        return dask.array.from_delayed(result, (y1 - y0, x1 - x0, channels), dtype)

    tiles = [[part(x0, y0) for x0 in range(0, width, across)] for y0 in range(0, height, down)]
    return dask.array.concatenate([dask.array.concatenate(row, axis=1) for row in tiles], axis=0)


def _run_tile(
    base: Job,
    inputs: list[tuple[int, NDArray[Any]]],
    area: tuple[int, int, int, int],
    kept: tuple[slice, slice],
    output: int,
    origin_constant: int | None,
) -> NDArray[Any]:
    """What a worker does for a tile."""
    x0, y0, x1, y1 = area
    constants = dict(base.constants)
    if origin_constant is not None:
        constants[origin_constant] = (float(x0), float(y0), 0.0, 0.0)
    origin = (0, 0) if inputs else (x0, y0)
    made = replace(base, domain=(x1 - x0, y1 - y0), origin=origin, inputs=dict(inputs), constants=constants)
    return made.run()[output][kept]


def _looks_up_fractions(program: Program) -> bool:
    """Whether a program looks up inputs by coordinates that count their size as 1."""
    if program.isa == "r700":
        return re.search(r"CT:[UN]*N", program.text) is not None
    return any(re.match(r"\s*TEX\b(?!.*\bUNSCALED\b).*\btex\[", line) for line in program.text.splitlines())
