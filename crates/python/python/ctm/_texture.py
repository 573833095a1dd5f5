"""Inputs that are sampled as the textures of a card are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from ctm import _arrays

if TYPE_CHECKING:
    from ctm import _native

_FACES = 6


@dataclass(frozen=True, eq=False)
class Texture:
    """An input of a program of "x1k" that is sampled as a graphics card does.

    >>> import numpy as np
    >>> sky = Texture(np.zeros((6, 64, 64, 4), np.uint8), "cube", filter="linear")
    """

    array: ArrayLike
    """The elements: (height, width) of "2d", (depth, height, width) of "3d", (6, side, side) of "cube" in the order +x, -x, +y, -y, +z, -z;
    channels may be one axis more. Types are those of inputs."""
    kind: str = "2d"
    """"2d", "3d" or "cube"."""
    filter: str = "nearest"
    """"nearest" or "linear", between elements and levels."""
    wrap: str | tuple[str, ...] = "clamp"
    """What coordinates outside mean, for all directions or each: "repeat", "mirror", "clamp" or "border" (zeros)."""
    levels: Sequence[ArrayLike] = ()
    """Further levels, each with half the sides of the one before, rounded down."""

    def items(self, name: str) -> _native.TextureItems:
        """What a run gets of it. Raises ValueError if an array does not have the axes of the kind, TypeError for other values."""
        if self.kind not in ("2d", "3d", "cube"):
            raise ValueError(f"unknown kind of texture {self.kind!r}: expected '2d', '3d' or 'cube'")
        directions = 3 if self.kind == "3d" else 2
        wraps = (self.wrap,) * directions if isinstance(self.wrap, str) else tuple(self.wrap)
        if len(wraps) != directions:
            raise ValueError(f"{name} has {len(wraps)} wraps: give one for all directions, or {directions}")
        layered = [_arrays.layers(array, self.kind != "2d", name) for array in (self.array, *self.levels)]
        layers, _ = layered[0]
        if self.kind == "cube" and any(count != _FACES for count, _ in layered):
            raise ValueError(f"{name} has {layers} faces, and a cube has {_FACES}: give an array of shape (6, side, side, channels)")
        return {
            "levels": [level for _, level in layered],
            "kind": self.kind,
            "layers": layers,
            "filter": self.filter,
            "wraps": (*wraps, "clamp")[:3],
        }
