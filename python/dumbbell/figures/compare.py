"""Figures that compare schemes: over a parameter, side by side, and events counted up over time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .. import catalogue
from ..errors import ScenarioError
from ..present.stats import Interval
from ..present.units import amount
from . import style
from .style import Figure, chart, lettering, palette

if TYPE_CHECKING:
    from ..data.arrow import Table
    from ..result import Result, Sweep

_MOST_TICKS = 12
_TIME = chart.Axis("time", "s")
_PRINTED = "x+1"
"""Markers of printed values."""


@dataclass(frozen=True, slots=True)
class Line:
    """Measurements `y` over `x`, and perhaps the printed values beside them; drawn as its scheme if
    it has one, else by its place in the figure."""

    scheme: str | None
    label: str
    x: Sequence[float]
    y: Sequence[Interval]
    printed: Sequence[tuple[float, float]] = field(default=())


def over_parameter(
    lines: Sequence[Line], x_label: str, y_label: str, title: str = "", logarithmic: bool = False
) -> Figure:
    """Means with 95 % intervals over a parameter, on a logarithmic axis if asked; printed values as
    crosses and pluses, without a line. The other axis begins at 0, or has a line there if something
    lies below."""
    figure, axes = style.new()
    drawn = _chart(lines, x_label, y_label, title, logarithmic)
    figure.charts = [drawn]
    for line in drawn.lines:
        if line.look.marker in _PRINTED:
            look = {"color": line.look.color, "markersize": 8, "markeredgewidth": 1.6, "zorder": 3}
            axes.plot(line.x, line.y, line.look.marker, label=line.label, **look)
        else:
            chart.draw_line(axes, line)
    axes.set(xlabel=x_label, ylabel=y_label)
    if all(y.mean - (y.half or 0.0) >= 0 for line in lines for y in line.y):
        highest = axes.dataLim.ymax
        axes.set_ylim(0, 1.05 * highest if highest > 0 else 1)  # Room for whole markers.
    else:
        axes.axhline(0, color=palette.BLACK, linewidth=0.8)
    if logarithmic:
        axes.set_xscale("log")
    values = sorted({x for line in lines for x in line.x})
    if len(values) <= _MOST_TICKS:
        axes.set_xticks(
            values, [f"{x:g}" for x in values]
        )  # What was measured, not round numbers between.
        axes.minorticks_off()
    lettering.legend(axes)
    _title(figure, title)
    return figure


def over_sweep(
    sweep: Sweep,
    x: str,
    y: Callable[[Result], Interval],
    y_label: str,
    by: str | None = None,
    x_label: str | None = None,
    title: str = "",
) -> Figure:
    """A sweep's measurement `y` over the swept key `x`, one line for each value of the swept key
    `by`.

    Values of `x` are numbers, or quantities with one unit (`"24 pkt"`), which the axis then names.
    """
    units: set[str] = set()
    lines: dict[str, list[tuple[float, Interval]]] = {}
    for changes, result in sweep:
        value, unit = amount(changes[x])
        units.add(unit)
        lines.setdefault("" if by is None else str(changes[by]), []).append((value, y(result)))
    if len(units) > 1:
        raise ScenarioError(
            f"`{x}` is swept in several units ({', '.join(sorted(units))}): use one"
        )
    schemes = {name for names in catalogue.kinds().values() for name in names}
    drawn = []
    for name, points in lines.items():
        points.sort(key=lambda point: point[0])
        of_scheme = name if name in schemes else None
        label = name if of_scheme or not by else f"{by} = {name}"
        drawn.append(
            Line(of_scheme, label, [at for at, _ in points], [value for _, value in points])
        )
    (unit,) = units or {""}
    return over_parameter(drawn, x_label or (f"{x} [{unit}]" if unit else x), y_label, title)


def _chart(
    lines: Sequence[Line], x_label: str, y_label: str, title: str, logarithmic: bool
) -> chart.Chart:
    """The numbers of `over_parameter`: each line, and the printed values beside it as marks."""
    found = []
    for i, (line, mark) in enumerate(zip(lines, itertools.cycle(_PRINTED))):
        look = palette.nth(i) if line.scheme is None else palette.look(line.scheme)
        means = [y.mean for y in line.y]
        halves = [y.half or 0.0 for y in line.y]
        found.append(
            chart.Line(
                line.label,
                list(line.x),
                means,
                look,
                low=[mean - half for mean, half in zip(means, halves, strict=True)],
                high=[mean + half for mean, half in zip(means, halves, strict=True)],
            )
        )
        if line.printed:
            xs, ys = zip(*line.printed, strict=True)
            printed = replace(look, marker=mark)
            label = f"{line.label}, printed"
            found.append(chart.Line(label, list(xs), list(ys), printed, shape="marks"))
    across, x_unit = chart.named(x_label)
    up, unit = chart.named(y_label)
    axis = chart.Axis(across, x_unit, "log" if logarithmic else "linear")
    return chart.Chart(title or up, unit, axis, found)


@dataclass(frozen=True, slots=True)
class Trace:
    """One line over time; drawn as its scheme if it has one, else by its place in the panel."""

    label: str
    time_s: Sequence[float]
    y: Sequence[float]
    scheme: str | None = None


def trace(label: str, series: Table, column: str, scheme: str | None = None) -> Trace:
    """A recorded column over time, of one flow or queue of one run. `ScenarioError` if the table
    holds several."""
    times = series.numbers("time_s")
    if any(b < a for a, b in itertools.pairwise(times)):
        raise ScenarioError(
            f"the series of `{column}` holds several runs, flows or queues: a trace shows one"
        )
    return Trace(label, times, series.numbers(column), scheme)


def side_by_side(
    panels: Sequence[tuple[str, Sequence[Trace]]], y_label: str, title: str = ""
) -> Figure:
    """One panel a scheme, the same axes, two side by side: how windows or queues move over
    time."""
    columns = min(len(panels), 2)
    rows = -(-len(panels) // columns)
    figure, axes = style.new(
        rows,
        columns,
        size=(max(6.4, 4.9 * columns), 3.5 if rows == 1 else 2.9 * rows),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    figure.charts = [_over_time(name, traces, y_label) for name, traces in panels]
    for axis, (name, traces), drawn in zip(axes.flat, panels, figure.charts, strict=False):
        chart.draw(axis, drawn)
        axis.set_title(name, pad=22 if len(traces) > 1 else 6, loc="left")
        lettering.legend(axis)
    for axis in axes[-1]:
        axis.set(xlabel="time [s]")
    for axis in axes[:, 0]:
        axis.set(ylabel=y_label)
    axes[0][0].set_ylim(bottom=0)
    _title(figure, title)
    return figure


def _over_time(name: str, traces: Sequence[Trace], y_label: str) -> chart.Chart:
    """The traces of a panel."""
    title, unit = chart.named(y_label)
    lines = [
        chart.Line(
            trace.label,
            list(trace.time_s),
            list(trace.y),
            _plain(palette.nth(i) if trace.scheme is None else palette.look(trace.scheme)),
        )
        for i, trace in enumerate(traces)
    ]
    return chart.Chart(f"{name}: {title}" if name else title, unit, _TIME, lines)


def _plain(look: palette.Look) -> palette.Look:
    """A look without markers, for lines of many points."""
    return replace(look, marker="")


def cumulative(
    events: Sequence[tuple[str, str, Sequence[Sequence[float]]]],
    until_s: float,
    y_label: str,
    title: str = "",
) -> Figure:
    """Events counted up over time, one line a scheme: (scheme, label, times of each replication).

    The line is the mean over replications; the band spans all of them.
    """
    figure, axes = style.new()
    grid = [until_s * i / 200 for i in range(201)]
    lines = []
    for scheme, label, runs in events:
        columns = list(zip(*(_counts(sorted(times), grid) for times in runs), strict=True))
        means = [sum(column) / len(column) for column in columns]
        many = len(runs) > 1
        lines.append(
            chart.Line(
                label,
                grid,
                means,
                _plain(palette.look(scheme)),
                low=[min(column) for column in columns] if many else None,
                high=[max(column) for column in columns] if many else None,
                interval="band",
            )
        )
    named, unit = chart.named(y_label)
    figure.charts = [chart.Chart(title or named, unit, _TIME, lines)]
    chart.draw(axes, figure.charts[0])
    axes.set(xlabel="time [s]", ylabel=y_label)
    axes.set_ylim(bottom=0)
    axes.set_xlim(0, until_s)
    lettering.legend(axes)
    _title(figure, title)
    return figure


def _counts(times: Sequence[float], grid: Sequence[float]) -> list[int]:
    counts, i = [], 0
    for moment in grid:
        while i < len(times) and times[i] <= moment:
            i += 1
        counts.append(i)
    return counts


def _title(figure: Figure, title: str) -> None:
    if title:
        figure.suptitle(title, x=0.01, ha="left")
