"""QUIC in closed form: sizes of packets (RFC 9000), and the instants of one sender's timers (RFC
9002). Exact fractions, seconds and bytes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

HEADER = 28
"""IP and UDP, bytes."""
INITIAL = 1200
"""UDP payload of the handshake's datagrams: RFC 9000 section 14.1."""
PROTECTED = 1 + 8 + 4 + 16
"""Short header with a connection ID of 8 bytes and a packet number of 4; tag: RFC 9000 section
17.3.1, RFC 9001 section 5.3."""
STREAM = 1 + 1 + 8
"""STREAM frame without its data: RFC 9000 section 19.8."""
MAX_ACK_DELAY = Fraction(25, 1000)
GRANULARITY = Fraction(1, 1000)
TIME_THRESHOLD = Fraction(9, 8)
PACKET_THRESHOLD = 3
PACING = Fraction(5, 4)


def payload(datagram: int) -> int:
    """Bytes of the stream in a packet with a UDP payload of `datagram` bytes."""
    return datagram - PROTECTED - STREAM


def varint(value: int) -> int:
    """Bytes of a variable-length integer: RFC 9000 section 16."""
    return next(size for size in (1, 2, 4, 8) if value < 1 << (8 * size - 2))


def ack(ranges: Sequence[tuple[int, int]], delay: Fraction = Fraction(0)) -> int:
    """Bytes of the IP packet with an ACK: RFC 9000 section 19.3. ranges: first and last number,
    the largest first. delay: in units of 8 us on the wire."""
    first, last = ranges[0]
    size = 1 + varint(last) + varint(int(delay * 125_000)) + varint(len(ranges) - 1)
    size += varint(last - first)
    for (above, _), (low, high) in itertools.pairwise(ranges):
        size += varint(above - high - 2) + varint(high - low)
    return HEADER + PROTECTED + size


@dataclass(frozen=True, slots=True)
class Estimate:
    """The state of RFC 9002 section 5."""

    srtt: Fraction
    var: Fraction

    @property
    def pto(self) -> Fraction:
        """Section 6.2.1."""
        return self.srtt + max(4 * self.var, GRANULARITY) + MAX_ACK_DELAY


def estimate(samples: Sequence[Fraction]) -> Estimate:
    """After these samples, whose ACKs were not delayed."""
    first = samples[0]
    state = Estimate(first, first / 2)
    for sample in samples[1:]:
        off = abs(state.srtt - sample)
        state = Estimate((7 * state.srtt + sample) / 8, (3 * state.var + off) / 4)
    return state


def lost_after(latest: Fraction, srtt: Fraction) -> Fraction:
    """Time from the sending of a packet to its loss, if a later one is acknowledged: section
    6.1.2."""
    return max(TIME_THRESHOLD * max(latest, srtt), GRANULARITY)
