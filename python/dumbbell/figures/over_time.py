"""Figures of recorded series: goodput over time, and all that a directory has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data import series
from ..errors import ScenarioError
from ..present.stats import ci95
from . import style
from .queues import queue
from .style import Figure
from .windows import cwnd

if TYPE_CHECKING:
    import polars

    from ..data.records import Series
    from ..result import Result


_LONG_S = 30.0


def recorded(directory: str | Path) -> dict[str, Figure]:
    """Every figure that a result directory has the series for, by name."""
    points = sorted(p.name for p in Path(directory).glob("point-*") if p.is_dir())
    if points:
        raise ScenarioError(
            f"{directory} holds a sweep: plot one of its points, {points[0]} to {points[-1]}"
        )
    runs = series.run_directories(directory)
    flows = [frame for run in runs if (frame := series.read(run, "flows")) is not None]
    queues = [frame for run in runs if (frame := series.read(run, "queues")) is not None]
    reactions = series.read(runs[0], "reactions") if runs else None
    figures = {}
    if flows:
        figures["cwnd"] = cwnd(flows, reactions=reactions)
        figures["goodput"] = goodput(flows)
    if queues:
        figures["queue"] = queue(queues)
    return figures


def of_result(result: Result) -> dict[str, Figure]:
    """Every figure that a result has the series for, by name: `cwnd`, `goodput`, `queue`.
    `ScenarioError` if it has none: run with `record_every`."""
    import polars

    def frames(name: Series) -> list[polars.DataFrame]:
        return [polars.DataFrame(run.series(name)) for run in result.runs]

    flows = frames("flows")
    return {"cwnd": cwnd(flows), "goodput": goodput(flows), "queue": queue(frames("queues"))}


def goodput(runs: Sequence[polars.DataFrame], title: str = "") -> Figure:
    """Each flow's goodput over time: the mean over runs, with its 95 % interval as a band.

    Means over a second, where there are enough of them: data that waited behind a hole are handed
    over at once, and in a shorter period would stand above what the link can carry.
    """
    figure, axes = style.new()
    long = max(runs[0]["time_s"].to_list()) >= _LONG_S
    for i, (name, _) in enumerate(series.parts(runs[0], "flow")):
        frames = [dict(series.parts(run, "flow"))[name] for run in runs]
        if long:
            frames = [series.means(frame.select("time_s", "goodput_bps"), 1.0) for frame in frames]
        rows = zip(frames[0]["time_s"], *(frame["goodput_bps"] for frame in frames), strict=True)
        time, *columns = zip(*(row for row in rows if None not in row), strict=True)
        columns = list(zip(*columns, strict=True))
        look = style.nth(i)
        axes.plot(time, [sum(c) / len(c) / 1e6 for c in columns], label=name, **look.trace())
        if len(runs) > 1:
            low, high = zip(*(ci95(c) for c in columns), strict=True)
            axes.fill_between(
                time,
                [x / 1e6 for x in low],
                [x / 1e6 for x in high],
                color=look.color,
                alpha=0.18,
                linewidth=0,
            )
    axes.set(xlabel="time [s]", ylabel="goodput [Mbit/s]")
    return _finish(figure, axes, title or ("means over each second" if long else ""))


def _finish(figure: Figure, axes: Any, title: str) -> Figure:
    axes.set_ylim(bottom=0)
    axes.margins(x=0.01)
    style.legend(axes)
    style.head(figure, title)
    return figure
