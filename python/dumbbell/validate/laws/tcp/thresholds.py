"""The effect of a loss in a small window."""

from __future__ import annotations


def after_loss(flight: float) -> float:
    """ssthresh in segments, max(FlightSize / 2, 2): RFC 5681 section 3.1, equation (4)."""
    return max(flight / 2, 2)


def timeouts(duplicates: int, threshold: int = 3) -> int:
    """Timeouts for one loss with so many duplicate acknowledgments: none if they reach the
    threshold of RFC 5681."""
    return int(duplicates < threshold)
