"""What a window lets through when nothing is lost: windows in segments, times in round trips of the path."""

from __future__ import annotations


def initial_window(mss: int, most: int = 10, most_bytes: int = 14600) -> int:
    """RFC 6928 section 2, bytes: min(10 MSS, max(2 MSS, 14600)); RFC 3390 has 4 and 4380."""
    return min(most * mss, max(2 * mss, most_bytes))


def slow_start_rounds(segments: int, window: int, acked: int = 1) -> int:
    """Round trips in which slow start sends so many segments, from an initial window, without loss.

    Each acknowledgement opens the window by a segment (RFC 5681 section 3.1), each `acked`-th segment brings one: a
    window of w is followed by one of w + ceil(w / acked) when the odd segment at the end is acknowledged on its own.
    With acked = 1 the first k rounds send window (2^k - 1).
    """
    rounds, sent = 0, 0
    while sent < segments:
        rounds += 1
        sent += window
        window += -(-window // acked)
    return rounds


def window_limited(window: int, mss: int, rtt: float) -> float:
    """Goodput of a flow that its window limits, bit/s: W segments each round trip."""
    return 8 * window * mss / rtt
