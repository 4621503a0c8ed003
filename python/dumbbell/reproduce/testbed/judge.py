"""The judgment of a campaign: effects in pairs, and the paper's cells and claims by the paper's own
rules.

The rules are the paper's `rules.md`, and what is special to the testbed its `testbed.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ...errors import ScenarioError
from .. import judge, predicate, verdict
from ..document import CellRow, ClaimRow, Evidence, EvidenceRow, sample
from ..entries import Claim, Paper
from ..measures.measure import needs_series, of_run
from ..predicate import Family
from ..runs import Runs
from . import document
from .document import Measures

GAINS, SHARE_GAINS, LOSES, UNSETTLED = "gains", "only its share gains", "loses", "not settled"
NOT_MEASURED = "not measured"
LEAST_PAIRS = 2

Run = Mapping[str, Any]
"""One run of a result's JSON."""


@dataclass(frozen=True, slots=True)
class Effect:
    """A measure of which the effect is told: a path into a run's JSON (`{flow}`, `{queue}`: those
    looked at)."""

    key: str
    title: str
    unit: str
    path: str
    scale: float


EFFECTS = (
    Effect("mbps", "throughput of {flow}", "Mbit/s", "flows.{flow}.goodput_bps", 1e-6),
    Effect("share", "share of {flow}", "%", "flows.{flow}.share", 100.0),
    Effect("total", "total", "Mbit/s", "flows.*.goodput_bps", 1e-6),
    Effect("queue", "mean queue", "packets", "queues.{queue}.mean_packets", 1.0),
    Effect("overflow", "tail drops", "", "queues.{queue}.drops.overflow", 1.0),
    Effect("drops", "all drops", "", "queues.{queue}.drops", 1.0),
)


def values(effect: Effect, runs: Sequence[Run], flow: str, queue: str) -> list[float]:
    """A measure of each run."""
    path = effect.path.format(flow=flow, queue=queue)
    if effect.key == "drops":
        return [float(sum(_named(run["queues"], queue)["drops"].values())) for run in runs]
    return [effect.scale * of_run(path, dict(run), None) for run in runs]


def _named(rows: Iterable[Run], name: str) -> Run:
    return next(row for row in rows if row["name"] == name)


def effect(
    baseline: Sequence[Run], scheme: Sequence[Run], flow: str, queue: str
) -> document.Effect:
    """Runs in pairs, one of each scheme: every measure under both, the mean difference with its
    interval, a verdict."""
    measured: Measures = {}
    for one in EFFECTS if len(baseline) >= LEAST_PAIRS else ():
        before, after = (values(one, runs, flow, queue) for runs in (baseline, scheme))
        measured[one.key] = {
            "title": one.title.format(flow=flow),
            "unit": one.unit,
            "baseline": sample(before),
            "scheme": sample(after),
            "difference": sample([b - a for a, b in zip(before, after, strict=True)]),
        }
    return {"pairs": len(baseline), "verdict": said(measured), "measures": measured}


def said(measured: Measures) -> str:
    """The effect of RED on the measured flow, by the rules of `testbed.md`."""
    if not measured:
        return NOT_MEASURED
    throughput, share = (measured[key]["difference"]["ci95"] for key in ("mbps", "share"))
    assert throughput is not None and share is not None  # There are two pairs at least.
    if throughput[0] > 0:
        return GAINS
    if share[0] > 0:
        return SHARE_GAINS
    return LOSES if throughput[1] < 0 else UNSETTLED


def cells(paper: Paper, measured: Mapping[str, Runs]) -> list[CellRow]:
    """The paper's cells at points that were measured, by the rules of the paper."""
    found = []
    for cell in paper.cells.values():
        needed = {cell.point} | ({paper.cells[cell.baseline].point} if cell.baseline else set())
        if cell.missing is None and cell.point and needed <= measured.keys():
            found.append(judge.cell(paper, measured, cell, {}))
    return found


def numbers(paper: Paper, measured: Mapping[str, Runs]) -> dict[str, Family]:
    """The numbers of the claims at the points that were measured, and those derived from them."""
    found: dict[str, Family] = {}
    for number in paper.numbers.values():
        places = [
            (at, judge.values(measured, point, number.measure, number.scale))
            for at, point in zip(number.at, number.points, strict=True)
            if point in measured and _can(measured[point], number.measure)
        ]
        if places:
            found[number.id] = Family(
                tuple(at for at, _ in places), tuple(runs for _, runs in places)
            )
    for name, expression in paper.derived.items():
        if predicate.names(expression) <= found.keys():
            found[name] = predicate.evaluate(expression, found)
    return found


def _can(runs: Runs, measure: str) -> bool:
    """True if a measurement can be taken: series may be missing, or nothing have happened that it
    measures."""
    if not needs_series(measure):
        return measure not in runs.lacking
    if not runs.directories:
        return False
    try:
        runs.values(measure)
    except ScenarioError:
        return False
    return True


def claims(paper: Paper, known: Mapping[str, Family]) -> list[ClaimRow]:
    """Every claim of the paper."""
    return [_claim(one, known) for one in paper.claims]


def _claim(wanted: Claim, known: Mapping[str, Family]) -> ClaimRow:
    """A claim: a predicate that asks for what was not measured cannot hold; if all do, it is not
    testable here."""
    if wanted.missing is not None:
        return judge.missing(wanted)
    decided: dict[str, bool] = {}
    missing: list[str] = []
    for name, rule in judge.rules(wanted).items():
        try:
            if absent := predicate.names(rule) - known.keys():
                missing += sorted(absent)
            else:
                decided[name] = predicate.holds(rule, known)
        except ScenarioError as error:
            missing.append(error.rendered)
    evidence: Evidence = {"rules": judge.rules(wanted), "numbers": _shown(wanted, known)}
    if missing:
        evidence["not_measured"] = list(dict.fromkeys(missing))
    found = next((name for name, holds in decided.items() if holds), verdict.CONTRADICTED)
    if not decided:
        found = verdict.NOT_TESTABLE
        evidence["missing"] = "points or series that this campaign does not measure"
    return {"id": wanted.id, "text": wanted.text, "verdict": found, "evidence": evidence}


def _shown(wanted: Claim, known: Mapping[str, Family]) -> dict[str, list[EvidenceRow]]:
    """The numbers behind a claim, those that there are."""
    found = {}
    for label, text in wanted.show.items():
        with suppress(ScenarioError):
            if predicate.names(text) <= known.keys():
                found[label] = judge.evidence(predicate.evaluate(text, known))
    return found
