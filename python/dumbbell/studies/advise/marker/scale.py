"""Duration of runs and scale of the network, so that all runs together keep to a budget.

TCP over a token bucket is alike where r x RTT is as many packets, and what there is to see in a run
is cycles from loss to loss. A run lasts for 200 cycles of a flow at its target, at least 200
round-trip times and 10 s; where the budget is short of that, for 20 cycles. A network with too many
packets for that is made smaller: first as many times fewer flows on a link as many times slower,
down to `_FEW` customers, which keeps every customer's own numbers; then all rates, and sizes are
then read as multiples of r x RTT. Both are said with the advice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from .network import Case

PACKETS_PER_CPU_S = 3e6
"""Packets of the congested link that are simulated in a second of one core, about: the budget is in
these, so that the same words give the same advice on every machine."""
RUNS = 330
"""Runs of one advice with 5 seeds, about."""
_CYCLES, _FEWEST_CYCLES = 200, 20
_LEAST_RTTS, _LEAST_S = 200, 10.0
_WARMUP = 0.2
_FEW = 6
_SERIES = (1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.4, 8.0)
"""Rates are divided by these times a power of ten."""


@dataclass(frozen=True, slots=True)
class Scaled:
    """A case as it is simulated; by what flows and link were divided, and after that all rates."""

    case: Case
    flows_scale: float
    rate_scale: float


def packets_per_run(budget_s: float, seeds: int) -> float:
    """Packets that one run may have, so that all of them keep to the budget [CPU s]."""
    return budget_s * PACKETS_PER_CPU_S / (RUNS * seeds / 5)


def fit(case: Case, packets: float, length_s: float | None = None) -> Scaled:
    """The case, made smaller until a run of `_FEWEST_CYCLES`, or one of `length_s`, has at most so
    many packets."""
    few, flows_scale = _fewer(case, packets, length_s)
    for exponent in range(12):
        for step in _SERIES:
            scale = step * 10**exponent
            smaller = replace(few, rate_bps=few.rate_bps / scale, link_bps=few.link_bps / scale)
            if _least_packets(smaller, length_s) <= packets:
                return Scaled(smaller, flows_scale, scale)
    raise AssertionError("a network without packets fits every budget")


def _fewer(case: Case, packets: float, length_s: float | None) -> tuple[Case, float]:
    """With fewer customers, in the same proportion to best-effort flows and link."""
    best = (case, 1.0)
    for flows in range(case.flows, _FEW - 1, -1):
        scale = case.flows / flows
        background = max(1, round(case.background / scale)) if case.background else 0
        best = (
            replace(case, flows=flows, background=background, link_bps=case.link_bps / scale),
            scale,
        )
        if _least_packets(best[0], length_s) <= packets:
            break
    return best


def _least_packets(case: Case, length_s: float | None) -> float:
    return case.packets_per_s * (length_s or (1 + _WARMUP) * _shortest(case))


def _shortest(case: Case) -> float:
    return max(_FEWEST_CYCLES * case.cycle_s, _LEAST_RTTS * case.loaded_rtt_s, _LEAST_S)


def lengths(case: Case, packets: float, length_s: float | None = None) -> tuple[float, float]:
    """Duration and warm-up of a run [s]: by cycles, as long as `packets` allow; or as it was asked
    for."""
    if length_s is not None:
        return length_s, float(f"{length_s / 6:.3g}")
    most = packets / case.packets_per_s / (1 + _WARMUP)
    wanted = max(_CYCLES * case.cycle_s, _LEAST_RTTS * case.loaded_rtt_s, _LEAST_S)
    measured = _whole(max(min(wanted, most), _shortest(case)))
    warmup = _whole(max(_WARMUP * measured, 2.0))
    return measured + warmup, warmup


def _whole(seconds: float) -> float:
    return float(math.ceil(seconds))
