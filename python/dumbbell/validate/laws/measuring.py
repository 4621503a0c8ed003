"""Packets that come at known times over links that are empty. Exact."""

from __future__ import annotations

from fractions import Fraction

from .links import PS


def transmission_ps(size: int, rate: int) -> Fraction:
    """From the first bit of a packet of `size` bytes to its last, at `rate` bit/s, in
    picoseconds."""
    return Fraction(8 * size * PS, rate)


def one_way_ps(size: int, links: list[tuple[int, int]]) -> Fraction:
    """From the first bit's leaving to the last bit's arrival over empty links of (bit/s, delay in
    picoseconds)."""
    return sum((transmission_ps(size, rate) + delay for rate, delay in links), Fraction(0))


def arrivals(rate: int, size: int, seconds: int) -> Fraction:
    """Packets of `size` bytes at a constant rate in a time."""
    return Fraction(rate * seconds, 8 * size)
