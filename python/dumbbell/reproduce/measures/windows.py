"""The congestion window of one flow, as ns-2 traces it: without what duplicate acknowledgements add
in a fast recovery.

The flow is the one whose packets were recorded, or the only one of the run.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from ...data import series
from ...errors import ScenarioError

FLOW = "s"
"""The flow whose window is looked at."""


def traced(directory: Path) -> tuple[list[float], list[float]]:
    """Times [s] and windows [packets] of every sample after the flow's start; in a fast recovery
    the smaller of window and threshold."""
    frame = _frame(directory, "flows")
    rows = frame.filter((frame["flow"] == FLOW) & (frame["sent_bytes"] > 0))
    named = (
        rows[name] for name in ("time_s", "cwnd_packets", "cwnd_bytes", "ssthresh_bytes", "phase")
    )
    times, windows = [], []
    for time, packets, cwnd, ssthresh, phase in zip(*named, strict=True):
        times.append(time)
        windows.append(packets * min(cwnd, ssthresh) / cwnd if phase == "recovery" else packets)
    return times, windows


def window_mean(run: dict[str, Any], directory: Path) -> float:
    """The mean of the samples, packets."""
    _, windows = traced(directory)
    return math.fsum(windows) / len(windows)


def window_peak(run: dict[str, Any], directory: Path) -> float:
    """The largest window of a sample, or that a reaction outside of fast recovery found;
    packets."""
    _, windows = traced(directory)
    own = reactions(directory)
    found = own.filter(own["phase_before"] != "recovery")["cwnd_bytes_before"].to_list()
    return max(*windows, max(found, default=0) / _segment(directory))


def falls_to_one(run: dict[str, Any], directory: Path) -> float:
    """Number of reactions that took the window from more than one segment to one."""
    own, one = reactions(directory), _segment(directory)
    return float(own.filter((own["cwnd_bytes_before"] > one) & (own["cwnd_bytes"] <= one)).height)


def _segment(directory: Path) -> float:
    """Bytes of a segment: the window in bytes over that in packets."""
    frame = _frame(directory, "flows")
    row = frame.filter(frame["flow"] == FLOW).tail(1)
    return float(row["cwnd_bytes"][0] / row["cwnd_packets"][0])


def reactions(directory: Path) -> Any:
    """The flow's own reactions."""
    frame = _frame(directory, "reactions")
    return frame.filter(frame["flow"] == FLOW)


def _frame(directory: Path, name: str) -> Any:
    frame = series.read(directory, name)
    if frame is None:
        raise ScenarioError(f"{directory} has no {name}: the scenario must record them ([record])")
    return frame
