"""What the figures of all studies share: looks, marks with their intervals, axes, the legend."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...figures import style
from ...figures.style import Figure, palette
from ...figures.style.palette import Look
from .paired import Cell

_LOG_FROM = 8.0
"""An axis of delays whose ends are so many times apart is logarithmic."""

SMALL = style.RC["legend.fontsize"]
SOFT, FAINT = "#5a5a5a", "#d8d8d8"


@dataclass(frozen=True, slots=True)
class NamedFigure:
    """A figure with its file's name and its caption."""

    name: str
    figure: Figure
    caption: str


def settled(drawn: Sequence[NamedFigure]) -> list[NamedFigure]:
    """The figures, laid out once, and not for each format again."""
    for one in drawn:
        one.figure.draw_without_rendering()
        one.figure.set_layout_engine("none")
    return list(drawn)


def looks(kinds: Mapping[str, str]) -> dict[str, Look]:
    """The look of each scheme or control, by its name; `kinds` are the catalogue's names. That of
    its kind, as in every figure, comes first to kinds whose look was chosen by hand; the others get
    theirs, with a color or a marker that is still free where another one has it already."""
    found: dict[str, Look] = {}
    for name, kind in kinds.items():
        if palette.is_chosen(kind) and palette.look(kind) not in found.values():
            found[name] = palette.look(kind)
    for name, kind in kinds.items():
        if name not in found:
            found[name] = _own_or_free(palette.look(kind), list(found.values()))
    return {name: found[name] for name in kinds}


def _own_or_free(own: Look, taken: Sequence[Look]) -> Look:
    """`own` with what of it is free; with more schemes than colors at least another pair of color
    and marker."""
    colors, markers = {look.color for look in taken}, {look.marker for look in taken}
    color = next((c for c in (own.color, *palette.PALETTE) if c not in colors), None)
    marker = next((m for m in (own.marker, *palette.MARKERS) if m not in markers), None)
    if color and marker:
        return Look(color, marker, own.dash)
    pairs = {(look.color, look.marker) for look in taken}
    every = itertools.product(
        (color or own.color, *palette.PALETTE), (marker or own.marker, *palette.MARKERS)
    )
    free = next((pair for pair in every if pair not in pairs), (own.color, own.marker))
    return Look(*free, own.dash)


def mark(look: Look, size: float) -> dict[str, object]:
    """Keywords of a scheme's mark with bars."""
    return {
        "color": look.color,
        "marker": look.marker,
        "markersize": size,
        "markerfacecolor": "white",
        "markeredgewidth": size / 4.2,
        "linewidth": 1.2,
        "zorder": 3,
    }


def dots(axis: Any, xs: Sequence[float], ys: Sequence[float], look: Look) -> None:
    """Single seeds."""
    axis.plot(xs, ys, ".", color=look.color, markersize=2.8, alpha=0.45, zorder=2)


def is_log(values: Iterable[float]) -> bool:
    """True if the ends of these delays are so far apart that their axis is logarithmic."""
    known = list(values)
    return bool(known) and min(known) > 0 and max(known) / min(known) >= _LOG_FROM


def delay_axis(axis: Any, values: Iterable[float], which: str) -> bool:
    """Makes an axis of delays logarithmic, with plain numbers at its ticks, if they are far apart;
    says whether."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    if not is_log(values):
        return False
    axis.set(**{f"{which}scale": "log"})
    side = axis.xaxis if which == "x" else axis.yaxis
    side.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    side.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    side.set_minor_formatter(NullFormatter())
    return True


def arms(cells: Sequence[Cell], unit: float = 1.0) -> tuple[list[float], list[float]]:
    """The intervals of means as lengths below and above them, as matplotlib wants them."""
    means = [cell["mean"] / unit for cell in cells]
    ends = [cell["ci95"] or (cell["mean"], cell["mean"]) for cell in cells]
    low = [mean - end[0] / unit for mean, end in zip(means, ends, strict=True)]
    return low, [end[1] / unit - mean for mean, end in zip(means, ends, strict=True)]


def slanted(axis: Any, degrees: float) -> None:
    """Slants the labels of the horizontal axis."""
    for text in axis.get_xticklabels():
        text.set(rotation=degrees, ha="right", rotation_mode="anchor")


def legend(figure: Figure, drawn: Mapping[str, Look]) -> None:
    """Every scheme, once, above the panels; in one row if there is room."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], linestyle="none", label=name) for name in drawn]
    for handle, look in zip(handles, drawn.values(), strict=True):
        handle.set(**mark(look, 7))
    room = figure.get_size_inches()[0] * 12.5  # Characters, about.
    lengths = [len(name) + 5 for name in drawn]
    columns = len(lengths) if sum(lengths) <= room else max(1, int(room / max(lengths)))
    figure.legend(
        handles=handles,
        loc="outside upper left",
        ncols=columns,
        frameon=False,
        fontsize=SMALL,
        handletextpad=0.3,
        columnspacing=1.4,
    )
