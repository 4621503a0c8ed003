"""The effect of a window when nothing is lost: windows in segments, times in round trips of the
path."""

from __future__ import annotations

LEFT_BY_MARK = 0.5
"""The share of the window that an ECN echo leaves: RFC 3168 section 6.1.2."""
LEFT_BY_MARK_ABE = 0.8
"""The share of the window that it leaves with alternative backoff: RFC 8511 section 3."""
UNSCALED = 65_535
"""The largest window that the header can say without scaling: 16 bits."""


def initial_window(mss: int, most: int = 10, most_bytes: int = 14600) -> int:
    """RFC 6928 section 2, bytes: min(10 MSS, max(2 MSS, 14600)); RFC 3390 has 4 and 4380."""
    return min(most * mss, max(2 * mss, most_bytes))


def slow_start(segments: int, window: int, acked: int = 1, limit: int = 1) -> int:
    """Round trips in which slow start sends so many segments, from an initial window, without loss.

    Every `acked`-th segment is acknowledged, and its acknowledgment opens the window by min(acked,
    limit) segments (RFC 5681 section 3.1; `limit`: RFC 3465). A segment that is left over at the
    end of a round is acknowledged with the first of the next one, and until then has its place in
    the window. With acked = 1 the first k rounds send window (2^k - 1).
    """
    rounds, sent, held = 0, 0, 0
    while sent < segments:
        rounds += 1
        sent += window - held
        acknowledgements, held = divmod(window, acked)
        window += acknowledgements * min(acked, limit)
    return rounds


def whole_segments(window_bytes: int, mss: int) -> int:
    """Full segments that fit into a receive window; a sender does not send less to fill it: RFC
    9293 section 3.8.6.2.1 (silly window syndrome)."""
    return window_bytes // mss


def window_limited(window: int, mss: int, rtt: float) -> float:
    """Goodput of a flow that its window limits, bit/s: W segments each round trip."""
    return 8 * window * mss / rtt
