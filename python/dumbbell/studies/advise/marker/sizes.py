"""The data buffers and buckets that are tried: multiples of the reserved rate times the round-trip
time.

Data buffers are 0, which is the token bucket alone, a packet, two, and parts and multiples of r x
RTT up to three of them; where that is only a few packets, every small number. If the largest of
these would be advised, larger ones are tried, up to twelve r x RTT.

Buckets are a quarter of r x RTT up to four of them, and never less than a packet, because a smaller
one lets no packet pass IN. None beyond the deepest that the contract allows is advised, r x RTT by
default as in the paper: what a bucket holds may come into the network at once, all of it IN.
Without a data buffer deeper ones are tried, too, so that it is seen what depth alone does.
"""

from __future__ import annotations

import math

_SIZES = (1 / 8, 1 / 4, 3 / 8, 1 / 2, 3 / 4, 1, 3 / 2, 2, 3)
_SMALL = (1, 2, 3, 4, 6, 8)
_BEYOND = (4, 6, 8, 12)
_BURSTS = (1 / 4, 1 / 2, 1, 2, 4)


def sizes(bdp_packets: float) -> list[int]:
    """Data buffers to try [packets], from 0 on."""
    found = {1, 2, *(max(1, round(multiple * bdp_packets)) for multiple in _SIZES)}
    if bdp_packets < _SMALL[-1]:
        found |= {n for n in _SMALL if n <= max(8, math.ceil(_SIZES[-1] * bdp_packets))}
    return [0, *sorted(found)]


def beyond(tried: list[int], bdp_packets: float) -> list[int]:
    """Larger data buffers, for where the largest of those tried would be advised [packets]."""
    return sorted(
        {
            max(round(multiple * bdp_packets), tried[-1] + 2 * i)
            for i, multiple in enumerate(_BEYOND, 1)
        }
    )


def bursts(bdp_packets: float, packet_bytes: int, deepest: float) -> list[int]:
    """Buckets to try without a data buffer [bytes], among them `deepest` r x RTT; multiples of a
    packet where r x RTT is less than two."""
    found = {burst(multiple, bdp_packets, packet_bytes) for multiple in (*_BURSTS, deepest)}
    if bdp_packets < 2:
        found |= {n * packet_bytes for n in (1, 2, 4, 8)}
    return sorted(found)


def advised_bursts(bdp_packets: float, packet_bytes: int, deepest: float) -> list[int]:
    """Buckets to try with a data buffer [bytes], up to `deepest` r x RTT."""
    most = burst(deepest, bdp_packets, packet_bytes)
    return [n for n in bursts(bdp_packets, packet_bytes, deepest) if n <= most]


def burst(multiple: float, bdp_packets: float, packet_bytes: int) -> int:
    """A bucket of so many r x RTT [bytes], at least a packet."""
    return max(packet_bytes, round(multiple * bdp_packets * packet_bytes))


def beside(size: int, bdp_packets: float) -> list[int]:
    """Sizes that an advised size is compared with in other networks: none, half of it, twice; with
    an advice of no buffer a packet, and a half and one r x RTT."""
    others = [size // 2, 2 * size] if size else [1, round(bdp_packets / 2), round(bdp_packets)]
    return sorted({0, size, *(n for n in others if n > 0)})
