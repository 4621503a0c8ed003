"""Titles, labels and legends that hide nothing, and axes that begin at zero."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from ...present.units import significant
from . import RC, Figure, palette

_GROUND = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
"""What keeps a word legible over lines."""

_TITLE_LETTERS_PER_INCH = 12


def head(figure: Figure, title: str) -> None:
    """A line over the figure, if there is something to say; several if it is long."""
    if title:
        width = int(figure.get_size_inches()[0] * _TITLE_LETTERS_PER_INCH)
        lines = "\n".join(textwrap.wrap(title, width))
        figure.suptitle(lines, x=0.01, ha="left", fontsize=10)


_USUAL = 0.95
_BEYOND = 2.0
_ROOM = 1.08


def from_zero(
    axes: Any, traces: Iterable[tuple[Any, Any]], least: float = 0.0, unit: str = ""
) -> None:
    """The y axis from 0 to the largest value of `traces` (times and values), at least to `least`.

    One slow start does not set it: if the largest value is more than twice what each trace exceeds
    in 5 % of its instants only, the axis ends a little above that, and an arrow names the largest
    value and its instant.
    """
    usual, peak, when = 0.0, 0.0, 0.0
    for times, values in traces:
        there = np.asarray(values, dtype=np.float64)
        known = np.isfinite(there)
        if known.any():
            usual = max(usual, float(np.quantile(there[known], _USUAL)))
            highest = int(np.nanargmax(np.where(known, there, -np.inf)))
            if there[highest] > peak:
                peak, when = float(there[highest]), float(np.asarray(times)[highest])
    top = max(_ROOM * peak, least)
    if usual > 0 and peak > _BEYOND * usual and max(1.3 * usual, least) < peak:
        top = max(1.3 * usual, least)
        _cut(axes, when, f"up to {significant(peak, 3)}{unit} at {significant(when, 3)} s")
    axes.set_ylim(0, top or 1.0)


def _cut(axes: Any, when: float, text: str) -> None:
    """An arrow at the upper edge, at the instant of a value beyond it, with words beside it."""
    across = ("data", "axes fraction")
    axes.plot(
        [when],
        [0.975],
        marker="^",
        color=palette.BLACK,
        markersize=5.5,
        linestyle="none",
        transform=axes.get_xaxis_transform(),
        zorder=5,
    )
    low, high = axes.get_xlim()
    left = when < (low + high) / 2
    axes.annotate(
        text,
        (when, 0.975),
        xycoords=across,
        xytext=(7 if left else -7, 0),
        textcoords="offset points",
        ha="left" if left else "right",
        va="center",
        fontsize=8.5,
        bbox=_GROUND,
    )


def beside(axes: Any, y: float, text: str, color: str) -> None:
    """A horizontal line's name, at the right edge outside the axes."""
    axes.annotate(
        text,
        (1.0, y),
        xycoords=("axes fraction", "data"),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        color=color,
        fontsize=RC["legend.fontsize"],
        annotation_clip=False,
    )


def label(
    axes: Any,
    x: float,
    y: float,
    text: str,
    color: str = palette.BLACK,
    offset: tuple[float, float] = (6, 4),
) -> None:
    """A word beside a point, on a white ground."""
    axes.annotate(
        text,
        (x, y),
        xytext=offset,
        textcoords="offset points",
        color=color,
        fontsize=RC["legend.fontsize"],
        zorder=5,
        bbox=_GROUND,
    )


def short(text: str, longest: int = 36) -> str:
    """A label that fits beside others: the middle of a long name is left out."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[: half - 1]}…{text[-half:]}"


def legend(axes: Any) -> None:
    """A legend where it hides nothing: above the axes, in the order drawn, if there are several
    lines."""
    legend_of(axes, *axes.get_legend_handles_labels())


def legend_of(axes: Any, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """The legend of these lines."""
    if len(handles) > 1:
        columns = _columns(labels, _room(axes))
        _make_room(axes.figure, -(-len(labels) // columns))
        made = axes.legend(
            handles,
            labels,
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            ncols=columns,
            borderaxespad=0.2,
            frameon=False,
            fontsize=RC["legend.fontsize"],
        )
        for sample in made.legend_handles:  # Faint lines and tiny points are legible here.
            sample.set_alpha(1)
            if hasattr(sample, "set_markersize"):
                sample.set_markersize(max(sample.get_markersize(), 4.5))


_ROWS = 3
_ROW_INCHES = 0.2


def _make_room(figure: Any, rows: int) -> None:
    """Makes a figure higher for a legend of more than three rows, which would squeeze its axes."""
    if rows > _ROWS:
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + (rows - _ROWS) * _ROW_INCHES)


_BESIDE_AXES = 50.0
"""Points of a figure's width that tick labels and the label of the axis take."""
_SAMPLE_EMS = 5.0
"""The sample of a line and the spaces around it, in sizes of the font."""


def _room(axes: Any) -> float:
    """The points that a legend over axes has: of a figure's width their part."""
    place = axes.get_subplotspec()
    parts = 1 if place is None else place.get_gridspec().ncols
    width: float = axes.figure.get_size_inches()[0]
    return 72 * width / parts - _BESIDE_AXES


def _columns(labels: Sequence[str], room: float) -> int:
    """The most columns, up to four, in which the labels of a legend fit; they are filled one after
    the other."""
    size = RC["legend.fontsize"]
    font = FontProperties(family=RC["font.family"], size=size)
    wide = [text_to_path.get_text_width_height_descent(label, font, False)[0] for label in labels]
    for columns in range(min(len(labels), 4), 1, -1):
        widest = (float(part.max()) for part in np.array_split(np.array(wide), columns))
        if sum(widest) + columns * _SAMPLE_EMS * size <= room:
            return columns
    return 1
