"""The congestion window of one flow, as ns-2 traces it: without what duplicate acknowledgments add
in a fast recovery.

The flow is the one that the scenario names `s`.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from ...data import series
from ...errors import ScenarioError

FLOW = "s"
"""Name of the flow that these measures are of."""


def cwnd_samples(directory: Path) -> tuple[list[float], list[float]]:
    """Times [s] and windows [packets] of every sample after the flow's start; in a fast recovery
    the smaller of window and threshold."""
    frame = _read_table(directory, "flows")
    rows = frame.filter((frame["flow"] == FLOW) & (frame["sent_bytes"] > 0))
    columns = (
        rows[name] for name in ("time_s", "cwnd_packets", "cwnd_bytes", "ssthresh_bytes", "phase")
    )
    times, windows = [], []
    for time, packets, cwnd, ssthresh, phase in zip(*columns, strict=True):
        times.append(time)
        windows.append(packets * min(cwnd, ssthresh) / cwnd if phase == "recovery" else packets)
    return times, windows


def window_mean(run: dict[str, Any], directory: Path) -> float:
    """Mean of cwnd over the (equally spaced) samples, in packets."""
    _, windows = cwnd_samples(directory)
    return math.fsum(windows) / len(windows)


def window_peak(run: dict[str, Any], directory: Path) -> float:
    """Largest cwnd in packets, over the samples and the values just before each reaction outside
    fast recovery (the peak may fall between samples)."""
    _, windows = cwnd_samples(directory)
    flow_reactions = reactions(directory)
    outside_recovery = flow_reactions.filter(flow_reactions["phase_before"] != "recovery")
    before = outside_recovery["cwnd_bytes_before"].to_list()
    return max(*windows, max(before, default=0) / _segment(directory))


def falls_to_one(run: dict[str, Any], directory: Path) -> float:
    """Number of reactions that took the window from more than one segment to one."""
    flow_reactions, segment_bytes = reactions(directory), _segment(directory)
    return float(
        flow_reactions.filter(
            (flow_reactions["cwnd_bytes_before"] > segment_bytes)
            & (flow_reactions["cwnd_bytes"] <= segment_bytes)
        ).height
    )


def _segment(directory: Path) -> float:
    """Bytes of a segment: cwnd in bytes over cwnd in packets."""
    frame = _read_table(directory, "flows")
    row = frame.filter(frame["flow"] == FLOW).tail(1)
    return float(row["cwnd_bytes"][0] / row["cwnd_packets"][0])


def reactions(directory: Path) -> Any:
    """The reactions of this flow."""
    frame = _read_table(directory, "reactions")
    return frame.filter(frame["flow"] == FLOW)


def _read_table(directory: Path, name: str) -> Any:
    """The recorded table of this name.

    Raises ScenarioError if the run recorded none."""
    frame = series.read(directory, name)
    if frame is None:
        raise ScenarioError(f"{directory} has no {name}: the scenario must record them ([record])")
    return frame
