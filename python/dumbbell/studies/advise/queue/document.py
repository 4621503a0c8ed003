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
    """The whole."""

    kind: str
    question: Mapping[str, object]
    simulated: Simulated


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate, as it is at the link that was asked for, and as it is simulated."""

    candidate: Candidate
    real: Settled
    simulated: Settled


def advice(
    question: Question,
    met: Sequence[Point],
    tried: Sequence[Tried],
    measured: judge.Measured,
    compared: Compared,
    simulated: Simulated,
    most_rate: float,
    dev: str,
) -> Document:
    """All of it, without paths; `compared` is the comparison of the candidates at all points."""
    asked = asdict(question)
    return {
        **facts(compared),
        "kind": "queue",
        "question": {k: list(v) if isinstance(v, tuple) else v for k, v in asked.items()},
        "simulated": simulated,
        "advice": None,
        "candidates": [],
        **_judged(question, met, tried, measured, compared, most_rate, dev),
    }


def _judged(
    question: Question,
    met: Sequence[Point],
    tried: Sequence[Tried],
    measured: judge.Measured,
    compared: Compared,
    most_rate: float,
    dev: str,
) -> Judged:
    """Nothing if no candidate has a result at every point."""
    numbers = range(1, len(met) + 1)
    names = [one.candidate.name for one in tried]
    found = judge.scores(names, [math.sqrt(p.rtt_s[0] * p.rtt_s[1]) for p in met], measured)
    if not found:
        return {}
    choice = judge.choose(list(found.values()), question.objective, question.delay_target_s)
    mine = next(one for one in tried if one.candidate.name == choice.name)
    others = [name for name in found if name != choice.name]
    labels = grid.labels(met)
    return {
        "advice": _advised(question, mine, found, names[0]),
        "rule": narrative.rule(question, choice),
        "delay_target_kept": choice.kept,
        "expected": judge.expected(choice.name, numbers, measured),
        "candidates": [_candidate(one, found.get(one.candidate.name), choice) for one in tried],
        "fails": {
            "beaten": [
                {**one, "text": narrative.beaten(one, labels[one["point"] - 1])}
                for one in judge.beaten(choice.name, others, numbers, measured)
            ],
            "limits": narrative.limits(question, met, most_rate),
        },
        "tc": {
            "line": mine.real.line,
            "why_not": mine.real.why or None,
            "shaped": tc_lines.shaped(mine.real.link, dev) if mine.real.line else None,
            "explained": list(mine.real.explained),
            "place": narrative.place(mine.real.line, question),
        },
        "rows": [
            cast(PointRow, {k: v for k, v in row.items() if k != "versus"})
            for row in compared["rows"]
        ],
    }


def simulated(
    question: Question,
    met: Sequence[Point],
    times: tuple[float, float] | None,
    most_rate: float,
    seeds: list[int],
) -> Simulated:
    """The runs, point by point; `times` are those that were asked for."""
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
            for number, (point, label) in enumerate(zip(met, grid.labels(met), strict=True), 1)
        ],
    }


def _advised(
    question: Question, mine: Tried, found: Mapping[str, judge.Worst], baseline: str
) -> Advised:
    rate = question.rate_bps[1]
    held, seconds = narrative.capacity(mine.real.link, rate)
    said = mine.real.link.get("qdisc") or mine.real.link["aqm"]
    return {
        "name": mine.candidate.name,
        "kind": mine.candidate.kind,
        "sentence": narrative.recommendation(
            question, mine.candidate.name, narrative.buffer(mine.real.link, rate), found, baseline
        ),
        "rule_of_parameters": mine.candidate.rule,
        "parameters": said["config"],
        "buffer": held,
        "buffer_s": seconds,
        "queue": mine.real.table,
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
