"""Figures of recorded series: goodput over time, and all that a directory has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data import series
from ..errors import ScenarioError
from ..present.stats import ci95
from . import crowd, style
from .crowd import Member
from .queues import queue
from .recorded_run import Source, View
from .style import Figure, lettering
from .windows import cwnd

if TYPE_CHECKING:
    import polars

    from ..data.records import Series
    from ..data.shapes import ResultLike


def recorded(directory: str | Path) -> dict[str, Figure]:
    """Every figure that a result directory has the series for, by name."""
    points = sorted(p.name for p in Path(directory).glob("point-*") if p.is_dir())
    if points:
        raise ScenarioError(
            f"{directory} holds a sweep: plot one of its points, {points[0]} to {points[-1]}"
        )
    runs = series.run_directories(directory)
    if not runs:
        return {}
    first = Source(runs[0])
    flows, queues = _frames(runs, "flows"), _frames(runs, "queues")
    figures = {}
    if flows:
        drawn = first.members(flows[0], View())
        figures["cwnd"] = cwnd(flows, reactions=first.find("reactions"), members=drawn)
        figures["goodput"] = goodput(flows, members=drawn)
    if queues:
        names = series.names(queues[0], "queue", first.order("queues"))
        figures["queue"] = queue(queues, members=crowd.members(names, noun="queues"))
    return figures


def _frames(runs: Sequence[Path], name: Series) -> list[polars.DataFrame]:
    """A series of each run that has rows of it. The flows of a program have none."""
    frames = (series.read(run, name) for run in runs)
    return [frame for frame in frames if frame is not None and frame.height]


def of_result(result: ResultLike) -> dict[str, Figure]:
    """Every figure that a result has the series for, by name: `cwnd`, `goodput`, `queue`.
    `ScenarioError` if it has none: run with `record_every`."""
    import polars

    def frames(name: Series) -> list[polars.DataFrame]:
        return [polars.DataFrame(run.series(name)) for run in result.runs]

    flows = frames("flows")
    names = series.names(flows[0], "flow", [flow.name for flow in result.flows])
    controls = {flow.name: str(flow.cc) for flow in result.flows if flow.cc}
    drawn = crowd.members(names, controls=lambda: controls)
    return {
        "cwnd": cwnd(flows, members=drawn),
        "goodput": goodput(flows, members=drawn),
        "queue": queue(frames("queues")),
    }


def goodput(
    runs: Sequence[polars.DataFrame], title: str = "", members: Sequence[Member] | None = None
) -> Figure:
    """Each flow's goodput over time: the mean over runs, with its 95 % interval as a band; of more
    than eight flows the median of each group, and the band of 80 % of its flows.

    Means over a second, where there are enough of them: data that waited behind a hole are handed
    over at once, and in a shorter period would stand above what the link can carry. members: what
    is drawn, by default everything in the natural order of names.
    """
    import polars as pl

    drawn = crowd.members(series.names(runs[0], "flow")) if members is None else members
    figure, axes = style.new()
    long = max(runs[0]["time_s"].to_list()) >= series.SECONDS_FROM_S
    traces: list[tuple[Any, Any]] = []
    for member in drawn:
        frames = [
            pl.concat(
                series.means(part.select("time_s", "goodput_bps"), 1.0) if long else part
                for _, part in series.parts(member.rows(run, "flow"), "flow")
            )
            for run in runs
        ]
        if member.grouped:
            time, low, middle, high = crowd.percentiles(frames, "goodput_bps")
            crowd.band(axes, member, time, low / 1e6, middle / 1e6, high / 1e6)
            traces.append((time, high / 1e6))
        else:
            traces.append(_mean(axes, frames, member))
    axes.set(xlabel="time [s]", ylabel="goodput [Mbit/s]")
    axes.margins(x=0.01)
    lettering.from_zero(axes, traces)
    lettering.legend(axes)
    seconds = "means over each second" if long else ""
    lettering.head(figure, title or " · ".join(filter(None, (seconds, crowd.note(drawn)))))
    return figure


def _mean(
    axes: Any, frames: Sequence[polars.DataFrame], member: Member
) -> tuple[Sequence[float], Sequence[float]]:
    """One flow: the mean over runs, and its interval. Returns the line."""
    rows = zip(frames[0]["time_s"], *(frame["goodput_bps"] for frame in frames), strict=True)
    time, *columns = zip(*(row for row in rows if None not in row), strict=True)
    columns = list(zip(*columns, strict=True))
    means = [sum(c) / len(c) / 1e6 for c in columns]
    axes.plot(time, means, label=lettering.short(member.label), **member.look.trace())
    if len(frames) > 1:
        low, high = zip(*(ci95(c) for c in columns), strict=True)
        edges = ([x / 1e6 for x in edge] for edge in (low, high))
        axes.fill_between(time, *edges, color=member.look.color, alpha=0.18, linewidth=0)
    return time, means
