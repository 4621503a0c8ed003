"""The comparison from the words to the page."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast

from .... import api, catalogue
from ....errors import ScenarioError
from ....files.filename import component
from ....language import arguments
from ....language.arguments import Choice
from ...frame import over_time, publish
from ...frame.design import Plan, Row, Source, runs_of
from ...frame.over_time import OverTime
from ...frame.paired import cell_of, paired_difference
from ...frame.runs import Laboratory, Measure, Point
from . import design, judge, metrics, narrative
from .design import Condition
from .document import ConditionRow, Document, Facts, PointRow, SchemeRow, Verdict

SEEDS = 5
DEFAULT = Path(__file__).with_name("default.toml")
"""The scenario where none is given."""

_PAIR = 2
"""Schemes whose runs are shown over time."""
_SHARE = 6.0
"""The part of the measured time that is shown first is one over this."""
_FLOWS = (
    "Lines of a scheme have one color, and each flow has its own dash. Shown are {flows}, the "
    "flows with the least and the most goodput in this run of {scheme}. Move the pointer over a "
    "panel to read values; click a drop to read what led to it and what followed."
)
_SAME = (
    "all seeds gave the same runs, so intervals over them are meaningless: "
    'add random variation, such as `start_spread = "1 s"` of the flows'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of a comparison: schemes and congestion controls as `NAME` or `NAME:KEY=VALUE,...`,
    axes as `KEY=VALUE,...`, `sets` as behind `-s`; the scenario as the API reads a source (None:
    one of ours); the queue that is looked at, where there are several; the baseline's name (None:
    the first scheme); how many seeds (None: the scenario's replications if it says any, else 5),
    and the first of them (None: the scenario's); `options` of the request."""

    schemes: Sequence[str]
    ccs: Sequence[str] = ()
    over: Sequence[str] = ()
    source: Source | None = None
    sets: Sequence[str] = ()
    use: Sequence[str] = ()
    queue: str | None = None
    baseline: str | None = None
    seeds: int | None = None
    seed: int | None = None
    options: Mapping[str, object] = field(default_factory=dict)


def compare(
    options: Options, out: Path | None = None, measure: Measure = api.run, command: str = ""
) -> Document:
    """Compares, writes `index.html`, `results.json` and the figures into `out` (default
    `results/compare-SCENARIO`), and returns the document of `results.json`. `measure` makes the
    runs of a request; `command` is said on the page.

    `ScenarioError` names the scheme, the axis or the line of the scenario that is wrong; nothing is
    run then.
    """
    started = time.perf_counter()
    publish.tools()
    schemes = arguments.choices(list(options.schemes))
    baseline = _baseline(schemes, options.baseline)
    base = design.read(
        options.source or {"path": str(DEFAULT)}, options.sets, options.use, options.queue
    )
    own = int(str(base.scenario.get("replications", 1)))
    laboratory = Laboratory(
        base=base,
        replications=runs_of(options.seeds, own if own > 1 else SEEDS),
        seed=options.seed,
        use=options.use,
        options=options.options,
        measure=measure,
    )
    _known(laboratory, schemes)
    met = design.conditions(
        base, arguments.choices(list(options.ccs)), arguments.axes(list(options.over)), options.sets
    )
    rows = design.rows(base, schemes, met)
    names = [
        f"{scheme.text}{' in ' + c.label if c.label else ''}" for c in met for scheme in schemes
    ]
    planned = laboratory.check(rows, names)
    points = laboratory.run(rows)
    document = document_of(laboratory, schemes, baseline, met, points, planned)
    document |= {"command": command, "wall_s": time.perf_counter() - started}
    from . import figures, page

    directory = out or Path("results") / component(f"compare-{base.name}")
    recorded = _recorded(laboratory, rows, points, document, directory)
    publish.publish(
        document,
        figures.figures_of(document),
        partial(page.html, document, over_time=recorded),
        directory,
        recorded=recorded,
    )
    return document


def _recorded(
    laboratory: Laboratory,
    rows: Sequence[Row],
    points: Sequence[Point],
    document: Document,
    directory: Path,
) -> OverTime | None:
    """The first runs of the first two schemes in the first condition, recorded below the
    comparison's directory; None unless both have a result."""
    pair = [row for row in document["rows"][:_PAIR] if row["condition"] == 1 and row["seeds"]]
    if len(pair) < _PAIR:
        return None
    flows = sorted(points[0].runs[0]["flows"], key=lambda flow: flow["goodput_bps"])
    ends = list(dict.fromkeys([flows[0]["name"], flows[-1]["name"]]))
    runs = {
        row["scheme"]: over_time.record(laboratory, rows[i], row["seeds"][0], directory, i, ends)
        for i, row in enumerate(pair)
    }
    condition = document["conditions"][0]["label"]
    where = f" in the condition {condition}" if condition else ""
    first, last = document["warmup_s"] or 0.0, document["duration_s"] or 0.0
    return OverTime(
        title="Over time",
        text=[_FLOWS.format(flows=" and ".join(ends), scheme=pair[0]["scheme"])],
        about=f"The runs with seed {pair[0]['seeds'][0]}{where}.",
        runs=runs,
        window=(first, first + (last - first) / _SHARE),
        flows=ends,
    )


def _baseline(schemes: Sequence[Choice], name: str | None) -> str:
    if not schemes:
        raise ScenarioError("name the schemes to compare, as in `dumbbell compare drop_tail red`")
    if name is None:
        return schemes[0].text
    for scheme in schemes:
        if name in (scheme.text, scheme.kind):
            return scheme.text
    known = ", ".join(scheme.text for scheme in schemes)
    raise arguments.refused(
        f"--baseline {name}", name, "this is not one of the schemes", f"write one of {known}"
    )


def _known(laboratory: Laboratory, schemes: Sequence[Choice]) -> None:
    """Each scheme by itself, so that a wrong one is named before all else."""
    kinds = catalogue.kinds(*laboratory.use)
    queues = [*kinds["aqm"], *kinds.get("qdisc", [])]
    for scheme in schemes:
        if scheme.kind in kinds["cc"] and scheme.kind not in queues:
            cause = "this is a congestion control, and schemes are queues"
            fix = f"write --cc {scheme.text} after them"
            raise arguments.refused(scheme.text, scheme.kind, cause, fix)
        laboratory.check([scheme.at(laboratory.base.place)], [f"scheme `{scheme.text}`"])


def document_of(
    laboratory: Laboratory,
    schemes: Sequence[Choice],
    baseline: str,
    met: Sequence[Condition],
    points: Sequence[Point],
    planned: Plan,
) -> Document:
    """All that is known of the schemes, without paths; points are in the order of the conditions,
    and in each of the schemes."""
    base, names = laboratory.base, [scheme.text for scheme in schemes]
    rows: list[PointRow] = []
    verdicts: list[Verdict] = []
    for i, condition in enumerate(met):
        own = dict(zip(names, points[i * len(names) : (i + 1) * len(names)], strict=True))
        values = {name: judge.values(point, base.queue) for name, point in own.items()}
        for name, point in own.items():
            versus = None if name == baseline else values[baseline]
            rows.append(_row(name, i + 1, condition, point, values[name], versus))
        verdicts += [{"condition": i + 1, **verdict} for verdict in judge.verdicts(values)]
    facts: Facts = {
        **laboratory.whole(),
        "scenario_name": base.name,
        "title": cast(str | None, base.scenario.get("title")),
        "queue": base.queue,
        "schemes": [
            _scheme(s, planned["points"][i]["plan"], base.queue) for i, s in enumerate(schemes)
        ],
        "baseline": baseline,
        "conditions": [_condition(i + 1, condition) for i, condition in enumerate(met)],
        "metrics": [metric.document() for metric in metrics.ALL],
        "seeds": sorted({seed for row in rows for seed in row["seeds"]}),
        "duration_s": next((p.duration_s for p in points if p.duration_s is not None), None),
        "warmup_s": next((p.warmup_s for p in points if p.warmup_s is not None), None),
        "flows": base.flows,
        "rows": rows,
        "best": verdicts,
        "notes": [*laboratory.notes(_SAME, points), *_where(points)],
        "scenario": base.scenario,
    }
    return {"finding": narrative.sentences(facts), **facts}


def _where(points: Sequence[Point]) -> list[str]:
    """What is to be said of runs that the simulator did not make."""
    if any(run.get("on") == "linux" for point in points for run in point.runs):
        return ["the hosts ran a Linux kernel in virtual time, under the profile `linux`"]
    return []


def _scheme(scheme: Choice, plan: Plan, queue: str) -> SchemeRow:
    link = next(link for link in plan["links"] if link["name"] == queue)
    said = link.get("qdisc") or link["aqm"]
    return {
        "name": scheme.text,
        "kind": scheme.kind,
        "parameters": said["config"],
        "capacity": link["capacity"],
    }


def _condition(number: int, condition: Condition) -> ConditionRow:
    return {
        "number": number,
        "label": condition.label,
        "over_label": condition.over_label,
        "cc": condition.cc.text if condition.cc else None,
        "over": condition.over,
    }


def _row(
    scheme: str,
    number: int,
    condition: Condition,
    point: Point,
    mine: judge.Values,
    theirs: judge.Values | None,
) -> PointRow:
    """Each metric's mean, by seed for figures, and its difference from the baseline (None of the
    baseline itself)."""
    found: dict[str, object] = {
        "scheme": scheme,
        "condition": number,
        "cc": condition.cc.text if condition.cc else None,
        "over": condition.over,
        "seeds": point.seeds,
        "valid": point.valid,
        "fingerprint": point.fingerprint,
        **({"error": point.error} if point.error else {}),
        **{metric.key: cell_of(mine[metric.key]) for metric in metrics.ALL},
        "by_seed": {metric.key: list(mine[metric.key].values()) for metric in metrics.JUDGED},
        "versus": None
        if theirs is None
        else {m.key: paired_difference(mine[m.key], theirs[m.key]) for m in metrics.ALL},
    }
    return cast(PointRow, found)
