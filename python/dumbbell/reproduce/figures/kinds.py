"""The figures of a report, drawn from `paper.toml`'s `[[figure]]` entries; `kind` names a function
here."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ... import figures
from ...data import series
from ...errors import DumbbellError, ScenarioError
from ...figures.compare import Trace
from ...present import stats
from ..papers import Paper, Picture
from ..predicate import Family
from ..runs import Runs
from . import frames, hosts, marking


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure, its caption with what only the numbers can say, and a table beside it: a header and
    rows. `missing` says what this machine lacks for the figure, which is None then."""

    figure: Any
    caption: str
    table: tuple[list[str], list[list[str]]] | None = None
    missing: str | None = None


def draw(
    paper: Paper, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> dict[str, Drawn]:
    """Every figure of the paper that nothing is missing for, by its id."""
    drawn = {}
    for picture in paper.pictures:
        if picture.missing is not None:
            continue
        if picture.kind not in _KINDS:
            raise ScenarioError(
                f"figure `{picture.id}`: there is no kind `{picture.kind}`; there are "
                f"{', '.join(_KINDS)}"
            )
        made = _KINDS[picture.kind](paper, picture, measured, numbers)
        drawn[picture.id] = _drawn(made, picture)
    return drawn


def _drawn(made: Any, picture: Picture) -> Drawn:
    """The result of a kind: all of it, a figure with its caption and its table, or the figure
    alone."""
    if isinstance(made, Drawn):
        return made
    return Drawn(*made) if isinstance(made, tuple) else Drawn(made, picture.caption)


def _curve(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Any:
    """`curves`: label to {min_th, max_th, max_p, gentle}."""
    from ...figures.curve import Red

    return figures.drop_probability(
        [(label, Red(**values)) for label, values in picture.options["curves"].items()]
    )


def _over(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Drawn:
    """`lines`: scheme to {numbers, label, cells}; `x`, `y`: axis labels; `logarithmic`;
    `crossover`: two schemes; `table`: whether the numbers stand beside it; `plain`: lines look by
    their place, not by their scheme. `cells` are printed beside ours; where the two schemes' means
    cross is said in the caption."""
    lines: dict[str, figures.Line] = {}
    for scheme, line in picture.options["lines"].items():
        families = [numbers[name] for name in line["numbers"]]
        at = [x for family in families for x in family.at]
        intervals = [stats.interval(runs) for family in families for runs in family.values]
        printed = [
            (float(x), paper.cells[name].published) for x, name in line.get("cells", {}).items()
        ]
        look = None if picture.options.get("plain") else scheme
        lines[scheme] = figures.Line(look, line["label"], at, intervals, printed)
    caption = picture.caption
    if "crossover" in picture.options:
        caption += f" {_crossing(*(lines[name] for name in picture.options['crossover']))}"
    x, y = picture.options["x"], picture.options["y"]
    drawn = figures.over_parameter(
        list(lines.values()), x, y, logarithmic=picture.options.get("logarithmic", False)
    )
    return Drawn(
        drawn, caption, _beside(x, lines.values()) if picture.options.get("table") else None
    )


def _beside(x: str, lines: Iterable[figures.Line]) -> tuple[list[str], list[list[str]]]:
    """The numbers of lines over the same points: a row for each line."""
    drawn = list(lines)
    return [x, *(f"{at:g}" for at in drawn[0].x)], [
        [line.label, *map(str, line.y)] for line in drawn
    ]


def _crossing(a: Any, b: Any) -> str:
    """The crossings of the means of two lines, in a sentence."""
    found = crossings(a.x, [x.mean - y.mean for x, y in zip(a.y, b.y, strict=True)])
    if not found:
        return f"The means of {a.label} and {b.label} do not cross up to {a.x[-1]:g}."
    return (
        f"The means of {a.label} and {b.label} cross near {', '.join(f'{x:.0f}' for x in found)}."
    )


def crossings(x: Sequence[float], difference: Sequence[float]) -> list[float]:
    """Changes of sign of a difference, between points by the straight line."""
    pairs = itertools.pairwise(zip(x, difference, strict=True))
    return [x0 + (x1 - x0) * d0 / (d0 - d1) for (x0, d0), (x1, d1) in pairs if d0 * d1 < 0]


def _windows(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Any:
    """`points`: panel title to point; each flow's window in the first run, from `from_s` until
    `until_s`."""
    panels = []
    for title, point in picture.options["points"].items():
        frame = _part(_series(measured[point], "flows"), picture)
        parts = series.parts(frame, "flow")
        panels.append(
            (title, [Trace(label, *_columns(part, "cwnd_packets")) for label, part in parts])
        )
    return figures.side_by_side(panels, "congestion window [packets]")


def _thresholds(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Any:
    """`points`: panel title to point; the average queue and both thresholds in the first run of
    each."""
    panels = []
    for title, point in picture.options["points"].items():
        frame = _part(_series(measured[point], "queues"), picture).drop_nulls(
            ["avg", "min_th", "max_th"]
        )
        names = {"max_th": "max_th", "avg": "average queue", "min_th": "min_th"}
        panels.append(
            (title, [Trace(label, *_columns(frame, column)) for column, label in names.items()])
        )
    return figures.side_by_side(panels, "packets")


def _sums(name: str, column: str, y_label: str) -> Callable[..., Any]:
    """`points`: scheme to point; the sum of a column over all flows or queues in the first run of
    each, from `from_s` until `until_s`, averaged over periods of `every_s` if given."""

    def draw_sums(
        paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
    ) -> Any:
        traces = []
        for scheme, point in picture.options["points"].items():
            frame = _part(_series(measured[point], name), picture).select("time_s", column)
            total = frame.group_by("time_s").sum().sort("time_s")
            if "every_s" in picture.options:
                total = series.means(total, picture.options["every_s"])
            traces.append(Trace(_LABELS.get(scheme, scheme), *_columns(total, column), scheme))
        return figures.side_by_side([("", traces)], y_label)

    return draw_sums


def _part(frame: Any, picture: Picture) -> Any:
    """The rows of the picture's time, [from_s, until_s)."""
    low, high = picture.options.get("from_s", 0.0), picture.options.get("until_s", float("inf"))
    return frame.filter((frame["time_s"] >= low) & (frame["time_s"] < high))


def _columns(frame: Any, column: str) -> tuple[list[float], list[float]]:
    return frame["time_s"].to_list(), frame[column].to_list()


def _valley(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Drawn:
    """`file`: a fit's grid; `x`, `y`, `error`: its columns, drawn over x and y / x; `x_label`,
    `y_label`."""
    options = picture.options
    with (paper.folder / options["file"]).open(newline="") as file:
        rows = [
            tuple(float(row[options[key]]) for key in ("x", "y", "error"))
            for row in csv.DictReader(file)
        ]
    grid = {(x, round(y / x, 6)): 100 * error for x, y, error in rows}
    xs, ratios = (sorted(set(values)) for values in zip(*grid, strict=True))
    drawn = figures.error_map(
        xs,
        ratios,
        [[grid[x, r] for x in xs] for r in ratios],
        options["x_label"],
        options["y_label"],
    )
    best = [min((row for row in rows if row[0] == x), key=lambda row: row[2]) for x in xs]
    table = [
        [options["y"], *(f"{y:g}" for _, y, _ in best)],
        [f"{options['error']} [%]", *(f"{100 * error:.1f}" for *_, error in best)],
    ]
    return Drawn(drawn, picture.caption, ([options["x"], *(f"{x:g}" for x in xs)], table))


def _drops(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Any:
    """`points`: scheme to point; `reason`: which drops are counted up."""
    events, until = [], 0.0
    for scheme, point in picture.options["points"].items():
        frames = [series.read(directory, "signals") for directory in measured[point].directories]
        times = [
            f.filter(f["reason"] == picture.options["reason"])["time_s"].to_list()
            for f in frames
            if f is not None
        ]
        events.append((scheme, _LABELS.get(scheme, scheme), times))
        until = max(until, measured[point].json["duration_s"])
    return figures.cumulative(events, until, f"drops by {picture.options['reason']}, cumulative")


def _wave(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Drawn:
    """The waveform of the hardware, simulated now; missing where there is no simulator of
    hardware."""
    from ...rtl.drawings import waveform

    try:
        signals = waveform.record()
    except (
        DumbbellError
    ) as failure:  # No simulator here, or one that fails on the bench: the other figures stand.
        return Drawn(None, picture.caption, missing=failure.rendered)
    return Drawn(waveform.draw(signals), waveform.caption(signals))


def _series(runs: Runs, name: str) -> Any:
    frame = series.read(runs.directories[0], name) if runs.directories else None
    if frame is None:
        raise ScenarioError(
            f"point `{runs.point.id}` has no {name} series: its scenario must record them"
        )
    return frame


_LABELS = {"drop_tail": "Drop Tail", "red": "RED"}

_KINDS: dict[str, Callable[..., Any]] = {
    "curve": _curve,
    "over": _over,
    "queue": _sums("queues", "queue_packets", "queue [packets]"),
    "cwnd": _windows,
    "cwnd_sum": _sums("flows", "cwnd_packets", "sum of the congestion windows [packets]"),
    "drops": _drops,
    "thresholds": _thresholds,
    "valley": _valley,
    "wave": _wave,
    "window": hosts.window,
    "performance": hosts.performance,
    "tokens": marking.tokens,
    "classes": marking.classes,
    "best_sizes": marking.best_sizes,
    "model": marking.model,
    "fitted": marking.fitted,
    "schemes": marking.schemes,
    "rates": frames.rates,
    "sharing": frames.sharing,
    "lost": frames.lost,
    "delays": frames.delays,
}
