"""Fairness between flows, from the summary of one run or from its recorded series.

Jain's index of x_1 .. x_n is (sum x)^2 / (n sum x^2): 1 when all are equal, 1/n when one has
everything (R. Jain, D. Chiu, W. Hawe: A quantitative measure of fairness and discrimination,
DEC-TR-301, 1984). Flows that got nothing count.
"""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...data import series
from ...errors import ScenarioError
from ...models import fairness

INTERVAL_S = 10.0
"""Length of the intervals of `active_jain`."""

_SECONDS = {"ms": 1e-3, "s": 1.0, "min": 60.0}


def jain(values: Sequence[float]) -> float:
    """Jain's index; 0 when nobody got anything."""
    return fairness.jain(values) or 0.0


def variation(values: Sequence[float]) -> float:
    """The coefficient of variation: standard deviation over mean, of all and not of a sample; 0
    when all are 0."""
    mean = math.fsum(values) / len(values)
    return (
        math.sqrt(math.fsum((x - mean) ** 2 for x in values) / len(values)) / mean if mean else 0.0
    )


def zeros(values: Sequence[float]) -> float:
    """Number of zeros."""
    return float(sum(x == 0 for x in values))


def active_jain(run: dict[str, Any], directory: Path) -> float:
    """The mean over intervals of 10 s of Jain's index of the payload that flows delivered in each,
    over the flows that were active in it: that had sent something by its end, and whose `stop` did
    not lie before it."""
    frame = series.read(directory, "flows")
    if frame is None:
        raise ScenarioError(f"{directory} has no flows: the scenario must record them ([record])")
    rows = frame.filter(frame["time_s"] % INTERVAL_S == 0).select(
        "time_s", "flow", "delivered_bytes", "sent_bytes"
    )
    at = {(t, str(flow)): (delivered, sent) for t, flow, delivered, sent in rows.iter_rows()}
    times = sorted({t for t, _ in at})
    stops = _stops(directory.parent / "scenario.toml")
    found = []
    for begin, end in itertools.pairwise(times):
        gained = [
            at[end, flow][0] - at[begin, flow][0]
            for t, flow in at
            if t == end and at[end, flow][1] > 0 and _stop_of(flow, stops) > begin
        ]
        if gained:
            found.append(jain(gained))
    return math.fsum(found) / len(found)


def _stop_of(flow: str, stops: dict[str, float]) -> float:
    """A flow `a.3` stops with the entry `a`."""
    return stops.get(flow, stops.get(flow.rpartition(".")[0], math.inf))


def _stops(scenario: Path) -> dict[str, float]:
    """The `stop` of each flow that has one, in seconds, as the run's scenario says."""
    flows = tomllib.loads(scenario.read_text(encoding="utf-8")).get("flow", ())
    return {flow["name"]: _seconds(flow["stop"]) for flow in flows if "stop" in flow}


def _seconds(text: str) -> float:
    number, _, unit = text.partition(" ")
    return float(number) * _SECONDS[unit]
