"""Figures of the comparison: series over each other, ratios with their intervals, and a map of
agreement.

The simulator is blue and the kernel red in every figure, and each has a dash and a marker of its
own besides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....data import series
from ....figures import style
from ....figures.style import Figure, lettering, palette
from ....figures.style.palette import Look
from ...frame.drawing import SOFT, NamedFigure
from . import agreement
from .document import CellRow, Document, MeasureRow
from .page import MARKS

if TYPE_CHECKING:
    import polars

SIM = Look(palette.BLUE, "o", palette.DASHES[0])
KERNEL = Look(palette.VERMILLION, "s", palette.DASHES[1])
_SIDES = (("simulator", SIM), ("kernel", KERNEL))
_FILLS = {
    agreement.AGREES: "#cfe8dc",
    agreement.DIFFERS: "#f6d3c4",
    agreement.TOO_FEW: "#ececec",
    agreement.NOT_MEASURED: "#ececec",
}
_WEAK = "#ecf3ef"
_LONG_S = 20.0


Pair = tuple[str, Path, Path]
"""A condition's label, and the directories of a simulated and a live run of the same seed."""


def figures_of(document: Document, pairs: Sequence[Pair]) -> list[NamedFigure]:
    """Every figure that there are numbers for."""
    rows = document["cells"]
    drawn = [
        ratios(row, f"ratios-{i}" if len(rows) > 1 else "ratios")
        for i, row in enumerate(rows)
        if len(rows) <= 4
    ]
    if len(rows) > 1:
        drawn = [overview(document), *drawn]
    for i, pair in enumerate(pairs):
        drawn += overlays(pair, f"-{i}" if len(pairs) > 1 else "")
    return [one for one in drawn if one is not None]


def overlays(pair: Pair, suffix: str) -> list[NamedFigure | None]:
    """Queue, windows and goodput over time, one run of each side with the same seed."""
    label, ours, theirs = pair
    queues = [_read(there, "queues") for there in (ours, theirs)]
    flows = [_read(there, "flows") for there in (ours, theirs)]
    found: list[NamedFigure | None] = []
    if queues[0] is not None and queues[1] is not None:
        caption = (
            f"{label}: the queue over time, one run of each side. Thin lines: samples; thick "
            "lines: means over a second."
        )
        found.append(
            NamedFigure(
                f"queue{suffix}",
                _panels(queues, "queue", "queue_packets", "queue [packets]", 1.0),
                caption,
            )
        )
    if flows[0] is not None and flows[1] is not None:
        for column, unit, scale, words in (
            ("cwnd_packets", "cwnd [packets]", 1.0, "the congestion window of each flow"),
            (
                "goodput_bps",
                "goodput [Mbit/s]",
                1e-6,
                "the goodput of each flow, means over a second",
            ),
        ):
            caption = f"{label}: {words}, one run of each side."
            figure = _panels(flows, "flow", column, unit, scale, smooth=column == "goodput_bps")
            found.append(NamedFigure(f"{column.partition('_')[0]}{suffix}", figure, caption))
    return found


def _read(directory: Path, name: str) -> polars.DataFrame | None:
    found = series.run_directories(directory)
    return series.read(found[0], name) if found else None


def _panels(
    frames: Sequence[Any], column: str, value: str, unit: str, scale: float, smooth: bool = False
) -> Figure:
    """A panel for each flow or queue, both sides in it."""
    parts = [dict(series.parts(frame, column)) for frame in frames]
    names = [name for name in parts[0] if name in parts[1]][:6]
    size = (8.4, 0.9 + 1.7 * max(len(names), 1))
    figure, grid = style.new(
        max(len(names), 1), 1, size=size, sharex=True, sharey=column == "flow", squeeze=False
    )
    for row, name in zip(grid, names, strict=False):
        for (side, look), own in zip(_SIDES, parts, strict=True):
            _line(row[0], own[name], value, scale, look, side, smooth)
        row[0].set_ylabel(
            f"{name}\n{unit}" if len(names) > 1 or column == "queue" else unit, fontsize=9
        )
        row[0].margins(x=0.01)
    for (
        row
    ) in grid:  # Not before all is drawn: axes that share a scale would keep that of the first.
        row[0].set_ylim(bottom=0)
    grid[-1][0].set_xlabel("time [s]")
    lettering.legend(grid[0][0])
    return figure


def _line(
    axes: Any, frame: Any, value: str, scale: float, look: Look, side: str, smooth: bool
) -> None:
    known = frame.select("time_s", value).drop_nulls()
    if not known.height:
        return
    long = float(known["time_s"].to_list()[-1]) >= _LONG_S / 4
    thin = {"color": look.color, "linewidth": 0.6, "alpha": 0.5}
    if smooth and long:
        known = series.means(known, 1.0)
        axes.plot(
            known["time_s"], known[value] * scale, label=side, **look.trace() | {"linewidth": 1.4}
        )
    elif value == "queue_packets" and long:
        axes.plot(known["time_s"], known[value] * scale, **thin)
        means = series.means(known, 1.0)
        axes.plot(
            means["time_s"], means[value] * scale, label=side, **look.trace() | {"linewidth": 1.9}
        )
    else:
        axes.plot(
            known["time_s"], known[value] * scale, label=side, **look.trace() | {"linewidth": 1.0}
        )


def ratios(row: CellRow, name: str) -> NamedFigure | None:
    """Each measure's ratio, the kernel over the simulator, with its interval, and the band of 10
    %."""
    known = [(m, m["ratio"]) for m in row["measures"] if m["ratio"]]
    if not known:
        return None
    figure, axes = style.new(size=(8.4, 0.9 + 0.27 * len(known)))
    axes.axvspan(1 - agreement.WITHIN, 1 + agreement.WITHIN, color="#dcebe4", zorder=0)
    axes.axvline(1.0, color=SOFT, linewidth=0.8)
    for y, (m, ratio) in enumerate(reversed(known)):
        color = palette.GREEN if m["verdict"] == agreement.AGREES else palette.VERMILLION
        marker = "o" if m["verdict"] == agreement.AGREES else "X"
        if m["ratio_ci95"]:
            axes.plot(_within(m["ratio_ci95"]), [y, y], color=color, linewidth=1.4)
        axes.plot(
            _within([ratio]),
            [y],
            marker,
            color=color,
            markerfacecolor="white",
            markeredgewidth=1.4,
        )
    axes.set_xscale("log")
    low, high = _limits([ratio for _, ratio in known], [m["ratio_ci95"] for m, _ in known])
    axes.set_xlim(low, high)
    ticks = [
        t
        for t in (0.1, 0.2, 0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0)
        if low <= t <= high
    ]
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(known)), [m["title"] for m, _ in reversed(known)], fontsize=9)
    axes.set_ylim(-0.7, len(known) - 0.3)
    axes.set_xlabel("kernel over simulator")
    caption = (
        f"{row['label']}: the kernel's mean over the simulator's, with 95 % intervals; the band "
        "is ±10 %. Circles agree by the rules, crosses differ."
    )
    return NamedFigure(name, figure, caption)


_FURTHEST = 10.0


def _within(values: Sequence[float]) -> list[float]:
    return [min(max(value, 1 / _FURTHEST), _FURTHEST) for value in values]


def _limits(values: Sequence[float], ends: Sequence[Sequence[float] | None]) -> tuple[float, float]:
    """Range of the axis: all ratios, and their intervals up to a factor of ten."""
    every = _within([*values, *(x for pair in ends if pair for x in pair), 0.85, 1.18])
    return min(every) / 1.05, max(every) * 1.05


def overview(document: Document) -> NamedFigure | None:
    """A map: each condition's ratios by measure, shaded by the verdict."""
    rows = document["cells"]
    columns = list(
        dict.fromkeys(
            m["key"] for row in rows for m in row["measures"] if m["kind"] not in ("goodput",)
        )
    )
    if not columns:
        return None
    titles = {m["key"]: m["title"] for row in rows for m in row["measures"]}
    longest = max(len(row["label"]) for row in rows)
    size = (1.2 + 0.075 * longest + 0.62 * len(columns), 1.7 + 0.27 * len(rows))
    figure, axes = style.new(size=size)
    for y, row in enumerate(rows):
        by_key = {m["key"]: m for m in row["measures"]}
        for x, key in enumerate(columns):
            m = by_key.get(key)
            verdict = m["verdict"] if m else agreement.NOT_MEASURED
            fill = _WEAK if m and m["weak"] else _FILLS[verdict]
            box = {"facecolor": fill, "edgecolor": "white", "linewidth": 1.5}
            axes.add_patch(_square(x, y, box))
            bold = "bold" if verdict == agreement.DIFFERS else "normal"
            axes.text(x, y, _ratio(m), ha="center", va="center", fontsize=7.5, fontweight=bold)
    axes.set_xticks(
        range(len(columns)), [titles[key] for key in columns], rotation=40, ha="left", fontsize=8
    )
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(rows)), [row["label"] for row in rows], fontsize=8)
    axes.tick_params(length=0)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    caption = (
        "The kernel's mean over the simulator's in each condition. Green agrees by the rules; "
        "pale green agrees, but with intervals so wide that the evidence is weak; red and bold "
        "differs. A check mark means that both sides are below the floor."
    )
    return NamedFigure("agreement", figure, caption)


def _square(x: float, y: float, keywords: Mapping[str, Any]) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.5, y - 0.5), 1.0, 1.0, **keywords)


def _ratio(m: MeasureRow | None) -> str:
    if m is None or m["ratio"] is None or not math.isfinite(m["ratio"]):
        return MARKS[m["verdict"] if m else agreement.NOT_MEASURED]
    digits = 2 if m["ratio"] < 10 else 1 if m["ratio"] < 100 else 0
    return f"{m['ratio']:.{digits}f}"
