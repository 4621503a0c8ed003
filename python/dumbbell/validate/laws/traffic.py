"""Sessions of short transfers: how many, how large, how long one takes alone, and how long many
wait for each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .queueing import pollaczek_khinchine


def bounded_pareto_mean(shape: float, least: float, most: float) -> float:
    """E[X] of P(X > x) = ((least / x)^a - r) / (1 - r), r = (least / most)^a, for a other than 1.

    The integral of x f(x) with f(x) = a least^a x^(-a - 1) / (1 - r): a least^a / (1 - r) times the
    integral of x^-a.
    """
    a = shape
    r = (least / most) ** a
    return float(a * least**a / (1 - r) * (most ** (1 - a) - least ** (1 - a)) / (1 - a))


def log_normal_mean(median: float, sigma: float) -> float:
    """E[X] = median exp(sigma^2 / 2)."""
    return median * math.exp(sigma**2 / 2)


def poisson_count(per_s: float, seconds: float) -> float:
    """The mean number of arrivals of a Poisson process."""
    return per_s * seconds


def wire_s(payload: int, mss: int, header: int, bps: float) -> float:
    """Transmission of a transfer: its bytes, and a header for each segment."""
    return 8 * (payload + header * math.ceil(payload / mss)) / bps


def slow_start_s(
    segments: int,
    window: int,
    packet: int,
    ack: int,
    access_bps: float,
    bottleneck_bps: float,
    way_s: float,
) -> float:
    """A lone transfer of full segments in slow start, every segment acknowledged, no handshake,
    nothing lost: from its start to the arrival of its last segment.

    Round i sends window 2^(i - 1) segments, so the transfer takes k rounds with window (2^k - 1) >=
    segments (N. Cardwell, S. Savage, T. Anderson: Modeling TCP latency, INFOCOM 2000, equation (11)
    with gamma = 2). Each round begins a round trip after the one before: two ways of `way_s`
    seconds, and the transmission of a segment and of its acknowledgment on the access link, the
    bottleneck and the other access link. Within a round the segments leave the bottleneck back to
    back, since each acknowledgment releases two of them while one takes as long as its segment
    did.
    """
    k = math.ceil(math.log2(segments / window + 1) - 1e-12)
    last = segments - window * (2 ** (k - 1) - 1)
    hop = 8 * packet / access_bps
    back = 8 * ack * (2 / access_bps + 1 / bottleneck_bps)
    data = 2 * hop + 8 * packet / bottleneck_bps
    round_trip = 2 * way_s + data + back
    return float((k - 1) * round_trip + way_s + 2 * hop + last * 8 * packet / bottleneck_bps)


def first_windows_s(per_s: float, services: Sequence[float], rest_s: float) -> float:
    """Mean time of transfers that each fit into the first window and come as a Poisson process:
    batches at an M/G/1 queue in the order of arrival, whose service is a whole transfer's.
    `services`: equally likely times of transmission; `rest_s`: what a transfer takes beside
    (Pollaczek-Khinchine, for the batch as one customer)."""
    mean = math.fsum(services) / len(services)
    square = math.fsum(s * s for s in services) / len(services)
    waiting = pollaczek_khinchine(per_s * mean, square / mean**2 - 1) * mean
    return waiting + mean + rest_s
