"""What an overlay draws of one result, whatever it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...data import captures, flent
from .. import delay
from ..recorded_run import Source, View
from ..style.palette import Look

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars

    Array = npt.NDArray[np.float64]

_PERIOD_S = 0.1


@dataclass(frozen=True, slots=True)
class Line:
    """One flow or queue over time."""

    name: str
    time_s: Array
    values: Array


@dataclass(frozen=True, slots=True)
class Side:
    """One result: its lines by the name of their figure (`cwnd`, `goodput`, `queue`), and the
    delays of its packets."""

    lines: dict[str, list[Line]]
    delay_s: Array
    """Sorted; empty if there are none."""
    round_trip: bool = False
    """True if the delays are round-trip times."""


@dataclass(frozen=True, slots=True)
class Named:
    """A result with its label and its look."""

    label: str
    look: Look
    side: Side


def of_run(source: Source, kinds: Sequence[str], view: View) -> Side:
    """A run of a result directory, as far as `kinds` need it."""
    lines: dict[str, list[Line]] = {}
    columns = {"cwnd": ("cwnd_packets", 1.0), "goodput": ("goodput_bps", 1e6)}
    for kind, (column, scale) in columns.items():
        if kind in kinds and (flows := source.find("flows")) is not None:
            rows = view.cut(flows)
            names = source.names(rows, view)
            there = [name for name in names if not view.flows or name in view.flows]
            lines[kind] = _lines(rows, "flow", column, scale, there)
    if "queue" in kinds and (queues := source.find("queues")) is not None:
        rows = view.cut(queues)
        order = source.order("queues")
        there = [name for name in order if name in set(rows["queue"])]
        names = there or sorted(set(rows["queue"]))
        lines["queue"] = _lines(rows, "queue", "queue_packets", 1.0, names)
    delays = delay.pooled(source, view) if "delay" in kinds else np.array([])
    return Side(lines, delays)


def _lines(
    rows: polars.DataFrame, key: str, column: str, scale: float, names: Iterable[str]
) -> list[Line]:
    found = []
    for name in names:
        mine = rows.filter(rows[key] == name)
        time, values = (mine[c].to_numpy().astype(np.float64) for c in ("time_s", column))
        found.append(Line(name, time, values / scale))
    return found


def of_flent(file: Path, view: View) -> Side:
    """A data file of flent: its delays are pings, or round-trip times of the flows."""
    data = flent.read(file)
    lines = {
        "goodput": [_cut(f.name, f.goodput_bps, view, 1e6) for f in data.flows],
        "cwnd": [_cut(f.name, f.cwnd_packets, view) for f in data.flows if f.cwnd_packets],
    }
    times = data.ping_s or [point for f in data.flows for point in f.rtt_s]
    delays = _cut("", times, view).values
    return Side({kind: found for kind, found in lines.items() if found}, np.sort(delays), True)


def of_capture(file: Path, view: View) -> Side:
    """A capture: goodput is what was acknowledged, in periods of 100 ms."""
    carried = captures.carried(captures.directions(file))
    goodput = [_cut(one.name, one.goodput(_PERIOD_S), view, 1e6) for one in carried]
    times = [point for one in carried for point in one.rtt]
    return Side({"goodput": goodput}, np.sort(_cut("", times, view).values), True)


def _cut(name: str, points: Sequence[tuple[float, float]], view: View, scale: float = 1.0) -> Line:
    """The points in view."""
    time, values = np.array(points, dtype=np.float64).reshape(-1, 2).T
    low = -np.inf if view.from_s is None else view.from_s
    high = np.inf if view.to_s is None else view.to_s
    there = (time >= low) & (time <= high)
    return Line(name, time[there], values[there] / scale)
