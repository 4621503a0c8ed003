"""Options of an advice, and the results of its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from ....present import stats
from ...frame.runs import Point
from ...frame.runs import Run as RunOfAll
from ..budget import Budgeted
from . import network, scale
from .question import BUDGET_S, Question
from .scale import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(Budgeted):
    """The question, and how it is simulated."""

    question: Question
    budget_s: float = BUDGET_S

    def packets(self, part: float) -> float:
        """Packets of the flow that one run of a part may have."""
        return (
            part * self.budget_s * scale.PACKETS_PER_CPU_S / (len(self.question.mtus) * self.seeds)
        )


class Calls(TypedDict):
    """Two calls beside the flow, means over both: the jitter of RFC 3550, section 6.4.1, as its
    mean over the run, mean and 99th percentile of the one-way delay [s], and the share that was
    lost; None where no packet came."""

    jitter_s: float | None
    delay_mean_s: float | None
    delay_p99_s: float | None
    loss_share: float | None


@dataclass(frozen=True, slots=True)
class Run:
    """A case and what each seed gave: the flow's goodput, its neighbor's, and the calls' numbers;
    of those by themselves only the first. It is empty if a run has no result."""

    case: Case
    seeds: Sequence[int] = ()
    goodput_bps: Sequence[float] = ()
    neighbor_bps: Sequence[float] = ()
    calls: Sequence[Calls] = ()
    fingerprint: str | None = None

    @classmethod
    def read(cls, case: Case, point: Point) -> Run:
        """Reads the runs of a case."""
        runs = point.runs
        if len(runs) < point.made:
            return cls(case)
        crowded = any(flow["name"] == network.NEIGHBOR for flow in runs[0]["flows"])
        return cls(
            case,
            point.seeds,
            [_goodput(run, network.FLOW) for run in runs],
            [_goodput(run, network.NEIGHBOR) for run in runs] if crowded else (),
            [_calls(run) for run in runs] if crowded else (),
            point.fingerprint,
        )


def _goodput(run: RunOfAll, name: str) -> float:
    return float(next(flow["goodput_bps"] for flow in run["flows"] if flow["name"] == name))


def _calls(run: RunOfAll) -> Calls:
    calls = [flow for flow in run["flows"] if flow["name"] in network.CALLS]
    sent = [(call["lost_packets"], call["sent_packets"]) for call in calls]
    return {
        "jitter_s": _mean([call["jitter_mean_s"] for call in calls]),
        "delay_mean_s": _mean([call["delay_mean_s"] for call in calls]),
        "delay_p99_s": _mean([call["delay_p99_s"] for call in calls]),
        "loss_share": _mean([lost / of if of else None for lost, of in sent]),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return stats.mean(known) if known else None
