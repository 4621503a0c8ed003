"""The one style of every figure, and its files."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import EnvironmentLacks
from ...files.write import writing

try:
    import matplotlib
except ImportError:
    raise EnvironmentLacks("figures need matplotlib: pip install matplotlib") from None

from matplotlib import figure as _figure

from .chart import Chart

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


class Figure(_figure.Figure):
    """A figure that a notebook shows as it is, whatever matplotlib's backend. charts: the numbers
    of its panels, if they are data over an axis."""

    charts: Sequence[Chart] = ()

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
