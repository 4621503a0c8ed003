"""The figures of a report, drawn from `paper.toml`'s `[[figure]]` entries; `kind` names a function here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import figures, series, stats
from ..errors import ScenarioError
from .papers import Paper, Picture
from .predicate import Family
from .work import Runs


def draw(
    paper: Paper, measured: Mapping[str, Runs], numbers: Mapping[str, Family], summary: dict[str, Any]
) -> dict[str, Any]:
    """Every figure of the paper by its id."""
    drawn = {}
    for picture in paper.pictures:
        if picture.kind not in _KINDS:
            raise ScenarioError(
                f"figure `{picture.id}`: there is no kind `{picture.kind}`; there are {', '.join(_KINDS)}"
            )
        drawn[picture.id] = _KINDS[picture.kind](paper, picture, measured, numbers)
    return drawn


def _curve(paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]) -> Any:
    """`curves`: label to {min_th, max_th, max_p, gentle}."""
    from ..figures.curve import Red

    return figures.drop_probability([(label, Red(**values)) for label, values in picture.options["curves"].items()])


def _over(paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]) -> Any:
    """`lines`: scheme to {number, label, cells}; `x`, `y`: axis labels. `cells` are printed beside ours."""
    lines = []
    for scheme, line in picture.options["lines"].items():
        family = numbers[line["number"]]
        printed = [(float(x), paper.cells[name].published) for x, name in line.get("cells", {}).items()]
        intervals = [stats.interval(runs) for runs in family.values]
        lines.append(figures.Line(scheme, line["label"], family.at, intervals, printed))
    return figures.over_parameter(lines, picture.options["x"], picture.options["y"])


def _over_time(column: str, name: str, y_label: str) -> Callable[..., Any]:
    """`points`: panel title to point; the first run of each, every `every_s` seconds and from `between_s[0]` to
    `between_s[1]` if given."""

    def draw_panels(paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]) -> Any:
        panels = []
        for title, point in picture.options["points"].items():
            frame = _within(_series(measured[point], name), picture)
            key = name.removesuffix("s")
            every_s = picture.options.get("every_s")
            traces = [_trace(label, part, column, every_s) for label, part in series.parts(frame, key)]
            panels.append((title, traces))
        return figures.side_by_side(panels, y_label)

    return draw_panels


def _trace(label: str, frame: Any, column: str, every_s: float | None) -> Any:
    from ..figures.compare import Trace

    frame = frame.select("time_s", column)
    if every_s is not None:
        frame = series.means(frame, every_s)
    return Trace(label, frame["time_s"].to_list(), frame[column].to_list())


def _sum_of_windows(paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]) -> Any:
    """`points`: label to point; the sum of all flows' windows in the first run of each, `between_s` as above."""
    from ..figures.compare import Trace

    traces = []
    for label, point in picture.options["points"].items():
        windows = _within(_series(measured[point], "flows"), picture).select("time_s", "cwnd_packets")
        total = windows.group_by("time_s").sum().sort("time_s")
        times, sums = total["time_s"].to_list(), total["cwnd_packets"].to_list()
        traces.append(Trace(label, times, sums, _scheme(measured[point])))
    return figures.side_by_side([("", traces)], "sum of the congestion windows [packets]")


def _drops(paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]) -> Any:
    """`points`: label to point; `reason`: which drops are counted up."""
    events, until = [], 0.0
    for label, point in picture.options["points"].items():
        frames = [series.read(directory, "signals") for directory in measured[point].directories]
        times = [
            f.filter(f["reason"] == picture.options["reason"])["time_s"].to_list() for f in frames if f is not None
        ]
        events.append((_scheme(measured[point]), label, times))
        until = max(until, measured[point].json["duration_s"])
    return figures.cumulative(events, until, f"drops by {picture.options['reason']}, counted up")


def _within(frame: Any, picture: Picture) -> Any:
    """The rows in a figure's stretch of time: a minute of sawteeth cannot be told apart."""
    start, end = picture.options.get("between_s", (0.0, float("inf")))
    return frame.filter((frame["time_s"] >= start) & (frame["time_s"] <= end))


def _scheme(runs: Runs) -> str:
    """What the first queue of a point runs: its name chooses the look of its line."""
    return runs.json["queues"][0]["kind"]


def _series(runs: Runs, name: str) -> Any:
    frame = series.read(runs.directories[0], name) if runs.directories else None
    if frame is None:
        raise ScenarioError(f"point `{runs.point.id}` has no {name} series: its scenario must record them")
    return frame


_KINDS: dict[str, Callable[..., Any]] = {
    "curve": _curve,
    "over": _over,
    "queue": _over_time("queue_packets", "queues", "queue [packets]"),
    "cwnd": _over_time("cwnd_packets", "flows", "congestion window [packets]"),
    "cwnd_sum": _sum_of_windows,
    "drops": _drops,
}
