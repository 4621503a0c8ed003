"""The space of conditions that an attack searches: features, their parameters and bounds.

A genome names the features of a scenario, each with its numbers: `{"path": {"rate": 10, "rtt": 40,
"buffer": 1}, "pulses": {"rate": 1, "on": 100, "period": 1000}}`. Every number has two significant
digits, so that a genome reads as the scenario does. docs/how-to/attack.md has the same table.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from random import Random

from ...errors import ScenarioError
from ...language.arguments import refused

Genome = Mapping[str, Mapping[str, float]]
"""Features by name, with the values of their parameters."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number of a feature: its bounds, its unit, the value that harms least (None: none does)."""

    name: str
    low: float
    high: float
    unit: str
    about: str
    mild: float | None = None

    def draw(self, random: Random) -> float:
        """A value whose logarithm is uniform between the bounds."""
        return self.fit(math.exp(random.uniform(math.log(self.low), math.log(self.high))))

    def fit(self, value: float) -> float:
        """The value within the bounds, with two significant digits."""
        return float(f"{min(max(value, self.low), self.high):.2g}")


@dataclass(frozen=True, slots=True)
class Feature:
    """A part of a scenario that an attack may have."""

    name: str
    about: str
    parameters: tuple[Parameter, ...]
    needs_two: bool = False

    def draw(self, random: Random) -> dict[str, float]:
        """Values of all parameters."""
        return {one.name: one.draw(random) for one in self.parameters}


PATH = Feature(
    "path",
    "the link itself; always there",
    (
        Parameter("rate", 2, 40, "Mbps", "rate of the bottleneck", 10),
        Parameter("rtt", 10, 150, "ms", "round-trip time without queues", 40),
        Parameter("buffer", 0.2, 5, "BDP", "capacity of the Drop Tail queue", 1),
    ),
)
FEATURES: Mapping[str, Feature] = {
    one.name: one
    for one in (
        PATH,
        Feature(
            "loss",
            "random loss of data packets",
            (Parameter("p", 1e-4, 0.03, "", "probability of a loss", 1e-4),),
        ),
        Feature(
            "bursts",
            "times in which all data packets are lost",
            (
                Parameter("good", 500, 10000, "ms", "mean time between them", 10000),
                Parameter("bad", 2, 300, "ms", "mean length", 2),
            ),
        ),
        Feature(
            "jitter",
            "a random delay of data packets that keeps their order",
            (Parameter("max", 1, 100, "ms", "largest delay; it is uniform", 1),),
        ),
        Feature(
            "ack_jitter",
            "a random delay of acknowledgments that keeps their order",
            (Parameter("max", 1, 100, "ms", "largest delay; it is uniform", 1),),
        ),
        Feature(
            "step",
            "a delay that the path gains once",
            (
                Parameter("at", 1, 10, "s", "time of the step", 5),
                Parameter("by", 2, 100, "ms", "additional delay", 2),
            ),
        ),
        Feature(
            "square",
            "a rate that jumps between the link's and a lower one",
            (
                Parameter("low", 0.05, 0.8, "of the rate", "the lower rate", 0.8),
                Parameter("period", 100, 10000, "ms", "time of both", None),
                Parameter("duty", 0.1, 0.9, "of the period", "time at the upper rate", 0.9),
            ),
        ),
        Feature(
            "pulses",
            "UDP traffic at a constant rate in regular pulses",
            (
                Parameter("rate", 0.5, 4, "of the rate", "rate within a pulse", 0.5),
                Parameter("on", 10, 500, "ms", "length of a pulse", 10),
                Parameter("period", 100, 5000, "ms", "time from pulse to pulse", None),
            ),
        ),
        Feature(
            "late",
            "the second flow starts later than the first",
            (Parameter("by", 0.1, 8, "s", "time between the starts", 0.1),),
            needs_two=True,
        ),
    )
}
"""Every feature by its name."""

MOST_CROSS = 0.25
"""The largest share of the link's mean rate that pulses may have on average. A flood would be no
finding."""


def chosen(names: Collection[str], two_flows: bool) -> list[Feature]:
    """The features that an attack may use, without the path: those named, or all that apply.
    `ScenarioError` for a name that does not exist or does not apply."""
    known = [
        one for one in FEATURES.values() if one is not PATH and (two_flows or not one.needs_two)
    ]
    for name in names:
        if name not in {one.name for one in known}:
            raise refused(
                f"--features {name}",
                name,
                "there is no such feature for this harm",
                f"write some of {', '.join(one.name for one in known)}",
            )
    return [one for one in known if not names or one.name in names]


def mean_share(genome: Genome) -> float:
    """The mean rate of the link over its upper rate."""
    square = genome.get("square")
    return 1.0 if square is None else square["duty"] + (1 - square["duty"]) * square["low"]


def cross_share(genome: Genome) -> float:
    """The mean rate of the pulses over the link's upper rate."""
    pulses = genome.get("pulses")
    return 0.0 if pulses is None else pulses["rate"] * pulses["on"] / pulses["period"]


def repaired(genome: Genome) -> Genome | None:
    """The genome within the limit of its pulses: they come less often. None if they cannot."""
    most = MOST_CROSS * mean_share(genome)
    if cross_share(genome) <= most:
        return genome
    pulses = dict(genome["pulses"])
    period = pulses["rate"] * pulses["on"] / most
    pulses["period"] = math.ceil(period / 10) * 10.0
    if pulses["period"] > 5000:
        return None
    return {**genome, "pulses": pulses}


def pinned(values: Mapping[str, float]) -> dict[str, float]:
    """The parameters of the path that the user fixed. `ScenarioError` outside the bounds."""
    for one in PATH.parameters:
        value = values.get(one.name)
        if value is not None and not one.low <= value <= one.high:
            raise ScenarioError(
                f"--{one.name}: {value:g} {one.unit} is outside the space of attacks\n"
                f"help: write a value from {one.low:g} to {one.high:g} {one.unit}"
            )
    return dict(values)
