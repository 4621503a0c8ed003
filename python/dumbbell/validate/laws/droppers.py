"""Droppers that tell packets in profile (IN) from others (OUT): who gets what, by the model of TCP.

Mathis, Semke, Mahdavi, Ott 1997: a TCP that loses a share p of its packets sends t = k / (RTT
sqrt(p)). Where only OUT packets are lost, each with p_out, and a flow sends what was reserved, r,
as IN, it loses a share p_out (t - r) / t:

    RTT^2 t (t - r) p_out = k^2.

A dropper has one p_out for all flows (RIO), or p_out = p w with a weight w for each; p is what
fills the link.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Flow:
    """A flow's reserved rate and round-trip time, in any units that are the same for all flows."""

    reserved: float
    rtt: float


Weight = Callable[[Flow, float], float]
"""The factor of p for a flow at a given sending rate, up to a factor for all flows."""


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Finds the zero of a rising function by bisection."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2


def rates(flows: Sequence[Flow], capacity: float, weight: Weight) -> list[float]:
    """Returns the sending rate of each flow such that all of them together fill the link."""

    def sent(flow: Flow, p: float) -> float:
        """The t of which RTT^2 t (t - r) p w is 1."""

        def over(t: float) -> float:
            return flow.rtt**2 * t * (t - flow.reserved) * p * weight(flow, t) - 1

        return _root(over, flow.reserved, 2 * capacity + flow.reserved)

    p = _root(lambda p: capacity - sum(sent(flow, 2.0**p) for flow in flows), -200.0, 200.0)
    return [sent(flow, 2.0**p) for flow in flows]


def premium_delay(burst: float, mtu: float, link_bps: float) -> float:
    """The longest time to the last bit [s] of a packet that goes first and came through a bucket of
    `burst` bytes, at a rate below the link's: a whole bucket at once, and the packet before it that
    has just begun."""
    return 8 * (burst + mtu) / link_bps


def rio(flow: Flow, t: float) -> float:
    """One p_out for all: Clark and Fang 1998."""
    return 1.0


def rate_proportional(flow: Flow, t: float) -> float:
    """In inverse proportion to the reservation: Yeom and Reddy 1999, as others tell of it."""
    return 1 / flow.reserved


def drio(flow: Flow, t: float) -> float:
    """In proportion to the flow's share of OUT packets: Lin, Zheng, Hou 1999, reconstructed."""
    return t - flow.reserved


def r_rtt(spare: float) -> Weight:
    """By the model itself: 1 / (RTT^2 (r + S)), so that each sends r + S: Lin, Zheng, Hou 1999,
    reconstructed."""
    return lambda flow, t: 1 / (flow.rtt**2 * (flow.reserved + spare))
