"""`dumbbell compare` with peers, without printing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypedDict

from ....present.progress import Progress
from ....process.machine import processor
from . import ours, same_work
from .ratios import RatioRow, Row, compare
from .simulators import PEERS
from .workload import SPREAD, Workload


class Machine(TypedDict):
    """The machine that both ran on."""

    processor: str
    cores: int | None
    load_1min: float


class Rule(TypedDict):
    """By which work is alike."""

    goodput_within: float
    drop_rates_within_factor: float
    start_spread_s: float


class Document(TypedDict):
    """The document of `--json`."""

    versions: dict[str, str]
    machine: Machine
    rule: Rule
    rows: list[RatioRow]


def versions(peers: Sequence[str]) -> dict[str, str]:
    """Dumbbell's and those of the peers; looks for all of them, and has ns-3's program compiled,
    before anything is run."""
    for name in peers:
        PEERS[name].binary()
    return {"dumbbell": ours.version(), **{name: PEERS[name].version() for name in peers}}


def run(workloads: Sequence[Workload], seeds: int, progress: Progress) -> list[Row]:
    """Runs the comparisons, one program at a time."""
    whole, finished = len(workloads) * seeds, 0

    def done() -> None:
        nonlocal finished
        finished += 1
        progress(finished, whole, finished / whole)

    return [compare(workload, seeds, done) for workload in workloads]


def document(rows: Sequence[Row], known: dict[str, str]) -> Document:
    """The document."""
    return {
        "versions": known,
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "load_1min": os.getloadavg()[0],
        },
        "rule": {
            "goodput_within": same_work.GOODPUT_WITHIN,
            "drop_rates_within_factor": same_work.DROPS_WITHIN,
            "start_spread_s": SPREAD,
        },
        "rows": [row.document() for row in rows],
    }
