"""Position of the average queue between RED's thresholds, from the recorded series of the
bottleneck."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...data import series
from ...errors import ScenarioError


def average_between(run: dict[str, Any], directory: Path) -> float:
    """The share of the samples after the warm-up at which min_th <= avg <= max_th, the thresholds
    of that instant."""
    frame = series.read(directory, "queues")
    if frame is None or not {"avg", "min_th", "max_th"} <= set(frame.columns):
        raise ScenarioError(
            f"{directory} has no average queue with thresholds: the scenario must record a queue "
            f"of RED's"
        )
    frame = frame.filter((frame["time_s"] >= run["warmup_s"]) & frame["avg"].is_not_null())
    inside = (frame["min_th"] <= frame["avg"]) & (frame["avg"] <= frame["max_th"])
    return int(inside.sum()) / len(inside)
