"""One Reno flow over one link with a buffer: a fluid sawtooth in units of the bandwidth-delay
product (BDP).

The window grows by one segment each round trip, from half its peak to its peak 1 + b, where b is
the buffer. Below 1 the link carries W each round trip of the path; above 1 it is busy, W - 1 waits
and the round trip takes W. What the packets of a real flow add is of the order of one packet in the
BDP, and of one round trip, that of the recovery, in the W/2 of a tooth.
"""

from __future__ import annotations


def tooth(b: float, beta: float = 0.5) -> tuple[float, float]:
    """(data, time) of a tooth per BDP^2 and per BDP of round trips of the path, with a decrease to
    `beta` W.

    dW/dt = 1 / max(1, W), in round trips of the path: the time between windows v < w above 1 is
    (w^2 - v^2) / 2.
    """
    low, peak = beta * (1 + b), 1 + b
    below = max(0.0, 1 - low)
    start = max(1.0, low)
    idle_data = (1 - low**2) / 2 if low < 1 else 0.0
    busy = (peak**2 - start**2) / 2
    return idle_data + busy, below + busy


def utilisation(b: float, beta: float = 0.5) -> float:
    """Share of the link that the flow uses; for beta = 1/2 and b <= 1 it is
    3/4 (1 + b)^2 / (1 + b + b^2)."""
    data, time = tooth(b, beta)
    return data / time


def mean_queue(b: float, beta: float = 0.5) -> float:
    """Mean backlog in BDP: the integral of (W - 1) W dW over the busy part, by the tooth's time.

    For b >= 1 and beta = 1/2 it is 7/9 (1 + b) - 1.
    """
    peak, start = 1 + b, max(1.0, beta * (1 + b))
    area = (peak**3 - start**3) / 3 - (peak**2 - start**2) / 2
    return area / tooth(b, beta)[1]


def period(pipe: float, peak: float, rate: float, beta: float = 0.5) -> float:
    """Seconds from one loss to the next, in packets: `pipe` is what the path holds without a queue,
    the packet in transmission included, `peak` the window that finds no room, `rate` the link's
    packets a second: a round trip takes pipe / rate without a queue."""
    return tooth(peak / pipe - 1, beta)[1] * pipe * pipe / rate
