"""Figures of what one host sees over time: windows of several controls, and the performance that
TCP CAE estimates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ... import figures
from ...errors import ScenarioError
from ...figures.compare import Trace
from ..entries import Paper, Picture
from ..measures import ack_path, cwnd
from ..predicate import Family
from ..runs import Runs

_MOST = 2.0
"""Performance above this is drawn here: acknowledgments that come bunched have any."""


def window(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Any:
    """`points`: label to point; a panel for each with the window of one flow in the first run, as
    ns-2 traces it, from `from_s` until `until_s`."""
    panels = []
    for label, point in picture.options["points"].items():
        times, packets = cwnd.cwnd_samples(_first(measured[point]))
        panels.append((label, [_trace(label, list(zip(times, packets, strict=True)), picture)]))
    return figures.side_by_side(panels, "congestion window [packets]")


def performance(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Any:
    """`points`: panel to point; what CAE's estimator makes of each acknowledgment in the first
    run, from `from_s` until `until_s`, and the threshold."""
    panels = []
    for title, point in picture.options["points"].items():
        told = ack_path.estimates(ack_path.history(_first(measured[point])))
        seen = [(e.at_ps * 1e-12, min(e.performance, _MOST)) for e in told]
        span = [picture.options["from_s"], picture.options["until_s"]]
        bounds = Trace("threshold", span, [ack_path.THRESHOLD, ack_path.THRESHOLD])
        panels.append((title, [_trace("estimated performance", seen, picture), bounds]))
    return figures.side_by_side(panels, f"performance (at most {_MOST:g})")


def _trace(label: str, rows: list[tuple[float, float]], picture: Picture) -> Trace:
    """The rows of the picture's time."""
    low, high = picture.options.get("from_s", 0.0), picture.options.get("until_s", math.inf)
    kept = [row for row in rows if low <= row[0] < high]
    return Trace(label, [t for t, _ in kept], [y for _, y in kept])


def _first(runs: Runs) -> Any:
    if not runs.directories:
        raise ScenarioError(f"point `{runs.point.id}` has no series: its scenario must record them")
    return runs.directories[0]
