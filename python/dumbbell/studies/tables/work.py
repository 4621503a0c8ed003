"""A survey from the options to the page."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import cast

from ... import api
from ...errors import ScenarioError
from ...language.arguments import Choice
from ..frame import design, publish, runs
from ..frame.design import Base
from ..frame.paired import cell_of
from ..frame.runs import Laboratory, Measure
from . import coexistence, controls, friendliness, grid, loss_tolerance, rtt_fairness
from .document import Document, Measured, PointRow, SummaryRow
from .grid import BySeeds, Metric, Plan, Point, Survey
from .options import Options

SURVEYS: dict[str, Survey] = {
    one.name: one
    for one in (rtt_fairness.SURVEY, friendliness.SURVEY, coexistence.SURVEY, loss_tolerance.SURVEY)
}
"""Every survey by its name on the command line."""

_SAME = "all seeds gave the same runs, so intervals over them are meaningless"


def survey(
    name: str,
    options: Options,
    out: Path | None = None,
    measure: Measure = api.run,
    command: str = "",
    html: Path | None = None,
) -> Document:
    """Makes a survey, writes `index.html`, `results.json` and the figures into `out` (default
    `results/table-NAME`), or the page alone to `html`, and returns the document of `results.json`.

    `measure` makes the runs of a request; `command` is said on the page. `ScenarioError` names the
    survey, the control or the option that is wrong; nothing is run then.
    """
    started = time.perf_counter()
    publish.tools()
    asked = SURVEYS.get(name)
    if asked is None:
        raise ScenarioError(f"there is no table `{name}`; there are {', '.join(SURVEYS)}")
    plan = asked.lay(options)
    laboratory = Laboratory(
        base=_base(asked, plan, options),
        replications=options.replications,
        seed=options.seed,
        use=options.use,
        options=options.options,
        measure=measure,
    )
    texts = options.ccs or (asked.default(options.use) if asked.default else ())
    picked, left = controls.chosen(
        texts, options.use, lambda one: _why_not(laboratory.base, plan, one, options)
    )
    if plan.reference is not None and all(one.text != plan.reference.text for one in picked):
        picked = [plan.reference, *picked]
    points = plan.points(picked)
    rows = [point.set for point in points]
    laboratory.check(rows, [f"{p.cc.text} at {_label(p)}" for p in points])
    answers = laboratory.run(rows)
    document = document_of(asked, plan, laboratory, picked, points, answers, options.quick)
    document["notes"] = [*left, *document["notes"]]
    document |= {"command": command, "wall_s": time.perf_counter() - started}
    _publish(document, asked, out or Path("results") / f"table-{name}", html)
    return document


def _publish(document: Document, asked: Survey, directory: Path, html: Path | None) -> None:
    from ..frame.drawing import settled
    from . import page

    drawn, text = settled(asked.draw(document)), partial(page.html, document)
    if html is not None:
        publish.publish_page(document, drawn, text, html)
    else:
        publish.publish(document, drawn, text, directory)


def _base(asked: Survey, plan: Plan, options: Options) -> Base:
    """The scenario with what `-s` lays over it, as the comparison of schemes has it."""
    name = f"table-{asked.name}"
    # Who names no control asks for all of them on one queue, those that need marks too.
    allowed = {} if options.ccs else {"allow": ["W001"]}
    wanted = api.request(
        {"value": {**plan.scenario, **allowed}, "name": name},
        options.sets,
        points=1,
        use=list(options.use) or None,
    )
    try:
        planned = api.plan(wanted)
    except ScenarioError as error:
        raise ScenarioError(design.said(error), error.detail) from None
    return Base(
        scenario=dict(planned["scenario"]), name=name, notes=(*plan.notes, *planned["notes"])
    )


def _why_not(base: Base, plan: Plan, one: Choice, options: Options) -> str | None:
    """The reason why a control cannot be measured; None if it can."""
    try:
        api.plan(design.request(base, [plan.points([one])[0].set], options.use, points=0))
    except ScenarioError as error:
        return design.said(error)
    return None


def _label(point: Point) -> str:
    return ", ".join(
        f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in point.at
    )


def document_of(
    asked: Survey,
    plan: Plan,
    laboratory: Laboratory,
    picked: Sequence[Choice],
    points: Sequence[Point],
    answers: Sequence[runs.Point],
    quick: bool,
) -> Document:
    """All that is known, without paths."""
    found = grid.values(points, answers, asked.metrics)
    asked.derive(found, plan)
    names = [one.text for one in picked]
    rows = [
        _row(point, answer, found[point.cc.text, point.at], asked)
        for point, answer in zip(points, answers, strict=True)
    ]
    sums = asked.sum_up(found, names, plan)
    document: Measured = {
        **laboratory.whole(),
        "table": asked.name,
        "title": asked.title,
        "definition": list(asked.definition),
        "controls": [{"name": one.text, "kind": one.kind} for one in picked],
        "against": plan.reference.text if plan.reference else None,
        "axes": list(plan.axes),
        "metrics": [metric.document() for metric in asked.shown],
        "sums": [metric.document() for metric in asked.summary],
        "facts": plan.facts,
        "summary": [
            cast(SummaryRow, {"cc": name, **_cells(sums[name], asked.summary)}) for name in names
        ],
        "rows": rows,
        "seeds": sorted({seed for row in rows for seed in row["seeds"]}),
        "quick": quick,
        "notes": laboratory.notes(_SAME, answers),
        "scenario": laboratory.base.scenario,
    }
    return {"finding": asked.say(document), **document}


def _cells(of: BySeeds, metrics: Sequence[Metric]) -> Mapping[str, object]:
    """Means with their intervals, as in results; null where there is nothing."""
    return {metric.key: cell_of(of.get(metric.key, {})) for metric in metrics}


def _row(point: Point, answer: runs.Point, mine: BySeeds, asked: Survey) -> PointRow:
    found: dict[str, object] = {
        "cc": point.cc.text,
        **dict(point.at),
        **_cells(mine, asked.shown),
        "by_seed": {metric.key: list(mine.get(metric.key, {}).values()) for metric in asked.shown},
        "seeds": answer.seeds,
        "duration_s": answer.duration_s,
        "warmup_s": answer.warmup_s,
        "valid": answer.valid,
        "fingerprint": answer.fingerprint,
        **({"error": answer.error} if answer.error else {}),
    }
    return cast(PointRow, found)
