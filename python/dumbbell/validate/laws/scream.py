"""SCReAM in closed form: sizes of packets and reports, their intervals, the target rate, pacing.
Exact fractions, seconds and bytes."""

from __future__ import annotations

from fractions import Fraction

HEADER = 28
"""IP and UDP, bytes."""
RTP = 12
"""RFC 3550 section 5.1."""
MSS = 1000
WINDOW = 3000
"""MIN_CWND: RFC 8298 section 4.1.1.1."""
INTERVAL = Fraction(1, 5)
"""RATE_ADJUST_INTERVAL."""
RAMP_UP = 200_000
"""RAMP_UP_SPEED, bit/s in a second."""
BETA_LOSS = Fraction(8, 10)
BETA_RATE = Fraction(9, 10)
LEAST_REPORT_INTERVAL = Fraction(1, 50)


def report(packets: int) -> int:
    """Bytes of the IP packet with a report of so many packets: two for each, in words: RFC 8888
    section 3.1."""
    return HEADER + 20 + 4 * -(-packets // 2)


def report_interval(media: Fraction) -> Fraction:
    """Seconds between reports of RTP packets at `media` bit/s: RFC 8298 section 4.2.2."""
    return 1 / min(Fraction(50), max(Fraction(5, 2), media / 10_000))


def target(coder: int) -> Fraction:
    """The target rate for a coder's rate, bit/s: it counts the RTP headers of full packets."""
    return Fraction(coder) * MSS / (MSS - RTP)


def mean_ramp(start: Fraction, seconds: int) -> Fraction:
    """Mean of a target that rises at RAMP_UP_SPEED, step by step, in so many seconds."""
    steps = int(seconds / INTERVAL)
    return start + RAMP_UP * INTERVAL * Fraction(steps - 1, 2)


def paced(size: int, srtt: Fraction, window: int = WINDOW) -> Fraction:
    """Seconds from a packet of `size` bytes to the next: RFC 8298 section 4.1.2.6."""
    return size * srtt / window
