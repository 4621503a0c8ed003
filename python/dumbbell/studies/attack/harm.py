"""What an attack is judged by: a number of a run that is larger the more the control is hurt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import ScenarioError
from .space import Genome, cross_share, mean_share

Run = Mapping[str, Any]

MOST_RATIO = 1000.0
"""The ratio of a flow that got nothing."""


@dataclass(frozen=True, slots=True)
class Objective:
    """A kind of harm: the number of flows it takes, the harm of a run, how it is said, and its
    title, its unit and the factor to that unit in figures and tables."""

    name: str
    about: str
    flows: int
    harm: Callable[[Run, Genome], float]
    said: Callable[[float], str]
    title: str
    unit: str
    scale: float


def _goodput(run: Run, name: str) -> float:
    return float(next(flow["goodput_bps"] for flow in run["flows"] if flow["name"] == name))


def left_bps(genome: Genome) -> float:
    """What the link has for the control: its mean rate without random losses and without the pulses
    as they are offered."""
    arrive = 1.0 - genome.get("loss", {}).get("p", 0.0)
    if "bursts" in genome:
        good, bad = genome["bursts"]["good"], genome["bursts"]["bad"]
        arrive *= good / (good + bad)
    whole = genome["path"]["rate"] * 1e6
    return whole * (mean_share(genome) - cross_share(genome)) * arrive


def unused(run: Run, genome: Genome) -> float:
    """One less the utilization: the flow's goodput over what the link has for it."""
    return max(0.0, 1.0 - _goodput(run, "mine") / left_bps(genome))


def ratio(run: Run, _: Genome) -> float:
    """The larger of the two goodputs over the smaller."""
    low, high = sorted((_goodput(run, "mine"), _goodput(run, "other")))
    if high <= 0:
        return 1.0
    return min(MOST_RATIO, high / low) if low > 0 else MOST_RATIO


def delay(run: Run, _: Genome) -> float:
    """The 95th percentile of the wait in the bottleneck's queue, seconds."""
    queue = next(queue for queue in run["queues"] if queue["name"] == "bottleneck")
    return float(queue["p95_sojourn_s"] or 0.0)


OBJECTIVES: Mapping[str, Objective] = {
    one.name: one
    for one in (
        Objective(
            "utilization",
            "the lowest share of the link that one flow uses",
            1,
            unused,
            lambda harm: f"the flow uses {100 * (1 - harm):.3g} % of what the link has for it",
            "unused share of the link",
            "%",
            100.0,
        ),
        Objective(
            "starvation",
            "the highest ratio of the goodputs of two equal flows",
            2,
            ratio,
            lambda harm: f"one of two equal flows has {harm:.3g} times the goodput of the other",
            "ratio of the goodputs",
            "",
            1.0,
        ),
        Objective(
            "delay",
            "the highest queueing delay of one flow",
            1,
            delay,
            lambda harm: f"the 95th percentile of the queueing delay is {1e3 * harm:.3g} ms",
            "95th percentile of the queueing delay",
            "ms",
            1e3,
        ),
    )
}
"""Every objective by its name."""


def objective(name: str) -> Objective:
    """The objective of this name. `ScenarioError` if there is none."""
    if name not in OBJECTIVES:
        raise ScenarioError(
            f"--harm {name}: there is no such harm\nhelp: write one of {', '.join(OBJECTIVES)}"
        )
    return OBJECTIVES[name]
