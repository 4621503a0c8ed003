"""Small multiples: a panel for each measurement, and for each congestion control where other axes
vary, too."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ....figures import style
from ....figures.style import Look
from .draw import (
    FAINT,
    SMALL,
    NamedFigure,
    Scaled,
    ccs,
    delay_axis,
    dots,
    legend,
    looks,
    mark,
    overs,
    scaled,
)
from .metrics import GOODPUT, JUDGED

_FAR_APART = 1.5
"""If conditions' goodputs are so many times apart, schemes are seen better beside the best of each
condition."""

_WIDEST = 16.0
"""Inches."""

_CAPTION = (
    "Each measurement in each condition: means over the seeds with 95 % intervals, small dots are "
    "single seeds. The "
    "arrow says which way is better."
)


def draw(document: Mapping[str, Any]) -> NamedFigure:
    """The figure."""
    rows = [
        scaled(document, metric, metric.key == GOODPUT and _differ_much(document))
        for metric in JUDGED
    ]
    rows = [row for row in rows if row.spots]
    controls, drawn = ccs(document), looks(document)
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
    for i, (axis, (row, cc)) in enumerate(zip(flat, panels, strict=False)):
        conditions = [c for c in document["conditions"] if not both or c["cc"] == cc]
        _panel(axis, row, [c["number"] for c in conditions], drawn)
        labels = [(c["over_label"] if both else c["label"]) for c in conditions]
        _name_places(axis, labels, width, shown=not both or i + across >= len(panels))
        if both and i < across:
            axis.set_title(cc or "", fontsize=SMALL, loc="left")
        if both and i % across:
            axis.set_ylabel("")
    for axis in flat[len(panels) :]:
        axis.set_visible(False)
    figure.align_ylabels(grid)
    legend(figure, drawn)
    return NamedFigure("metrics", figure, _CAPTION)


def _differ_much(document: Mapping[str, Any]) -> bool:
    means = [row[GOODPUT]["mean"] for row in document["rows"] if row[GOODPUT]]
    return bool(means) and max(means) > _FAR_APART * min(means)


def _panel(axis: Any, row: Scaled, conditions: Sequence[int], drawn: Mapping[str, Look]) -> None:
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
