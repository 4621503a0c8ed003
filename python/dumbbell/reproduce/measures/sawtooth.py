"""A model of one TCP flow behind a marker that holds packets: what share of its tokens is lost, and
what it gets.

The window W goes up by one packet in `acks` round trips, and is halved for a lost OUT packet; IN
packets are not lost. Tokens come at rho packets a second, R = rho T in a round trip T (queues in
it, the marker's own delay not). The marker's buffer of D places is a queue that is served at rho
and whose overflow leaves as OUT, so that at a window W

    W < R:           W / T leave, all IN; of the tokens left over the bucket keeps B, further ones
                     are lost
    R < W < R + D:   the tokens kept are used first, at W / T; then W - R packets wait, and rho
                     leave, all IN
    W > R + D:       D wait and W - D are on their way: (W - D) / T leave, rho of them IN

D places therefore take D packets out of the window (the delay that they cost), and in return let
the window be larger by D when it is halved: it falls less far below R, and fewer tokens are lost. A
cycle ends with K = 1 / p OUT packets, one of them lost. With v = W - D and dt = acks W T / (W - D)
dW,

    K = acks [v^2 / 2 + (D - R) v - R D ln v] over the last phase
    rate = (rho C - lost + K (1 - p)) / C          C: length of the cycle

Two things are added to the sawtooth. *Bursts*: the window arrives within a part 1 - kappa of the
round trip. The tokens of the rest, kappa R, must be kept until the next burst: B + D can be (held
packets wait for them), others are lost. *Timeouts*, as Padhye and others count them (SIGCOMM 1998):
a loss at the window W is one with the probability min(1, 3 / W); the flow is then silent for T0,
and the bucket keeps B of the tokens made meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

_STEPS = 80
"""Halvings of an interval: as exact as numbers are."""


@dataclass(frozen=True, slots=True)
class Flow:
    """Parameters of the network of a flow: packets, seconds, and the probability that an OUT packet
    is lost."""

    rate: float
    rtt: float
    bucket: float
    out_loss: float
    kappa: float = 0.0
    timeout: float = 0.0
    acks: float = 1.0


@dataclass(frozen=True, slots=True)
class Throughput:
    """Packets a second that arrive, by color, and the share of the tokens made that were lost."""

    inside: float
    outside: float
    tokens_lost: float

    @property
    def total(self) -> float:
        """Both colors."""
        return self.inside + self.outside


@dataclass(frozen=True, slots=True)
class _Cycle:
    """From one halving to the next: how long, tokens lost in it, the window at its end."""

    length: float
    lost: float
    peak: float


def throughput(flow: Flow, places: float) -> Throughput:
    """The model's prediction for a marker with so many places."""
    made = flow.rate * flow.rtt
    idle = flow.kappa * made
    kept = min(idle, flow.bucket + places)
    usable = made - idle + kept
    spare = max(0.0, flow.bucket - max(0.0, kept - places))
    low = _bisect(
        lambda w: _cycle(flow, usable, spare, places, w).peak / 2 - w,
        0.0,
        usable + places + 4 / flow.out_loss,
    )
    cycle = _cycle(flow, usable, spare, places, low)
    silent = min(1.0, 3 / cycle.peak) * flow.timeout
    length = cycle.length + silent
    lost = cycle.lost + (made - usable) / flow.rtt * cycle.length
    lost += max(0.0, flow.rate * silent - spare) if silent else 0.0
    share = min(1.0, lost / (flow.rate * length))
    return Throughput(flow.rate * (1 - share), (1 / flow.out_loss - 1) / length, share)


def best_size(flow: Flow, sizes: list[int], within: float) -> int:
    """The smallest size whose throughput is within a part of the largest."""
    totals = [throughput(flow, places).total for places in sizes]
    return next(
        n for n, total in zip(sizes, totals, strict=True) if total >= (1 - within) * max(totals)
    )


def _cycle(flow: Flow, made: float, bucket: float, places: float, low: float) -> _Cycle:
    """The cycle that begins at the window `low`."""
    acks, rtt = flow.acks, flow.rtt
    below = max(0.0, made - low)
    left_over = acks * below**2 / 2
    kept = min(bucket, left_over)
    ahead = math.sqrt(2 * kept / acks)
    length = acks * rtt * (below + ahead)
    holding = max(low, made + ahead)
    full = max(holding, made + places)
    length += acks * rtt * (full**2 - holding**2) / (2 * made)
    begin = full - places

    def out(v: float) -> float:
        return acks * (v**2 / 2 + (places - made) * v - made * places * math.log(v))

    wanted = 1 / flow.out_loss + out(begin)
    end = _bisect(
        lambda v: wanted - out(v),
        begin,
        begin + 2 + 2 * math.sqrt(2 / (acks * flow.out_loss)) + made,
    )
    length += acks * rtt * (end - begin + places * math.log(end / begin))
    return _Cycle(length, left_over - kept, end + places)


def _bisect(function: Callable[[float], float], low: float, high: float) -> float:
    """The zero of a function that falls."""
    while function(high) > 0:
        high *= 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2
