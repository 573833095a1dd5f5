"""Instructions, taken apart."""

from __future__ import annotations

from dataclasses import dataclass

from ctm import _native


@dataclass(frozen=True)
class Operation:
    """An operation with its operands."""

    name: str
    """Its name, without modifiers."""
    operands: tuple[str, ...]
    """Its operands as the text spells them, in order; where it has a destination, that is the first one."""


@dataclass(frozen=True)
class Instruction:
    """An instruction of a program."""

    isa: str
    """The instruction set."""
    address: int
    """Where it stands, in the machine's units: instructions of "x1k" and "pvs", qwords of "r700", bytes of "sm50"."""
    words: tuple[int, ...]
    """Its words of 32 bits; of "r700" without the literals of its group."""
    text: str
    """Its text."""
    operations: tuple[Operation, ...]
    """What it does: one operation, or two of "x1k", whose instructions have an RGB and an alpha unit."""
    reads: tuple[str, ...]
    """What it reads, channel by channel: "temp[1].r", "R0.x", "R2", "P0", "const[4].a". These are the names that steps of a trace have."""
    writes: tuple[str, ...]
    """What it writes, likewise."""

    @property
    def mnemonic(self) -> str:
        """The name of its operation; of two, the first one's. Empty if it does nothing."""
        return self.operations[0].name if self.operations else ""

    @property
    def operands(self) -> tuple[str, ...]:
        """The operands of its operation; of two, those of both."""
        return tuple(operand for operation in self.operations for operand in operation.operands)

    def explain(self) -> str:
        """The pages of its operations, as `ctm explain` prints them."""
        pages = [explain(operation.name, self.isa) for operation in self.operations]
        return "\n".join(dict.fromkeys(pages))

    def __str__(self) -> str:
        return f"{self.address:5}  {self.text.strip()}"


def instructions(program: _native.Program) -> tuple[Instruction, ...]:
    """All of a program."""
    isa = program.isa
    return tuple(
        Instruction(
            isa,
            address,
            tuple(words),
            text,
            tuple(Operation(name, tuple(operands)) for name, operands in operations),
            tuple(reads),
            tuple(writes),
        )
        for address, words, text, operations, reads, writes in program.instructions()
    )


def explain(name: str, isa: str | None = None) -> str:
    """The page of a code ("X1K105"), of an error of a text ("unknown-word"), or of a name of an assembly language ("MAD"), as Markdown: what
    `ctm explain` prints. Without an instruction set these are the pages of all that have the name.

    Raises KeyError if nothing has the name."""
    page = _native.explain(name, isa)
    if page is None:
        raise KeyError(f"there is no page about {name!r}")
    return page
