"""BBR, version 1 (draft-cardwell-iccrg-bbr-congestion-control-00): what its cycle of gains leaves
of a path."""

from __future__ import annotations

CYCLE = (1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
"""Pacing gains of PROBE_BW, a smallest round-trip time each (section 4.3.4.1)."""
MARGIN = 0.01
"""The share by which pacing stays below what the gain says (draft-ietf-ccwg-bbr section 5.6.2)."""


def used(margin: float = MARGIN) -> float:
    """The share of the path that one flow uses in PROBE_BW. What 1.25 sends too fast waits in the
    queue and goes while 0.75 sends too slowly: the mean rate of sending is the rate of delivery."""
    return (1 - margin) * sum(CYCLE) / len(CYCLE)


def round_trip(delay: float, hops: tuple[tuple[float, float], ...]) -> float:
    """The round trip of one packet over an empty path, seconds: propagation both ways, and the time
    in which each hop sends it. hops: (bytes, bit/s)."""
    return delay + sum(8 * size / rate for size, rate in hops)
