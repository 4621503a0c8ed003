"""The promises of active queue management in closed loop: a delay, a band, a share.

A flow whose packets are signaled with a small probability p has a window of sqrt(3 / (2 p))
packets (Mathis et al. 1997), so the share of the link in packets for each round trip says which p a
controller must find.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

TARGET = {"pie": 0.015, "pi2": 0.015, "codel": 0.005}
"""Seconds: the defaults of RFC 8033, RFC 9332 and RFC 8289."""
AVQ_LOAD = 0.98
"""gamma, the load at which AVQ settles (Kunniyur, Srikant 2001)."""
PI_REFERENCE = 50
"""q_ref in packets (Hollot, Misra, Towsley, Gong 2001)."""


def rate(flows: int, share: float, rtt: float, packet: int) -> float:
    """bit/s that give each of `flows` so many packets of `packet` bytes in each base round trip of
    `rtt` seconds."""
    return flows * share * packet * 8 / rtt


def signalled(window: float) -> float:
    """The probability at which a flow that answers every signal by half has this mean window: 3 /
    (2 W^2)."""
    return 1.5 / window**2


def red_thresholds(
    link: float, mean_packet: int, delay_target: float = 0.005
) -> tuple[float, float]:
    """min_th and max_th of Adaptive RED in packets (Floyd, Gummadi, Shenker 2001, section 6.3): at
    least 5, at least half of what the link sends in the target delay; three times that."""
    low = max(5.0, delay_target * link / (8 * mean_packet) / 2)
    return low, 3 * low


def red_band(low: float, high: float) -> tuple[float, float]:
    """Returns the band in which Adaptive RED keeps its average: from 40 % to 60 % of the way
    between its thresholds (section 6.2)."""
    return low + 0.4 * (high - low), low + 0.6 * (high - low)


def codel_drops(interval: float, count: int) -> list[float]:
    """Times of CoDel's drops after the first while the queue stands: sums of interval / sqrt(k)
    (RFC 8289)."""
    times, at = [], 0.0
    for k in range(1, count + 1):
        at += interval / math.sqrt(k)
        times.append(at)
    return times


CODEL_INTERVAL = 0.1
"""Seconds that the delay must stand above the target before the first drop (RFC 8289)."""


def codel_delays(share: float, rtt: float) -> tuple[float, float]:
    """The least and the greatest mean delay under CoDel [s] of flows of `share` packets in each
    base round trip.

    Nothing is dropped below the target. Above it the delay goes on rising for an interval, for the
    round trip after which the senders hear of the drops, and for that over which they spread their
    cut: each flow adds a packet in a round trip, which is 1 / share of the time. It falls no more
    slowly than it rose, so that the mean is at most half of the rise above the target.
    """
    rise = (CODEL_INTERVAL + 2 * rtt) / share
    return TARGET["codel"], TARGET["codel"] + rise / 2


def shares(weights: Sequence[float]) -> list[float]:
    """Returns the shares of backlogged classes in a link that is shared by weight."""
    return [w / sum(weights) for w in weights]
