"""Traces of graphics cards, as `ctm card record` makes them.

>>> import ctm.card
>>> replay = ctm.card.replay("tests/card/triangles.ctmcard")
>>> replay
<ctm.card.Replay of rv515: 4 draws>
>>> replay.picture().shape
(64, 96, 4)
"""

from __future__ import annotations

import html
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctm import _native, _picture, _run
from ctm._progress import Progress, reporting

__all__ = ["Info", "PixelDraw", "Replay", "info", "replay"]

File = str | os.PathLike[str] | bytes | bytearray | memoryview


@dataclass(frozen=True)
class Info:
    """What is in a trace."""

    card: str
    """The card that it was recorded on: "rv515", "rv530", "r580", "rv770" or "gm107"."""
    submissions: int
    """Submissions that can be read."""
    draws: int
    """Draws in them."""
    damage: str | None
    """Why there are no more submissions, if the file is damaged."""


@dataclass(frozen=True)
class PixelDraw:
    """A draw that did something to the pixel whose history was asked for."""

    draw: int
    """Its number in the trace, from 0."""
    text: str
    """What it did, line by line."""

    def __str__(self) -> str:
        return f"draw {self.draw}\n{self.text}"


class Replay:
    """A card that has executed a trace, or the beginning of one."""

    def __init__(self, native: _native.CardReplay, card: str) -> None:
        self._native = native
        self.card = card
        """The card that the trace was recorded on."""
        self.draws = native.draws
        """Draws that were executed."""
        self.submissions = native.submissions
        """Submissions that were executed."""
        self.seconds = native.seconds
        """How long the card took for them."""
        self.warnings: tuple[str, ...] = tuple(native.warnings)
        """What is worth attention in them: submissions that the card rejected, and what it does not draw."""
        self.history: tuple[PixelDraw, ...] = tuple(PixelDraw(*draw) for draw in native.history)
        """What draws did to the pixel whose history was asked for."""

    def picture(self, target: int = 0) -> NDArray[np.float32]:
        """What the last draw left in a colour buffer: (height, width, 4). Rows are as they lie in memory: OpenGL has the bottom row first in
        framebuffer objects, and `numpy.flipud` turns that around. Raises ValueError if the draw writes no such buffer."""
        return self._shown(self._native.picture(target), f"colour buffer {target}")

    def depth(self) -> NDArray[np.float32]:
        """The depth buffer of the last draw: (height, width, 1). Raises ValueError if there is none."""
        return self._shown(self._native.depth(), "depth buffer")

    def _shown(self, array: NDArray[Any] | None, what: str) -> NDArray[np.float32]:
        if array is None:
            raise ValueError(f"the last draw has no {what}: draw= shows what another one left")
        return array

    def __repr__(self) -> str:
        return f"<ctm.card.Replay of {self.card}: {self.draws} draws>"

    def _repr_html_(self) -> str:
        array = self._native.picture(0)
        picture = f'<img alt="colour buffer 0" src="{_picture.data_url(array)}">' if array is not None else ""
        return f"<p>{html.escape(repr(self))}</p>{picture}"


def _trace(file: File) -> _native.CardTrace:
    if isinstance(file, (bytes, bytearray, memoryview)):
        return _native.CardTrace.read(bytes(file))
    return _native.CardTrace.open(os.fspath(file))


def info(file: File) -> Info:
    """What is in a trace, found without executing it. Raises OSError if the file cannot be read, `ctm.Error` if it is not a trace."""
    trace = _trace(file)
    return Info(trace.card, trace.submissions, trace.draws, trace.damage)


def replay(
    file: File,
    draw: int | None = None,
    *,
    pixel: tuple[int, int] | None = None,
    engine: str | None = None,
    threads: int = 0,
    seconds: float | None = None,
    submission_seconds: float | None = None,
    progress: Progress = None,
) -> Replay:
    """Executes a trace on a card of its own, up to and with a draw, counted from 0, or all of it.

    - `pixel`: column and row of a pixel in the buffers whose history is kept (`Replay.history`).
    - `engine`, `threads`: as in `ctm.run`.
    - `seconds`: how long all of it may take; `submission_seconds`: how long each submission may.
    - `progress`: as in `ctm.run`; it counts submissions.

    Ctrl-C ends it after the submission that is being executed. Raises OSError if the file cannot be read, `ctm.Error` if it is not a trace,
    is damaged, or has not so many draws."""
    trace = _trace(file)
    native_engine = _run.engine_of(engine, threads, seconds)
    with reporting(progress, "submission") as report:
        return Replay(trace.replay(native_engine, draw, submission_seconds, pixel, report), trace.card)
