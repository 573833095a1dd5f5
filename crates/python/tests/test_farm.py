"""Many jobs on a cluster."""

import itertools
import os
import pathlib
import signal
import threading
import time

import ctm
import numpy as np
import pytest

distributed = pytest.importorskip("distributed")

from ctm.farm import run_many  # noqa: E402

ROOT = pathlib.Path(__file__).parents[3]


@pytest.fixture(scope="module")
def client():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as client:
            yield client


def jobs(copy, count):
    picture = np.ones((4, 4, 4), np.float32)
    first = copy.run(inputs={0: picture}, constants={0: 0}).job
    for n in range(count):
        yield ctm.Job(copy, first.domain, first.inputs, {0: (float(n),) * 4})


@pytest.mark.parametrize("batch", [1, 7, 100])
def test_every_job_has_its_outcome(client, copy, batch):
    outcomes = list(run_many(client, jobs(copy, 50), batch=batch))
    assert sorted(outcome.index for outcome in outcomes) == list(range(50))
    for outcome in outcomes:
        assert outcome.error is None and (outcome.result[0] == outcome.index).all()
        assert outcome.job.constants[0][0] == outcome.index


def test_failures_stay_with_their_job(client, copy):
    good = list(jobs(copy, 6))
    bad = ctm.Job(copy, (2, 2))
    outcomes = {outcome.index: outcome for outcome in run_many(client, [*good[:3], bad, *good[3:]], batch=4)}
    assert isinstance(outcomes[3].error, ctm.Error) and outcomes[3].result is None and outcomes[3].job == bad
    assert all(outcomes[n].error is None for n in outcomes if n != 3) and len(outcomes) == 7


def test_endless_jobs_are_asked_for_only_as_far_as_wanted(client, copy):
    asked = itertools.count()

    def endless():
        for job in itertools.cycle(jobs(copy, 3)):
            next(asked)
            yield job

    taken = list(itertools.islice(run_many(client, endless(), batch=2, in_flight=3), 20))
    assert len(taken) == 20 and next(asked) <= 20 + 2 * 3 + 2


def test_workers_that_die_lose_nothing(copy):
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as client:
            slow = ctm.load(ROOT / "examples/mandelbrot.x1k")
            work = [ctm.Job(slow, (256, 256), engine="interp") for _ in range(24)]
            victim = next(iter(client.run(os.getpid).values()))
            threading.Timer(0.3, os.kill, (victim, signal.SIGKILL)).start()
            outcomes = list(run_many(client, work, batch=2))
            assert sorted(outcome.index for outcome in outcomes) == list(range(24))
            expected = slow.run((256, 256))
            assert all(outcome.error is None for outcome in outcomes)
            assert all(ctm.diff(expected, outcome.result) is None for outcome in outcomes)
            with pytest.raises(ProcessLookupError):
                while True:
                    os.kill(victim, 0)
                    time.sleep(0.05)


@pytest.mark.parametrize("options", [{"batch": 0}, {"in_flight": 0}])
def test_numbers_that_are_none(client, options):
    with pytest.raises(ValueError, match="at least 1"):
        next(run_many(client, [], **options))


def test_no_jobs_have_no_outcomes(client):
    assert list(run_many(client, [])) == []
