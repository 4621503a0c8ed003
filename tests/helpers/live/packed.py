"""Packed columns, read by the description of their format (crates/dumbbell-lab/src/view)."""

from __future__ import annotations

import base64
import zlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np


def inflated(blobs: Sequence[str]) -> list[bytes]:
    """The bytes of blobs."""
    return [zlib.decompress(base64.b64decode(blob), wbits=-15) for blob in blobs]


def numbers(column: dict[str, Any], blobs: Sequence[bytes]) -> np.ndarray:
    """The values of a column of numbers, NaN where it has none."""
    rows = column["rows"]
    if column["coding"] == "even":
        return column["start"] + np.arange(rows) * column["step"]
    data, at, width = blobs[column["blob"]], column["at"], column["width"]
    planes = np.frombuffer(data, np.uint8, width * rows, at).reshape(width, rows)
    coded = sum(planes[i].astype(np.uint64) << np.uint64(8 * i) for i in range(width))
    found = (coded >> np.uint64(1)).astype(np.int64) ^ -(coded & np.uint64(1)).astype(np.int64)
    if column["coding"] == "delta":
        found = np.cumsum(found) + int(column.get("start", 0))
    values = found.astype(np.float64)
    inverse = round(1 / column["step"]) if column["step"] < 1 else 0
    values = values / inverse if inverse else values * column["step"]
    if "nulls" in column:
        bits = np.frombuffer(data, np.uint8, -(-rows // 8), column["nulls"])
        values[np.unpackbits(bits, bitorder="little")[:rows].astype(bool)] = np.nan
    return values


def joined(pieces: list[dict[str, Any]]) -> dict[str, dict[str, np.ndarray]]:
    """The tables of all pieces, each column whole."""
    found: dict[str, dict[str, list[np.ndarray]]] = defaultdict(lambda: defaultdict(list))
    for piece in pieces:
        blobs = inflated(piece["blobs"])
        for name, table in piece["tables"].items():
            for column, coded in table["columns"].items():
                found[name][column].append(numbers(coded, blobs))
    return {
        name: {column: np.concatenate(parts) for column, parts in columns.items()}
        for name, columns in found.items()
    }


def same(told: np.ndarray, written: np.ndarray, name: str) -> None:
    """Equal but for the rounding of the packer: none of whole numbers, half a nanosecond of times,
    a millionth of the largest of others. Each piece is rounded by itself."""
    assert len(told) == len(written), name
    if not len(written):
        return
    assert (np.isnan(told) == np.isnan(written)).all(), name
    largest = np.nanmax(np.abs(written)) if not np.isnan(written).all() else 0.0
    whole = (written[~np.isnan(written)] % 1 == 0).all()
    bound = 1e-9 if name.endswith("_s") else 0.0 if whole else 1e-6 * largest
    assert np.nanmax(np.abs(told - written), initial=0.0) <= bound, name
