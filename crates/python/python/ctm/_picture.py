"""Pictures for notebooks."""

import base64
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray


def data_url(array: NDArray[Any]) -> str:
    """A picture of an array, from 0 black to 1 white."""
    values = array.astype(np.float32)
    if array.dtype.kind == "u":
        values /= np.iinfo(array.dtype).max
    height, width, channels = values.shape
    if channels == 1:
        values = np.repeat(values, 3, axis=2)
    if channels == 2:
        values = np.concatenate([values, np.zeros((height, width, 1), np.float32)], axis=2)
    pixels = (np.clip(np.nan_to_num(values[:, :, :3]), 0, 1) * 255 + 0.5).astype(np.uint8)
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1).tobytes()

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(png).decode()
