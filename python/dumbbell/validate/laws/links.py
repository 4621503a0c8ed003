"""Links: transmission and propagation, framing, buffers, shapers, and what wires do to packets.

Times of transmission are exact: whole picoseconds, rounded down after the sum, as a transmitter
that carries its remainder makes them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

PS = 10**12
"""Picoseconds in a second."""

ETHERNET = 7 + 1 + 12 + 14 + 4
"""Bytes that Ethernet adds to an IP packet: preamble, start delimiter, gap, header, check sequence
(IEEE 802.3)."""
SHORTEST = 7 + 1 + 12 + 64
"""The least that it sends for a packet: a frame has 64 bytes (IEEE 802.3 clause 4A.4.2), or is
padded to them."""
IPV4, TCP, UDP = 20, 20, 8
"""Headers without options, bytes (RFC 791, RFC 9293, RFC 768)."""
TIMESTAMPS = 12
"""The timestamps option with its padding, bytes (RFC 7323, appendix A)."""


def transmission_ps(lengths: Iterable[int], rate_bps: int) -> int:
    """Returns the time at which the last bit of some packets that are sent without a pause is out,
    ps."""
    return int(Fraction(8 * PS * sum(lengths), rate_bps))


def path_ps(length: int, links: Iterable[tuple[int, int, int]]) -> int:
    """Returns the time that one packet takes over links of (rate in bps, delay in ps, bytes of
    framing), ps."""
    return sum(transmission_ps([length + framing], rate) + delay for rate, delay, framing in links)


def packets_per_second(rate_bps: float, mtu: int, framing: int = ETHERNET) -> float:
    """Full packets that a link carries."""
    return rate_bps / (8 * (mtu + framing))


def tcp_efficiency(mtu: int, options: int = 0, framing: int = ETHERNET) -> float:
    """The share of a link's rate that is TCP's payload: (MTU - 40 - options) / (MTU + 38) on
    Ethernet."""
    return (mtu - IPV4 - TCP - options) / (mtu + framing)


def admitted(burst: int, limit: int, counted: bool) -> int:
    """Packets of a burst that an empty queue takes: its limit, and the one in service unless the
    limit counts it."""
    return min(burst, limit + (0 if counted else 1))


def overload_loss(load: float) -> float:
    """The share that a full queue loses of a constant load beyond the link's rate: 1 - 1 / rho."""
    return max(0.0, 1 - 1 / load)


def batch_waiting(batch: int) -> float:
    """Mean wait of packets that come together into an idle port, service times: the k-th waits for
    k - 1."""
    return (batch - 1) / 2


def bucket_delay_ps(n: int, length: int, rate_bps: int, burst: int) -> int:
    """Returns the time at which the n-th of equal packets that come at once passes a full token
    bucket, ps: rounded up to the instant at which its last token is there."""
    short = max(0, n * length - burst)
    return -int(-Fraction(8 * PS * short, rate_bps) // 1)


def gilbert_loss(p: float, r: float, bad: float = 1.0, good: float = 0.0) -> float:
    """Mean loss of Gilbert and Elliott's channel: bad for p / (p + r) of the packets."""
    return (p * bad + r * good) / (p + r)


def gilbert_burst(r: float) -> float:
    """Mean number of packets lost in a row where all are lost while the channel is bad: 1 / r."""
    return 1 / r


def uniform_mean(width: float) -> float:
    """The mean of a time that is uniform on [0, width)."""
    return width / 2


def uniform_deviation(width: float) -> float:
    """Its standard deviation: width / sqrt(12)."""
    return float(width / 12**0.5)


def any_unit_loss(rate: float, units: int) -> float:
    """The share of packets with at least one error among their units (bytes, bits): 1 - (1 -
    rate)^units."""
    return 1 - (1 - rate) ** units


def exponential_bad(mean_good: float, mean_bad: float) -> float:
    """The share of time in the second of two states with exponential sojourns: the stationary law
    of the chain."""
    return mean_bad / (mean_good + mean_bad)


def exponential_stay(mean_good: float, mean_bad: float, later: float) -> float:
    """The probability that a state that is bad is so a time `later`, seconds:
    b + (1 - b) e^(-(1/g + 1/b) t)."""
    share = exponential_bad(mean_good, mean_bad)
    return share + (1 - share) * math.exp(-later * (1 / mean_good + 1 / mean_bad))


def pareto_deviation(mean: float, shape: float) -> float:
    """The standard deviation of a Pareto law with this mean: mean / sqrt(shape (shape - 2)), for a
    shape above 2."""
    return mean / math.sqrt(shape * (shape - 2))


def chosen_distance(share: float, gap: int) -> float:
    """Mean distance of packets that are chosen with this probability, but not among the gap - 1
    behind one: a geometric number and the gap."""
    return gap - 1 + 1 / share


def arq_transmissions(loss: float, limit: int) -> float:
    """Mean number of transmissions of a packet: (1 - p^n) / (1 - p)."""
    return (1 - loss**limit) / (1 - loss)


def arq_loss(loss: float, limit: int) -> float:
    """The share of packets that fail in all of their transmissions: p^n."""
    return loss**limit


def sine_bits(rate: float, depth: float, period: float, at: float) -> float:
    """Bits that a sine of a rate has sent by a time: the integral of rate (1 + depth sin(2 pi t /
    period))."""
    turn = 2 * math.pi / period
    return rate * (at + depth / turn * (1 - math.cos(turn * at)))
