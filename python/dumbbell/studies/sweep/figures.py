"""Metrics over an axis of a sweep: means with their 95 % intervals, as bands or bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ... import catalogue
from ...data.metrics import Metric
from ...figures import style
from ...figures.style import Figure, chart, palette
from ...figures.style.chart import Chart
from ...figures.style.palette import Look
from ...present import stats
from ...present.grids import titled, unit_of
from ...present.points import Point, by_seed, value_text
from ...present.stats import Interval
from .axes import Axis

_MOST_TICKS = 12
_FROM_ZERO = 0.5
"""An axis begins at 0 if the lowest value is below this share of the highest."""
_PANELS = 3
"""Panels in a row."""

Line = tuple[str, ...]
"""The values of the axes that make a line."""
Numbered = tuple[int, Point]
"""A point with its number in the sweep, from 1."""


def over_axis(
    points: Sequence[Point],
    metrics: Sequence[Metric],
    along: Axis,
    others: Sequence[Axis],
    opens: str = "",
) -> Figure:
    """A panel for each metric, with a line for each combination of values of the other axes. A
    point without a result leaves a gap. opens: the command that shows a point, with `{point}` for
    its number."""
    across = min(len(metrics), _PANELS)
    down = -(-len(metrics) // across)
    figure, panels = style.new(
        down, across, size=(1.6 + 4.4 * across, 0.8 + 3.2 * down), squeeze=False, sharex=True
    )
    flat = [panel for row in panels for panel in row]
    lines = _lines(points, along, others)
    looks = _looks(list(lines))
    figure.charts = [_chart(metric, along, lines, looks, opens) for metric in metrics]
    for panel, drawn in zip(flat, figure.charts, strict=False):
        _panel(panel, drawn, along)
    for panel in flat[len(metrics) :]:
        panel.remove()
    for panel in flat[max(0, len(metrics) - across) : len(metrics)]:
        panel.set_xlabel(along.label)
        panel.tick_params(labelbottom=True)
    if others:
        _legend(figure, [axis.head for axis in others], looks)
    return figure


def _lines(
    points: Sequence[Point], along: Axis, others: Sequence[Axis]
) -> dict[Line, dict[str, Numbered]]:
    """The points of each line with their numbers, by their place along the axis."""
    found: dict[Line, dict[str, Numbered]] = {}
    for number, point in enumerate(points, 1):
        at = point["overrides"]
        line = tuple(value_text(at.get(axis.key)) for axis in others)
        found.setdefault(line, {})[value_text(at.get(along.key))] = number, point
    return found


def _looks(lines: Sequence[Line]) -> dict[Line, Look]:
    """The look of each line: its scheme's, as in every figure, if that is all that it differs in;
    else that of its place."""
    schemes = {name for names in catalogue.kinds().values() for name in names}
    if lines and all(len(line) == 1 and line[0] in schemes for line in lines):
        return {line: palette.look(line[0]) for line in lines}
    return {line: palette.nth(i) for i, line in enumerate(lines)}


def _chart(
    metric: Metric,
    along: Axis,
    lines: Mapping[Line, Mapping[str, Numbered]],
    looks: Mapping[Line, Look],
    opens: str,
) -> Chart:
    """A metric over the axis. Along numbers a line with a band; along names marks with bars, for
    nothing lies between names."""
    measured = {line: _means(metric, along, of) for line, of in lines.items()}
    known = [mean for means in measured.values() for _, _, mean in means]
    scale, unit = unit_of(metric.unit, max((abs(mean.mean) for mean in known), default=0.0))
    joined = along.numbers is not None
    drawn = []
    for line, means in measured.items():
        ys = [mean.mean * scale for *_, mean in means]
        halves = [(mean.half or 0.0) * scale for *_, mean in means]
        several = any(mean.half is not None for *_, mean in means)
        drawn.append(
            chart.Line(
                ", ".join(line) or metric.title,
                [x for x, *_ in means],
                ys,
                looks[line],
                low=[y - half for y, half in zip(ys, halves, strict=True)] if several else None,
                high=[y + half for y, half in zip(ys, halves, strict=True)] if several else None,
                shape="line" if joined else "marks",
                interval="band" if joined else "bar",
                opens=[opens.replace("{point}", str(number)) for _, number, _ in means]
                if opens
                else (),
            )
        )
    names = () if joined else list(along.values)
    axis = chart.Axis(along.key, along.unit, "linear" if joined else "names", names)
    return Chart(metric.title, unit, axis, drawn)


def _panel(panel: Any, drawn: Chart, along: Axis) -> None:
    aside = 0.0 if along.numbers is not None else 0.5 / max(len(drawn.lines), 1)
    chart.draw(panel, drawn, aside)
    panel.set_ylabel(titled(drawn.title, drawn.unit))
    lowest = min((y for line in drawn.lines for y in line.low or line.y), default=0.0)
    highest = max((y for line in drawn.lines for y in line.y), default=0.0)
    if 0 <= lowest < _FROM_ZERO * highest:
        panel.set_ylim(bottom=0)
    places = along.numbers if along.numbers is not None else range(len(along.values))
    if along.numbers is None or len(along.values) <= _MOST_TICKS:
        texts = along.values if along.numbers is None else [f"{x:g}" for x in along.numbers]
        panel.set_xticks(list(places), texts)
        panel.minorticks_off()


def _means(
    metric: Metric, along: Axis, points: Mapping[str, Numbered]
) -> list[tuple[float, int, Interval]]:
    """Places along the axis, from the lowest, with the number and the mean of each point that has
    values."""
    numbers = along.numbers if along.numbers is not None else range(len(along.values))
    found = []
    for x, value in sorted(zip(numbers, along.values, strict=True)):
        number, point = points.get(value, (0, None))
        values = by_seed(metric, point) if point is not None else {}
        if values:
            found.append((float(x), number, stats.interval(list(values.values()))))
    return found


def _legend(figure: Figure, heads: Sequence[str], looks: Mapping[Line, Look]) -> None:
    """Every line once, above the panels; the title names the axes that make them."""
    from matplotlib.lines import Line2D

    labels = [", ".join(line) for line in looks]
    handles = [
        Line2D([], [], label=label, **look.line())
        for label, look in zip(labels, looks.values(), strict=True)
    ]
    room = figure.get_size_inches()[0] * 11  # Characters, about.
    columns = max(1, min(len(labels), int(room / (max(map(len, labels)) + 8))))
    figure.legend(
        handles=handles,
        loc="outside upper left",
        ncols=columns,
        frameon=False,
        fontsize=style.RC["legend.fontsize"],
        title=", ".join(heads),
        alignment="left",
    )
