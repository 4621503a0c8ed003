"""The figures of a comparison: goodput against delay with a panel for each condition, and small
multiples with a panel for each measurement."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ....figures import style
from ....figures.style.palette import Look
from ...frame.drawing import (
    FAINT,
    SMALL,
    SOFT,
    NamedFigure,
    delay_axis,
    dots,
    legend,
    looks,
    mark,
    settled,
)
from . import charts
from .document import ConditionRow, Document, measured
from .metrics import ALL, DELAY, GOODPUT, JUDGED
from .scaled import Scaled, scaled

_ACROSS = 4
"""Panels side by side."""
_MOST_PANELS = 24
_FAR_APART = 1.5
"""If conditions' goodputs are so many times apart, schemes are seen better beside the best of each
condition."""
_WIDEST = 16.0
"""Inches."""


def figures_of(document: Document) -> list[NamedFigure]:
    """Every figure that the document has numbers for."""
    if not any(measured(row, GOODPUT) for row in document["rows"]):
        return []
    return settled([one for one in (tradeoff(document), multiples(document)) if one is not None])


def scheme_looks(document: Document) -> dict[str, Look]:
    """Each scheme's look, by its name."""
    return looks({scheme["name"]: scheme["kind"] for scheme in document["schemes"]})


def ccs(document: Document) -> list[str | None]:
    """The congestion controls that conditions differ in."""
    return list(dict.fromkeys(c["cc"] for c in document["conditions"]))


def overs(document: Document) -> list[str]:
    """Further differences."""
    return list(dict.fromkeys(c["over_label"] for c in document["conditions"]))


_TRADEOFF = (
    "Goodput of all flows over the 99th percentile of the queueing delay: more goodput and less "
    "delay are better. Marks are means over the seeds, bars are 95 % intervals. In the files, the "
    "delay axis runs from right to left, and small dots are single seeds."
)


def tradeoff(document: Document) -> NamedFigure | None:
    """The figure; None without delays, or with more conditions than can be looked at."""
    of = {metric.key: metric for metric in ALL}
    goodput, delay = scaled(document, of[GOODPUT]), scaled(document, of[DELAY])
    conditions = document["conditions"]
    if not delay.spots or len(conditions) > _MOST_PANELS:
        return None
    across, down = _layout(document)
    size = (max(6.4, 3.1 * across + 0.6), (3.6 if len(conditions) == 1 else 2.5) * down + 0.9)
    figure, grid = style.new(down, across, size=size, squeeze=False, sharex=True)
    panels = [axis for line in grid for axis in line]
    drawn = scheme_looks(document)
    figure.charts = [charts.tradeoff(each, drawn, goodput, delay) for each in conditions]
    for axis, condition in zip(panels, conditions, strict=False):
        _tradeoff_panel(axis, condition, drawn, goodput, delay)
    for axis in panels[len(conditions) :]:
        axis.set_visible(False)
    delay_axis(panels[0], delay.values(), "x")
    panels[0].invert_xaxis()
    _name_axes(panels[: len(conditions)], across, goodput.unit, delay.unit)
    legend(figure, drawn)
    return NamedFigure("tradeoff", figure, _TRADEOFF)


def _layout(document: Document) -> tuple[int, int]:
    """Panels across and down: a row for each congestion control where there is room, else
    wrapped."""
    count = len(document["conditions"])
    rows, columns = len(ccs(document)), len(overs(document))
    if rows > 1 and 1 < columns <= _ACROSS and rows * columns == count:
        return columns, rows
    across = count if count <= _ACROSS else 3 if count % 3 == 0 else _ACROSS
    return across, math.ceil(count / across)


def _tradeoff_panel(
    axis: Any,
    condition: ConditionRow,
    drawn: Mapping[str, Look],
    goodput: Scaled,
    delay: Scaled,
) -> None:
    for name, look in drawn.items():
        place = name, condition["number"]
        if place in goodput.spots and place in delay.spots:
            x, y = delay.spots[place], goodput.spots[place]
            if len(x.seeds) == len(y.seeds):
                dots(axis, x.seeds, y.seeds, look)
            axis.errorbar(x.mean, y.mean, xerr=x.arms(), yerr=y.arms(), **mark(look, 8))
    axis.set_title(condition["label"], fontsize=SMALL, loc="left", wrap=True)
    axis.margins(0.12, 0.15)
    axis.ticklabel_format(axis="y", useOffset=False)


def _name_axes(panels: Sequence[Any], across: int, goodput: str, delay: str) -> None:
    for i, axis in enumerate(panels):
        if i + across >= len(panels):
            axis.set_xlabel(f"p99 queueing delay [{delay}]")
            axis.tick_params(labelbottom=True)
        if i % across == 0:
            axis.set_ylabel(f"goodput [{goodput}]")
    panels[0].annotate(
        "better ↗",
        (0.98, 0.97),
        xycoords="axes fraction",
        ha="right",
        va="top",
        color=SOFT,
        fontsize=8.5,
    )


_MULTIPLES = (
    "Each measurement in each condition: means over the seeds with 95 % intervals. Small dots "
    "are single seeds. The arrow shows which direction is better."
)


def multiples(document: Document) -> NamedFigure:
    """The figure."""
    rows = [
        scaled(document, metric, metric.key == GOODPUT and _differ_much(document))
        for metric in JUDGED
    ]
    rows = [row for row in rows if row.spots]
    controls, drawn = ccs(document), scheme_looks(document)
    both = len(controls) > 1 and len(overs(document)) > 1
    if both:
        panels = [(row, cc) for row in rows for cc in controls]
        across = len(controls)
    else:
        panels = [(row, None) for row in rows]
        across = min(3, len(rows))
    down = math.ceil(len(panels) / across)
    places = len(overs(document)) if both else len(document["conditions"])
    width = max(3.2, min(0.12 * places * len(drawn), _WIDEST / across))
    size = (max(6.4, width * across + 0.4), (2.0 if both else 2.4) * down + 0.9)
    figure, grid = style.new(
        down, across, size=size, squeeze=False, sharey="row" if both else False
    )
    flat = [axis for line in grid for axis in line]
    found = []
    for i, (axis, (row, cc)) in enumerate(zip(flat, panels, strict=False)):
        conditions = [c for c in document["conditions"] if not both or c["cc"] == cc]
        _multiples_panel(axis, row, [c["number"] for c in conditions], drawn)
        labels = [(c["over_label"] if both else c["label"]) for c in conditions]
        found.append(charts.over_conditions(row, conditions, labels, drawn, cc))
        _name_places(axis, labels, width, shown=not both or i + across >= len(panels))
        if both and i < across:
            axis.set_title(cc or "", fontsize=SMALL, loc="left")
        if both and i % across:
            axis.set_ylabel("")
    for axis in flat[len(panels) :]:
        axis.set_visible(False)
    figure.charts = found
    figure.align_ylabels(grid)
    legend(figure, drawn)
    return NamedFigure("metrics", figure, _MULTIPLES)


def _differ_much(document: Document) -> bool:
    means = [cell["mean"] for row in document["rows"] if (cell := measured(row, GOODPUT))]
    return bool(means) and max(means) > _FAR_APART * min(means)


def _multiples_panel(
    axis: Any, row: Scaled, conditions: Sequence[int], drawn: Mapping[str, Look]
) -> None:
    """One measurement: schemes side by side in each condition, so that intervals do not cover each
    other."""
    step = 0.7 / max(len(drawn), 1)
    for k, (name, look) in enumerate(drawn.items()):
        for at, number in enumerate(conditions):
            spot = row.spots.get((name, number))
            if spot is not None:
                x = at + (k - (len(drawn) - 1) / 2) * step
                dots(axis, [x] * len(spot.seeds), spot.seeds, look)
                axis.errorbar(x, spot.mean, yerr=spot.arms(), **mark(look, 6.5))
    metric = row.metric
    unit = f" [{row.unit}]" if row.unit else ""
    axis.set_ylabel(
        f"{metric.title}{unit} {'↑' if metric.better == 'higher' else '↓'}", fontsize=SMALL
    )
    axis.set_xlim(-0.55, len(conditions) - 0.45)
    for between in range(len(conditions) - 1):
        axis.axvline(between + 0.5, color=FAINT, linewidth=0.6)
    axis.grid(visible=False, axis="x")
    _vertical(axis, row)


def _vertical(axis: Any, row: Scaled) -> None:
    """The range of means and seeds, so that one wide interval does not hide the others: it may
    leave the panel. Delays and losses from 0, or delays on a logarithmic axis if they are far
    apart."""
    values = row.values()
    least, most = min(values), max(values)
    if row.metric.unit == "s" and delay_axis(axis, values, "y"):
        axis.set_ylim(least / 1.4, most * 1.4)
    elif row.metric.better == "lower":
        top = 1.12 * most or 1.0
        axis.set_ylim(-0.06 * top, top)  # Room for a mark at 0.
    else:
        room = 0.2 * (most - least) or 0.01 * abs(most) or 1.0
        axis.set_ylim(least - room, most + room)
        axis.ticklabel_format(axis="y", useOffset=False)


def _name_places(axis: Any, labels: Sequence[str], width: float, shown: bool) -> None:
    """Labels of the axis; slanted where words would meet, upright where there are many."""
    axis.set_xticks(range(len(labels)), [label if shown else "" for label in labels])
    axis.tick_params(axis="x", length=0)
    if shown and sum(len(label) + 2 for label in labels) > 12 * width and len(labels) > 1:
        steep = len(labels) > 5
        for text in axis.get_xticklabels():
            text.set(
                rotation=90 if steep else 30,
                ha="center" if steep else "right",
                rotation_mode="anchor",
            )
            if steep:
                text.set(rotation_mode="default", fontsize=8)
