"""What a lane goes through."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from ctm import _native
from ctm._result import Launch, Result


@dataclass(frozen=True)
class Change:
    """A channel of a register that an instruction gave another value."""

    register: str
    """Its name, such as "r1.x" or "temp[1].r", in the words of the instruction set."""
    bits: int
    """The bits that it holds now."""
    is_float: bool
    """They are a float, as far as the machine knows."""

    @property
    def value(self) -> float | int:
        """The value."""
        return _value(self.bits, self.is_float)

    def __str__(self) -> str:
        return f"{self.register} = {self.value:g} ({self.bits:#010x})"


@dataclass(frozen=True)
class Access:
    """What an instruction read from memory, or wrote there."""

    write: bool
    """It was a write."""
    place: str
    """Where, in the words of the instruction set."""
    at: tuple[int, ...]
    """Coordinates there."""
    bits: tuple[int, ...]
    """What was there, or is there now."""
    is_float: bool
    """They are floats."""

    @property
    def values(self) -> tuple[float | int, ...]:
        """The values."""
        return tuple(_value(bits, self.is_float) for bits in self.bits)


@dataclass(frozen=True)
class Step:
    """An instruction that the lane's group executed."""

    number: int
    """Its number, from 1."""
    address: int
    """The instruction's address, in the machine's units."""
    text: str
    """The instruction."""
    executes: bool
    """The lane took part."""
    changes: tuple[Change, ...]
    """What the instruction changed in the lane."""
    accesses: tuple[Access, ...]
    """What it read from memory and wrote there for the lane."""
    active: tuple[int, int]
    """Active lanes of the group before and after."""
    trap: str | None
    """What ended the program here, if something did."""

    def __str__(self) -> str:
        changes = ", ".join(map(str, self.changes))
        mark = " " if self.executes else "-"
        return f"{self.number:6} {mark} {self.address:5}  {self.text.strip()}" + (f"\n{'':17}{changes}" if changes else "")


class Trace(Sequence[Step]):
    """The steps of a lane."""

    def __init__(
        self,
        steps: tuple[Step, ...],
        end: dict[str, float | int],
        lane: Any,
        result: Result | Launch,
        variables: Sequence[Sequence[_native.Variable]] = (),
    ) -> None:
        self._steps = steps
        self._variables = variables
        self.end = end
        """What the lane's registers held at the end, but zeros."""
        self.lane = lane
        """The lane: column and row, or the number of a thread."""
        self.result = result
        """What the run gave."""

    @classmethod
    def of(cls, steps: _native.Steps, lane: Any, result: Result | Launch) -> Trace:
        """Of what the extension module gives."""
        end = {name: _value(bits, is_float) for name, bits, is_float in steps[1]}
        return cls(tuple(_step(step) for step in steps[0]), end, lane, result, steps[2])

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Step]: ...
    def __getitem__(self, index: int | slice) -> Step | Sequence[Step]:
        return self._steps[index]

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps)

    def last_write(self, register: str, before: int | None = None) -> Step | None:
        """The last step, of those with a smaller number than `before` where that is given, that changed a register's channel, or any
        channel of a register."""
        for step in reversed(self._steps):
            if before is not None and step.number >= before:
                continue
            if any(change.register == register or change.register.startswith(register + ".") for change in step.changes):
                return step
        return None

    def variables(self, step: int | Step) -> dict[str, float | bool]:
        """What the variables of a shader hold in front of a step, or of that with this number: those that the program has somewhere there, channel by
        channel ("p.x"), and uniforms. Empty for other programs, and for pixel shader text but for its constants."""
        number = step if isinstance(step, int) else step.number
        if not 1 <= number <= len(self._steps):
            raise ValueError(f"there is no step {number}: the trace has steps 1 to {len(self._steps)}")
        found: dict[str, float | bool] = {}
        for changes in self._variables[:number]:
            for name, bits, is_truth in changes:
                if bits is None:
                    found.pop(name, None)
                else:
                    found[name] = bits != 0 if is_truth else _value(bits, True)
        return found

    def __str__(self) -> str:
        return "\n".join(map(str, self._steps))

    def __repr__(self) -> str:
        return f"<ctm.Trace of lane {self.lane}: {len(self)} steps>"


def _step(step: _native.Step) -> Step:
    number, address, text, executes, changes, accesses, active, trap = step
    return Step(
        number,
        address,
        text,
        executes,
        tuple(Change(*change) for change in changes),
        tuple(Access(write, place, tuple(at), tuple(bits), is_float) for write, place, at, bits, is_float in accesses),
        active,
        trap,
    )


def _value(bits: int, is_float: bool) -> float | int:
    if is_float:
        value: float = struct.unpack("<f", struct.pack("<I", bits))[0]
        return value
    return bits - (1 << 32) if bits >> 31 else bits
