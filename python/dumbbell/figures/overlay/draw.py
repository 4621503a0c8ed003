"""Figures of several results: a color is a result, a panel a flow or a queue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.series import SECONDS_FROM_S
from ...errors import ScenarioError
from .. import crowd, style
from ..style import Figure, lettering
from .sides import Line, Named

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

KINDS = ("cwnd", "goodput", "queue", "delay")
_MOST_PANELS = 4
_LABELS = {
    "cwnd": "cwnd [packets]",
    "goodput": "goodput [Mbit/s]",
    "queue": "queue [packets]",
}


def draw(sides: Sequence[Named], kinds: Sequence[str], title: str = "") -> dict[str, Figure]:
    """Figures of several results by name. `ScenarioError` if no result has what one needs."""
    return {
        kind: _delay(sides, title) if kind == "delay" else _over_time(sides, kind, title)
        for kind in kinds
    }


def _over_time(sides: Sequence[Named], kind: str, title: str) -> Figure:
    """A panel for each flow or queue where all results have equally many, at most four; else the
    median of each result and the band from its 10th to its 90th percentile."""
    there = [(side, side.side.lines[kind]) for side in sides if side.side.lines.get(kind)]
    there = [(side, _in_order(lines, there[0][1])) for side, lines in there]
    if not there:
        raise ScenarioError(f"none of the results has the data of `{kind}`")
    counts = {len(lines) for _, lines in there}
    long = kind == "goodput" and max(_end(lines) for _, lines in there) >= SECONDS_FROM_S
    smooth = _means if long else _same
    notes = [title, "means over each second" if long else ""]
    if len(counts) > 1 or max(counts) > _MOST_PANELS:
        figure, axes = style.new()
        traces = []
        for side, lines in there:
            traces.append(_median(axes, side, [smooth(line) for line in lines]))
        axes.set(xlabel="time [s]", ylabel=_LABELS[kind])
        axes.margins(x=0.01)
        lettering.from_zero(axes, traces)
        lettering.legend(axes)
        lettering.head(figure, " · ".join(filter(None, (*notes, "median and 10-90 % of flows"))))
        return figure
    (panels,) = counts
    size = (7.2, max(3.4, 1.0 + 1.75 * panels))
    figure, column = style.new(panels, 1, size=size, sharex=True, squeeze=False)
    for i, (axes,) in enumerate(column):
        shown = [(side, smooth(lines[i])) for side, lines in there]
        _panel(axes, shown, _LABELS[kind])
    column[-1][0].set_xlabel("time [s]")
    lettering.legend(column[0][0])
    lettering.head(figure, " · ".join(filter(None, notes)))
    return figure


def _in_order(lines: list[Line], first: list[Line]) -> list[Line]:
    """The lines in the order of the first result, if they have its names; else as they are."""
    by_name = {line.name: line for line in lines}
    names = [line.name for line in first]
    return [by_name[name] for name in names] if set(names) == set(by_name) else lines


def _panel(axes: Any, shown: Sequence[tuple[Named, Line]], label: str) -> None:
    """One flow or queue of all results, named as the first calls it."""
    for side, line in shown:
        axes.plot(line.time_s, line.values, label=lettering.short(side.label), **side.look.trace())
    axes.set_ylabel(f"{lettering.short(shown[0][1].name, 18)}\n{label}")
    axes.margins(x=0.01)
    lettering.from_zero(axes, [(line.time_s, line.values) for _, line in shown])


def _median(axes: Any, side: Named, lines: Sequence[Line]) -> tuple[Array, Array]:
    """The median of a result's lines, and their band. Returns its upper edge."""
    values = [line.values for line in lines]
    grid, low, middle, high = crowd.curves([line.time_s for line in lines], values)
    member = crowd.Member(f"{side.label}, {len(lines)} flows", (), 0, grouped=True)
    crowd.band(axes, member, grid, low, middle, high, look=side.look)
    return grid, high


def _end(lines: Sequence[Line]) -> float:
    return max((float(line.time_s[-1]) for line in lines if len(line.time_s)), default=0.0)


def _same(line: Line) -> Line:
    return line


def _means(line: Line) -> Line:
    """Means over each whole second."""
    known = np.isfinite(line.values)
    time, values = line.time_s[known], line.values[known]
    if not len(time):
        return line
    second = np.floor(time).astype(np.int64)
    counted = np.bincount(second)
    whole = (counted > 0) & (np.arange(len(counted)) < second[-1])
    sums = np.bincount(second, weights=values)
    middles = np.arange(len(counted)) + 0.5
    return Line(line.name, middles[whole], sums[whole] / counted[whole])


def _delay(sides: Sequence[Named], title: str) -> Figure:
    """The distribution of delays of each result, and its tail."""
    figure, (whole, tail) = style.new(1, 2, size=(9.2, 3.8))
    there = [side for side in sides if len(side.side.delay_s)]
    if not there:
        raise ScenarioError("none of the results has packet delays")
    mixed = len({side.side.round_trip for side in there}) > 1
    for side in there:
        what = ", round trip" if side.side.round_trip else ", one way"
        ms = side.side.delay_s * 1e3
        share = np.arange(1, len(ms) + 1) / len(ms)
        label = lettering.short(side.label) + (what if mixed else "")
        whole.plot(ms, share, drawstyle="steps-post", label=label, **side.look.trace())
        tail.plot(ms, 1 - share + 1 / len(ms), drawstyle="steps-pre", **side.look.trace())
    kind = "delay" if mixed else "round-trip time" if there[0].side.round_trip else "one-way delay"
    whole.set(xlabel=f"{kind} [ms]", ylabel="share of packets, at most", ylim=(0, 1.01))
    tail.set(xlabel=f"{kind} [ms]", ylabel="share of packets, at least", yscale="log")
    tail.set_ylim(top=1.1)
    for axes in (whole, tail):
        axes.set_xlim(left=0)
    lettering.legend(whole)
    lettering.head(figure, title)
    return figure
