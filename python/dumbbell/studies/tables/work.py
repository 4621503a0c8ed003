"""A survey from the options to the page, by the code of `schemes`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import api
from ...errors import ScenarioError
from ...files.write import write_json, write_text
from ...language.arguments import Choice
from ..compare.queues import design, judge
from ..compare.queues.draw import NamedFigure
from . import coexistence, controls, friendliness, grid, loss_tolerance, rtt_fairness
from .grid import Document, Plan, Point, Survey, Values
from .options import Options

SURVEYS: dict[str, Survey] = {
    one.name: one
    for one in (rtt_fairness.SURVEY, friendliness.SURVEY, coexistence.SURVEY, loss_tolerance.SURVEY)
}
"""Every survey by its name on the command line."""

Measure = Callable[[dict[str, Any]], dict[str, Any]]


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
    from . import page  # What draws may be missing: better said before the runs.

    started = time.perf_counter()
    page.tools()
    asked = SURVEYS.get(name)
    if asked is None:
        raise ScenarioError(f"there is no table `{name}`; there are {', '.join(SURVEYS)}")
    plan = asked.lay(options)
    base = _base(asked, plan, options)
    picked, left = controls.chosen(
        _asked(asked, options), options.use, lambda one: _why_not(base, plan, one, options)
    )
    picked = _with_reference(picked, plan, options)
    points = plan.points(picked)
    laid = [dict(point.set) for point in points]
    design.check(base, laid, [f"{p.cc.text} at {_label(p)}" for p in points], options.use)
    request = design.request(
        base,
        laid,
        options.use,
        replications=options.replications,
        seed=options.seed,
        **options.options,
    )
    data = measure(request)
    document = document_of(asked, plan, base, picked, points, data, options)
    document["notes"] = [*left, *document["notes"]]
    document |= {"command": command, "wall_s": time.perf_counter() - started}
    _write(document, asked.draw(document), out or Path("results") / f"table-{name}", html)
    return document


def _asked(asked: Survey, options: Options) -> Sequence[str]:
    return options.ccs or (asked.default(options.use) if asked.default else ())


def _base(asked: Survey, plan: Plan, options: Options) -> design.Base:
    """The scenario with what `-s` lays over it, as the comparison of schemes has it."""
    source = {"value": plan.scenario, "name": f"table-{asked.name}"}
    try:
        planned = api.plan(
            api.request(source, options.sets, points=1, use=list(options.use) or None)
        )
    except ScenarioError as error:
        raise ScenarioError(design.said(error), error.detail) from None
    return design.Base(
        scenario=dict(planned["scenario"]),
        name=f"table-{asked.name}",
        place="queue",
        queue="bottleneck",
        cc_places=(),
        flows=len(planned["points"][0]["plan"]["flows"]),
        own_points=({},),
        notes=(*plan.notes, *planned["notes"]),
    )


def _why_not(base: design.Base, plan: Plan, one: Choice, options: Options) -> str | None:
    """The reason why a control cannot be measured; None if it can."""
    try:
        api.plan(design.request(base, [dict(plan.points([one])[0].set)], options.use, points=0))
    except ScenarioError as error:
        return design.said(error)
    return None


def _with_reference(picked: Sequence[Choice], plan: Plan, options: Options) -> list[Choice]:
    """The controls, and the one that others are compared with before them."""
    if plan.reference is None or any(one.text == plan.reference.text for one in picked):
        return list(picked)
    return [plan.reference, *picked]


def _label(point: Point) -> str:
    return ", ".join(
        f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in point.at
    )


def document_of(
    asked: Survey,
    plan: Plan,
    base: design.Base,
    picked: Sequence[Choice],
    points: Sequence[Point],
    data: Mapping[str, Any],
    options: Options,
) -> Document:
    """All that is known, without paths; `data` is the answer of the API."""
    measured: list[dict[str, Any]] = data.get("points", [data])
    found = grid.values(points, measured, asked.metrics)
    asked.derive(found, plan)
    names = [one.text for one in picked]
    rows = [
        _row(point, result, found, asked) for point, result in zip(points, measured, strict=True)
    ]
    sums = asked.sum_up(found, names, plan)
    whole: Document = {
        key: data[key]
        for key in ("version", "valid", "code", "failures", "from_store")
        if key in data
    }
    document: Document = {
        **whole,
        "table": asked.name,
        "title": asked.title,
        "definition": list(asked.definition),
        "controls": [{"name": one.text, "kind": one.kind} for one in picked],
        "against": plan.reference.text if plan.reference else None,
        "axes": [{"key": axis.key, "title": axis.title, "unit": axis.unit} for axis in plan.axes],
        "metrics": [{"key": m.key, "title": m.title, "unit": m.unit} for m in asked.shown],
        "sums": [{"key": m.key, "title": m.title, "unit": m.unit} for m in asked.summary],
        "facts": dict(plan.facts),
        "summary": [{"cc": name, **grid.cells(sums[name], asked.summary)} for name in names],
        "rows": rows,
        "seeds": sorted({seed for row in rows for seed in row["seeds"]}),
        "quick": options.quick,
        "notes": _notes(base, data, measured),
        "scenario": base.scenario,
    }
    return {"finding": asked.say(document), **document}


def _row(point: Point, result: Mapping[str, Any], found: Values, asked: Survey) -> dict[str, Any]:
    mine = found[point.cc.text, point.at]
    runs = result.get("runs") or [result]
    row = {
        "cc": point.cc.text,
        **dict(point.at),
        **grid.cells(mine, asked.shown),
        "by_seed": {metric.key: list(mine.get(metric.key, {}).values()) for metric in asked.shown},
        "seeds": [run["seed"] for run in runs if "flows" in run],
        "duration_s": result.get("duration_s"),
        "warmup_s": result.get("warmup_s"),
        "valid": result.get("valid", False),
        "fingerprint": result.get("fingerprint"),
    }
    return row | ({"error": result["error"]} if result.get("error") else {})


def _notes(
    base: design.Base, data: Mapping[str, Any], measured: Sequence[dict[str, Any]]
) -> list[str]:
    found = [*base.notes, *data.get("notes", [])]
    if judge.seeds_change_nothing(measured):
        found.append("all seeds gave the same runs, so that intervals over them say nothing")
    return list(dict.fromkeys(found))


def _write(
    document: Document, drawn: Sequence[NamedFigure], directory: Path, html: Path | None
) -> None:
    """The page with its figures, and the document beside it; or the page alone."""
    from ...figures import save, style
    from . import page

    for one in drawn:  # Laid out once, and not for each format again.
        one.figure.draw_without_rendering()
        one.figure.set_layout_engine("none")
    if html is not None:
        document |= {"page": str(html.resolve()), "results": None, "figures": []}
        write_text(
            html,
            page.html(
                document, [(one, style.svg(one.figure, f"figure-{one.name}")) for one in drawn]
            ),
        )
        return
    files = {"page": "index.html", "results": "results.json"}
    document |= {name: str((directory / file).resolve()) for name, file in files.items()}
    saved = [save(one.figure, directory / "figures" / one.name) for one in drawn]
    document["figures"] = [str(path.resolve()) for paths in saved for path in paths]
    svgs = [
        next(path for path in paths if path.suffix == ".svg").read_text(encoding="utf-8")
        for paths in saved
    ]
    inline = [
        style.inline(text, f"figure-{one.name}") for one, text in zip(drawn, svgs, strict=True)
    ]
    write_json(document["results"], document)
    write_text(document["page"], page.html(document, list(zip(drawn, inline, strict=True))))
