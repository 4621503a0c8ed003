"""The judgment of a campaign: effects in pairs, and the paper's cells and claims by the paper's own
rules.

The rules are the paper's `rules.md`, and what is special to the testbed its `testbed.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import ScenarioError
from ...present import stats
from .. import judge, predicate, verdict
from ..entries import Claim, Paper
from ..measures.measure import needs_series, of_run
from ..predicate import Family
from ..runs import Runs

GAINS, SHARE_GAINS, LOSES, UNSETTLED = "gains", "only its share gains", "loses", "not settled"
NOT_MEASURED = "not measured"
LEAST_PAIRS = 2

JSON = dict[str, Any]


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


def values(effect: Effect, runs: Sequence[Mapping[str, Any]], flow: str, queue: str) -> list[float]:
    """A measure of each run."""
    path = effect.path.format(flow=flow, queue=queue)
    if effect.key == "drops":
        return [float(sum(_named(run["queues"], queue)["drops"].values())) for run in runs]
    return [effect.scale * of_run(path, dict(run), None) for run in runs]


def _named(rows: Iterable[Mapping[str, Any]], name: str) -> Mapping[str, Any]:
    return next(row for row in rows if row["name"] == name)


def effect(
    baseline: Sequence[Mapping[str, Any]],
    scheme: Sequence[Mapping[str, Any]],
    flow: str,
    queue: str,
) -> JSON:
    """Runs in pairs, one of each scheme: every measure under both, the mean difference with its
    interval, a verdict."""
    measured: JSON = {}
    for one in EFFECTS if len(baseline) >= LEAST_PAIRS else ():
        before, after = (values(one, runs, flow, queue) for runs in (baseline, scheme))
        measured[one.key] = {
            "title": one.title.format(flow=flow),
            "unit": one.unit,
            "baseline": _interval(before),
            "scheme": _interval(after),
            "difference": _interval([b - a for a, b in zip(before, after, strict=True)]),
        }
    return {"pairs": len(baseline), "verdict": said(measured), "measures": measured}


def _interval(found: Sequence[float]) -> JSON:
    ends = stats.ci95(found)
    return {
        "mean": stats.mean(found),
        "ci95": None if ends is None else list(ends),
        "values": list(found),
    }


def said(measured: Mapping[str, Any]) -> str:
    """The effect of RED on the measured flow, by the rules of `testbed.md`."""
    if not measured:
        return NOT_MEASURED
    throughput, share = (measured[key]["difference"]["ci95"] for key in ("mbps", "share"))
    if throughput[0] > 0:
        return GAINS
    if share[0] > 0:
        return SHARE_GAINS
    return LOSES if throughput[1] < 0 else UNSETTLED


def cells(paper: Paper, measured: Mapping[str, Runs]) -> list[JSON]:
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
        return True
    if not runs.directories:
        return False
    try:
        runs.values(measure)
    except ScenarioError:
        return False
    return True


def claims(paper: Paper, known: Mapping[str, Family]) -> list[JSON]:
    """Every claim of the paper."""
    return [_claim(one, known) for one in paper.claims]


def _claim(wanted: Claim, known: Mapping[str, Family]) -> JSON:
    """A claim: a predicate that asks for what was not measured cannot hold; if all do, it is not
    testable here."""
    rules = {verdict.REPRODUCED: wanted.reproduced, verdict.IN_PART: wanted.in_part}
    asked = {name: rule for name, rule in rules.items() if rule}
    row: JSON = {"id": wanted.id, "text": wanted.text}
    if wanted.missing is not None:
        return row | {"verdict": verdict.NOT_TESTABLE, "evidence": {"missing": wanted.missing}}
    decided, missing = {}, []
    for name, rule in asked.items():
        try:
            decided[name] = predicate.names(rule) <= known.keys() and predicate.holds(rule, known)
            if not predicate.names(rule) <= known.keys():
                missing += sorted(predicate.names(rule) - known.keys())
                del decided[name]
        except ScenarioError as error:
            missing.append(error.rendered)
    evidence: JSON = {"rules": asked, "numbers": _shown(wanted, known)}
    if missing:
        evidence["not_measured"] = list(dict.fromkeys(missing))
    if not decided:
        gone = "points or series that this campaign does not measure"
        return row | {"verdict": verdict.NOT_TESTABLE, "evidence": evidence | {"missing": gone}}
    found = next((name for name, holds in decided.items() if holds), verdict.CONTRADICTED)
    return row | {"verdict": found, "evidence": evidence}


def _shown(wanted: Claim, known: Mapping[str, Family]) -> JSON:
    """The numbers behind a claim, those that there are."""
    found = {}
    for label, text in wanted.show.items():
        try:
            if predicate.names(text) <= known.keys():
                found[label] = judge.claim(Claim("", "", show={label: text}), known)["evidence"][
                    "numbers"
                ][label]
        except ScenarioError:
            continue
    return found
