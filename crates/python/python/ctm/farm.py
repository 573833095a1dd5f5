"""Many jobs on the workers of a Dask cluster: `LocalCluster`, ssh, or any other.

Dask brings its scheduler, retries and connections; what is here says what workers do. Install it by `pip install ctm-gpu[farm]`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctm._native import Error
from ctm._result import Result
from ctm._run import Job

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Outcome", "run_many"]


@dataclass(frozen=True)
class Outcome:
    """What became of a job."""

    index: int
    """Its number among the jobs, from 0."""
    job: Job
    """The job."""
    result: Result | None
    """What it gave; None if it failed."""
    error: BaseException | None
    """Why it failed: what `Job.run` raised, or what Dask says of workers that died with it again and again."""


def run_many(
    client: Client, jobs: Iterable[Job], *, batch: int = 16, in_flight: int | None = None, retries: int = 2
) -> Iterator[Outcome]:
    """Runs jobs on the workers of a cluster, and gives their outcomes as they come, in no order.

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

    def submit(numbered: list[tuple[int, Job]]) -> None:
        future = client.submit(_run_batch, [job for _, job in numbered], retries=retries, pure=False)
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
            for (index, job), (result, error) in zip(done, outcomes):
                yield Outcome(index, job, result, error)
    finally:
        # Whoever takes no more outcomes wants no more work done.
        client.cancel(list(completed.futures))


def _batches(jobs: Iterable[Job], size: int) -> Iterator[list[tuple[int, Job]]]:
    numbered = enumerate(jobs)
    while batch := list(itertools.islice(numbered, size)):
        yield batch


def _run_batch(jobs: list[Job]) -> list[tuple[Result | None, BaseException | None]]:
    """What a worker does."""
    outcomes: list[tuple[Result | None, BaseException | None]] = []
    for job in jobs:
        try:
            outcomes.append((job.run(), None))
        except (Error, TypeError, ValueError) as error:
            outcomes.append((None, error))
    return outcomes
