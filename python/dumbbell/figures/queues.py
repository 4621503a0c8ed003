"""A queue's length over time, its average and its thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..data import series
from . import crowd, style
from .crowd import Member
from .style import Figure, lettering, palette

if TYPE_CHECKING:
    import polars

_THRESHOLDS = ("min_th", "max_th")


def queue(
    runs: Sequence[polars.DataFrame], title: str = "", members: Sequence[Member] | None = None
) -> Figure:
    """Each queue's length over time in the first run; of RED its average, and its thresholds at the
    right edge. More than eight queues are drawn as groups. members: what is drawn, by default
    everything in the natural order of names."""
    run = runs[0]
    drawn = crowd.members(series.names(run, "queue"), noun="queues") if members is None else members
    figure, axes = style.new()
    thresholds: dict[tuple[str, float], None] = {}
    traces = []
    for member in drawn:
        frame = member.rows(run, "queue")
        if member.grouped:
            traces += crowd.lines(axes, [run], "queue", "queue_packets", [member])
            continue
        thin = {"linewidth": 0.7, "alpha": 0.75, "linestyle": "-"}
        name = lettering.short(member.label, 26)
        time, length = frame["time_s"].to_numpy(), frame["queue_packets"].to_numpy()
        axes.plot(time, length, label=name, **member.look.trace() | thin)
        traces.append((time, length))
        if "avg" in frame.columns and frame["avg"].null_count() < len(frame):
            black = {"color": palette.BLACK, "linewidth": 1.6}
            axes.plot(time, frame["avg"], label=f"{name}, average", **black)
        found = ((name, _constant(frame, name)) for name in _THRESHOLDS)
        thresholds |= {(name, value): None for name, value in found if value is not None}
    for name, value in thresholds:
        red = {"color": palette.VERMILLION, "linewidth": 1.0, "linestyle": (0, (4, 2))}
        axes.axhline(value, zorder=1.5, **red)
        lettering.beside(axes, value, name, palette.VERMILLION)
    axes.set(xlabel="time [s]", ylabel="queue [packets]")
    axes.margins(x=0.01)
    lettering.from_zero(axes, traces, least=1.1 * max((v for _, v in thresholds), default=0.0))
    lettering.legend(axes)
    first = f"the first of {len(runs)} runs" if len(runs) > 1 else ""
    lettering.head(figure, title or " · ".join(filter(None, (first, crowd.note(drawn)))))
    return figure


def _constant(frame: polars.DataFrame, column: str) -> float | None:
    """A gauge's value, if it is the same all the time."""
    if column not in frame.columns:
        return None
    values = frame[column].drop_nulls().unique()
    return float(values[0]) if len(values) == 1 else None
