"""DCTCP: the estimate of the share of marks, the cut, and the sawtooth at a queue that marks above
a threshold K (RFC 8257; Alizadeh et al. 2010).

Windows are in segments, times in round trips.
"""

from __future__ import annotations

GAIN = 1 / 16
"""g, the weight of the newest window's share (RFC 8257 section 4.2)."""


def left(alpha: float) -> float:
    """The share of the window that an echo leaves: 1 - alpha / 2 (RFC 8257 section 3.3)."""
    return 1 - alpha / 2


def estimate(alpha: float, share: float) -> float:
    """alpha after a window of which this share came marked (RFC 8257 section 3.3)."""
    return (1 - GAIN) * alpha + GAIN * share


def window(p: float) -> float:
    """The window at which a segment more in each round trip makes up for the cut by p / 2 in each:
    W p / 2 = 1, if every window has marks and their share is p."""
    return 2 / p


def alpha_at_step(pipe: float) -> float:
    """alpha of a flow alone at a queue that marks above K, for W* = C RTT + K = `pipe` segments.

    A period has one marked round trip, of W* + 1 segments, and its window rises from (W* + 1) (1 -
    alpha / 2) to W* + 1: alpha^2 (1 - alpha / 4) = (2 W* + 1) / (W* + 1)^2 (Alizadeh et al. 2010,
    section 3.3).
    """
    share = (2 * pipe + 1) / (pipe + 1) ** 2
    low, high = 0.0, 1.0
    for _ in range(100):
        alpha = (low + high) / 2
        low, high = (alpha, high) if alpha**2 * (1 - alpha / 4) < share else (low, alpha)
    return low


def period(pipe: float) -> float:
    """Round trips from one cut to the next, which is also the cut in segments: (W* + 1) alpha / 2
    (2010, section 3.3)."""
    return (pipe + 1) * alpha_at_step(pipe) / 2


def longest(threshold: int, flows: int = 1) -> int:
    """The longest queue: each flow adds a segment before it hears of the first mark: K + N (2010,
    section 3.3)."""
    return threshold + flows
