"""Shared parts of the page's figures: looks, units, marks with their intervals, the legend."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....figures import style
from ....figures.style import Figure, Look
from ....present.grids import unit_of
from .metrics import Metric

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


@dataclass(frozen=True, slots=True)
class Spot:
    """A scheme in a condition: mean, the ends of its 95 % interval (the mean, if there is none),
    single seeds."""

    mean: float
    low: float
    high: float
    seeds: Sequence[float]

    def arms(self) -> list[list[float]]:
        """The interval as lengths below and above the mean, as matplotlib wants it. Nothing here is
        negative, and an axis may be logarithmic: it ends at half the least seed."""
        least = max(self.low, min([*self.seeds, self.mean]) / 2)
        return [[max(self.mean - least, 0.0)], [max(self.high - self.mean, 0.0)]]


@dataclass(frozen=True, slots=True)
class Scaled:
    """A metric of all rows in the unit that it is drawn in: its spots by scheme and condition's
    number."""

    metric: Metric
    unit: str
    spots: Mapping[tuple[str, int], Spot]

    def values(self) -> list[float]:
        """Means and single seeds."""
        return [value for s in self.spots.values() for value in (*s.seeds, s.mean)]


def scaled(document: Mapping[str, Any], metric: Metric, relative: bool = False) -> Scaled:
    """A metric of all rows that have it. `relative`: in % of the best mean of its condition."""
    rows = [row for row in document["rows"] if row[metric.key]]
    scale, unit = unit_of(
        metric.unit, max((abs(row[metric.key]["mean"]) for row in rows), default=0.0)
    )
    best: dict[int, float] = {}
    for row in rows:
        best[row["condition"]] = max(best.get(row["condition"], 0.0), row[metric.key]["mean"])
    spots = {}
    for row in rows:
        by = 100 / (best[row["condition"]] or 1.0) if relative else scale
        mean, ends = (
            row[metric.key]["mean"],
            row[metric.key]["ci95"] or (row[metric.key]["mean"],) * 2,
        )
        seeds = [value * by for value in row["by_seed"][metric.key]]
        spots[row["scheme"], row["condition"]] = Spot(mean * by, ends[0] * by, ends[1] * by, seeds)
    return Scaled(metric, "% of the best" if relative else unit, spots)


def looks(document: Mapping[str, Any]) -> dict[str, Look]:
    """Each scheme's look, by its name. That of its kind, as in every figure, comes first to kinds
    whose look was chosen by hand; the others get theirs, with a colour or a marker that is still
    free where another scheme has it already."""
    kinds = {scheme["name"]: scheme["kind"] for scheme in document["schemes"]}
    found: dict[str, Look] = {}
    for name, kind in kinds.items():
        if style.is_chosen(kind) and style.look(kind) not in found.values():
            found[name] = style.look(kind)
    for name, kind in kinds.items():
        if name not in found:
            found[name] = _own_or_free(style.look(kind), list(found.values()))
    return {name: found[name] for name in kinds}


def _own_or_free(own: Look, taken: Sequence[Look]) -> Look:
    """`own` with what of it is free; with more schemes than colours at least another pair of colour
    and marker."""
    colors, markers = {look.color for look in taken}, {look.marker for look in taken}
    color = next((c for c in (own.color, *style.PALETTE) if c not in colors), None)
    marker = next((m for m in (own.marker, *style.MARKERS) if m not in markers), None)
    if color and marker:
        return Look(color, marker, own.dash)
    pairs = {(look.color, look.marker) for look in taken}
    every = itertools.product(
        (color or own.color, *style.PALETTE), (marker or own.marker, *style.MARKERS)
    )
    free = next((pair for pair in every if pair not in pairs), (own.color, own.marker))
    return Look(*free, own.dash)


def ccs(document: Mapping[str, Any]) -> list[str | None]:
    """The congestion controls that conditions differ in."""
    return list(dict.fromkeys(c["cc"] for c in document["conditions"]))


def overs(document: Mapping[str, Any]) -> list[str]:
    """Further differences."""
    return list(dict.fromkeys(c["over_label"] for c in document["conditions"]))


def mark(look: Look, size: float) -> dict[str, Any]:
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


def delay_axis(axis: Any, values: Iterable[float], which: str) -> bool:
    """Makes an axis of delays logarithmic, with plain numbers at its ticks, if they are far apart;
    says whether."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    known = list(values)
    if not known or min(known) <= 0 or max(known) / min(known) < _LOG_FROM:
        return False
    axis.set(**{f"{which}scale": "log"})
    side = axis.xaxis if which == "x" else axis.yaxis
    side.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    side.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    side.set_minor_formatter(NullFormatter())
    return True


def legend(figure: Figure, drawn: Mapping[str, Look]) -> None:
    """Every scheme, once, above the panels; in one row if there is room."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], linestyle="none", label=name, **mark(look, 7))
        for name, look in drawn.items()
    ]
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
