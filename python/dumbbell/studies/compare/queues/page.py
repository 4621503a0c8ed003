"""The comparison as one HTML file that needs nothing else: no script, no font, no picture from
elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ....figures import style
from ....present import templates
from ....present.grids import number, unit_of
from ....present.stats import Interval
from ....present.units import time_text
from . import draw
from .draw import NamedFigure
from .judge import excludes_zero
from .metrics import ALL, JUDGED, Metric

_HERE = Path(__file__).parent


def tools() -> Any:
    """The Jinja environment of the page. `EnvironmentLacks` if it is not installed."""
    return templates.environment(_HERE)


def html(document: Mapping[str, Any], drawn: Sequence[tuple[NamedFigure, str]]) -> str:
    """The page; each figure comes with the text of its SVG file."""
    columns = [_column(document, metric) for metric in ALL]
    shown = [column for column in columns if column is not None]
    return str(
        tools()
        .get_template("page.html.j2")
        .render(
            d=document,
            columns=shown,
            groups=_groups(document, shown),
            best=_best(document),
            judged=[
                metric
                for metric in JUDGED
                if any(v["metric"] == metric.key for v in document["best"])
            ],
            figures=[(one, style.inline(text, f"figure-{one.name}")) for one, text in drawn],
            marks=_marks(document),
            parameters={scheme["name"]: _parameters(scheme) for scheme in document["schemes"]},
            scenario=toml_text(document["scenario"]),
            seeds=seeds_text(document["seeds"]),
            duration=time_text(document["duration_s"] or 0.0),
            warmup=time_text(document["warmup_s"] or 0.0),
            css=templates.css("report", "study"),
        )
    )


Column = tuple[Metric, float, str]


def _column(document: Mapping[str, Any], metric: Metric) -> Column | None:
    """A metric with its scale and unit; None for one that no row has, and for marks and timeouts
    that never were."""
    means = [abs(row[metric.key]["mean"]) for row in document["rows"] if row[metric.key]]
    if not means or (metric.key in ("marks_share", "rtos") and not any(means)):
        return None
    return metric, *unit_of(metric.unit, max(means))


def _groups(document: Mapping[str, Any], columns: Sequence[Column]) -> list[dict[str, Any]]:
    """The rows of the table by condition, with what stands in each cell."""
    winners = {(v["condition"], v["metric"]): v["best"] for v in document["best"]}
    tied = {(v["condition"], v["metric"]): v["tied"] for v in document["best"]}
    found = []
    for condition in document["conditions"]:
        n = condition["number"]
        lines = []
        for row in document["rows"]:
            if row["condition"] == n:
                cells = [
                    _cell(row, column)
                    | {
                        "best": winners.get((n, column[0].key)) == row["scheme"],
                        "tied": row["scheme"] in tied.get((n, column[0].key), ()),
                    }
                    for column in columns
                ]
                lines.append({"row": row, "cells": cells})
        found.append({"condition": condition, "lines": lines})
    return found


def _cell(row: Mapping[str, Any], column: Column) -> dict[str, Any]:
    """The mean with half its interval; below it the difference from the baseline with its
    interval."""
    metric, scale, _ = column
    measured = row[metric.key]
    if measured is None:
        return {"text": "–", "versus": "", "differs": False}
    block = (row["versus"] or {}).get(metric.key)
    return {
        "text": minus(number(_interval(measured["mean"], measured), scale)),
        "versus": _versus(block, scale) if block else "",
        "differs": excludes_zero(block),
    }


def _interval(mean: float, block: Mapping[str, Any]) -> Interval:
    low, high = block["ci95"] or (None, None)
    return Interval(mean, low, high, block["n"])


def _versus(block: Mapping[str, Any], scale: float) -> str:
    text = number(_interval(block["difference"], block), scale)
    return minus(text if text.startswith("-") else f"+{text}")


def minus(text: str) -> str:
    """With the sign that is as wide as a plus."""
    return text.replace("-", "−")


def _best(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """For each condition what is said of each metric."""
    by_place = {(v["condition"], v["metric"]): v for v in document["best"]}
    keys = [
        metric.key for metric in JUDGED if any(v["metric"] == metric.key for v in document["best"])
    ]
    return [
        {"condition": c, "verdicts": [by_place.get((c["number"], key)) for key in keys]}
        for c in document["conditions"]
    ]


def _marks(document: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Each scheme's colour and a character for its marker."""
    shapes = {"o": "●", "s": "■", "^": "▲", "D": "◆", "v": "▼", "P": "✚", "X": "✖", "*": "★"}
    return {
        name: {"color": look.color, "shape": shapes.get(look.marker, "●")}
        for name, look in draw.looks(document).items()
    }


def _parameters(scheme: Mapping[str, Any]) -> str:
    return (
        ", ".join(
            f"{key} = {value if isinstance(value, str) else json.dumps(value)}"
            for key, value in scheme["parameters"].items()
        )
        or "none"
    )


def toml_text(scenario: Mapping[str, Any]) -> str:
    """The scenario as it was run, but for what each row sets."""
    from ....language.overrides import toml

    plain = [
        f"{key} = {toml(value)}"
        for key, value in scenario.items()
        if not isinstance(value, dict | list)
    ]
    tables = [
        f"[{key}]\n" + "\n".join(f"{k} = {toml(v)}" for k, v in value.items())
        for key, value in scenario.items()
        if isinstance(value, dict)
    ]
    lists = [
        f"[[{key}]]\n" + "\n".join(f"{k} = {toml(v)}" for k, v in item.items())
        if isinstance(item, dict)
        else f"# {key}: {toml(item)}"
        for key, value in scenario.items()
        if isinstance(value, list) and all(isinstance(i, dict) for i in value)
        for item in value
    ]
    flat = [
        f"{key} = {toml(value)}"
        for key, value in scenario.items()
        if isinstance(value, list) and not all(isinstance(i, dict) for i in value)
    ]
    return "\n\n".join(["\n".join([*plain, *flat]), *tables, *lists])


def seeds_text(seeds: Sequence[int]) -> str:
    """Seeds in words: `1 to 5`."""
    if len(seeds) > 2 and seeds[-1] - seeds[0] + 1 == len(seeds):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds)) or "none"
