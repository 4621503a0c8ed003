"""Where PCC Vivace comes to rest."""

from __future__ import annotations

# PCC Vivace (Dong et al. 2018).


def extra(epsilon: float, rate_bps: float, rtt: float, packet: int) -> float:
    """The packets that wait when an interval of a round trip at 1 + epsilon times the link's rate
    ends: alone the round-trip time is that of an empty path (theorem 2), but for the probes."""
    return epsilon * rate_bps * rtt / (8 * packet)


EQUAL = 1.0
"""The ratio of the rates of two equal senders (theorem 1)."""
