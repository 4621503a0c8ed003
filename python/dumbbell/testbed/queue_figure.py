"""A queue over time, with what it dropped and marked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..data import series
from ..figures import style
from ..figures.style import lettering, palette

if TYPE_CHECKING:
    import polars

_MOST_SIGNALS = 4000
"""Points of a kind that are drawn; of more every n-th."""


def queue_and_drops(
    directory: Path, names: Mapping[str, str] = MappingProxyType({})
) -> Path | None:
    """Draws what a run's directory has of its queues; the PNG beside it, or None if nothing was
    recorded. names: what queues are called in the figure."""
    found = series.run_directories(directory)
    queues = series.read(found[0], "queues") if found else None
    if queues is None or not queues.height:
        return None
    signals = series.read(found[0], "signals")
    parts = series.parts(queues, "queue")
    figure, column = style.new(
        len(parts), 1, size=(7.6, 1.0 + 2.3 * len(parts)), sharex=True, squeeze=False
    )
    for i, (name, frame) in enumerate(parts):
        axes = column[i][0]
        axes.plot(
            frame["time_s"],
            frame["queue_packets"],
            color=palette.BLUE,
            linewidth=1.0,
            label="queue",
        )
        own = None if signals is None else signals.filter(signals["queue"].cast(str) == name)
        for marked, look, color, word in (
            (False, "x", palette.VERMILLION, "dropped"),
            (True, "D", palette.PURPLE, "marked"),
        ):
            times = [] if own is None else own.filter(own["marked"] == marked)["time_s"].to_list()
            if times:
                shown = times[:: 1 + len(times) // _MOST_SIGNALS]
                levels = [_level(frame, t) for t in shown]
                label = f"{word} ({len(times)})"
                axes.plot(
                    shown, levels, look, color=color, markersize=3.5, linestyle="none", label=label
                )
        axes.set(ylabel=f"{names.get(name, name)}\nqueue [packets]")
        axes.set_ylim(0, max(axes.get_ylim()[1], 1.0))
        axes.margins(x=0.01)
        lettering.legend(axes)
    column[-1][0].set_xlabel("time [s]")
    paths = style.save(figure, directory / "queue", ("png", "svg"))
    return paths[0]


def _level(frame: polars.DataFrame, time: float) -> float:
    """The queue at an instant: the last sample before it."""
    i = int(frame["time_s"].search_sorted(time)) - 1
    return float(frame["queue_packets"][max(i, 0)] or 0.0)
