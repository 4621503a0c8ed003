"""Error of a sender's bandwidth estimate, from the records of its reactions and packets."""

from __future__ import annotations

import bisect
import itertools
from pathlib import Path
from typing import Any

from ...errors import ScenarioError
from ...present import stats
from . import ack_path
from .cwnd import reactions

GAUGES = ("bwe", "rate")
"""Gauges with the estimate, by congestion control; bytes per second."""
LOOK_BACK_S = 1.0
"""Over how long before a reaction the rate of arrival is taken."""


def estimate_error(run: dict[str, Any], directory: Path) -> float:
    """|estimate / rate - 1|: the mean of the estimates that stood at the sender's losses and
    timeouts, over the mean of the rates at which payload arrived at the receiver in the second
    before each."""
    own = reactions(directory)
    own = own.filter(own["cause"].is_in(["loss", "timeout"]))
    if not own.height:
        raise ScenarioError(
            f"{directory} has no loss: the estimate is measured at losses, where it is used"
        )
    told = [_estimate(text) for text in own["control"]]
    got = ack_path.history(directory).payload
    times = [at for at, _ in got]
    total = [0, *itertools.accumulate(size for _, size in got)]

    def rate(at_s: float) -> float:
        end, begin = (
            bisect.bisect(times, at_s * 1e12),
            bisect.bisect(times, (at_s - LOOK_BACK_S) * 1e12),
        )
        return (total[end] - total[begin]) / LOOK_BACK_S

    return abs(stats.mean(told) / stats.mean([rate(t) for t in own["time_s"]]) - 1)


def _estimate(shown: str) -> float:
    """The estimate among what a control shows: `cwnd=7100 bwe=250000`."""
    gauges = dict(pair.split("=", 1) for pair in shown.split())
    for name in GAUGES:
        if name in gauges:
            return float(gauges[name])
    raise ScenarioError(f"`{shown}` has no estimate of the bandwidth ({', '.join(GAUGES)})")
