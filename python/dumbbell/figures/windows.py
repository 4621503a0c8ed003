"""Congestion windows over time, with ssthresh and the sender's reactions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..data import series
from . import style
from .style import Figure

if TYPE_CHECKING:
    import polars

_MOST_PANELS = 4
_MANY = 24
# The marks of reactions, the same for every flow: cause, marker, color and words.
REACTIONS = (
    ("loss", "v", style.VERMILLION, "loss found by acknowledgments"),
    ("timeout", "X", style.BLACK, "timeout"),
    ("ecn_echo", "D", style.PURPLE, "ECN echo"),
)
# From the series' own numbers: bytes in a packet where the window is given in both.
_BYTES = "cwnd_bytes"


def cwnd(
    runs: Sequence[polars.DataFrame], title: str = "", reactions: polars.DataFrame | None = None
) -> Figure:
    """Each flow's congestion window over time, in the first run: a mean over runs would hide the
    sawtooth.

    Up to four flows have a panel each, with the slow-start threshold and the reactions, where these
    are recorded; more share one.
    """
    flows = series.parts(runs[0], "flow")
    title = title or (f"the first of {len(runs)} runs" if len(runs) > 1 else "")
    if len(flows) > _MOST_PANELS or "ssthresh_bytes" not in runs[0].columns:
        figure, axes = style.new()
        for i, (name, frame) in enumerate(flows):
            axes.plot(frame["time_s"], frame["cwnd_packets"], label=name, **style.nth(i).trace())
        axes.set(xlabel="time [s]", ylabel="congestion window [packets]")
        axes.set_ylim(bottom=0)
        axes.margins(x=0.01)
        style.legend(axes)
        style.head(figure, title)
        return figure
    figure, column = style.new(
        len(flows), 1, size=(7.2, max(3.2, 1.0 + 1.75 * len(flows))), sharex=True, squeeze=False
    )
    for i, (name, frame) in enumerate(flows):
        panel(column[i][0], style.nth(i), frame, _of(reactions, name))
        column[i][0].set_ylabel(f"{name}\ncwnd [packets]")
    column[-1][0].set_xlabel("time [s]")
    handles: dict[str, Any] = {}
    for row in column:
        for handle, text in zip(*row[0].get_legend_handles_labels(), strict=True):
            handles.setdefault(text, handle)
    style.legend_of(column[0][0], list(handles.values()), list(handles))
    style.head(figure, title)
    return figure


def panel(
    axes: Any, look: style.Look, frame: polars.DataFrame, reactions: polars.DataFrame | None
) -> None:
    """One flow: window, threshold, reactions at the window that they left."""
    size = packet_bytes(frame)
    axes.plot(frame["time_s"], frame["cwnd_packets"], color=look.color, linewidth=1.3, label="cwnd")
    threshold = frame["ssthresh_bytes"] / size
    axes.plot(
        frame["time_s"],
        threshold,
        color="#777777",
        linewidth=1.0,
        linestyle=(0, (3, 2)),
        label="ssthresh",
        drawstyle="steps-post",
    )
    top = _largest(frame["cwnd_packets"])
    for cause, marker, color, words in REACTIONS:
        if reactions is None:
            break
        rows = reactions.filter(reactions["cause"] == cause)
        if rows.height:
            before = rows["cwnd_bytes_before"] / size
            top = max(top, _largest(before))
            axes.plot(
                rows["time_s"],
                before,
                linestyle="none",
                marker=marker,
                markersize=5.5 if rows.height <= _MANY else 3.8,
                markerfacecolor="white",
                markeredgecolor=color,
                markeredgewidth=1.2,
                label=words,
            )
    axes.set_ylim(0, top)
    axes.margins(x=0.01)


def _largest(values: polars.Series) -> float:
    """The top of axes that show these values."""
    return 1.12 * max((float(v) for v in values.drop_nulls()), default=1.0)


def packet_bytes(frame: polars.DataFrame) -> float:
    """Bytes that the series counts as a packet."""
    rows = (
        frame.filter((frame["cwnd_packets"] > 0) & (frame[_BYTES] > 0))
        if _BYTES in frame.columns
        else frame.clear()
    )
    return float(rows[_BYTES][-1] / rows["cwnd_packets"][-1]) if rows.height else 1.0


def _of(reactions: polars.DataFrame | None, name: str) -> polars.DataFrame | None:
    return None if reactions is None else reactions.filter(reactions["flow"] == name)
