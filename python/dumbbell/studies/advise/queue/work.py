"""Advice from the question to the page."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .... import api, catalogue
from ....errors import ScenarioError
from ....files.write import write_json, write_text
from ....language.arguments import Choice as Scheme
from ...compare.queues import design
from ...compare.queues import judge as schemes_judge
from ...compare.queues import work as schemes_work
from ...compare.queues.design import Base, Condition
from ...compare.queues.judge import Values
from . import candidates, grid, judge, narrative, tc_lines
from .candidates import Candidate, Site
from .grid import Point
from .question import Question
from .tc_lines import Settled

SEEDS = 5
_BOTTLENECK = "bottleneck"

Document = dict[str, Any]
Measure = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options: which queues are tried (none: `candidates.DEFAULT`), how many seeds, how long a run
    is with its warm-up [s] (None: each point its own), from which rate on [bit/s] it is simulated
    slower, the device of the tc line, and `options` of the request."""

    question: Question
    words: Sequence[str] = ()
    seeds: int = SEEDS
    times: tuple[float, float] | None = None
    most_rate: float = grid.MOST_RATE
    dev: str = "eth0"
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate, as it is at the link that was asked for, and as it is simulated."""

    candidate: Candidate
    real: Settled
    simulated: Settled


def queue(
    options: Options, out: Path | None = None, measure: Measure = api.run, command: str = ""
) -> Document:
    """Simulates the candidates over the grid and returns the advice; with `out` its page
    (`index.html`, `advice.json`, figures) is written there.

    `ScenarioError` names the word that is wrong, before anything is run.
    """
    started = time.perf_counter()
    if out is not None:
        from . import page

        page.tools()  # May be missing: better said before the runs.
    met = grid.points(options.question, options.most_rate)
    tried = _tried(options)
    base, conditions, schemes = _laid(options, met, tried)
    rows = design.rows(base, schemes, conditions)
    names = [
        f"{scheme.text} at {condition.label}" for condition in conditions for scheme in schemes
    ]
    planned = design.check(base, rows, names, ())
    data = measure(design.request(base, rows, (), replications=options.seeds, **options.options))
    compared = schemes_work.document_of(base, schemes, schemes[0].text, conditions, data, planned)
    document = _advice(options, met, tried, _measured(tried, data), compared)
    document |= {"command": command, "wall_s": time.perf_counter() - started}
    if out is not None:
        _write(document, compared, out)
    return document


def _tried(options: Options) -> list[Tried]:
    """Every candidate once: two that come to the same are one."""
    kinds = catalogue.kinds()
    real = Site.of(options.question)
    scale = grid.scale(options.question, options.most_rate)
    low, high = (max(1.0, n / scale) for n in real.flows)
    small = Site(
        real.rate_low / scale, real.rate / scale, real.rtt, (low, high), real.delay_target, real.ecn
    )
    chosen = candidates.chosen(options.words, real, [*kinds["aqm"], *kinds.get("qdisc", [])])
    found: list[Tried] = []
    for candidate in chosen:
        table, scaled_table = candidate.table(real), candidate.table(small)
        if table is None or scaled_table is None:
            continue
        settled = tc_lines.settle(table, real.rate, options.dev)
        simulated = tc_lines.settle(scaled_table, small.rate, options.dev) if scale > 1 else settled
        if all(other.real.table != settled.table for other in found):
            found.append(Tried(candidate, settled, simulated))
    if not found:
        raise ScenarioError(
            "no candidate is for this link\nhelp: name one, as in --candidates codel"
        )
    return found


def _laid(
    options: Options, met: Sequence[Point], tried: Sequence[Tried]
) -> tuple[Base, list[Condition], list[Scheme]]:
    """The comparison: a scheme for each candidate, a condition for each point."""
    base = Base(
        scenario=grid.scenario(options.question.ecn),
        name="advice",
        place="queue",
        queue=_BOTTLENECK,
        cc_places=(),
        flows=options.question.flows[1],
        own_points=({},),
        notes=(),
    )
    labels = grid.labels(list(met))
    conditions = [
        Condition(None, {"point": label}, point.changes(options.question.cc, options.times))
        for point, label in zip(met, labels, strict=True)
    ]
    schemes = []
    for one in tried:
        parameters = {key: value for key, value in one.simulated.table.items() if key != "kind"}
        schemes.append(Scheme(one.candidate.name, one.candidate.kind, parameters))
    return base, conditions, schemes


def _measured(tried: Sequence[Tried], data: Mapping[str, Any]) -> dict[tuple[str, int], Values]:
    """Values of each candidate at each point, from 1, by seed."""
    points = data.get("points", [data])
    names = [one.candidate.name for one in tried]
    return {
        (names[i % len(names)], i // len(names) + 1): schemes_judge.values(point, _BOTTLENECK)
        for i, point in enumerate(points)
    }


def _advice(
    options: Options,
    met: Sequence[Point],
    tried: Sequence[Tried],
    measured: judge.Measured,
    compared: Document,
) -> Document:
    question, numbers = options.question, range(1, len(met) + 1)
    names = [one.candidate.name for one in tried]
    found = judge.scores(names, [math.sqrt(p.rtt_s[0] * p.rtt_s[1]) for p in met], measured)
    whole: Document = {
        key: compared[key]
        for key in ("version", "valid", "code", "failures", "from_store")
        if key in compared
    }
    document: Document = {
        **whole,
        "kind": "queue",
        "question": _question(question),
        "simulated": _simulated(options, met, compared),
        "advice": None,
        "candidates": [],
    }
    if not found:
        return document
    choice = judge.choose(list(found.values()), question.objective, question.delay_target_s)
    of = {one.candidate.name: one for one in tried}
    mine = of[choice.name]
    others = [name for name in found if name != choice.name]
    beaten = judge.beaten(choice.name, others, numbers, measured)
    labels = grid.labels(list(met))
    document |= {
        "advice": _recommended(question, mine, found, names[0]),
        "rule": narrative.rule(question, choice),
        "delay_target_kept": choice.kept,
        "expected": judge.expected(choice.name, numbers, measured),
        "candidates": [_candidate(one, found.get(one.candidate.name), choice) for one in tried],
        "fails": {
            "beaten": [
                {**one, "text": narrative.beaten(one, labels[one["point"] - 1])} for one in beaten
            ],
            "limits": narrative.limits(question, met, options.most_rate),
        },
        "tc": {
            "line": mine.real.line,
            "why_not": mine.real.why or None,
            "shaped": tc_lines.shaped(mine.real.link, options.dev) if mine.real.line else None,
            "explained": list(mine.real.explained),
            "place": narrative.place(mine.real.line, question),
        },
        "rows": [{key: row[key] for key in row if key != "versus"} for row in compared["rows"]],
    }
    return document


def _question(question: Question) -> dict[str, Any]:
    asked = asdict(question)
    return {key: list(value) if isinstance(value, tuple) else value for key, value in asked.items()}


def _simulated(options: Options, met: Sequence[Point], compared: Document) -> dict[str, Any]:
    """The runs, point by point."""
    times = [options.times or point.times(options.question.cc) for point in met]
    return {
        "profile": "linux",
        "seeds": compared["seeds"],
        "rate_scale": grid.scale(options.question, options.most_rate),
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
                "duration_s": length,
                "warmup_s": warmup,
            }
            for number, (point, label, (length, warmup)) in enumerate(
                zip(met, grid.labels(list(met)), times, strict=True), 1
            )
        ],
    }


def _recommended(
    question: Question, mine: Tried, found: Mapping[str, judge.Worst], baseline: str
) -> dict[str, Any]:
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


def _candidate(one: Tried, worst: judge.Worst | None, choice: judge.Choice) -> dict[str, Any]:
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


def _write(document: Document, compared: Document, directory: Path) -> None:
    """The page with its figures, and the document beside it."""
    from ....figures import save
    from . import draw, page

    drawn = draw.figures_of(document, compared)
    document["page"] = str((directory / "index.html").resolve())
    document["figures"] = [
        str(path) for one in drawn for path in save(one.figure, directory / "figures" / one.name)
    ]
    write_json(directory / "advice.json", document)
    write_text(directory / "index.html", page.html(document, compared, drawn))
