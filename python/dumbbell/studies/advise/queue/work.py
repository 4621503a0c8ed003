"""Advice from the question to the page."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from .... import api, catalogue
from ....errors import ScenarioError
from ....language.arguments import Choice as Scheme
from ...compare.queues import design
from ...compare.queues import judge as schemes_judge
from ...compare.queues import work as schemes_work
from ...compare.queues.design import Condition
from ...frame import publish
from ...frame.design import Base
from ...frame.runs import Laboratory, Measure
from . import candidates, document, grid, tc_lines
from .candidates import Site
from .document import Document, Tried
from .question import Question

SEEDS = 5


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
    options: Mapping[str, object] = field(default_factory=dict)


def queue(
    options: Options, out: Path | None = None, measure: Measure = api.run, command: str = ""
) -> Document:
    """Simulates the candidates over the grid and returns the advice; with `out` its page
    (`index.html`, `advice.json`, figures) is written there.

    `ScenarioError` names the word that is wrong, before anything is run.
    """
    started = time.perf_counter()
    if out is not None:
        publish.tools()
    question = options.question
    met = grid.points(question, options.most_rate)
    tried = _tried(options)
    base = Base(scenario=grid.scenario(question.ecn), name="advice", flows=question.flows[1])
    laboratory = Laboratory(
        base=base, replications=options.seeds, options=options.options, measure=measure
    )
    conditions = [
        Condition(None, {"point": label}, point.changes(question.cc, options.times))
        for point, label in zip(met, grid.labels(met), strict=True)
    ]
    schemes = [_scheme(one) for one in tried]
    rows = design.rows(base, schemes, conditions)
    names = [
        f"{scheme.text} at {condition.label}" for condition in conditions for scheme in schemes
    ]
    planned = laboratory.check(rows, names)
    points = laboratory.run(rows)
    compared = schemes_work.document_of(
        laboratory, schemes, schemes[0].text, conditions, points, planned
    )
    measured = {
        (schemes[i % len(schemes)].text, i // len(schemes) + 1): schemes_judge.values(
            point, base.queue
        )
        for i, point in enumerate(points)
    }
    simulated = document.simulated(
        question, met, options.times, options.most_rate, compared["seeds"]
    )
    found = document.advice(
        question, met, tried, measured, compared, simulated, options.most_rate, options.dev
    )
    found |= {"command": command, "wall_s": time.perf_counter() - started}
    if out is not None:
        from . import draw, page

        drawn = draw.figures_of(found, compared)
        text = partial(page.html, found, compared.get("failures") or [])
        publish.publish(found, drawn, text, out, publish.ADVICE)
    return found


def _scheme(one: Tried) -> Scheme:
    parameters = {key: value for key, value in one.simulated.table.items() if key != "kind"}
    return Scheme(one.candidate.name, one.candidate.kind, parameters)


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
            "none of the candidates suits this link\nhelp: name one, as in --candidates codel"
        )
    return found
