"""Burstiness of a flow behind an edge, and flow state in the core, from the records of one run."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from ...data import series
from ...errors import ScenarioError
from ...present import stats


def ack_bunching(run: dict[str, Any], directory: Path) -> float:
    """The coefficient of variation of the time between acknowledgments as they come to the sender,
    after the warm-up: 0 if they come evenly, 1 if at random, more in bunches."""
    frame = series.read(directory, "acks")
    if frame is None:
        raise ScenarioError(f"{directory} has no acks: the scenario must record them ([record])")
    times = frame.drop_nulls("arrived_ps").sort("arrived_ps")["arrived_ps"].to_list()
    gaps = [1e-12 * (b - a) for a, b in itertools.pairwise(times) if 1e-12 * a >= run["warmup_s"]]
    if len(gaps) < 2:
        raise ScenarioError(f"{directory} has fewer than three acknowledgments after the warm-up")
    return stats.deviation(gaps) / stats.mean(gaps)


def flows_known(run: dict[str, Any], directory: Path) -> float:
    """Largest number of flows that a queue keeps information on, after the warm-up: its gauge
    `flows`, or 0."""
    frame = series.read(directory, "queues")
    if frame is None:
        raise ScenarioError(f"{directory} has no queues: the scenario must record them ([record])")
    if "flows" not in frame.columns:
        return 0.0
    seen = frame.filter(frame["time_s"] >= run["warmup_s"])["flows"].drop_nulls().to_list()
    return float(max(seen, default=0))
