"""Where two runs diverge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctm._result import Result
from ctm._trace import Step, Trace


@dataclass(frozen=True)
class Difference:
    """The first difference of two results."""

    output: int
    """The output."""
    lane: tuple[int, int]
    """Column and row of the first lane that differs, row by row."""
    channel: int
    """The first channel there."""
    values: tuple[Any, Any]
    """What both have there."""
    count: int
    """Lanes of the output that differ."""
    steps: tuple[Step | None, Step | None]
    """The first steps of the lane in both runs that are not alike: another instruction, other changes or accesses. None where a run has
    ended before."""

    def __str__(self) -> str:
        first, second = self.values
        lines = [
            f"output {self.output}: {self.count} lanes differ, first lane {self.lane}, channel {self.channel}: {first!r} and {second!r}"
        ]
        for name, step in zip("ab", self.steps):
            lines.append(f"{name}: {step if step is not None else 'has ended'}")
        return "\n".join(lines)


def diff(a: Result, b: Result) -> Difference | None:
    """The first difference of two results of the same domain, bit for bit; None if there is none.

    The lane is followed in both runs, to find the first instruction where they diverge. Raises ValueError if the results are of other
    domains, or have other outputs."""
    if a.job.domain != b.job.domain:
        raise ValueError(f"the domains {a.job.domain} and {b.job.domain} differ: run one like the other")
    if set(a) != set(b):
        raise ValueError(f"one has the outputs {sorted(a)}, the other {sorted(b)}")
    for output in sorted(a):
        first, second = a[output], b[output]
        if first.dtype != second.dtype or first.shape != second.shape:
            raise ValueError(f"output {output} is {first.dtype}{list(first.shape)} and {second.dtype}{list(second.shape)}")
        differs = _bits(first) != _bits(second)
        if not differs.any():
            continue
        row, column, channel = (int(index[0]) for index in np.nonzero(differs))
        values = (first[row, column, channel].item(), second[row, column, channel].item())
        lane = (column, row)
        steps = _parting(a.job.trace(lane), b.job.trace(lane))
        return Difference(output, lane, channel, values, int(differs.any(axis=2).sum()), steps)
    return None


def _bits(array: NDArray[Any]) -> NDArray[Any]:
    return array.view(np.uint32) if array.dtype == np.float32 else array


def _parting(a: Trace, b: Trace) -> tuple[Step | None, Step | None]:
    steps = [[step for step in trace if step.executes] for trace in (a, b)]
    for first, second in zip(*steps):
        alike = (first.text, first.changes, first.accesses) == (second.text, second.changes, second.accesses)
        if not alike:
            return (first, second)
    common = min(map(len, steps))
    rest = [side[common] if len(side) > common else None for side in steps]
    return (rest[0], rest[1])
