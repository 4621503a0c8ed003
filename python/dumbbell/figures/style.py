"""The one style of every figure."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import EnvironmentLacks
from ..files.write import writing

try:
    import matplotlib
except ImportError:
    raise EnvironmentLacks("figures need matplotlib: pip install 'dumbbell[figures]'") from None

from matplotlib import figure as _figure

# Okabe and Ito's palette: told apart with any colour vision, and by lightness in print.
BLACK, ORANGE, SKY, GREEN = "#000000", "#b26a00", "#3a8fc4", "#00795a"
YELLOW, BLUE, VERMILLION, PURPLE = "#8f8500", "#0060a0", "#c04a00", "#a8487c"
PALETTE = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, YELLOW, BLACK)
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


# Every queue of the catalogue, and controls that meet in most figures; all others get a look from
# their name. A family has a colour or three of a kind, so that strangers are told apart first; in a
# colour no marker and no dash is twice.
_CHOSEN = {
    # Nothing but a full buffer signals: black, whatever the order in which packets leave.
    "drop_tail": Look(BLACK, "s", DASHES[1]),
    "drr": Look(BLACK, "o", DASHES[0]),
    "sfq": Look(BLACK, "D", DASHES[2]),
    "wfq": Look(BLACK, "^", DASHES[3]),
    "prio": Look(BLACK, "v", DASHES[4]),
    # RED's average and curve: red; where thresholds move: yellow; where flows are told apart, or
    # all is marked: orange.
    "red": Look(VERMILLION, "o", DASHES[0]),
    "feng_red": Look(VERMILLION, "s", DASHES[1]),
    "gred": Look(VERMILLION, "D", DASHES[2]),
    "adaptive_red": Look(VERMILLION, "*", DASHES[3]),
    "wred": Look(VERMILLION, "^", DASHES[4]),
    "red_hw": Look(VERMILLION, "v", DASHES[5]),
    "red_rtl": Look(VERMILLION, "P", DASHES[6]),
    # In and out of profile: yellow as well, and orange where flows are told apart besides.
    "ea_red": Look(YELLOW, "X", DASHES[0]),
    "rio": Look(YELLOW, "o", DASHES[1]),
    "ered": Look(YELLOW, "s", DASHES[3]),
    "dt_red": Look(YELLOW, "D", DASHES[2]),
    "fred": Look(ORANGE, "P", DASHES[0]),
    "choke": Look(ORANGE, "v", DASHES[1]),
    "jersey_cw": Look(ORANGE, "*", DASHES[2]),
    "r_rtt_adaptive": Look(ORANGE, "o", DASHES[3]),
    "drio": Look(ORANGE, "s", DASHES[4]),
    "rate_proportional": Look(ORANGE, "^", DASHES[5]),
    # Controllers of a delay, a length, a rate: purple. BLUE's losses, and flows counted or hashed:
    # sky.
    "pi2": Look(PURPLE, "P", DASHES[0]),
    "pi": Look(PURPLE, "o", DASHES[1]),
    "rem": Look(PURPLE, "s", DASHES[2]),
    "avq": Look(PURPLE, "*", DASHES[3]),
    "pie": Look(PURPLE, "v", DASHES[4]),
    "sfb": Look(SKY, "X", DASHES[0]),
    "green": Look(SKY, "D", DASHES[1]),
    "blue": Look(SKY, "P", DASHES[2]),
    # CoDel: blue.
    "codel": Look(BLUE, "^", DASHES[0]),
    "cobalt": Look(BLUE, "s", DASHES[1]),
    # Queues of their own, each kept short: green.
    "fq": Look(GREEN, "o", DASHES[0]),
    "fq_cobalt": Look(GREEN, "s", DASHES[1]),
    "fq_pie": Look(GREEN, "v", DASHES[2]),
    "fq_codel": Look(GREEN, "D", DASHES[3]),
    "dualpi2": Look(GREEN, "^", DASHES[4]),
    # Controls.
    "reno": Look(BLACK, "s", DASHES[1]),
    "newreno": Look(BLUE, "o", DASHES[0]),
    "cubic": Look(VERMILLION, "^", DASHES[3]),
    "bbr": Look(GREEN, "D", DASHES[4]),
    "vegas": Look(PURPLE, "v", DASHES[2]),
    "westwood": Look(SKY, "X", DASHES[1]),
    "cae": Look(GREEN, "P", DASHES[0]),
}


def look(name: str) -> Look:
    """The look of a scheme, the same in every figure and on every machine."""
    if name in _CHOSEN:
        return _CHOSEN[name]
    digest = hashlib.blake2b(name.encode(), digest_size=3).digest()
    return Look(
        PALETTE[digest[0] % len(PALETTE)],
        MARKERS[digest[1] % len(MARKERS)],
        DASHES[digest[2] % len(DASHES)],
    )


def is_chosen(name: str) -> bool:
    """True if a scheme's look was chosen by hand, so that it is apart from the other chosen
    ones."""
    return name in _CHOSEN


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


def head(figure: Figure, title: str) -> None:
    """A line over the figure, if there is something to say."""
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=10)


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
        bbox={
            "boxstyle": "round,pad=0.15",
            "facecolor": "white",
            "edgecolor": "none",
            "alpha": 0.8,
        },
    )


def legend(axes: Any) -> None:
    """A legend where it hides nothing: above the axes, in the order drawn, if there are several
    lines."""
    legend_of(axes, *axes.get_legend_handles_labels())


def legend_of(axes: Any, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """The legend of these lines."""
    if len(handles) > 1:
        axes.legend(
            handles,
            labels,
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            ncols=_columns(labels),
            borderaxespad=0.2,
            frameon=False,
            fontsize=RC["legend.fontsize"],
        )


_LEGEND_WIDTH = 78
"""Number of letters that fit over the narrowest figure, 5 of them for each sample of a line."""


def _columns(labels: Sequence[str]) -> int:
    """The most columns, up to four, in which the labels of a legend fit over the axes; they are
    filled one after the other."""
    for columns in range(min(len(labels), 4), 1, -1):
        rows = -(-len(labels) // columns)
        widths = [max(map(len, labels[i : i + rows])) + 5 for i in range(0, len(labels), rows)]
        if sum(widths) <= _LEGEND_WIDTH:
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
