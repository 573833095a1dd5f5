"""How `ctm.farm.run_many` scales: `python benches/farm.py [JOBS]` runs programs of the corpus on one worker and on two, in turns, and prints
jobs per second and the memory that the caller takes at most."""

import pathlib
import resource
import sys
import time

import ctm
import ctm.farm
from distributed import Client, LocalCluster

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "examples/python"))
from regressions import cases  # noqa: E402

SIDE = 512


def measure(workers: int, count: int) -> float:
    """Jobs per second."""
    found = cases()
    # The corpus is small pictures; jobs of users are larger.
    jobs = (
        ctm.Job(case.job.program, (SIDE, SIDE), case.job.inputs, case.job.constants) for case in (found[n % len(found)] for n in range(count))
    )
    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        client.wait_for_workers(workers)
        list(ctm.farm.run_many(client, (case.job for case in found * workers * 4), keep=checksum, batch=1))
        start = time.perf_counter()
        failed = [outcome for outcome in ctm.farm.run_many(client, jobs, keep=checksum, batch=32) if outcome.error is not None]
        seconds = time.perf_counter() - start
    assert not failed, failed[0]
    return count / seconds


def checksum(result: ctm.Result) -> float:
    """A number for a picture."""
    return float(result[0].sum())


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for _ in range(2):
        one, two = measure(1, count), measure(2, count)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(f"{count} jobs: {one:.0f} per second on one worker, {two:.0f} on two ({two / one:.2f} times); {memory} MiB", flush=True)
