"""Duration of runs, and steps in which a path is made smaller whose windows are too large to
simulate.

What there is to see is cycles from loss to loss. TCP at a loss p is alike on a path of 1/s of the
rate where the loss leaves 1/s of the window by its own law (p s^2 for Reno, between that and p
s^(4/3) for CUBIC): the round-trip time, the buffer in seconds and the link's share that the flow
has are the same. Rates that were simulated so are multiplied by s and the answer says so; each MTU
has its own s, since larger packets are fewer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from . import closed_forms
from .question import Question

PACKETS_PER_CPU_S = 3e6
"""Packets that a second of one core simulates, about, so that the same words give the same advice
everywhere."""
_CYCLES, _FEWEST_CYCLES = 60, 15
_LEAST_RTTS, _LEAST_S = 100, 4.0
_WARMUP = 0.3
_FEWEST_SEGMENTS = 20.0
"""A window is not made smaller than this: below, timeouts decide."""
_SERIES = (1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.4, 8.0)


@dataclass(frozen=True, slots=True)
class Case:
    """One MTU as it is simulated: the link's rate [bit/s] is 1 / `scale` of what was asked for, and
    the loss of full packets fits; how long the run is and its warm-up [s]."""

    mtu: int
    rate_bps: float
    loss_share: float
    scale: float
    length_s: float
    warmup_s: float


def fit(question: Question, mtu: int, packets: float, length_s: float | None = None) -> Case:
    """The case of an MTU, made smaller until a run of a few cycles has at most so many packets."""
    found = _case(question, mtu, 1.0, packets, length_s)
    for exponent in range(9):
        for step in _SERIES:
            scale = step * 10**exponent
            if scale > 1 and min(_windows(question, mtu)) / scale < _FEWEST_SEGMENTS:
                return found
            found = _case(question, mtu, scale, packets, length_s)
            if _packets_per_s(question, found) * (length_s or _least_s(question, found)) <= packets:
                return found
    return found


def _windows(question: Question, mtu: int) -> tuple[float, float]:
    """The mean window by the loss, and what link and buffer of a bandwidth-delay product hold
    [packets]."""
    loss = closed_forms.frame_loss(question.loss_share, question.loss_kind, mtu)
    held = 2 * question.rtt_s / closed_forms.frame_s(mtu, question.rate_bps)
    return closed_forms.window(question.cc, loss, question.rtt_s), held


def _case(
    question: Question, mtu: int, scale: float, packets: float, length_s: float | None
) -> Case:
    loss = closed_forms.frame_loss(question.loss_share, question.loss_kind, mtu)
    if loss and scale > 1:
        loss = closed_forms.loss_for(
            question.cc,
            closed_forms.window(question.cc, loss, question.rtt_s) / scale,
            question.rtt_s,
        )
    case = Case(mtu, question.rate_bps / scale, loss, scale, 0.0, 0.0)
    if length_s is not None:
        return Case(mtu, case.rate_bps, loss, scale, length_s, float(f"{length_s / 5:.3g}"))
    most = packets / _packets_per_s(question, case) / (1 + _WARMUP)
    wanted = max(_CYCLES * _cycle_s(question, case), _LEAST_RTTS * question.rtt_s, _LEAST_S)
    measured = max(min(wanted, most), _least_s(question, case) / (1 + _WARMUP))
    warmup = math.ceil(_WARMUP * measured)
    return Case(mtu, case.rate_bps, loss, scale, float(math.ceil(measured) + warmup), float(warmup))


def _least_s(question: Question, case: Case) -> float:
    shortest = max(
        _FEWEST_CYCLES * _cycle_s(question, case), _LEAST_RTTS * question.rtt_s, _LEAST_S
    )
    return (1 + _WARMUP) * shortest


def _window(question: Question, case: Case) -> float:
    held = question.rtt_s / closed_forms.frame_s(case.mtu, case.rate_bps)
    return max(1.0, min(closed_forms.window(question.cc, case.loss_share, question.rtt_s), held))


def _packets_per_s(question: Question, case: Case) -> float:
    return _window(question, case) / question.rtt_s


def _cycle_s(question: Question, case: Case) -> float:
    """About the time from one loss to the next: by the loss, or by a buffer that fills."""
    by_loss = 1 / case.loss_share / _packets_per_s(question, case) if case.loss_share else math.inf
    full = 2 * question.rtt_s / closed_forms.frame_s(case.mtu, case.rate_bps)
    grows = (0.3 * full / 0.4) ** (1 / 3) if question.cc == "cubic" else full / 2 * question.rtt_s
    return min(by_loss, grows)
