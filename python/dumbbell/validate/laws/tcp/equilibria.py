"""Where Copa and PCC Vivace come to rest."""

from __future__ import annotations

# Copa (Arun, Balakrishnan 2018).


def waiting(delta: float, flows: int) -> tuple[float, float]:
    """The least and the most packets that wait on average. The rate is the target 1 / (delta d_q)
    where 1 / delta packets of each flow wait. The round-trip time reports a change one round trip
    late, and the window moves by 1 / delta in it: it swings between an empty queue and 2.5 / delta,
    a triangle of which the mean is a quarter above the target. A flow sends whole segments: its
    peak is up to one above that, and the mean half a segment."""
    return flows / delta, flows * (1.25 / delta + 0.5)


HALF = 0.5
"""The share of one of two flows that are equally aggressive."""


# PCC Vivace (Dong et al. 2018).


def extra(epsilon: float, rate_bps: float, rtt: float, packet: int) -> float:
    """The packets that wait when an interval of a round trip at 1 + epsilon times the link's rate
    ends: alone the round-trip time is that of an empty path (theorem 2), but for the probes."""
    return epsilon * rate_bps * rtt / (8 * packet)


EQUAL = 1.0
"""The ratio of the rates of two equal senders (theorem 1)."""
