"""Goodput against delay: a panel for each condition, a mark for each scheme."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ....figures import style
from .draw import (
    SMALL,
    SOFT,
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
from .metrics import ALL, DELAY, GOODPUT

_WIDEST = 4
"""Panels side by side."""
_MOST_PANELS = 24

_CAPTION = (
    "Goodput of all flows over the 99th percentile of the queueing delay, whose axis runs from "
    "right to left: up and "
    "to the right is better. A mark is the mean over the seeds, small dots are single seeds, bars "
    "95 % intervals."
)


def draw(document: Mapping[str, Any]) -> NamedFigure | None:
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
    drawn = looks(document)
    for axis, condition in zip(panels, conditions, strict=False):
        _panel(axis, condition, drawn, goodput, delay)
    for axis in panels[len(conditions) :]:
        axis.set_visible(False)
    delay_axis(panels[0], delay.values(), "x")
    panels[0].invert_xaxis()
    _name_axes(panels[: len(conditions)], across, goodput.unit, delay.unit)
    legend(figure, drawn)
    return NamedFigure("tradeoff", figure, _CAPTION)


def _layout(document: Mapping[str, Any]) -> tuple[int, int]:
    """Panels across and down: a row for each congestion control where there is room, else
    wrapped."""
    count = len(document["conditions"])
    rows, columns = len(ccs(document)), len(overs(document))
    if rows > 1 and 1 < columns <= _WIDEST and rows * columns == count:
        return columns, rows
    across = count if count <= _WIDEST else 3 if count % 3 == 0 else _WIDEST
    return across, math.ceil(count / across)


def _panel(
    axis: Any,
    condition: Mapping[str, Any],
    drawn: Mapping[str, Any],
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
