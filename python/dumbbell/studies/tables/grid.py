"""The parts of a survey: points, of each control at each condition, and what is measured there."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ...data import measurements
from ...language.arguments import Choice
from ..frame import runs
from ..frame.design import Row, Scenario
from ..frame.drawing import NamedFigure
from ..frame.paired import BySeed
from ..frame.runs import Run
from .document import Facts, Measured, Title, Value
from .options import Options

PACKET = 1500
"""Bytes of a full packet."""
At = tuple[tuple[str, Value], ...]
"""A condition: each axis with its value."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A measurement of a run: its key in rows, its name and its unit."""

    key: str
    title: str
    unit: str
    of: Callable[[Run], float | None]

    def document(self) -> Title:
        """The measurement as JSON."""
        return {"key": self.key, "title": self.title, "unit": self.unit}


@dataclass(frozen=True, slots=True)
class Point:
    """A control in a condition, and what it lays over the scenario."""

    cc: Choice
    at: At
    set: Row


BySeeds = dict[str, dict[int, float]]
"""Each measurement by seed."""
Values = dict[tuple[str, At], BySeeds]
"""For each control at each condition."""
Sums = dict[str, BySeeds]
"""For each control."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A survey laid out: the scenario, what varies, and the points in the order of controls."""

    scenario: Scenario
    axes: Sequence[Title]
    points: Callable[[Sequence[Choice]], list[Point]]
    notes: Sequence[str] = ()
    reference: Choice | None = None
    """A control that is asked in any case, as what others are compared with."""
    facts: Facts = field(default_factory=lambda: Facts())
    """Further numbers for its sentences and figures, as JSON."""


@dataclass(frozen=True, slots=True)
class Survey:
    """A question about controls. `lay` reads the options; `metrics` are taken of each run; `derive`
    adds, by seed, what needs several points; `sum_up` says for each control, by seed, what a
    table's first column has; `say` puts it into sentences and `draw` into figures."""

    name: str
    title: str
    definition: Sequence[str]
    metrics: Sequence[Metric]
    shown: Sequence[Metric]
    """Measurements of rows: those that the tables show, with derived ones."""
    summary: Sequence[Metric]
    """Measurements of controls."""
    lay: Callable[[Options], Plan]
    derive: Callable[[Values, Plan], None]
    sum_up: Callable[[Values, Sequence[str], Plan], Sums]
    say: Callable[[Measured], list[str]]
    draw: Callable[[Measured], list[NamedFigure]]
    default: Callable[[Sequence[str]], list[str]] | None = None
    """The controls if none is named, given the files of the user's own; None: those of
    `controls`."""


def nothing(run: Run) -> float | None:
    """The values of a derived measurement."""
    return None


def goodput(run: Run, side: str) -> float:
    """The goodput of all flows of a side, bit/s: those named `side` or `side.N`."""
    return math.fsum(
        f["goodput_bps"]
        for f in run["flows"]
        if f["name"] == side or f["name"].startswith(f"{side}.")
    )


def mean_of(run: Run, side: str, key: str) -> float | None:
    """The mean over the flows of a side, of those that have it."""
    found = [
        f[key] for f in run["flows"] if f["name"].partition(".")[0] == side and f[key] is not None
    ]
    return math.fsum(found) / len(found) if found else None


def queue(run: Run, key: str) -> float | None:
    """A measurement of the bottleneck's queue."""
    value = next(q for q in run["queues"] if q["name"] == "bottleneck").get(key)
    return None if value is None else float(value)


def all_goodput(run: Run) -> float:
    """The goodput of all flows together, bit/s."""
    return math.fsum(f["goodput_bps"] for f in run["flows"])


def registered(
    row: str, name: str, of: Callable[[Run], float | None], title: str = "", key: str = ""
) -> Metric:
    """A measurement of results, with its unit from `data.measurements`. title, key: its name in
    tables and its key in rows, if they are others than in results."""
    one = measurements.find(row, name)
    return Metric(key or name, title or one.title, one.unit, of)


UTILIZATION = registered("queue", "utilization", lambda run: queue(run, "utilization"))


def values(
    points: Sequence[Point], answers: Sequence[runs.Point], metrics: Sequence[Metric]
) -> Values:
    """The results of each point, by seed; runs without a result are left out."""

    def finite(answer: runs.Point, metric: Metric) -> dict[int, float]:
        return {s: x for s, x in answer.by_seed(metric.of).items() if math.isfinite(x)}

    return {
        (point.cc.text, point.at): {metric.key: finite(answer, metric) for metric in metrics}
        for point, answer in zip(points, answers, strict=True)
    }


def of_control(values: Values, cc: str) -> dict[At, BySeeds]:
    """The measurements of one control, by condition."""
    return {at: of for (name, at), of in values.items() if name == cc}


def seeds_of(conditions: Mapping[At, Mapping[str, BySeed]], key: str) -> list[int]:
    """The seeds that every condition has a value for."""
    each = [set(of.get(key, {})) for of in conditions.values()]
    return sorted(set.intersection(*each)) if each else []


def unlocked(rate_bps: float) -> list[dict[str, object]]:
    """The impairment of the reverse path: a random delay of up to one packet's time at the
    bottleneck. Without it round-trip times are locked to the bottleneck's transmissions, and which
    flow loses is a matter of phases (S. Floyd, V. Jacobson, "On traffic phase effects in
    packet-switched gateways", 1992)."""
    return [{"kind": "jitter", "max": f"{8 * PACKET / rate_bps * 1e6:.6g} us"}]


def times(
    rate_bps: float, rtt_s: float, flows: int, options: Options, least_s: float = 120.0
) -> dict[str, str]:
    """Duration of a run: forty teeth of a Reno that has its share of two bandwidth-delay products,
    from `least_s` to 900 s, and a third of it more to begin with, which is left out; with `quick` a
    quarter of that. A tooth takes W/2 round trips with one acknowledgment for each segment, and
    twice that with delayed ones (Mathis et al. 1997)."""
    from .options import seconds

    if options.time is not None:
        whole = seconds("--time", options.time)
    else:
        window = 2 * rate_bps * rtt_s / (8 * PACKET) / flows
        whole = min(max(40 * window * rtt_s, least_s), 900.0) * 4 / 3 / (4 if options.quick else 1)
    return {"duration": f"{whole:.6g} s", "warmup": f"{whole / 4:.6g} s"}
