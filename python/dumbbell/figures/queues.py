"""A queue's length over time, its average and its thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..data import series
from . import style
from .style import Figure

if TYPE_CHECKING:
    import polars

_THRESHOLDS = ("min_th", "max_th")


def queue(runs: Sequence[polars.DataFrame], title: str = "") -> Figure:
    """Each queue's length over time in the first run; of RED its average, and its thresholds at the
    right edge."""
    figure, axes = style.new()
    labelled = set()
    for i, (name, frame) in enumerate(series.parts(runs[0], "queue")):
        look = style.nth(i)
        thin = {"linewidth": 0.7, "alpha": 0.75, "linestyle": "-"}
        axes.plot(frame["time_s"], frame["queue_packets"], label=name, **look.trace() | thin)
        if "avg" in frame.columns and frame["avg"].null_count() < len(frame):
            axes.plot(
                frame["time_s"],
                frame["avg"],
                label=f"{name}, average",
                color=style.BLACK,
                linewidth=1.6,
            )
        for threshold in _THRESHOLDS:
            value = _constant(frame, threshold)
            if value is None or (threshold, value) in labelled:
                continue
            labelled.add((threshold, value))
            axes.axhline(
                value, color=style.VERMILLION, linewidth=1.0, linestyle=(0, (4, 2)), zorder=1.5
            )
            style.beside(axes, value, threshold, style.VERMILLION)
    axes.set(xlabel="time [s]", ylabel="queue [packets]")
    axes.set_ylim(bottom=0)
    axes.margins(x=0.01)
    style.legend(axes)
    style.head(figure, title or (f"the first of {len(runs)} runs" if len(runs) > 1 else ""))
    return figure


def _constant(frame: polars.DataFrame, column: str) -> float | None:
    """A gauge's value, if it is the same all the time."""
    if column not in frame.columns:
        return None
    values = frame[column].drop_nulls().unique()
    return float(values[0]) if len(values) == 1 else None
