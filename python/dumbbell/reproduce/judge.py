"""Runs into verdicts: cells by the rules of `verdict`, claims by their predicates, predictions by
their errors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from ..errors import ScenarioError
from ..present import stats
from . import predicate, verdict
from .document import CellRow, ClaimRow, EvidenceRow, PredictionRow, ends
from .measures import buffer_size_grid
from .papers import Cell, Claim, Paper, Prediction
from .predicate import Family
from .runs import Runs
from .verdict import Printed

Measured = Mapping[str, Runs]


def values(measured: Measured, point: str, measure: str, scale: float) -> tuple[float, ...]:
    """A measurement of every run of a point."""
    return tuple(scale * value for value in measured[point].values(measure))


def cell(
    paper: Paper, measured: Measured, wanted: Cell, known: Mapping[str, Family] | None = None
) -> CellRow:
    """A cell of `report.json`; `known` are the claims' numbers, if they are at hand."""
    row: CellRow = {
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
    if wanted.of and known is None:
        known = numbers(paper, measured)
    ours = _of_cell(measured, wanted, known or {})
    row |= {
        "value": stats.mean(ours),
        "ci95": ends(stats.ci95(ours)),
        "pi95": ends(stats.pi95(ours)),
        "n": len(ours),
    }
    if wanted.point:
        row |= {"point": wanted.point, "fingerprint": measured[wanted.point].fingerprint}
    against = _against(paper, measured, wanted, known or {})
    if against is not None:
        row["effect"] = {
            "baseline": wanted.baseline or wanted.baseline_of,
            "published": round(wanted.published - against[0], 10),
            "value": verdict.effect(ours, against[1]),
            "ci95": ends(stats.ci95(verdict.differences(ours, against[1]))),
        }
    if not wanted.fitted:
        printed = Printed(wanted.published, wanted.decimals, wanted.cut)
        row["verdict"] = verdict.of_cell(printed, ours, against, gain=wanted.gain)
    return row


def _of_cell(measured: Measured, wanted: Cell, known: Mapping[str, Family]) -> tuple[float, ...]:
    """One value a seed."""
    if wanted.of:
        return _one_point(wanted.of, known)
    return values(measured, wanted.point, wanted.measure, wanted.scale)


def _against(
    paper: Paper, measured: Measured, wanted: Cell, known: Mapping[str, Family]
) -> tuple[float, tuple[float, ...]] | None:
    """The baseline of a cell's effect: the printed value, and ours, one a seed."""
    if wanted.baseline_of:
        return wanted.baseline_published, _one_point(wanted.baseline_of, known)
    if wanted.baseline is None:
        return None
    base = paper.cells[wanted.baseline]
    return base.published, _of_cell(measured, base, known)


def _one_point(text: str, known: Mapping[str, Family]) -> tuple[float, ...]:
    """The runs of an expression that has a single point."""
    family = predicate.evaluate(text, known)
    if len(family.values) != 1:
        raise ScenarioError(f"`{text}`: a cell is a single point, such as `gain[100]`")
    return family.values[0]


def numbers(
    paper: Paper, measured: Measured, stands_for: Mapping[str, str] | None = None
) -> dict[str, Family]:
    """The named numbers of the claims that were measured, and those derived from them, in the
    file's order. What `stands_for` names has others in its place."""
    found = {
        number.id: Family(
            number.at,
            tuple(values(measured, point, number.measure, number.scale) for point in number.points),
        )
        for number in paper.numbers.values()
        if all(point in measured and measured[point].has(number.measure) for point in number.points)
    }
    found |= {name: found[other] for name, other in (stands_for or {}).items()}
    if paper.surface is not None and buffer_size_grid.measured(paper.surface, found):
        found |= buffer_size_grid.laws(paper.surface, found)
    for name, expression in paper.derived.items():
        if predicate.names(expression) <= found.keys():
            found[name] = predicate.evaluate(expression, found)
    return found


def claim(wanted: Claim, known: Mapping[str, Family]) -> ClaimRow:
    """A claim of `report.json`: the verdict, the predicates that gave it, and the numbers behind
    them."""
    if wanted.missing is not None:
        return missing(wanted)
    shown = {
        label: evidence(predicate.evaluate(text, known)) for label, text in wanted.show.items()
    }
    return {
        "id": wanted.id,
        "text": wanted.text,
        "verdict": verdict_of(wanted, known),
        "evidence": {"rules": rules(wanted), "numbers": shown},
    }


def missing(wanted: Claim) -> ClaimRow:
    """A claim that is not testable, as the paper's file says."""
    return {
        "id": wanted.id,
        "text": wanted.text,
        "verdict": verdict.NOT_TESTABLE,
        "evidence": {"missing": wanted.missing or ""},
    }


def verdict_of(wanted: Claim, known: Mapping[str, Family]) -> str:
    """The first of a claim's predicates that holds."""
    return next(
        (v for v, rule in rules(wanted).items() if predicate.holds(rule, known)),
        verdict.CONTRADICTED,
    )


def rules(wanted: Claim) -> dict[str, str]:
    """A claim's predicates by the verdict that they give."""
    both = {verdict.REPRODUCED: wanted.reproduced, verdict.IN_PART: wanted.in_part}
    return {name: rule for name, rule in both.items() if rule}


def claims(wanted: Iterable[Claim], known: Mapping[str, Family]) -> list[ClaimRow]:
    """Every claim."""
    return [claim(one, known) for one in wanted]


def prediction(wanted: Prediction, cells: Mapping[str, CellRow]) -> PredictionRow:
    """Relative errors of a row of cells, and their root mean square."""
    tested = (cells[name] for name in wanted.cells)
    errors = {
        cell["id"]: cell["value"] / cell["published"] - 1
        for cell in tested
        if cell["value"] is not None
    }
    return {
        "id": wanted.id,
        "what": wanted.what,
        "relative_errors": errors,
        "rms": rms(list(errors.values())),
    }


def rms(values: Sequence[float]) -> float | None:
    """The root mean square; None of nothing."""
    return math.sqrt(math.fsum(x * x for x in values) / len(values)) if values else None


def evidence(family: Family) -> list[EvidenceRow]:
    """A number of a claim at each of its points."""
    rows = []
    for at, runs in zip(family.at, family.values, strict=True):
        mean, interval = stats.mean(runs), stats.ci95(runs)
        # A ratio over a flow that got nothing is not finite, and JSON has no word for it.
        finite = math.isfinite(mean)
        row: EvidenceRow = {
            "mean": mean if finite else None,
            "ci95": ends(interval) if finite else None,
            "n": len(runs),
        }
        rows.append({"at": at, **row} if len(family.at) > 1 else row)
    return rows
