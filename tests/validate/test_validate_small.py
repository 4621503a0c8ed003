"""The small laws of the validation suite, worked out by hand."""

from __future__ import annotations

import pytest
from dumbbell.validate.laws import losses, measuring
from dumbbell.validate.laws.tcp import thresholds


def test_bit_errors() -> None:
    assert losses.bit_errors(1e-5, 1500) == pytest.approx(1 - (1 - 1e-5) ** 12000, rel=1e-9)
    assert losses.bit_errors(0.5, 1) == pytest.approx(255 / 256)


def test_one_way() -> None:
    """1000 B take 1 ms at 8 Mbit/s and 10 ms at 800 kbit/s; the wires are 5 ms and 2 ms long."""
    ms = 10**9
    assert measuring.one_way_ps(1000, [(8_000_000, 5 * ms), (800_000, 2 * ms)]) == 18 * ms
    assert measuring.arrivals(8_000_000, 1000, 3) == 3000


def test_small_windows() -> None:
    assert [thresholds.after_loss(flight) for flight in (1, 3, 4, 5, 20)] == [2, 2, 2, 2.5, 10]
    assert [thresholds.timeouts(n) for n in (0, 2, 3, 4)] == [1, 1, 0, 0]
