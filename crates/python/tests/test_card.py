"""Traces of graphics cards."""

import pathlib

import ctm
import ctm.card
import pytest

ROOT = pathlib.Path(__file__).parents[3]
TRACE = ROOT / "tests/card/triangles.ctmcard"


def test_replay():
    info = ctm.card.info(TRACE)
    replay = ctm.card.replay(TRACE)
    assert (replay.card, replay.draws, replay.submissions) == (info.card, info.draws, info.submissions) and info.damage is None
    picture = replay.picture()
    assert picture.dtype == "float32" and picture.shape[2] == 4 and picture.max() <= 1 and picture.std() > 0
    assert repr(replay).startswith("<ctm.card.Replay of ") and "<img" in replay._repr_html_()
    assert (ctm.card.replay(TRACE.read_bytes(), engine="interp").picture() == picture).all()


def test_a_draw_and_a_pixel():
    first = ctm.card.replay(TRACE, 0, pixel=(48, 32))
    assert first.draws == 1 and all(draw.draw == 0 and draw.text for draw in first.history)
    assert (ctm.card.replay(ROOT / "tests/card/depth.ctmcard").depth() <= 1).all()
    assert ctm.card.replay(TRACE, pixel=(48, 32)).history


def test_what_does_not_fit(tmp_path):
    with pytest.raises(FileNotFoundError):
        ctm.card.replay("no such file.ctmcard")
    with pytest.raises(ctm.Error):
        ctm.card.replay(b"no trace")
    with pytest.raises(ctm.Error, match="no number 1000"):
        ctm.card.replay(TRACE, 1000)
    with pytest.raises(ValueError, match="no colour buffer 3"):
        ctm.card.replay(TRACE).picture(3)
    with pytest.raises(ctm.Error, match="deadline"):
        ctm.card.replay(TRACE, seconds=0)
    with pytest.raises(ctm.Error, match="'ctm card dis FILE'"):
        ctm.load(TRACE)


def test_progress():
    calls = []
    ctm.card.replay(TRACE, progress=lambda *call: calls.append(call))
    assert calls[-1][0] <= calls[-1][1] == ctm.card.info(TRACE).submissions
