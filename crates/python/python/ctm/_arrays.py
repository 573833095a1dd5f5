"""Arrays as programs can read them."""

import reprlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ctm import _native

_KINDS = "float32, uint8 or uint16"


def shown(value: object) -> str:
    """A value in a message: arrays by shape and type, others so that they fit in a line."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}{list(value.shape)}"
    return reprlib.repr(value)


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


def layers(value: ArrayLike, is_layered: bool, name: str) -> tuple[int, NDArray[Any]]:
    """A level of a texture: how many slices or faces it has, and the array with these one below the other."""
    array = np.asarray(value)
    if not is_layered:
        return 1, image(array, name)
    if array.ndim not in (3, 4):
        raise ValueError(f"{name} has {array.ndim} dimensions: give slices or faces, rows and columns, and perhaps channels")
    count, height, width = array.shape[:3]
    return count, image(array.reshape(count * height, width, *array.shape[3:]), name)


_FORMATS = {("f", 4, 1): "FLOAT32_1", ("f", 4, 2): "FLOAT32_2", ("f", 4, 4): "FLOAT32_4", ("u", 1, 4): "UINT8_4", ("u", 2, 1): "UINT16_1"}

# Bytes of an array that is copied once, by NumPy, rather than on the way to the memory of the run as well.
_LARGE = 1 << 20


def _format(dtype: np.dtype[Any], channels: int) -> str | None:
    return _FORMATS.get((dtype.kind, dtype.itemsize, channels))


def zeros(shape: tuple[int, ...], dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """An array of zeros (height, width, channels), or (height, width), in memory that programs access: as an input it is not copied.

    Values are float32 with 1, 2 or 4 channels, uint8 with 4, or uint16 with 1. Rows begin at multiples of 32 bytes, so that arrays of some
    widths have gaps between rows; those are copied when they are inputs. Raises ValueError for other shapes, TypeError for other values."""
    kind = np.dtype(dtype)
    if len(shape) not in (2, 3):
        raise ValueError(f"the shape is {shown(shape)}: give (height, width), or (height, width, channels)")
    height, width, channels = (*shape, 1)[:3]
    name = _format(kind, channels)
    if name is None:
        raise TypeError(
            f"there is no memory of {kind} with {channels} channels: float32 has 1, 2 or 4 channels, uint8 has 4, and uint16 has 1"
        )
    array = np.asarray(_native.Memory(width, height, name))
    return array if len(shape) == 3 else array[:, :, 0]


def _memory_of(array: NDArray[Any]) -> _native.Memory | None:
    """The memory of programs that an array is all of."""
    base: object = array.base
    while isinstance(base, np.ndarray):
        base = base.base
    if not isinstance(base, _native.Memory):
        return None
    there, whole = array.__array_interface__, base.__array_interface__
    is_all = all(there[key] == whole[key] for key in ("data", "shape", "typestr")) and array.flags.c_contiguous
    return base if is_all else None


def memory(array: NDArray[Any]) -> NDArray[Any] | _native.Memory:
    """What a run reads an input from: the memory that it is all of, memory with a copy of it if it is large, else the array itself."""
    found = _memory_of(array)
    if found is None and array.nbytes >= _LARGE and _format(array.dtype, array.shape[2]) is not None:
        copied = zeros(array.shape, array.dtype)
        if copied.flags.c_contiguous:
            copied[:] = array
            found = _memory_of(copied)
    return array if found is None else found


def words(value: ArrayLike, name: str) -> NDArray[np.uint32]:
    """Memory or a constant bank: values of 4 bytes, as their bits."""
    array = np.asarray(value)
    if array.dtype.itemsize != 4 or array.dtype.kind not in "iuf":
        raise TypeError(f"{name} has values of {array.dtype}, and memory has words: convert them to uint32, int32 or float32")
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    return _packed(array).reshape(-1).view(np.uint32)


def numbers(value: ArrayLike, name: str) -> tuple[float, ...]:
    """The value of a uniform: its numbers one after the other."""
    array = np.asarray(value)
    if array.dtype.kind not in "biuf" or array.size == 0:
        raise TypeError(f"{name} is {shown(value)}: give numbers")
    return tuple(float(number) for number in array.astype(np.float32).ravel())


def vector(value: ArrayLike, name: str) -> tuple[float, float, float, float]:
    """A constant: up to 4 numbers, the others 0; one number is for all four."""
    try:
        array = np.asarray(value, dtype=np.float32)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {shown(value)}: give one number for all channels, or up to 4 numbers") from None
    if array.ndim == 0:
        array = np.repeat(array, 4)
    if array.ndim != 1 or not 1 <= array.size <= 4:
        raise ValueError(f"{name} has shape {array.shape}: give one number for all channels, or up to 4 numbers")
    padded = [float(number) for number in array] + [0.0] * (4 - array.size)
    return (padded[0], padded[1], padded[2], padded[3])
