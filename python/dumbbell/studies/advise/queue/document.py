"""The document of an advice on a queue, `advice.json`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypedDict, cast

from ...compare.queues.document import Document as Compared
from ...compare.queues.document import PointRow
from ...frame.runs import Whole, facts
from . import grid, judge, narrative, tc_lines
from .candidates import Candidate
from .grid import Point
from .judge import Beaten, Range
from .question import Question
from .tc_lines import Settled, Table


class SimulatedPoint(TypedDict):
    """A point of the grid, from 1."""

    point: int
    label: str
    rate_bps: float
    simulated_rate_bps: float
    rtt_s: list[float]
    flows: int
    simulated_flows: int
    share_packets_per_rtt: float
    duration_s: float
    warmup_s: float


class Simulated(TypedDict):
    """The runs, point by point."""

    profile: str
    seeds: list[int]
    rate_scale: float
    points: list[SimulatedPoint]


class Advised(TypedDict):
    """The recommended queue; its buffer in words and in seconds, its table of a scenario."""

    name: str
    kind: str
    sentence: str
    rule_of_parameters: str
    parameters: Mapping[str, object]
    buffer: str
    buffer_s: float
    queue: Table


class WorstRow(TypedDict):
    """A candidate's worst means over all points."""

    utilization: float
    p99_sojourn_s: float
    loss_share: float
    jain: float | None


class CandidateRow(TypedDict):
    """A candidate, and whether it qualified and was chosen."""

    name: str
    kind: str
    rule_of_parameters: str
    queue: Table
    tc: str | None
    qualified: bool
    chosen: bool
    worst: WorstRow | None
    relative_power: float | None


class Fails(TypedDict):
    """Points where another candidate is better, and the limits of the grid."""

    beaten: list[Beaten]
    limits: list[str]


class Tc(TypedDict):
    """The line for tc, or why there is none."""

    line: str | None
    why_not: str | None
    shaped: list[str] | None
    explained: list[str]
    place: str


class Judged(TypedDict, total=False):
    """The advice, if there is one."""

    advice: Advised | None
    candidates: list[CandidateRow]
    rule: str
    delay_target_kept: bool | None
    expected: Mapping[str, Range | None]
    fails: Fails
    tc: Tc
    rows: list[PointRow]


class Document(Whole, Judged):
    """`advice.json`."""

    kind: str
    question: Mapping[str, object]
    simulated: Simulated


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate with its queue in two sizes."""

    candidate: Candidate
    real: Settled
    """For the link of the question."""
    simulated: Settled
    """For the link that is simulated, which may be slower."""


def advice(
    question: Question,
    points: Sequence[Point],
    tried: Sequence[Tried],
    measured: judge.Measured,
    compared: Compared,
    simulated: Simulated,
    most_rate: float,
    dev: str,
) -> Document:
    """The whole document without paths. compared: the comparison of the candidates at all points.
    most_rate: the rate [bit/s] above which the simulated link is slower. dev: the device of tc."""
    asked = asdict(question)
    return {
        **facts(compared),
        "kind": "queue",
        "question": {k: list(v) if isinstance(v, tuple) else v for k, v in asked.items()},
        "simulated": simulated,
        "advice": None,
        "candidates": [],
        **_judged(question, points, tried, measured, compared, most_rate, dev),
    }


def _judged(
    question: Question,
    points: Sequence[Point],
    tried: Sequence[Tried],
    measured: judge.Measured,
    compared: Compared,
    most_rate: float,
    dev: str,
) -> Judged:
    """The advice and what led to it; empty if no candidate has a result at every point."""
    numbers = range(1, len(points) + 1)
    names = [one.candidate.name for one in tried]
    worst = judge.scores(names, [math.sqrt(p.rtt_s[0] * p.rtt_s[1]) for p in points], measured)
    if not worst:
        return {}
    choice = judge.choose(list(worst.values()), question.objective, question.delay_target_s)
    chosen = next(one for one in tried if one.candidate.name == choice.name)
    others = [name for name in worst if name != choice.name]
    labels = grid.labels(points)
    return {
        "advice": _advised(question, chosen, worst, names[0]),
        "rule": narrative.rule(question, choice),
        "delay_target_kept": choice.kept,
        "expected": judge.expected(choice.name, numbers, measured),
        "candidates": [_candidate(one, worst.get(one.candidate.name), choice) for one in tried],
        "fails": {
            "beaten": [
                {**one, "text": narrative.beaten(one, labels[one["point"] - 1])}
                for one in judge.beaten(choice.name, others, numbers, measured)
            ],
            "limits": narrative.limits(question, points, most_rate),
        },
        "tc": {
            "line": chosen.real.line,
            "why_not": chosen.real.why or None,
            "shaped": tc_lines.shaped(chosen.real.link, dev) if chosen.real.line else None,
            "explained": list(chosen.real.explained),
            "place": narrative.place(chosen.real.line, question),
        },
        "rows": [
            cast(PointRow, {k: v for k, v in row.items() if k != "versus"})
            for row in compared["rows"]
        ],
    }


def simulated(
    question: Question,
    points: Sequence[Point],
    times: tuple[float, float] | None,
    most_rate: float,
    seeds: list[int],
) -> Simulated:
    """The runs, point by point. times: duration and warm-up [s]; None: each point its own."""
    return {
        "profile": "linux",
        "seeds": seeds,
        "rate_scale": grid.scale(question, most_rate),
        "points": [
            {
                "point": number,
                "label": label,
                "rate_bps": point.rate_bps,
                "simulated_rate_bps": point.simulated_bps,
                "rtt_s": list(point.rtt_s),
                "flows": point.flows,
                "simulated_flows": point.simulated_flows,
                "share_packets_per_rtt": point.window,
                "duration_s": (times or point.times(question.cc))[0],
                "warmup_s": (times or point.times(question.cc))[1],
            }
            for number, (point, label) in enumerate(
                zip(points, grid.labels(points), strict=True), 1
            )
        ],
    }


def _advised(
    question: Question, chosen: Tried, worst: Mapping[str, judge.Worst], baseline: str
) -> Advised:
    rate = question.rate_bps[1]
    buffer, buffer_s = narrative.capacity(chosen.real.link, rate)
    discipline = chosen.real.link.get("qdisc") or chosen.real.link["aqm"]
    return {
        "name": chosen.candidate.name,
        "kind": chosen.candidate.kind,
        "sentence": narrative.recommendation(
            question,
            chosen.candidate.name,
            narrative.buffer(chosen.real.link, rate),
            worst,
            baseline,
        ),
        "rule_of_parameters": chosen.candidate.rule,
        "parameters": discipline["config"],
        "buffer": buffer,
        "buffer_s": buffer_s,
        "queue": chosen.real.table,
    }


def _candidate(one: Tried, worst: judge.Worst | None, choice: judge.Choice) -> CandidateRow:
    name = one.candidate.name
    return {
        "name": name,
        "kind": one.candidate.kind,
        "rule_of_parameters": one.candidate.rule,
        "queue": one.real.table,
        "tc": one.real.line,
        "qualified": name in choice.qualified,
        "chosen": name == choice.name,
        "worst": None
        if worst is None
        else {
            "utilization": worst.used,
            "p99_sojourn_s": worst.delay_s,
            "loss_share": worst.loss,
            "jain": worst.jain,
        },
        "relative_power": worst.power if worst else None,
    }
