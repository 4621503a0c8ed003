"""The comparison in a terminal: the same numbers as the page, without those that nobody is judged
by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ....present.grids import number, plain, unit_of
from ....present.stats import Interval
from .judge import excludes_zero
from .metrics import JUDGED, Metric

_LONGEST = 36
"""Characters of a scheme's name in a row."""


def lines(document: Mapping[str, Any]) -> Iterable[str]:
    """For each scheme in each condition its means, below them the differences from the baseline;
    and a legend."""
    shown = [metric for metric in JUDGED if any(row[metric.key] for row in document["rows"])]
    if not shown:
        return
    scales = [_scale(document, metric) for metric in shown]
    head = [
        "",
        *(
            f"{m.title}{f' [{unit}]' if unit else ''} "
            for m, (_, unit) in zip(shown, scales, strict=True)
        ),
    ]
    winners = {(v["condition"], v["metric"]): v["best"] for v in document["best"]}
    rows = [head]
    said = 0
    for row in document["rows"]:
        condition = document["conditions"][row["condition"] - 1]
        if row["condition"] != said and len(document["conditions"]) > 1:
            rows.append([condition["label"]])
        said = row["condition"]
        won = [winners.get((said, metric.key)) == row["scheme"] for metric in shown]
        rows.append(
            ["  " + _short(row["scheme"]), *map(_mean, [row] * len(shown), shown, scales, won)]
        )
        if row["versus"]:
            rows.append(["", *map(_difference, [row] * len(shown), shown, scales)])
    yield plain(rows)
    baseline, seeds = document["baseline"], len(document["seeds"])
    if len(document["schemes"]) > 1 and seeds > 1:
        yield (
            f"Means over {seeds} seeds; * is the best: the 95 % interval of its difference from "
            f"each other scheme "
            f"leaves out 0.\nBelow them the difference from {baseline}, seed by seed, ± half its "
            f"95 % interval; "
            "in brackets where that holds 0."
        )
    elif len(document["schemes"]) > 1:
        yield (
            "One seed, so there are no intervals; below each number the difference from "
            f"{baseline}."
        )


def _mean(row: Mapping[str, Any], metric: Metric, scale: tuple[float, str], won: bool) -> str:
    measured = row[metric.key]
    return (
        "- "
        if measured is None
        else number(Interval(measured["mean"]), scale[0]) + ("*" if won else " ")
    )


def _difference(row: Mapping[str, Any], metric: Metric, scale: tuple[float, str]) -> str:
    block = row["versus"].get(metric.key)
    if block is None:
        return ""
    low, high = block["ci95"] or (None, None)
    text = number(Interval(block["difference"], low, high, block["n"]), scale[0], digits=3)
    text = text if text.startswith("-") else f"+{text}"
    return f"{text} " if excludes_zero(block) else f"({text})"


def _scale(document: Mapping[str, Any], metric: Metric) -> tuple[float, str]:
    return unit_of(
        metric.unit,
        max(abs(row[metric.key]["mean"]) for row in document["rows"] if row[metric.key]),
    )


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
