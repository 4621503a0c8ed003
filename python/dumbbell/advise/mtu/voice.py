"""What two calls meet beside the flow: one-way delay, and its jitter as receivers compute it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import door, stats
from ...arrow import Table
from .network import CALLS

NUMBERS = ("jitter_s", "delay_mean_s", "delay_p99_s", "loss_share")


def of_run(directory: Path, warmup_s: float) -> dict[str, float]:
    """The numbers of a run, means over the calls, from its records; NaN where no packet came."""
    table = Table(door.table([{"labels": {}, "file": str(directory / "packets.parquet")}]))
    names, sent, arrived = table.column("flow"), table.numbers("sent_ps"), table.numbers("delivered_ps")
    found: dict[str, list[float]] = {key: [] for key in NUMBERS}
    for call in CALLS:
        pairs = [
            (s, a) for name, s, a in zip(names, sent, arrived, strict=True) if name == call and s > warmup_s * 1e12
        ]
        transits = [(a - s) * 1e-12 for s, a in pairs if a == a]
        if len(transits) < 2:
            continue
        found["jitter_s"].append(jitter(transits))
        found["delay_mean_s"].append(stats.mean(transits))
        found["delay_p99_s"].append(sorted(transits)[math.ceil(0.99 * len(transits)) - 1])
        found["loss_share"].append(1 - len(transits) / len(pairs))
    return {key: stats.mean(values) if values else math.nan for key, values in found.items()}


def jitter(transits: Sequence[float]) -> float:
    """The interarrival jitter of RFC 3550, section 6.4.1, J += (|D| - J) / 16, with D the difference of the transit
    times of two packets that arrive one after the other: its mean over a run [s]."""
    estimate, total = 0.0, 0.0
    for before, after in itertools.pairwise(transits):
        estimate += (abs(after - before) - estimate) / 16
        total += estimate
    return total / (len(transits) - 1)


def cell(values: Sequence[float]) -> Mapping[str, Any] | None:
    """A mean with its interval; None if some run has no number."""
    if not values or any(value != value for value in values):
        return None
    return {"mean": stats.mean(values), "ci95": stats.ci95(values), "n": len(values)}
