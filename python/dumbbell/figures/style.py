"""The one style of every figure."""

from __future__ import annotations

import functools
import hashlib
import io
import re
import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import catalogue
from ..catalogue import QUEUES
from ..errors import EnvironmentLacks
from ..files.write import writing
from ..present.units import significant

try:
    import matplotlib
except ImportError:
    raise EnvironmentLacks("figures need matplotlib: pip install 'dumbbell[figures]'") from None

import numpy as np
from matplotlib import figure as _figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

_GROUND = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
"""What keeps a word legible over lines."""

# Okabe and Ito's palette: told apart with any color vision, and by lightness in print.
BLACK, ORANGE, SKY, GREEN = "#000000", "#b26a00", "#3a8fc4", "#00795a"
YELLOW, BLUE, VERMILLION, PURPLE = "#8f8500", "#0060a0", "#c04a00", "#a8487c"
GREY = "#555555"
COLORS = {
    "blue": BLUE,
    "vermillion": VERMILLION,
    "green": GREEN,
    "purple": PURPLE,
    "orange": ORANGE,
    "sky": SKY,
    "yellow": YELLOW,
    "black": BLACK,
}
PALETTE = tuple(COLORS.values())
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1, 1.5)),
    (0, (6, 2, 1, 2)),
    (0, (3, 1.5)),
    (0, (8, 2, 1, 2, 1, 2)),
    (0, (2, 1)),
)

RC: Any = {  # Matplotlib types the keys as one long Literal.
    "figure.dpi": 110,
    "savefig.dpi": 180,
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.labelsize": 10.5,
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "legend.fontsize": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#d8d8d8",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "lines.linewidth": 1.6,
    "lines.markersize": 5.5,
    "svg.fonttype": "path",
    "svg.hashsalt": "dumbbell",
    "pdf.fonttype": 42,
}


@dataclass(frozen=True, slots=True)
class Look:
    """Color, marker and dash of one scheme."""

    color: str
    marker: str
    dash: Any

    def line(self) -> dict[str, Any]:
        """Keywords of a line with markers."""
        return {
            "color": self.color,
            "marker": self.marker,
            "linestyle": self.dash,
            "markerfacecolor": "white",
        }

    def trace(self) -> dict[str, Any]:
        """Keywords of a line with too many points for markers."""
        return {"color": self.color, "linestyle": self.dash, "linewidth": 1.2}


def look(name: str) -> Look:
    """The look of a scheme, the same in every figure and on every machine."""
    return _catalogued().get(name) or _by_name(name)


def is_chosen(name: str) -> bool:
    """True if a scheme's look is apart from those of all others of which this is true: that of
    every queue of the catalogue, and of controls that meet in most figures."""
    return name in _catalogued()


@functools.cache
def _catalogued() -> dict[str, Look]:
    return looks(catalogue.algorithms())


def looks(algorithms: Iterable[catalogue.Algorithm]) -> dict[str, Look]:
    """The looks of a catalogue's queues, and of its controls for which one was chosen by hand.

    A queue for which none was chosen gets the first marker and the first dash that no other one
    has in its color: the least used one of its family, else of all.
    """
    known = list(algorithms)
    found = {a.name: _chosen(a.look) for a in known if a.look and a.kind in (*QUEUES, "cc")}
    queues = [a for a in known if a.kind in QUEUES]
    for a in queues:
        if a.name not in found:
            taken = {b.name: found[b.name] for b in queues if b.name in found}
            of_family = {
                taken[b.name].color
                for b in queues
                if a.family and b.family == a.family and b.name in taken
            }
            found[a.name] = _free(of_family, list(taken.values())) or _by_name(a.name)
    return found


def _chosen(chosen: Mapping[str, Any]) -> Look:
    return Look(COLORS[chosen["color"]], chosen["marker"], DASHES[chosen["dash"]])


def _free(of_family: Collection[str], taken: Sequence[Look]) -> Look | None:
    """The first look with a marker and a dash that nothing of the same color has."""
    used = Counter(look.color for look in taken)
    for color in sorted(PALETTE, key=lambda c: (c not in of_family, used[c], PALETTE.index(c))):
        mine = [look for look in taken if look.color == color]
        marker = next((m for m in MARKERS if m not in {look.marker for look in mine}), None)
        dash = next((d for d in DASHES if d not in {look.dash for look in mine}), None)
        if marker and dash:
            return Look(color, marker, dash)
    return None


def _by_name(name: str) -> Look:
    digest = hashlib.blake2b(name.encode(), digest_size=3).digest()
    return Look(
        PALETTE[digest[0] % len(PALETTE)],
        MARKERS[digest[1] % len(MARKERS)],
        DASHES[digest[2] % len(DASHES)],
    )


def nth(i: int) -> Look:
    """The look of the i-th flow of a figure."""
    return Look(PALETTE[i % len(PALETTE)], MARKERS[i % len(MARKERS)], DASHES[i % len(DASHES)])


class Figure(_figure.Figure):
    """A figure that a notebook shows as it is, whatever matplotlib's backend."""

    def _repr_png_(self) -> bytes:
        out = io.BytesIO()
        with matplotlib.rc_context(RC):
            self.savefig(out, format="png", dpi=RC["figure.dpi"], metadata=_undated("png"))
        return out.getvalue()


def new(
    rows: int = 1, columns: int = 1, size: tuple[float, float] | None = None, **keywords: Any
) -> tuple[Figure, Any]:
    """A figure in the house style and its axes."""
    with matplotlib.rc_context(RC):
        figure = Figure(
            figsize=size or (6.4 if columns == 1 else 9.6, 3.4 * rows), layout="constrained"
        )
        axes = figure.subplots(rows, columns, **keywords)
    return figure, axes


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
        color=BLACK,
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
    color: str = BLACK,
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


def save(
    figure: Figure, path: str | Path, formats: Sequence[str] = ("svg", "pdf", "png")
) -> list[Path]:
    """Writes `path`.svg, .pdf and .png; returns their paths."""
    base = Path(path)
    written = []
    with matplotlib.rc_context(RC):
        for kind in formats:
            target = base.with_name(f"{base.name}.{kind}")
            with writing(target) as out:
                figure.savefig(out, format=kind, metadata=_undated(kind))
            written.append(target)
    return written


def svg(figure: Figure, identity: str) -> str:
    """The figure as an `<svg>` element for a page; `identity` keeps the ids of several figures
    apart."""
    out = io.StringIO()
    with matplotlib.rc_context(RC):
        figure.savefig(out, format="svg", metadata=_undated("svg"), transparent=True)
    return inline(out.getvalue(), identity)


def inline(text: str, identity: str) -> str:
    """An SVG file as an `<svg>` element for a page; `identity` keeps the ids of several figures
    apart."""
    text = text[text.index("<svg") :].strip()
    return re.sub(r'((?:\bid="|href="#|url\(#))', rf"\g<1>{identity}-", text)


def _undated(kind: str) -> dict[str, Any]:
    """The same data give the same file: no date in it."""
    return {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}.get(
        kind, {}
    )
