"""How unevenly acknowledgements come to a sender, from the record of acknowledgements of one run."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from .. import series, stats
from ..errors import ScenarioError


def ack_bunching(run: dict[str, Any], directory: Path) -> float:
    """The coefficient of variation of the time between acknowledgements as they come to the sender, after the warm-up:
    0 if they come evenly, 1 if at random, more in bunches."""
    frame = series.read(directory, "acks")
    if frame is None:
        raise ScenarioError(f"{directory} has no acks: the scenario must record them ([record])")
    times = frame.drop_nulls("arrived_ps").sort("arrived_ps")["arrived_ps"].to_list()
    gaps = [1e-12 * (b - a) for a, b in itertools.pairwise(times) if 1e-12 * a >= run["warmup_s"]]
    if len(gaps) < 2:
        raise ScenarioError(f"{directory} has fewer than three acknowledgements after the warm-up")
    return stats.deviation(gaps) / stats.mean(gaps)
