"""From the command's words to the report: runs in pairs, interleaved in time, judged."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from ... import api
from ...files.filename import component
from ...process.machine import machine
from ...studies.frame import publish
from ...testbed import verbs
from .. import papers
from ..entries import Paper
from . import judge, schedule
from .document import Cost, CostReport, RunRow
from .schedule import Effort, Schedule, Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """Options of a command. tell: hears a line after each run."""

    quick: bool = False
    replications: int | None = None
    out: Path | None = None
    progress: api.Progress = lambda finished, runs, fraction: None
    tell: Callable[[str], None] = lambda line: None


def reproduce(name: str, how: How) -> CostReport:
    """Measures, writes `report.html`, `report.json` and the figure, and returns the report's
    object."""
    started = time.perf_counter()
    publish.tools()
    paper = papers.load(name)
    found = schedule.read(paper.folder)
    effort = found.effort(how.quick, how.replications)
    api.need_testbed("gigabyte")
    loads = [os.getloadavg()[0]]
    slots = schedule.slots(found, effort)
    how.tell(
        f"{len(slots)} runs, about {len(slots) * (effort.seconds + effort.idle_s + 0.3) / 60:.1f} "
        f"min"
    )
    runs = [_run(number, slot, effort, len(slots), how) for number, slot in enumerate(slots)]
    loads.append(os.getloadavg()[0])
    summary = _summary(paper, found, effort, runs, how.quick)
    summary["load_average"] = loads
    summary["wall_s"] = time.perf_counter() - started
    from . import draw, page

    publish.publish(
        summary,
        draw.figures_of(summary),
        partial(page.html, paper, summary),
        how.out or Path("results") / component(f"{paper.name}-kernel"),
        publish.REPORT,
    )
    return summary


def _run(number: int, slot: Slot, effort: Effort, of: int, how: How) -> RunRow:
    request = {
        "mtu_bytes": slot.mtu_bytes,
        "condition": slot.condition,
        "seconds": effort.seconds,
        "warmup_s": effort.warmup_s,
        "idle_s": effort.idle_s,
    }
    cost = cast(Cost, verbs.gigabyte(request))
    how.progress(number + 1, of, (number + 1) / of)
    how.tell(
        f"{number + 1} of {of}: {slot.condition}, MTU {slot.mtu_bytes}: {cost[judge.SUM]:.3f} "
        f"s/GB at "
        f"{cost['goodput_bps'] / 1e9:.2f} Gbit/s"
    )
    return {
        "number": number + 1,
        "repeat": slot.repeat + 1,
        "at": time.time(),
        **cost,
        "counts": judge.counts(cost),
    }


def _summary(
    paper: Paper, found: Schedule, effort: Effort, runs: list[RunRow], quick: bool
) -> CostReport:
    """The report, still without the load and the time of the whole."""
    from ... import __version__

    effects = [judge.effect(runs, condition, found.mtus_bytes) for condition in found.conditions]
    return {
        "on": "kernel",
        "valid": all(row["pairs"] >= judge.LEAST_PAIRS for row in effects),
        "mtus_bytes": list(found.mtus_bytes),
        "judged": found.judged,
        "cells": judge.cells(found, effects),
        "effects": effects,
        "effort": {
            "repeats": effort.repeats,
            "seconds": effort.seconds,
            "warmup_s": effort.warmup_s,
            "idle_s": effort.idle_s,
        },
        "runs": runs,
        "not_used": sum(not run["counts"] for run in runs),
        "machine": machine(),
        "version": __version__,
        "paper": paper.name,
        "title": paper.title,
        "quick": quick,
        "load_average": [],
        "wall_s": 0.0,
    }
