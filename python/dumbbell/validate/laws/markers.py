"""Meters and markers: what is in profile of a load without feedback, in closed form.

Rates in bit/s, depths and lengths in bytes of IP length, times in seconds unless a name says
otherwise.
"""

from __future__ import annotations

import math
from fractions import Fraction

from .links import PS


def in_profile(depth: int, rate_bps: int, length: int, seconds: Fraction) -> int:
    """Equal packets of a lasting overload that a full bucket has tokens for: the depth and what
    came since, in packets.

    Exact while more arrives than the rate, so that after the first packet the bucket is never full
    again.
    """
    return int((depth + Fraction(rate_bps) * seconds / 8) / length)


def envelope(depth: int, rate_bps: int, seconds: Fraction) -> Fraction:
    """The most in profile in any time, bytes: a full bucket at its start, and what comes within it
    (RFC 2697)."""
    return depth + Fraction(rate_bps) * seconds / 8


def after_pause(depth: int, rate_bps: int, seconds: Fraction) -> Fraction:
    """Returns the tokens that an empty bucket has after a pause: those that came, up to its
    depth."""
    return min(Fraction(depth), Fraction(rate_bps) * seconds / 8)


def spilled(depth: int, excess: int, rate_bps: int, seconds: Fraction) -> Fraction:
    """Returns the tokens in the excess bucket of RFC 2697 after a pause in which both began empty:
    those that found the first bucket full."""
    return min(Fraction(excess), max(Fraction(0), Fraction(rate_bps) * seconds / 8 - depth))


def held_ps(buffer: int, length: int, rate_bps: int) -> int:
    """Returns the time for which the last packet waits for its token if some packets fill a buffer
    over an empty bucket, ps."""
    return int(Fraction(8 * PS * buffer * length, rate_bps))


def share(load: float) -> float:
    """The share that a marker of the average rate leaves in profile: the contract over the load."""
    return min(1.0, 1 / load)


def tsw_rise(length: int, interval_s: float, window_s: float, threshold: float) -> int:
    """The last packet at which the sliding window, which began at nothing, is not above `threshold`
    bytes per second.

    The estimate after n packets of L every d is L/d (1 - (W / (W + d))^n): a geometric series with
    the limit L/d.
    """
    decay = window_s / (window_s + interval_s)
    return math.floor(math.log(1 - threshold * interval_s / length) / math.log(decay))


def ramp(delta: float, load: float, intervals: int) -> float:
    """The mean probability of a mark while the target is missed, of an adaptive marker that began
    at nothing."""
    step = delta * (1 - load)
    return sum(min(1.0, k * step) for k in range(intervals)) / intervals
