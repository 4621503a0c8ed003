"""The comparison from the words to the page."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .... import api, catalogue
from ....errors import ScenarioError
from ....files.filename import component
from ....files.write import write_json, write_text
from ....language import arguments
from ....language.arguments import Choice
from . import design, drawings, judge, metrics, narrative
from .design import Base, Condition

SEEDS = 5
DEFAULT = Path(__file__).with_name("default.toml")
"""The scenario where none is given."""

Document = dict[str, Any]
Measure = Callable[[dict[str, Any]], dict[str, Any]]


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
    source: dict[str, str] | None = None
    sets: Sequence[str] = ()
    use: Sequence[str] = ()
    queue: str | None = None
    baseline: str | None = None
    seeds: int | None = None
    seed: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def compare(
    options: Options, out: Path | None = None, measure: Measure = api.run, command: str = ""
) -> Document:
    """Compares, writes `index.html`, `results.json` and the figures into `out` (default
    `results/compare-SCENARIO`), and returns the document of `results.json`. `measure` makes the
    runs of a request; `command` is said on the page.

    `ScenarioError` names the scheme, the axis or the line of the scenario that is wrong; nothing is
    run then.
    """
    from . import page  # What draws may be missing: better said before the runs.

    started = time.perf_counter()
    page.tools()
    schemes = arguments.choices(list(options.schemes))
    baseline = _baseline(schemes, options.baseline)
    base = design.read(
        options.source or {"path": str(DEFAULT)}, options.sets, options.use, options.queue
    )
    _known(base, schemes, options.use)
    met = design.conditions(
        base, arguments.choices(list(options.ccs)), arguments.axes(list(options.over)), options.sets
    )
    points = design.rows(base, schemes, met)
    names = [
        f"{scheme.text}{' in ' + c.label if c.label else ''}" for c in met for scheme in schemes
    ]
    planned = design.check(base, points, names, options.use)
    request = design.request(
        base,
        points,
        options.use,
        replications=_seeds(options.seeds, base),
        seed=options.seed,
        **options.options,
    )
    data = measure(request)
    document = document_of(base, schemes, baseline, met, data, planned)
    document |= {"command": command, "wall_s": time.perf_counter() - started}
    _write(document, _directory(out, base), drawings.figures_of(document))
    return document


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
        f"--baseline {name}", name, "this is none of the schemes", f"write one of {known}"
    )


def _known(base: Base, schemes: Sequence[Choice], use: Sequence[str]) -> None:
    """Each scheme by itself, so that a wrong one is named before all else."""
    kinds = catalogue.kinds(*use)
    for scheme in schemes:
        if scheme.kind in kinds["cc"] and scheme.kind not in [
            *kinds["aqm"],
            *kinds.get("qdisc", []),
        ]:
            cause, fix = (
                "this is a congestion control, and schemes are queues",
                f"write --cc {scheme.text} behind them",
            )
            raise arguments.refused(scheme.text, scheme.kind, cause, fix)
        design.check(base, [scheme.at(base.place)], [f"scheme `{scheme.text}`"], use)


def _seeds(given: int | None, base: Base) -> int:
    if given is not None and given < 1:
        raise arguments.refused(
            f"--seeds {given}", given, "there must be at least one run", f"write --seeds {SEEDS}"
        )
    own = int(base.scenario.get("replications", 1))
    return given or (own if own > 1 else SEEDS)


def _directory(out: Path | None, base: Base) -> Path:
    return out or Path("results") / component(f"compare-{base.name}")


def document_of(
    base: Base,
    schemes: Sequence[Choice],
    baseline: str,
    met: Sequence[Condition],
    data: dict[str, Any],
    planned: dict[str, Any],
) -> Document:
    """All that is known of the schemes, without paths; `data` and `planned` are the answers of the
    API."""
    points: list[dict[str, Any]] = data.get("points", [data])
    names = [scheme.text for scheme in schemes]
    rows, verdicts = [], []
    for i, condition in enumerate(met):
        of_condition = points[i * len(names) : (i + 1) * len(names)]
        own = dict(zip(names, of_condition, strict=True))
        values_by_scheme = {name: judge.values(point, base.queue) for name, point in own.items()}
        for name, point in own.items():
            rows.append(
                _row(name, i + 1, condition, point)
                | _measured(values_by_scheme[name], values_by_scheme[baseline], name == baseline)
            )
        verdicts += [
            {"condition": i + 1, **verdict} for verdict in judge.verdicts(values_by_scheme)
        ]
    whole: Document = {
        key: data[key]
        for key in ("version", "valid", "code", "failures", "from_store")
        if key in data
    }
    document: Document = {
        **whole,
        "scenario_name": base.name,
        "title": base.scenario.get("title"),
        "queue": base.queue,
        "schemes": [
            _scheme(s, planned["points"][i]["plan"], base.queue) for i, s in enumerate(schemes)
        ],
        "baseline": baseline,
        "conditions": [_condition(i + 1, condition) for i, condition in enumerate(met)],
        "metrics": [metric.document() for metric in metrics.ALL],
        "seeds": sorted({seed for row in rows for seed in row["seeds"]}),
        "duration_s": next(
            (point["duration_s"] for point in points if "duration_s" in point), None
        ),
        "warmup_s": next((point["warmup_s"] for point in points if "warmup_s" in point), None),
        "flows": base.flows,
        "rows": rows,
        "best": verdicts,
        "notes": _notes(base, data, points),
        "scenario": base.scenario,
    }
    return {"finding": narrative.sentences(document), **document}


def _notes(base: Base, data: dict[str, Any], points: Sequence[dict[str, Any]]) -> list[str]:
    found = [*base.notes, *data.get("notes", [])]
    if judge.seeds_change_nothing(points):
        found.append(
            "all seeds gave the same runs, so that intervals over them say nothing: "
            'let something vary, such as `start_spread = "1 s"` of the flows'
        )
    return list(dict.fromkeys(found))


def _scheme(scheme: Choice, plan: dict[str, Any], queue: str) -> dict[str, Any]:
    """A scheme with every parameter of the first condition, defaults too."""
    link = next(link for link in plan["links"] if link["name"] == queue)
    said = link.get("qdisc") or link["aqm"]
    return {
        "name": scheme.text,
        "kind": scheme.kind,
        "parameters": said["config"],
        "capacity": link["capacity"],
    }


def _condition(number: int, condition: Condition) -> dict[str, Any]:
    return {
        "number": number,
        "label": condition.label,
        "over_label": condition.over_label,
        "cc": condition.cc.text if condition.cc else None,
        "over": condition.over,
    }


def _row(scheme: str, number: int, condition: Condition, point: dict[str, Any]) -> dict[str, Any]:
    runs = point.get("runs") or [point]
    row = {
        "scheme": scheme,
        "condition": number,
        "cc": condition.cc.text if condition.cc else None,
        "over": condition.over,
        "seeds": [run["seed"] for run in runs if "flows" in run],
        "valid": point.get("valid", False),
        "fingerprint": point.get("fingerprint"),
    }
    return row | ({"error": point["error"]} if point.get("error") else {})


def _measured(mine: judge.Values, theirs: judge.Values, is_baseline: bool) -> dict[str, Any]:
    """Each metric's mean, by seed for figures, and its difference from the baseline."""
    means = {metric.key: judge.cell(mine[metric.key]) for metric in metrics.ALL}
    by_seed = {metric.key: list(mine[metric.key].values()) for metric in metrics.JUDGED}
    blocks = {
        metric.key: judge.paired_difference(mine[metric.key], theirs[metric.key])
        for metric in metrics.ALL
    }
    return {**means, "by_seed": by_seed, "versus": None if is_baseline else blocks}


def _write(document: Document, directory: Path, drawn: Sequence[Any]) -> None:
    """The page with its figures, and the document beside it."""
    from ....figures import save
    from . import page

    files = {"page": "index.html", "results": "results.json"}
    document |= {name: str((directory / file).resolve()) for name, file in files.items()}
    saved = [save(one.figure, directory / "figures" / one.name) for one in drawn]
    document["figures"] = [str(path.resolve()) for paths in saved for path in paths]
    svgs = [
        next(path for path in paths if path.suffix == ".svg").read_text(encoding="utf-8")
        for paths in saved
    ]
    write_json(document["results"], document)
    write_text(document["page"], page.html(document, list(zip(drawn, svgs, strict=True))))
