"""Metrics over an axis of a sweep: means with their 95 % intervals, as bands or bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ... import catalogue
from ...data.metrics import Metric
from ...figures import style
from ...figures.style import Figure, Look
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


def over_axis(
    points: Sequence[Point], metrics: Sequence[Metric], along: Axis, others: Sequence[Axis]
) -> Figure:
    """A panel for each metric, with a line for each combination of values of the other axes. A
    point without a result leaves a gap."""
    across = min(len(metrics), _PANELS)
    down = -(-len(metrics) // across)
    figure, panels = style.new(
        down, across, size=(1.6 + 4.4 * across, 0.8 + 3.2 * down), squeeze=False, sharex=True
    )
    flat = [panel for row in panels for panel in row]
    lines = _lines(points, along, others)
    looks = _looks(list(lines))
    for panel, metric in zip(flat, metrics, strict=False):
        _panel(panel, metric, along, lines, looks)
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
) -> dict[Line, dict[str, Point]]:
    """The points of each line, by their place along the axis."""
    found: dict[Line, dict[str, Point]] = {}
    for point in points:
        at = point["overrides"]
        line = tuple(value_text(at.get(axis.key)) for axis in others)
        found.setdefault(line, {})[value_text(at.get(along.key))] = point
    return found


def _looks(lines: Sequence[Line]) -> dict[Line, Look]:
    """The look of each line: its scheme's, as in every figure, if that is all that it differs in;
    else that of its place."""
    schemes = {name for names in catalogue.kinds().values() for name in names}
    if lines and all(len(line) == 1 and line[0] in schemes for line in lines):
        return {line: style.look(line[0]) for line in lines}
    return {line: style.nth(i) for i, line in enumerate(lines)}


def _panel(
    panel: Any,
    metric: Metric,
    along: Axis,
    lines: Mapping[Line, Mapping[str, Point]],
    looks: Mapping[Line, Look],
) -> None:
    measured = {line: _means(metric, along, of) for line, of in lines.items()}
    known = [mean for means in measured.values() for _, mean in means]
    scale, unit = unit_of(metric.unit, max((abs(mean.mean) for mean in known), default=0.0))
    for i, (line, means) in enumerate(measured.items()):
        aside = 0.0 if along.numbers is not None else _aside(i, len(measured))
        _line(panel, means, looks[line], scale, aside, along.numbers is not None)
    panel.set_ylabel(titled(metric.title, unit))
    lowest = min((mean.low if mean.low is not None else mean.mean for mean in known), default=0.0)
    highest = max((mean.mean for mean in known), default=0.0)
    if 0 <= lowest < _FROM_ZERO * highest:
        panel.set_ylim(bottom=0)
    places = along.numbers if along.numbers is not None else range(len(along.values))
    if along.numbers is None or len(along.values) <= _MOST_TICKS:
        texts = along.values if along.numbers is None else [f"{x:g}" for x in along.numbers]
        panel.set_xticks(list(places), texts)
        panel.minorticks_off()


def _aside(i: int, count: int) -> float:
    """How far a mark stands from its name on the axis, so that those of several lines do not cover
    each other."""
    return (i - (count - 1) / 2) * 0.5 / max(count, 1)


def _line(
    panel: Any,
    means: Sequence[tuple[float, Interval]],
    look: Look,
    scale: float,
    aside: float,
    joined: bool,
) -> None:
    """Along numbers a line with a band; along names marks with bars, for nothing lies between
    names."""
    xs = [x + aside for x, _ in means]
    ys = [mean.mean * scale for _, mean in means]
    halves = [(mean.half or 0.0) * scale for _, mean in means]
    if not joined:
        panel.errorbar(xs, ys, yerr=halves, capsize=3, **look.line() | {"linestyle": "none"})
        return
    panel.plot(xs, ys, **look.line())
    low = [y - half for y, half in zip(ys, halves, strict=True)]
    high = [y + half for y, half in zip(ys, halves, strict=True)]
    panel.fill_between(xs, low, high, color=look.color, alpha=0.18, linewidth=0)


def _means(
    metric: Metric, along: Axis, points: Mapping[str, Point]
) -> list[tuple[float, Interval]]:
    """Places along the axis, from the lowest, with the mean of each point that has values."""
    numbers = along.numbers if along.numbers is not None else range(len(along.values))
    found = []
    for x, value in sorted(zip(numbers, along.values, strict=True)):
        values = by_seed(metric, points[value]) if value in points else {}
        if values:
            found.append((float(x), stats.interval(list(values.values()))))
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
