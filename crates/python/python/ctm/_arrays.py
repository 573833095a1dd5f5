"""Arrays as programs can read them."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_KINDS = "float32, uint8 or uint16"


def _lossless(array: NDArray[Any], name: str) -> NDArray[Any]:
    """The array with values of a type that programs read. Raises TypeError where a conversion would lose something."""
    dtype = array.dtype.newbyteorder("=")
    if dtype in (np.float32, np.uint8, np.uint16):
        return array.astype(dtype, copy=False)
    if dtype == np.float16:
        return array.astype(np.float32)
    if dtype == np.bool_:
        raise TypeError(f"{name} has truth values: give what they stand for, as with .astype(np.float32)")
    if dtype.kind == "f":
        raise TypeError(f"{name} has values of {dtype}, and programs read {_KINDS}: round them with .astype(np.float32)")
    if dtype.kind in "iu":
        raise TypeError(
            f"{name} has values of {dtype}, and programs read {_KINDS}: convert them with .astype(np.float32) if they are "
            "numbers, or with .view(np.float32) if they are bits"
        )
    raise TypeError(f"{name} has values of {dtype}, and programs read {_KINDS}")


def _packed(array: NDArray[Any]) -> NDArray[Any]:
    """The array, or a copy of it, in C order and aligned."""
    flags = array.flags
    return array if flags.c_contiguous and flags.aligned else array.copy()


def image(value: ArrayLike, name: str) -> NDArray[Any]:
    """An input: rows, columns and 1 to 4 channels, in C order."""
    array = _lossless(np.asarray(value), name)
    if array.ndim == 2:
        array = array[:, :, np.newaxis]
    if array.ndim != 3:
        raise ValueError(
            f"{name} has {array.ndim} dimensions: it has rows and columns, and may have channels; reshape it to (height, width, channels)"
        )
    if 0 in array.shape:
        raise ValueError(f"{name} of shape {array.shape} is empty")
    if array.shape[2] > 4:
        raise ValueError(f"{name} has {array.shape[2]} channels, and elements have 1 to 4: give several inputs")
    return _packed(array)


def words(value: ArrayLike, name: str) -> NDArray[np.uint32]:
    """Memory or a constant bank: values of 4 bytes, as their bits."""
    array = np.asarray(value)
    if array.dtype.itemsize != 4 or array.dtype.kind not in "iuf":
        raise TypeError(f"{name} has values of {array.dtype}, and memory has words: convert them to uint32, int32 or float32")
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    return _packed(array).reshape(-1).view(np.uint32)


def vector(value: ArrayLike, name: str) -> tuple[float, float, float, float]:
    """A constant: up to 4 numbers, the others 0; one number is for all four."""
    array = np.asarray(value, dtype=np.float32)
    if array.ndim == 0:
        array = np.repeat(array, 4)
    if array.ndim != 1 or not 1 <= array.size <= 4:
        raise ValueError(f"{name} has shape {array.shape}: give one number for all channels, or up to 4 numbers")
    padded = [float(number) for number in array] + [0.0] * (4 - array.size)
    return (padded[0], padded[1], padded[2], padded[3])
