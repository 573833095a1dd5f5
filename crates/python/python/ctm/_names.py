"""The names of a shader."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Uniform:
    """A uniform of a shader, or an array of them. Members of structures and blocks are uniforms with names such as "lights[1].position"."""

    name: str
    """Its name in the source."""
    kind: str
    """What its values are: "float", "int", "uint" or "bool"."""
    columns: int
    """Columns of a matrix; 1 for vectors and scalars."""
    rows: int
    """Channels of a vector, or of a column."""
    elements: int | None
    """Elements, if it is an array."""
    default: tuple[float, ...]
    """The value that the source gives it; empty if it gives none."""
    is_known: bool
    """It has a value by its name, as `iTime` and `u_resolution` have."""

    @property
    def size(self) -> int:
        """How many numbers it is."""
        return self.columns * self.rows * (self.elements or 1)


@dataclass(frozen=True)
class ShaderTexture:
    """A texture of a shader."""

    name: str
    """Its name in the source."""
    input: int
    """The number of the input."""
    kind: str
    """What is given for it: "2d", "3d" or "cube"."""


@dataclass(frozen=True)
class Varying:
    """An interpolated input of a shader."""

    name: str
    """Its name in the source."""
    slot: int
    """The first of its slots; columns of matrices and elements of arrays take one each."""
    slots: int
    """How many slots."""
    channels: int
    """Channels of each."""
