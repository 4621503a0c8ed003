"""Savings of larger frames, by the rules of the paper's `testbed.md`. Pure functions of measured
costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ...present import stats
from ..document import Sample, sample
from ..verdict import CONTRADICTED, IN_PART, MIN_SEEDS, REPRODUCED
from .document import Cost, EffectRow, Part, PrintRow, RunRow
from .schedule import Print, Schedule

SUM: Literal["sum_s_per_gb"] = "sum_s_per_gb"
PARTS: tuple[tuple[Part, str], ...] = (
    ("sender_s_per_gb", "sender"),
    ("receiver_s_per_gb", "receiver"),
    ("soft_interrupts_s_per_gb", "soft interrupts"),
    ("router_s_per_gb", "router"),
    (SUM, "sum"),
    ("machine_s_per_gb", "machine"),
)
LEAST_PAIRS = 2
MOST_BUSY = 0.05
"""Busy share of all cores before a run: with more, what the machine was busy for is not told."""
MOST_STEAL = 0.05
"""Share of the machine's time taken by its hypervisor: a run with more is left out, with its
partner."""


def saving(usual: float, large: float) -> float:
    """Savings of large frames against the usual ones, percent."""
    return 100 * (1 - large / usual)


def counts(run: Cost) -> bool:
    """True if a run may be used."""
    return bool(run["steal_share"] <= MOST_STEAL)


def pairs(
    runs: Sequence[RunRow], condition: str, mtus: tuple[int, int]
) -> list[tuple[RunRow, RunRow]]:
    """The runs of a condition in pairs, usual frames first; a pair of which one may not be used is
    left out."""
    by_place = {(r["repeat"], r["mtu_bytes"]): r for r in runs if r["condition"] == condition}
    both = [
        (by_place[n, mtus[0]], by_place[n, mtus[1]])
        for n, mtu in sorted(by_place)
        if mtu == mtus[0]
    ]
    return [pair for pair in both if all(map(counts, pair))]


def effect(runs: Sequence[RunRow], condition: str, mtus: tuple[int, int]) -> EffectRow:
    """A condition: its costs at both MTUs, part by part, and what is saved of the sum, pair by
    pair."""
    found = pairs(runs, condition, mtus)
    row: EffectRow = {
        "condition": condition,
        "pairs": len(found),
        "costs": {},
        "saving_percent": None,
        "goodput_bps": None,
    }
    if len(found) < LEAST_PAIRS:
        return row
    usual, large = ([pair[i] for pair in found] for i in (0, 1))
    row["costs"] = {
        key: [_known([r[key] for r in side]) for side in (usual, large)] for key, _ in PARTS
    }
    row["goodput_bps"] = [sample([r["goodput_bps"] for r in side]) for side in (usual, large)]
    row["saving_percent"] = sample([saving(a[SUM], b[SUM]) for a, b in found])
    return row


def sums(row: EffectRow) -> list[Sample]:
    """The cost of a condition at both MTUs, all parts together."""
    return [block for block in row["costs"][SUM] if block is not None]


def _known(found: Sequence[float | None]) -> Sample | None:
    """The mean with its interval, of the runs that have the number; None if none has."""
    known = [x for x in found if x is not None]
    return sample(known) if known else None


def verdict(printed_percent: float, savings: Sequence[float]) -> str:
    """A print of 'by so much or more': whether the whole interval of the mean lies there, or above
    half of it."""
    ends = stats.ci95(savings)
    if ends is None:
        return CONTRADICTED
    if ends[0] >= printed_percent and len(savings) >= MIN_SEEDS:
        return REPRODUCED
    return IN_PART if ends[0] > printed_percent / 2 else CONTRADICTED


def cells(schedule: Schedule, effects: Sequence[EffectRow]) -> list[PrintRow]:
    """Every print, judged under the condition that stands for the paper's hosts; none if that was
    not measured."""
    judged = next(row for row in effects if row["condition"] == schedule.judged)
    block = judged["saving_percent"]
    return [] if block is None else [_cell(one, block) for one in schedule.prints]


def _cell(one: Print, block: Sample) -> PrintRow:
    return {
        "id": one.id,
        "text": one.text,
        "published": one.saving_percent,
        "unit": "%",
        "value": block["mean"],
        "ci95": block["ci95"],
        "n": len(block["values"]),
        "verdict": verdict(one.saving_percent, block["values"]),
    }
