"""The shares of packets that wires lose."""

from __future__ import annotations

import math


def bit_errors(rate: float, size: int) -> float:
    """The share of packets of `size` bytes with a wrong bit: 1 - (1 - rate)^(8 size), bits being independent."""
    return -math.expm1(8 * size * math.log1p(-rate))
