"""How often instructions execute."""

from __future__ import annotations

import html
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctm import _native, _picture


@dataclass(frozen=True)
class Counted:
    """An instruction with its counts."""

    address: int
    """The instruction's address, in the machine's units; in a clause of R700, counted for itself."""
    in_clause: bool
    """It is one of a clause."""
    text: str
    """The instruction."""
    executions: int
    """Executions by groups that had a lane there. It depends on which lanes form groups."""
    lanes: int
    """Executions by lanes."""

    def __str__(self) -> str:
        return f"{self.executions:12} {self.lanes:14}  {self.text.strip()}"


@dataclass(frozen=True)
class Counts:
    """How often each instruction of a run executed, and how many each lane executed."""

    instructions: tuple[Counted, ...]
    """All of them, in the order of the listing, also those that did not execute."""
    lanes: NDArray[np.uint64]
    """How many instructions each lane executed: (height, width), or one for each thread. As a picture it shows where lanes diverge."""

    @classmethod
    def of(cls, counts: _native.Counts, shape: tuple[int, ...]) -> Counts:
        """Of what the extension module gives."""
        instructions, lanes = counts
        return cls(tuple(Counted(*each) for each in instructions), np.array(lanes, np.uint64).reshape(shape))

    def heat(self) -> NDArray[np.uint8]:
        """The lanes as a heat map (height, width, 3): from black for none through red and yellow to white where lanes execute most."""
        lanes = np.atleast_2d(self.lanes)
        return np.frombuffer(_native.heat_map(lanes.ravel().tolist()), np.uint8).reshape(*lanes.shape, 3)

    def __str__(self) -> str:
        return "\n".join([f"{'executions':>12} {'lanes':>14}", *map(str, self.instructions)])

    def _repr_html_(self) -> str:
        most = max((counted.lanes for counted in self.instructions), default=0) or 1
        rows = "".join(
            f"<tr><td>{each.executions}</td><td>{each.lanes}</td>"
            f'<td style="text-align:left;background:rgba(255,80,0,{0.5 * each.lanes / most:.2f})"><pre>{html.escape(each.text.strip())}</pre></td></tr>'
            for each in self.instructions
        )
        listing = f"<table><tr><th>executions</th><th>lanes</th><th>instruction</th></tr>{rows}</table>"
        return f'<img alt="instructions of each lane" src="{_picture.data_url(self.heat())}">{listing}'
