"""Congestion windows over time, with ssthresh and the sender's reactions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data import series
from . import crowd, style
from .crowd import Member
from .style import Figure, lettering, palette

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars

    Array = npt.NDArray[np.float64]

_MOST_PANELS = 4
_MANY = 24
# The marks of reactions, the same for every flow: cause, marker, color and words.
REACTIONS = (
    ("loss", "v", palette.VERMILLION, "loss found by acknowledgments"),
    ("timeout", "X", palette.BLACK, "timeout"),
    ("ecn_echo", "D", palette.PURPLE, "ECN echo"),
)
# From the series' own numbers: bytes in a packet where the window is given in both.
_BYTES = "cwnd_bytes"


def cwnd(
    runs: Sequence[polars.DataFrame],
    title: str = "",
    reactions: polars.DataFrame | None = None,
    members: Sequence[Member] | None = None,
) -> Figure:
    """Each flow's congestion window over time, in the first run: a mean over runs would hide the
    sawtooth.

    Up to four flows have a panel each, with the slow-start threshold and the reactions, where these
    are recorded; more share one, as lines or as groups. members: what is drawn, by default
    everything in the natural order of names.
    """
    run = runs[0]
    drawn = crowd.members(series.names(run, "flow")) if members is None else members
    title = title or (f"the first of {len(runs)} runs" if len(runs) > 1 else "")
    grouped = crowd.note(drawn)
    if grouped or len(drawn) > _MOST_PANELS or "ssthresh_bytes" not in run.columns:
        return _together(run, drawn, " · ".join(filter(None, (title, grouped))))
    figure, column = style.new(
        len(drawn), 1, size=(7.2, max(3.2, 1.0 + 1.75 * len(drawn))), sharex=True, squeeze=False
    )
    for (axes,), member in zip(column, drawn, strict=True):
        panel(axes, member.look, member.rows(run, "flow"), _of(reactions, member.label))
        axes.set_ylabel(f"{lettering.short(member.label, 18)}\ncwnd [packets]")
    column[-1][0].set_xlabel("time [s]")
    handles: dict[str, Any] = {}
    for row in column:
        for handle, text in zip(*row[0].get_legend_handles_labels(), strict=True):
            handles.setdefault(text, handle)
    lettering.legend_of(column[0][0], list(handles.values()), list(handles))
    lettering.head(figure, title)
    return figure


def _together(run: polars.DataFrame, members: Sequence[Member], title: str) -> Figure:
    """The windows of all members in one panel."""
    figure, axes = style.new()
    traces = crowd.lines(axes, [run], "flow", "cwnd_packets", members)
    axes.set(xlabel="time [s]", ylabel="congestion window [packets]")
    axes.margins(x=0.01)
    lettering.from_zero(axes, traces)
    lettering.legend(axes)
    lettering.head(figure, title)
    return figure


def panel(
    axes: Any, look: palette.Look, frame: polars.DataFrame, reactions: polars.DataFrame | None
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
    traces = [(frame["time_s"].to_numpy(), _plain(frame["cwnd_packets"]))]
    for cause, marker, color, words in REACTIONS:
        if reactions is None:
            break
        rows = reactions.filter(reactions["cause"] == cause)
        if rows.height:
            before = rows["cwnd_bytes_before"] / size
            traces.append((rows["time_s"].to_numpy(), _plain(before)))
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
    axes.margins(x=0.01)
    lettering.from_zero(axes, traces)


def _plain(values: polars.Series) -> Array:
    return values.to_numpy().astype(np.float64)


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
