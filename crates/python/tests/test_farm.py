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
dask_array = pytest.importorskip("dask.array")

from ctm.farm import run_many, run_tiled  # noqa: E402

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


def test_inputs_that_jobs_share_are_sent_once(client, copy, monkeypatch):
    sent = []
    submit = client.submit
    monkeypatch.setattr(client, "submit", lambda f, *args, **how: sent.append(f.__name__) or submit(f, *args, **how))
    pictures = [np.full((64, 64, 4), n, np.float32) for n in range(3)]
    work = [ctm.Job(copy, (64, 64), {0: pictures[n % 3]}, {0: (float(n),) * 4}) for n in range(30)]
    for outcome in run_many(client, work, batch=4):
        assert (outcome.result[0] == outcome.index % 3 * outcome.index).all()
    assert sent.count("_itself") == 3 and sent.count("_run_batch") == 8


def test_more_shared_inputs_than_are_kept(client, copy, monkeypatch):
    monkeypatch.setattr(ctm.farm, "_SHARED", 2)
    pictures = [np.full((64, 64, 4), n, np.float32) for n in range(5)]
    work = [ctm.Job(copy, (64, 64), {0: pictures[n % 5]}, {0: (1.0,) * 4}) for n in range(40)]
    outcomes = list(run_many(client, work, keep=lambda result: float(result[0][3, 4, 1]), batch=3))
    assert len(outcomes) == 40 and all(outcome.result == outcome.index % 5 for outcome in outcomes)


def test_what_is_kept_of_results(client, copy):
    outcomes = list(run_many(client, jobs(copy, 20), keep=lambda result: float(result[0].sum()), batch=3))
    assert all(outcome.result == 64 * outcome.index for outcome in outcomes) and len(outcomes) == 20


def test_what_keep_raises_is_the_outcome(client, copy):
    outcomes = list(run_many(client, jobs(copy, 3), keep=lambda result: result[7]))
    assert all(isinstance(outcome.error, KeyError) for outcome in outcomes) and len(outcomes) == 3


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
            # The input is not read, but goes with the jobs, and with the worker.
            input = np.zeros((64, 64, 4), np.float32)
            work = [ctm.Job(slow, (256, 256), {0: input}, engine="interp") for _ in range(24)]
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


class TestTiles:
    """Domains that are run in parts."""

    @pytest.mark.parametrize("tile", [(32, 32), (100, 7), (17, 1000)])
    @pytest.mark.parametrize("name", ["examples/mandelbrot.x1k", "examples/newton.r700"])
    def test_positions_are_those_in_the_whole(self, client, name, tile):
        program = ctm.load(ROOT / name)
        array = run_tiled(program, (100, 70), tile=tile)
        assert array.shape == (70, 100, 4) and array.dtype == np.float32
        np.testing.assert_array_equal(array.compute(), program.run((100, 70))[0])

    @pytest.mark.parametrize("tile", [(32, 32), (100, 5), (64, 64)])
    @pytest.mark.parametrize("name, halo", [("examples/blur.x1k", 2), ("examples/blur.x1k", (5, 2))])
    def test_lanes_find_their_neighbours(self, client, name, halo, tile):
        program = ctm.load(ROOT / name)
        picture = np.random.default_rng(9).integers(0, 2, (70, 100, 4)).astype(np.float32)
        expected = program.run(inputs={0: picture})[0]
        chunked = dask_array.from_array(picture, chunks=(16, 40, 4))
        np.testing.assert_array_equal(run_tiled(program, (100, 70), {0: chunked}, halo=halo, tile=tile).compute(), expected)

    def test_without_their_halo_they_do_not(self, client):
        program = ctm.load(ROOT / "examples/blur.x1k")
        picture = np.random.default_rng(10).random((70, 100, 4), np.float32)
        found = run_tiled(program, (100, 70), {0: picture}, halo=1, tile=(32, 32)).compute()
        assert (found != program.run(inputs={0: picture})[0]).any()

    def test_the_origin_of_a_tile_is_a_constant(self, client):
        program = ctm.assemble("""
            TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
            src0.rgb = temp[0], src1.rgb = const[3] : temp[2].rg = MAD src0.rg0 src0.11_ src1.rg0 ;
            OUT TEX_SEM_WAIT src0.rgb = temp[1], src1.rgb = temp[2] : out[0].rgb = MAD src0.rrr src0.111 src1.rg0 ;
        """, isa="x1k")
        zeros = np.zeros((50, 60, 4), np.float32)
        found = run_tiled(program, (60, 50), {0: zeros}, halo=3, tile=(16, 16), origin_constant="c3").compute()
        rows, columns = np.indices((50, 60))
        assert (found[:, :, 0] == columns).all() and (found[:, :, 1] == rows).all()

    def test_domains_are_larger_than_one_run(self, client):
        program = ctm.assemble("OUT TEX_SEM_WAIT src0.rgb = temp[0] : out[0].rgb = MAX src0.rgb src0.rgb ;", isa="x1k")
        array = run_tiled(program, (65536, 65536), tile=(4096, 4096), format="FLOAT32_2")
        assert array.shape == (65536, 65536, 2)
        assert array[65535, 40000:40002].compute().tolist() == [[40000, 65535], [40001, 65535]]

    def test_pictures_go_to_zarr(self, client, tmp_path):
        zarr = pytest.importorskip("zarr")
        program = ctm.load(ROOT / "examples/mandelbrot.x1k")
        array = run_tiled(program, (96, 64), tile=(32, 32), format="UINT8_4")
        array.to_zarr(str(tmp_path / "picture.zarr"))
        found = zarr.open(str(tmp_path / "picture.zarr"))[:]
        np.testing.assert_array_equal(found, program.run((96, 64), outputs={0: "UINT8_4"})[0])

    def test_workers_that_die_lose_nothing(self):
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
            with distributed.Client(cluster) as client:
                slow = ctm.load(ROOT / "examples/mandelbrot.x1k")
                array = run_tiled(slow, (512, 512), tile=(64, 64), engine="reference")
                victim = next(iter(client.run(os.getpid).values()))
                threading.Timer(0.2, os.kill, (victim, signal.SIGKILL)).start()
                np.testing.assert_array_equal(array.compute(), slow.run((512, 512))[0])

    @pytest.mark.parametrize("options, words", [
        ({"domain": (0, 4)}, "at least 1"),
        ({"tile": (0, 4)}, "at least 1"),
        ({"inputs": {0: np.zeros((4, 5), np.float32)}, "halo": 0}, "size of the domain"),
        ({"inputs": {0: np.zeros((4, 4), np.float32)}}, "give halo"),
        ({"format": "FLOAT64"}, "formats are"),
        ({"origin_constant": "scale"}, "c0 to c255"),
    ])
    def test_what_does_not_fit_is_refused(self, copy, options, words):
        with pytest.raises(ValueError, match=words):
            run_tiled(copy, **{"domain": (4, 4), **options})

    def test_lookups_by_fractions_are_refused(self, copy):
        program = ctm.assemble(copy.text.replace("UNSCALED ", ""), "x1k")
        with pytest.raises(ValueError, match="by fractions"):
            run_tiled(program, (4, 4), {0: np.zeros((4, 4), np.float32)}, halo=0)


class TestExamples:
    """What examples/python shows."""

    @pytest.fixture(autouse=True)
    def examples(self, monkeypatch):
        monkeypatch.syspath_prepend(str(ROOT / "examples/python"))

    def test_nothing_of_the_corpus_is_wrong(self, client):
        import regressions

        assert len(regressions.cases()) >= 8 and list(regressions.regressions(client)) == []

    def test_what_is_wrong_is_found(self, client, monkeypatch):
        import regressions

        found = regressions.cases()[:2]
        found[1].expected = found[1].expected + 1
        monkeypatch.setattr(regressions, "cases", lambda: found)
        wrong = list(regressions.regressions(client))
        assert len(wrong) == len(ctm.engines()) and all(line.startswith(found[1].name) for line in wrong)

    def test_a_large_picture(self, client, tmp_path):
        zarr = pytest.importorskip("zarr")
        import picture

        picture.draw(str(tmp_path / "julia.zarr"), 256, tile=96)
        found = zarr.open(str(tmp_path / "julia.zarr"))[:]
        scale = 4 / 256
        expected = ctm.load(picture.PROGRAM).run((256, 256), constants={0: (scale, scale, -2, -2)}, outputs={0: "UINT8_4"})[0]
        np.testing.assert_array_equal(found, expected)
