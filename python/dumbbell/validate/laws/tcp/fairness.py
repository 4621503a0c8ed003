"""The laws of sharing: Jain's index, round-trip times, the convergence of AIMD."""

from __future__ import annotations

import math
from collections.abc import Sequence


def jain(x: Sequence[float]) -> float:
    """(sum x)^2 / (n sum x^2): Jain, Chiu, Hawe: A quantitative measure of fairness, DEC-TR-301,
    1984."""
    return math.fsum(x) ** 2 / (len(x) * math.fsum(v * v for v in x))


def jain_of_ratio(r: float) -> float:
    """The index of two flows of which one gets `r` times as much as the other."""
    return jain((1.0, r))


def ratio_at_equal_loss(near: float, far: float) -> float:
    """Goodput of the flow with round trip `near` over that with `far`, both with the same loss:
    Mathis et al. 1997."""
    return far / near


def apart(start: float, losses: int, beta: float = 0.5) -> float:
    """Returns the distance of two windows after losses that hit both at once: additive increase
    keeps the difference, each decrease multiplies it. Chiu, Jain: Analysis of the increase and
    decrease algorithms, 1989, section 2.3."""
    return start * beta**losses


def ratio_at_losses_together(near: float, far: float) -> float:
    """Returns the ratio of goodputs when every loss hits both at once: the square. Windows grow by
    one segment in each flow's own round trip, from one loss to the next, and a window is sent once
    in each."""
    return (far / near) ** 2


def rate_at_losses_together(period: float, rtt: float, beta: float = 0.5) -> float:
    """Segments a second of a flow that loses every `period` seconds: what it regains is (1 - beta)
    W = period / RTT, its mean window is (1 + beta) / 2 W."""
    return (1 + beta) / (2 * (1 - beta)) * period / rtt**2
