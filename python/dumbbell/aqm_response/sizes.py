"""Effects of the packet size: byte mode and byte-mode drop (RFC 7141), for packets of one size."""

from __future__ import annotations

import math

from ..present.units import plain_bytes
from .theory import Parameters

SIZE = 1000
"""Bytes of a packet: a link of 8 Mbps takes a millisecond for one. It is the MTU of that link,
too."""


def typical(p: Parameters) -> float:
    """A packet's size over that of a typical one, `mean_packet_size`."""
    mean = plain_bytes(p.values["mean_packet_size"])
    assert mean is not None, p.values
    return SIZE / mean


def length(packets: float, p: Parameters) -> float:
    """Converts a number of packets into the algorithm's count: in byte mode, typical packets."""
    return packets * typical(p) if p.word("byte_mode") == "True" else packets


def share(p: Parameters) -> float:
    """The factor of the signal probability for the size of a packet; over the MTU that is 1."""
    drop = p.word("byte_drop", "off")
    return typical(p) if drop in ("mean_size", "ns2") else 1.0


def of_size(probability: float, p: Parameters) -> float:
    """A probability that each packet draws by itself, for its size."""
    return min(1.0, probability * share(p))


def as_ns2(p_b: float, spacing: str, part: float) -> float:
    """Signals per arrival as ns-2 counts with `bytes_`: the packets since the last signal count
    as whole typical ones, of which each packet is a `part`, and the spaced probability is
    multiplied by that, unless it is 1. One over the sum of the probabilities that no signal came
    in k packets."""
    if p_b <= 0:
        return 0.0
    none, packets, k = 1.0, 0.0, 0
    while none > 1e-12:
        packets += none
        k += 1
        x = math.floor(k * part + 1e-9) * p_b
        if spacing == "uniform":
            p_a = p_b / (1 - x) if x < 1 else 1.0
        elif spacing == "uniform_wait":
            p_a = 0.0 if x < 1 else p_b / (2 - x) if x < 2 else 1.0
        else:
            p_a = p_b
        none *= 1 - (min(1.0, p_a * part) if p_a < 1 else 1.0)
    return 1 / packets
