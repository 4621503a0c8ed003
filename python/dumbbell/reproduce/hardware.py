"""The cost of fixed point: the scheme in floating point, as the hardware's model has it, and as the
RTL itself decides.

Of each variant at each point: what it measures, and the difference from the variant that it is one
step away from, run by run with the same seeds. A variant that is to equal another (the RTL, its
model) is no matter of intervals: the fingerprints of both are compared for each seed, and a
fingerprint is of every packet that leaves a port or a socket, with its time and its verdict. On a
machine without the RTL's tools such a variant is *not run*, and the report says why.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import msgspec

from ..errors import EnvironmentLacks
from ..present import stats
from .document import (
    ComparedRow,
    EqualRow,
    HardwarePoint,
    HardwareReport,
    SeedPair,
    VariantRow,
)
from .entries import Hardware, Measure, Paper, Variant
from .readings import sign
from .runs import PointRunner, Runs

NOT_IN_QUICK = (
    "quick runs leave it out: translating and compiling the RTL takes longer than all of them"
)


def points(wanted: Hardware, quick: bool) -> list[tuple[str, str]]:
    """The points at which variants are compared, each with its baseline."""
    pairs = (
        (wanted.quick_points, wanted.quick_baseline) if quick else (wanted.points, wanted.baseline)
    )
    return list(zip(*pairs, strict=True))


def count(paper: Paper, quick: bool) -> int:
    """Number of points that all variants run."""
    if paper.hardware is None:
        return 0
    changed = [v for v in paper.hardware.variants if v.changes and not (quick and v.equals)]
    return len(changed) * len(points(paper.hardware, quick))


def compare(
    paper: Paper, measured: Mapping[str, Runs], runner: PointRunner, quick: bool
) -> HardwareReport:
    """The comparison as `report.json` has it."""
    if paper.hardware is None:
        raise ValueError("the paper has no hardware")
    wanted = paper.hardware
    at = [
        _at(wanted, point, baseline, measured, runner, quick)
        for point, baseline in points(wanted, quick)
    ]
    told = _conclusion(at)
    return {"points": at, "conclusion": told, "valid": all(place["valid"] for place in at)}


def _at(
    wanted: Hardware,
    point: str,
    baseline: str,
    measured: Mapping[str, Runs],
    runner: PointRunner,
    quick: bool,
) -> HardwarePoint:
    """Every variant at one point."""
    ran: dict[str, Runs] = {}
    rows: list[VariantRow] = []
    equal: list[EqualRow] = []
    for variant in wanted.variants:
        if variant.equals:
            equal.append(_equal(variant, ran[variant.equals], measured[point], runner, quick))
            continue
        ran[variant.id] = (
            runner.run(measured[point].point, variant.changes)
            if variant.changes
            else measured[point]
        )
        rows.append(_row(wanted, variant, ran, measured[baseline]))
    valid = all(row["valid"] for row in rows) and not any(row["equal"] is False for row in equal)
    return {"point": point, "baseline": baseline, "rows": rows, "equal": equal, "valid": valid}


def _row(wanted: Hardware, variant: Variant, ran: Mapping[str, Runs], baseline: Runs) -> VariantRow:
    runs = ran[variant.id]
    against = ran.get(variant.against)
    return {
        "id": variant.id,
        "what": variant.what,
        "changes": list(variant.changes),
        "against": variant.against,
        "n": len(runs.runs),
        "valid": runs.json["valid"],
        "fingerprint": runs.fingerprint,
        "locked_out": _locked_out(wanted, runs, ran[wanted.variants[0].id]),
        "gain": _compared(wanted.gain, runs, baseline),
        "measures": [_compared(measure, runs, against) for measure in wanted.measures],
    }


def _locked_out(wanted: Hardware, runs: Runs, first: Runs) -> int:
    """Runs that carried less than half of what the first variant carries."""
    half = stats.mean(first.values(wanted.carried)) / 2
    return sum(carried < half for carried in runs.values(wanted.carried))


def _compared(measure: Measure, runs: Runs, against: Runs | None) -> ComparedRow:
    """A measurement's mean with its interval, and its difference from the same of `against`."""
    ours = [measure.scale * x for x in runs.values(measure.measure)]
    found = stats.interval(ours)
    row: ComparedRow = {"label": measure.label, "mean": found.mean, "ci95": found.ends}
    if against is not None:
        theirs = [measure.scale * x for x in against.values(measure.measure)]
        difference = stats.paired(ours, theirs)
        row["difference"] = {"mean": difference.mean, "ci95": difference.ends}
        row["sign"] = sign(difference.ends)
    return row


def _equal(variant: Variant, model: Runs, here: Runs, runner: PointRunner, quick: bool) -> EqualRow:
    """Compares a variant with another, seed by seed; `equal` is None where it was not run."""
    row: EqualRow = {
        "id": variant.id,
        "what": variant.what,
        "changes": list(variant.changes),
        "equals": variant.equals,
        "equal": None,
        "seeds": [],
    }
    if quick:
        return row | {"reason": NOT_IN_QUICK}
    fewer = msgspec.structs.replace(runner.effort, replications=variant.replications)
    try:
        runs = dataclasses.replace(runner, effort=fewer).run(here.point, variant.changes)
    except EnvironmentLacks as lack:
        return row | {"reason": lack.rendered}
    finally:
        runner.done += 1
    pairs = list(_pairs(runs, model))
    return row | {
        "seeds": pairs,
        "equal": bool(pairs) and all(a["ours"] == a["model"] for a in pairs),
    }


def _pairs(ours: Runs, model: Runs) -> Iterable[SeedPair]:
    """Both fingerprints, seed by seed."""
    known = {run["seed"]: run for run in model.runs}
    for run in ours.runs:
        yield {
            "seed": run["seed"],
            "ours": run["fingerprint"],
            "model": known[run["seed"]]["fingerprint"],
        }


def _conclusion(at: list[HardwarePoint]) -> list[str]:
    """In sentences: where a step moves anything at all, and whether the RTL is its model."""
    told = []
    steps = [row for row in at[0]["rows"] if row["against"]]
    for step in steps:
        moved = [
            f"{cell['label']} at {place['point']} ({cell['difference']['mean']:+.3g})".replace(
                "-", "−"
            )
            for place in at
            for row in place["rows"]
            if row["id"] == step["id"]
            for cell in row["measures"]
            if cell["sign"] != "0"
        ]
        looked = sum(
            len(row["measures"]) for place in at for row in place["rows"] if row["id"] == step["id"]
        )
        what = f"{step['id']} against {step['against']} ({step['what']})"
        told.append(
            f"{what}: {len(moved)} of {looked} differences have a 95 % interval that excludes 0"
            + (f": {', '.join(moved)}." if moved else ".")
        )
    told += [_locked(place) for place in at]
    told += [_said_of(place, row) for place in at for row in place["equal"]]
    return told


def _locked(place: HardwarePoint) -> str:
    """Variants with runs that carried next to nothing."""
    locked = [
        f"{row['id']} {row['locked_out']} of {row['n']}"
        for row in place["rows"]
        if row["locked_out"]
    ]
    return (
        f"Locked out at {place['point']} (less than half of the total of float): "
        f"{', '.join(locked) or 'no run'}."
    )


def _said_of(place: HardwarePoint, row: EqualRow) -> str:
    who = f"{row['id']} at {place['point']}"
    if row["equal"] is None:
        return f"{who}: not run ({row['reason']})."
    same = sum(pair["ours"] == pair["model"] for pair in row["seeds"])
    word = "equals" if row["equal"] else "DOES NOT EQUAL"
    return f"{who} {word} {row['equals']}, packet by packet, in {same} of {len(row['seeds'])} runs."
