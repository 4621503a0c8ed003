"""CAKE: what hosts, tins and packets get of a link. Hoeiland-Joergensen, Taht, Morton 2018, and
tc-cake(8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

THRESHOLDS = {"voice": 1 / 4, "bulk": 1 / 16}
"""Shares of the bandwidth up to which a tin goes first (tc-cake(8), diffserv3)."""


LEVELS = 8
"""The tins of `diffserv8` and `precedence`."""


def threshold(below: int) -> float:
    """The share of the bandwidth up to which one of eight tins goes first, with `below` tins under
    it: 7/8 of that of the next lower one (what users of diffserv8 read from `tc -s qdisc`)."""
    return float((7 / 8) ** below)


def weights(ends: Sequence[tuple[str, str]], isolation: str) -> list[float]:
    """The weight of each backlogged flow from a host to a host: its quantum is divided by the
    number of flows of the host that counts, of the busier one if both do."""
    sources, sinks = (Counter(end[side] for end in ends) for side in (0, 1))

    def load(source: str, sink: str) -> int:
        match isolation:
            case "dual_src_host":
                return sources[source]
            case "dual_dst_host":
                return sinks[sink]
            case "triple":
                return max(sources[source], sinks[sink])
            case _:
                return 1

    return [1 / load(source, sink) for source, sink in ends]


def link_bytes(ip: int, overhead: int, layer: str, mpu: int = 0) -> int:
    """Bytes on the link of an IP packet: cells of 53 bytes carry 48 (ATM), 65 carry 64 (PTM)."""
    frame = max(ip + overhead, mpu)
    if layer == "atm":
        return 53 * -(-frame // 48)
    if layer == "ptm":
        return frame + -(-frame // 64)
    return frame
