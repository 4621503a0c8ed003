"""How far a sender's estimate of the bandwidth is from what arrives, from the record of its reactions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .. import stats
from ..errors import ScenarioError
from .windows import reactions

GAUGES = ("bwe",)
"""What controls call their estimate; bytes per second."""


def estimate_error(run: dict[str, Any], directory: Path) -> float:
    """|estimate / rate - 1|: the mean of the estimates that stood at the sender's losses and timeouts, over the rate at
    which its payload arrived."""
    own = reactions(directory)
    shown = own.filter(own["cause"].is_in(["loss", "timeout"]))["control"].to_list()
    told = [_estimate(text) for text in shown]
    if not told:
        raise ScenarioError(f"{directory} has no loss: an estimate is looked at where it is used")
    rate = next(flow["throughput_bps"] for flow in run["flows"] if flow["name"] == "s")
    return abs(8 * stats.mean(told) / rate - 1)


def _estimate(shown: str) -> float:
    """The estimate among what a control shows: `cwnd=7100 bwe=250000`."""
    gauges = dict(pair.split("=", 1) for pair in shown.split())
    for name in GAUGES:
        if name in gauges:
            return float(gauges[name])
    raise ScenarioError(f"`{shown}` has no estimate of the bandwidth ({', '.join(GAUGES)})")
