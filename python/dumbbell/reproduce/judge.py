"""Runs into verdicts: cells by the rules of `verdict`, claims by their predicates, predictions by their errors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import stats
from . import predicate, verdict
from .papers import Cell, Claim, Paper, Prediction
from .predicate import Family
from .verdict import Printed
from .work import Runs

Measured = Mapping[str, Runs]


def values(measured: Measured, point: str, measure: str, scale: float) -> tuple[float, ...]:
    """A measurement of every run of a point."""
    return tuple(scale * value for value in measured[point].values(measure))


def cell(paper: Paper, measured: Measured, wanted: Cell) -> dict[str, Any]:
    """A cell of `report.json`."""
    row: dict[str, Any] = {
        "id": wanted.id,
        "what": wanted.what,
        "published": wanted.published,
        "decimals": wanted.decimals,
        "value": None,
        "ci95": None,
        "pi95": None,
        "n": 0,
        "unit": wanted.unit,
        "fitted": wanted.fitted,
        "verdict": None,
    }
    if wanted.missing is not None:
        return row | {"verdict": verdict.NOT_TESTABLE, "missing": wanted.missing}
    ours = _of_cell(measured, wanted)
    row |= {
        "value": stats.mean(ours),
        "ci95": _listed(stats.ci95(ours)),
        "pi95": _listed(stats.pi95(ours)),
        "n": len(ours),
        "point": wanted.point,
        "fingerprint": measured[wanted.point].fingerprint,
    }
    base = paper.cells[wanted.baseline] if wanted.baseline else None
    against = None
    if base is not None:
        against = (base.published, _of_cell(measured, base))
        row["effect"] = {
            "baseline": base.id,
            "published": round(wanted.published - base.published, 10),
            "value": verdict.effect(ours, against[1]),
        }
    if not wanted.fitted:
        row["verdict"] = verdict.of_cell(Printed(wanted.published, wanted.decimals), ours, against)
    return row


def _of_cell(measured: Measured, wanted: Cell) -> tuple[float, ...]:
    return values(measured, wanted.point, wanted.measure, wanted.scale)


def numbers(paper: Paper, measured: Measured) -> dict[str, Family]:
    """The named numbers of the claims, and those derived from them, in the file's order."""
    found = {
        number.id: Family(
            number.at, tuple(values(measured, point, number.measure, number.scale) for point in number.points)
        )
        for number in paper.numbers.values()
        if all(point in measured for point in number.points)
    }
    for name, expression in paper.derived.items():
        if predicate.names(expression) <= found.keys():
            found[name] = predicate.evaluate(expression, found)
    return found


def claim(wanted: Claim, known: Mapping[str, Family]) -> dict[str, Any]:
    """A claim of `report.json`: the verdict, the predicates that gave it, and the numbers behind them."""
    row: dict[str, Any] = {"id": wanted.id, "text": wanted.text}
    if wanted.missing is not None:
        return row | {"verdict": verdict.NOT_TESTABLE, "evidence": {"missing": wanted.missing}}
    rules = {verdict.REPRODUCED: wanted.reproduced, verdict.IN_PART: wanted.in_part}
    decided = next((v for v, rule in rules.items() if rule and predicate.holds(rule, known)), verdict.CONTRADICTED)
    shown = {label: _evidence(predicate.evaluate(text, known)) for label, text in wanted.show.items()}
    return row | {
        "verdict": decided,
        "evidence": {"rules": {v: r for v, r in rules.items() if r}, "numbers": shown},
    }


def claims(wanted: Iterable[Claim], known: Mapping[str, Family]) -> list[dict[str, Any]]:
    """Every claim."""
    return [claim(one, known) for one in wanted]


def prediction(wanted: Prediction, cells: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Relative errors of a row of cells, and their root mean square."""
    tested = [cells[name] for name in wanted.cells if cells[name]["value"] is not None]
    errors = {cell["id"]: cell["value"] / cell["published"] - 1 for cell in tested}
    return {"id": wanted.id, "what": wanted.what, "relative_errors": errors, "rms": rms(list(errors.values()))}


def rms(values: Sequence[float]) -> float | None:
    """The root mean square; None of nothing."""
    return math.sqrt(math.fsum(x * x for x in values) / len(values)) if values else None


def _evidence(family: Family) -> list[dict[str, Any]]:
    rows = []
    for at, runs in zip(family.at, family.values, strict=True):
        here = {"at": at} if len(family.at) > 1 else {}
        mean, ends = stats.mean(runs), stats.ci95(runs)
        finite = math.isfinite(mean)  # a ratio over a flow that got nothing is not, and JSON has no word for it
        ci95 = _listed(ends) if finite else None
        rows.append({**here, "mean": mean if finite else None, "ci95": ci95, "n": len(runs)})
    return rows


def _listed(ends: tuple[float, float] | None) -> list[float] | None:
    return None if ends is None else list(ends)
