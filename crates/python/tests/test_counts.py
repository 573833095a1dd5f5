"""How often instructions execute, and how far runs are."""

import pathlib
import pickle
import sys

import ctm
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[3]
ONES = np.ones((6, 8, 4), np.float32)


def test_counts_of_straight_code(copy):
    counts = copy.count(inputs={0: ONES}, constants={0: 1})
    assert [(counted.address, counted.lanes, counted.in_clause) for counted in counts.instructions] == [(0, 48, False), (1, 48, False)]
    assert counts.lanes.shape == (6, 8) and (counts.lanes == 2).all()
    assert counts.instructions[0].text.startswith("TEX") and "48" in str(counts)


@pytest.mark.parametrize("name", ["examples/mandelbrot.x1k", "examples/newton.r700"])
def test_counts_are_those_of_the_run(name):
    result = ctm.load(ROOT / name).run((40, 30), origin=(100, 200))
    counts = result.counts
    assert counts.lanes.shape == (30, 40) and counts is result.counts
    assert int(counts.lanes.sum()) == sum(counted.lanes for counted in counts.instructions)
    assert len(set(counts.lanes.flat)) > 3, "lanes diverge"
    heat = counts.heat()
    assert heat.shape == (30, 40, 3) and heat.dtype == np.uint8 and heat.max() == 255 and heat.min() == 0
    assert heat[np.unravel_index(counts.lanes.argmax(), counts.lanes.shape)].tolist() == [255, 255, 255]


def test_counts_are_those_of_the_statistics():
    result = ctm.load(ROOT / "examples/mandelbrot.x1k").run((40, 30))
    assert int(result.counts.lanes.sum()) == result.stats.instructions


@pytest.mark.parametrize("name", ["examples/mandelbrot.x1k", "examples/newton.r700"])
def test_engines_count_alike(name):
    program = ctm.load(ROOT / name)
    first, *others = [program.count((40, 30), origin=(100, 200), engine=engine) for engine in ctm.engines()]
    for other in others:
        assert other.instructions == first.instructions and (other.lanes == first.lanes).all()


def test_clauses_have_counts_of_their_own():
    counts = ctm.load(ROOT / "examples/newton.r700").count((8, 8))
    assert {counted.in_clause for counted in counts.instructions} == {False, True}


def test_threads_are_counted(add):
    counts = add.count_threads(2, 3, memory={0x10000: np.zeros(8, np.uint32)})
    assert counts.lanes.shape == (6,) and [counted.lanes for counted in counts.instructions][:6] == [6] * 6
    assert counts.heat().shape == (1, 6, 3)


def test_notebooks_show_the_listing_with_counts(copy):
    shown = copy.count(inputs={0: ONES}, constants={0: 1})._repr_html_()
    assert shown.count("<tr>") == 3 and "data:image/png" in shown and "TEX_SEM_WAIT" in shown


def test_counts_pickle(copy):
    counts = copy.count(inputs={0: ONES}, constants={0: 1})
    again = pickle.loads(pickle.dumps(counts))
    assert again.instructions == counts.instructions and (again.lanes == counts.lanes).all()


class TestProgress:
    @pytest.mark.parametrize("engine", ctm.engines())
    def test_the_last_call_has_all_lanes(self, copy, engine):
        calls = []
        copy.run(inputs={0: ONES}, constants={0: 1}, progress=lambda *call: calls.append(call), engine=engine)
        assert calls[-1] == (48, 48)

    def test_long_runs_report_meanwhile(self):
        calls = []
        ctm.load(ROOT / "examples/mandelbrot.x1k").run((768, 768), progress=lambda *call: calls.append(call), engine="reference")
        assert len(calls) > 2 and calls[-1] == (768 * 768, 768 * 768)
        assert all(earlier[0] <= later[0] for earlier, later in zip(calls, calls[1:]))

    def test_what_it_raises_ends_the_run(self):
        class Enough(Exception):
            pass

        def stop(done, lanes):
            raise Enough

        with pytest.raises(Enough):
            ctm.assemble("again: BRA again;", "sm50").launch(seconds=60, progress=stop)
        with pytest.raises(Enough):
            ctm.load(ROOT / "examples/mandelbrot.x1k").run((2, 2), progress=stop)

    def test_launches_draws_and_counts_report(self, copy, add):
        calls = []
        report = lambda *call: calls.append(call)  # noqa: E731
        add.launch(2, 3, memory={0x10000: np.zeros(8, np.uint32)}, progress=report)
        add.count_threads(2, 3, memory={0x10000: np.zeros(8, np.uint32)}, progress=report)
        copy.count(inputs={0: ONES}, constants={0: 1}, progress=report)
        ctm.draw(ctm.load(ROOT / "examples/ripple/vertex.sm50"), vertices=4, progress=report)
        assert len(calls) == 4 and all(done == whole > 0 for done, whole in calls)

    def test_a_bar_of_tqdm(self, copy, capsys):
        pytest.importorskip("tqdm")
        copy.run(inputs={0: ONES}, constants={0: 1}, progress=True)
        assert "48.0/48.0" in capsys.readouterr().err

    def test_without_tqdm_that_is_said(self, copy, monkeypatch):
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
        with pytest.raises(ImportError, match="pip install tqdm"):
            copy.run(inputs={0: ONES}, constants={0: 1}, progress=True)


class TestNames:
    @pytest.mark.parametrize("name", [0, np.int64(0), "c0", "const[0]"])
    def test_constants_have_the_names_of_the_text(self, copy, name):
        assert (copy.run(inputs={0: ONES}, constants={name: 3})[0] == 3).all()

    def test_constants_of_r700(self):
        program = ctm.load(ROOT / "examples/newton.r700")
        assert program.constant("C12") == 12
        with pytest.raises(ValueError, match="C0 to C255"):
            program.constant("c12")

    @pytest.mark.parametrize("name", ["scale", "c256", "c", "C0", "const[c0]", ""])
    def test_others_are_refused(self, copy, name):
        with pytest.raises(ValueError, match=r"c0 to c255, or const\[0\]"):
            copy.run(inputs={0: ONES}, constants={name: 1})


def test_parts_of_a_domain():
    program = ctm.load(ROOT / "examples/mandelbrot.x1k")
    whole = program.run((64, 48))[0]
    part = program.run((20, 10), origin=(17, 31))
    np.testing.assert_array_equal(part[0], whole[31:41, 17:37])
    assert part.job.trace((0, 0)).result[0].shape == (10, 20, 4)
    np.testing.assert_array_equal(part.counts.lanes, program.count((64, 48)).lanes[31:41, 17:37])
