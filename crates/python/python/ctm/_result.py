"""What runs give."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ctm import _picture

if TYPE_CHECKING:
    from ctm._counts import Counts
    from ctm._run import Job


@dataclass(frozen=True)
class Stats:
    """What a run did."""

    lanes: int
    """Lanes, or threads, that ran."""
    instructions: int
    """Instructions, summed over the lanes that took part in each."""
    groups: int
    """Groups of lanes."""
    out_of_range: bool
    """Some access left the memory: it read 0 or wrote nothing."""
    engine: str
    """The engine."""
    compile_seconds: float = 0.0
    """How long the program was compiled and its inputs were copied; little if it was compiled before."""
    run_seconds: float = 0.0
    """How long it ran."""
    seconds: float = 0.0
    """How long all of it took: that, the outputs copied, and memory given back."""


class Result(Mapping[int, NDArray[Any]]):
    """The outputs of a run by their numbers: arrays (height, width, channels) which belong to the result and can be written."""

    def __init__(self, job: Job, outputs: dict[int, NDArray[Any]], stats: Stats) -> None:
        self.job = job
        """What was run: give it, or the result, as `like` to run another program so."""
        self.stats = stats
        """What the run did."""
        self._outputs = outputs
        self._counts: Counts | None = None

    @property
    def counts(self) -> Counts:
        """How often each instruction executed, and how many each lane executed. The job runs once more for them, without machine code."""
        if self._counts is None:
            self._counts = self.job.count()
        return self._counts

    def __getitem__(self, number: int) -> NDArray[Any]:
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
        outputs = ", ".join(f"{number}: {array.dtype}{list(array.shape)}" for number, array in self.items())
        return f"<ctm.Result {{{outputs}}}, {self.stats.engine}, {self.stats.run_seconds * 1e3:.3g} ms>"

    def _repr_html_(self) -> str:
        pictures = (f'<img alt="output {number}" src="{_picture.data_url(array)}">' for number, array in self.items())
        return f"<p>{html.escape(repr(self))}</p>" + "".join(pictures)


@dataclass
class Launch:
    """What a launch of threads gives."""

    memory: dict[int, NDArray[np.uint32]]
    """Words of global memory by address, after the launch."""
    stats: Stats
    """What it did."""
