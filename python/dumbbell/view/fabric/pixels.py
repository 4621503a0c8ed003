"""Small images for pages: a pixel for each cell."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def image(cells: NDArray[np.float64], color: str) -> str:
    """A PNG as a data URI: `cells[row][column]` from 0, which is transparent, to 1, which is
    `#rrggbb`. It stands on light and dark pages alike."""
    rows, columns = cells.shape
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    pixels = np.empty((rows, columns, 4), dtype=np.uint8)
    pixels[..., :3] = red, green, blue
    pixels[..., 3] = np.rint(255 * np.clip(cells, 0.0, 1.0))
    lines = np.zeros((rows, 1 + 4 * columns), dtype=np.uint8)  # Each begins with its filter, none.
    lines[:, 1:] = pixels.reshape(rows, -1)
    head = struct.pack(">IIBBBBB", columns, rows, 8, 6, 0, 0, 0)
    body = zlib.compress(lines.tobytes(), 9)
    parts = (_chunk(b"IHDR", head), _chunk(b"IDAT", body), _chunk(b"IEND", b""))
    text = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()
    return f"data:image/png;base64,{text}"


def _chunk(kind: bytes, data: bytes) -> bytes:
    """A part of a PNG file, with its length and its checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
