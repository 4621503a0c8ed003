"""A campaign from the command's words to the report: runs in pairs, interleaved in time, kept,
judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast

from ... import api
from ...data import series
from ...files.filename import component
from ...process.machine import machine
from ...studies.frame import publish
from ...testbed.attempts import Attempts, Kept, beside
from ...testbed.live_runs import LiveRunner, Order, interleaved, turned
from .. import papers
from ..document import assumption_rows
from ..entries import Paper, Point
from ..runs import Runs, applying
from . import entries, judge
from .document import CampaignReport, EffectRow, RunRow
from .entries import Campaign, Effort, Spot
from .judge import Run

_RESERVE = 0.1
"""Share of the budget that is kept for the simulator and the report."""
_LEAST_SEEDS = 5
"""Runs of the simulator, which cost nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """Options of a command. required: the class that live runs must reach. again: tries runs anew
    that were not valid. tell: hears a line after each run."""

    overrides: Sequence[str] = ()
    required: str | None = None
    quick: bool = False
    grid: bool = False
    seed: int | None = None
    replications: int | None = None
    threads: int | None = None
    store: Path
    out: Path | None = None
    again: bool = False
    progress: api.Progress = lambda finished, runs, fraction: None
    tell: Callable[[str], None] = lambda line: None


@dataclass(frozen=True, slots=True)
class Slot:
    """One run of the schedule."""

    spot: Spot
    point: Point
    repeat: int


@dataclass(slots=True)
class Pairs:
    """The repeats of a spot of which both runs are valid, in order: runs of the baseline and of the
    scheme, and where their series are."""

    baseline: list[Run] = field(default_factory=list)
    scheme: list[Run] = field(default_factory=list)
    places: dict[str, list[Path]] = field(default_factory=dict)


def reproduce(name: str, how: How) -> CampaignReport:
    """Runs a paper's campaign, writes `report.html`, `report.json` and the figures, and returns the
    report's object."""
    started = time.perf_counter()
    publish.tools()
    paper = papers.load(name)
    campaign = entries.read(paper)
    effort = campaign.effort(how.quick, how.grid, how.replications)
    api.need_testbed()
    every = entries.spots(campaign, effort)
    slots = schedule(every, effort.repeats)
    kept_attempts = Attempts(beside(how.store))
    orders = [_order(campaign, effort, slot, how) for slot in slots]
    budget = 60 * effort.budget_min * (1 - _RESERVE)
    runner = LiveRunner(kept_attempts, how.progress, how.tell, budget_s=budget, again=how.again)
    jobs = runner.jobs(orders)
    left = runner.left_s(jobs) / 60
    how.tell(
        f"{len(orders)} runs, about {left:.0f} min; finished runs are kept in "
        f"{kept_attempts.directory}"
    )
    attempts = runner.run(jobs)
    pairs = paired(slots, attempts)
    summary = _summary(campaign, effort, how, every, slots, attempts, pairs)
    summary["wall_s"] = time.perf_counter() - started
    from . import draw, page

    publish.publish(
        summary,
        draw.figures_of(campaign, summary),
        partial(page.html, campaign, summary),
        how.out or Path("results") / component(f"{paper.name}-kernel{'-grid' if how.grid else ''}"),
        publish.REPORT,
    )
    return summary


def schedule(every: Sequence[Spot], repeats: int) -> list[Slot]:
    """The order of the runs: the two of a pair next to each other, who is first changing from pair
    to pair and from repeat to repeat, every other repeat backwards."""
    return [
        Slot(spot, point, repeat)
        for (i, spot), repeat in interleaved(list(enumerate(every)), repeats)
        for point in turned((spot.baseline, spot.scheme), i + repeat)
    ]


def _order(campaign: Campaign, effort: Effort, slot: Slot, how: How) -> Order:
    first = campaign.paper.seed if how.seed is None else how.seed
    recorded = slot.spot.rtt is None and slot.point.id in _recorded(campaign.paper)
    return Order(
        slot.point.id
        + ("" if slot.spot.rtt is None else f" at RTT {slot.spot.rtt[0]} / {slot.spot.rtt[1]}"),
        {"path": str(campaign.scenario)},
        [
            *_overrides(campaign, effort, slot.spot, slot.point, how.overrides),
            *([f"testbed.class={how.required}"] if how.required else []),
        ],
        first + slot.repeat,
        campaign.record_every if recorded else None,
    )


def _overrides(
    campaign: Campaign, effort: Effort, spot: Spot, point: Point, altered: Iterable[str]
) -> list[str]:
    return [
        *point.overrides,
        *effort.overrides,
        *_rtts(spot),
        *applying(campaign.paper, point, altered),
    ]


def _rtts(spot: Spot) -> list[str]:
    """The first flow's round-trip time is the longer one; all others have the other."""
    return [] if spot.rtt is None else [f"flow.*.rtt={spot.rtt[1]}", f"flow.0.rtt={spot.rtt[0]}"]


def _recorded(paper: Paper) -> set[str]:
    """Points of which claims need series."""
    from ..measures.measure import needs_series

    return {
        point
        for number in paper.numbers.values()
        if needs_series(number.measure)
        for point in number.points
    }


def paired(slots: Sequence[Slot], attempts: Sequence[Kept]) -> dict[str, Pairs]:
    """The repeats of each spot of which both runs are valid; a run without its partner is left
    out."""
    by_place = {
        (s.spot.label, s.point.id, s.repeat): kept for s, kept in zip(slots, attempts, strict=True)
    }
    found: dict[str, Pairs] = {}
    for spot in dict.fromkeys(slot.spot for slot in slots):
        pairs = found.setdefault(spot.label, Pairs())
        for repeat in sorted({slot.repeat for slot in slots}):
            both = [
                by_place[spot.label, point.id, repeat] for point in (spot.baseline, spot.scheme)
            ]
            if not all(kept.valid for kept in both):
                continue
            pairs.baseline.append(both[0].run)
            pairs.scheme.append(both[1].run)
            for point, kept in zip((spot.baseline, spot.scheme), both, strict=True):
                pairs.places.setdefault(point.id, []).extend(_places(kept))
    return found


def _places(kept: Kept) -> list[Path]:
    """The directory of a run's series, if it has any."""
    return series.run_directories(kept.directory)[:1] if kept.directory else []


def _summary(
    campaign: Campaign,
    effort: Effort,
    how: How,
    every: Sequence[Spot],
    slots: Sequence[Slot],
    attempts: Sequence[Kept],
    pairs: Mapping[str, Pairs],
) -> CampaignReport:
    from ... import __version__

    paper = campaign.paper
    effects = _effects(campaign, effort, how, every, pairs)
    measured = {} if how.grid else _as_runs(campaign, every, pairs)
    known = judge.numbers(paper, measured)
    cells = judge.cells(paper, measured)
    return {
        "paper": paper.name,
        "title": paper.title,
        "on": "kernel",
        "valid": all(e["pairs"] >= judge.LEAST_PAIRS for e in effects if e["where"] == KERNEL),
        "altered": list(how.overrides),
        "quick": how.quick,
        "grid": how.grid,
        "cells": cells,
        "claims": judge.claims(paper, known) if measured else [],
        "assumptions": assumption_rows(paper.assumptions),
        "effects": effects,
        "effort": {
            "repeats": effort.repeats,
            "duration": effort.duration,
            "warmup": effort.warmup,
            "budget_min": effort.budget_min,
        },
        "runs": _runs_in_order(campaign, slots, attempts),
        "not_valid": sum(not kept.valid for kept in attempts),
        "machine": machine(),
        "version": __version__,
        "wall_s": 0.0,
    }


KERNEL, SIMULATOR, FITTED = "kernel", "simulator", "simulator, hosts of 2011"


def _effects(
    campaign: Campaign, effort: Effort, how: How, every: Sequence[Spot], pairs: Mapping[str, Pairs]
) -> list[EffectRow]:
    """RED's effect at each spot: on kernels, simulated from the same file, and as the paper was
    reproduced."""
    rows: list[EffectRow] = []
    for number, spot in enumerate(every):
        how.tell(f"simulating {spot.label}, {number + 1} of {len(every)}")
        own = pairs[spot.label]
        places: list[tuple[str, Sequence[Run], Sequence[Run]]] = [
            (KERNEL, own.baseline, own.scheme)
        ]
        simulated = [
            _simulated(campaign, effort, spot, point, how) for point in (spot.baseline, spot.scheme)
        ]
        places.append((SIMULATOR, simulated[0], simulated[1]))
        if spot.rtt is None:
            as_fitted = [
                _as_reproduced(effort, campaign, point, how)
                for point in (spot.baseline, spot.scheme)
            ]
            places.append((FITTED, as_fitted[0], as_fitted[1]))
        for where, before, after in places:
            found = judge.effect(before, after, campaign.flow, campaign.queue)
            rows.append(
                {
                    "label": spot.label,
                    "buffer": spot.buffer,
                    "rtt": list(spot.rtt) if spot.rtt else None,
                    "where": where,
                    **found,
                }
            )
    return rows


def _simulated(campaign: Campaign, effort: Effort, spot: Spot, point: Point, how: How) -> list[Run]:
    laid = [*campaign.simulated, *_overrides(campaign, effort, spot, point, how.overrides)]
    return _runs(campaign.scenario, laid, campaign.paper, effort, how)


def _as_reproduced(effort: Effort, campaign: Campaign, point: Point, how: How) -> list[Run]:
    """The simulator's runs of the paper's own scenario, for as long."""
    laid = [*point.overrides, *effort.overrides, *applying(campaign.paper, point, how.overrides)]
    return _runs(point.scenario, laid, campaign.paper, effort, how)


def _runs(scenario: Path, laid: Sequence[str], paper: Paper, effort: Effort, how: How) -> list[Run]:
    wanted = api.request(
        {"path": str(scenario)},
        laid,
        seed=paper.seed if how.seed is None else how.seed,
        replications=max(effort.repeats, _LEAST_SEEDS),
        threads=how.threads,
        store=str(how.store),
    )
    result = api.run(wanted)
    return [run for run in result.get("runs") or [result] if "flows" in run]


def _as_runs(
    campaign: Campaign, every: Sequence[Spot], pairs: Mapping[str, Pairs]
) -> dict[str, Runs]:
    """The pairs as the runs that the paper's rules are asked with; points without enough pairs are
    left out."""
    found = {}
    for spot in every:
        own = pairs[spot.label]
        if len(own.baseline) < judge.LEAST_PAIRS:
            continue
        for point, runs in ((spot.baseline, own.baseline), (spot.scheme, own.scheme)):
            times = {key: runs[0][key] for key in ("duration_s", "warmup_s")}
            places = own.places.get(point.id, [])
            whole = {**times, "runs": runs, "valid": True, "fingerprint": ""}
            found[point.id] = Runs(point, [], whole, places if len(places) == len(runs) else [])
    return found


def _runs_in_order(
    campaign: Campaign, slots: Sequence[Slot], attempts: Sequence[Kept]
) -> list[RunRow]:
    """Every run as it was made, second attempts last."""
    made = sorted(zip(slots, attempts, strict=True), key=lambda pair: pair[1].at)
    return [_run(slot, kept, number, campaign) for number, (slot, kept) in enumerate(made, 1)]


def _run(slot: Slot, kept: Kept, number: int, campaign: Campaign) -> RunRow:
    """A run as the report lists it."""
    block = kept.run.get("validity") or {}
    row: RunRow = {
        "number": number,
        "at": kept.at,
        "point": slot.point.id,
        "label": slot.spot.label,
        "scheme": slot.point.scheme,
        "repeat": slot.repeat + 1,
        "attempt": kept.attempt,
        "valid": kept.valid,
        "class": block.get("class"),
        "reasons": kept.reasons,
        "lateness_p99_us": (block.get("lateness_us") or {}).get("p99"),
        "rate_error": block.get("rate_error"),
    }
    if "flows" not in kept.run:
        return row
    measured = {
        one.key: judge.values(one, [kept.run], campaign.flow, campaign.queue)[0]
        for one in judge.EFFECTS[:4]
    }
    return cast(RunRow, row | measured)
