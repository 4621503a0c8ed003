"""The points of a sweep as a table: a row for each point, a column for each axis and metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..data import best, metrics
from ..data.metrics import Metric
from ..data.paired_seeds import BySeed
from ..files.declared import cut
from ..language.overrides import literal
from . import stats
from .grids import Grid, number, titled, unit_of
from .stats import Interval
from .units import significant

if TYPE_CHECKING:
    from ..data.shapes import ResultLike, SweepLike

_BEST, _TIED = "*", "~"
_LONGEST_ERROR = 60
"""Characters of an error in a row."""

Point = Mapping[str, Any]
"""A point of a sweep's JSON."""


def sweep_grid(sweep: SweepLike, names: Sequence[str] = ()) -> Grid:
    """A row for each point: what is swept, and the metrics of these names (`data.metrics`) with
    their 95 % intervals. Without names: goodput, fairness, queueing delay, loss and utilization, as
    far as there are any. The best value of each metric is marked, or those that tie with it. A
    point without a result is a row with its error."""
    points: list[Point] = sweep.json["points"]
    axes = axes_of(points)
    chosen = [metrics.find(name) for name in names] or metrics.defaults(every_run(points))
    runs = _made(points)
    columns = [_column(metric, points) for metric in chosen]
    rows = []
    for i, point in enumerate(points):
        swept = [value_text(point["overrides"].get(axis)) for axis in axes]
        if runs_of(point):
            rows.append([*swept, *(one.cells[i] for one in columns), *(runs[i] if runs else [])])
        else:
            message = str((point.get("error") or {}).get("message", "no result"))
            rows.append([*swept, f"error: {cut(' '.join(message.split()), _LONGEST_ERROR)}"])
    heads = [*axis_heads(axes), *(one.head for one in columns), *(["runs"] if runs else [])]
    ranks = [*[0] * len(axes), *(_ranks(chosen, names)), *([0] if runs else [])]
    return Grid("", heads, rows, len(axes), ranks, list(_legend(points, columns)))


def _ranks(chosen: Sequence[Metric], names: Sequence[str]) -> list[int]:
    """Columns that were asked for are left out from the right."""
    return list(range(len(names))) if names else [metric.rank for metric in chosen]


def axes_of(points: Sequence[Point]) -> list[str]:
    """The keys that are swept."""
    return list(dict.fromkeys(key for point in points for key in point["overrides"]))


def axis_heads(axes: Sequence[str]) -> list[str]:
    """The keys as heads: their last two parts, if that is enough to tell them apart."""
    short = [".".join(axis.split(".")[-2:]) for axis in axes]
    return short if len(set(short)) == len(axes) else list(axes)


def value_text(value: object) -> str:
    """The value of an axis; a dash where a point has none."""
    return "-" if value is None else literal(value)


def runs_of(point: Point) -> list[metrics.Run]:
    """The runs of a point that have results."""
    return [run for run in point.get("runs") or [point] if "flows" in run]


def every_run(points: Iterable[Point]) -> Iterator[metrics.Run]:
    """The runs of all points that have results."""
    return (run for point in points for run in runs_of(point))


def by_seed(metric: Metric, point: Point) -> BySeed:
    """The metric of each run that has it."""
    values = ((int(run["seed"]), metric.of(run)) for run in runs_of(point))
    return {seed: float(value) for seed, value in values if value is not None}


class _Column(NamedTuple):
    """A metric of all points: the head, the cells, and the mark of each, None if no point can be
    best."""

    head: str
    cells: Sequence[str]
    marks: Sequence[str] | None


def _column(metric: Metric, points: Sequence[Point]) -> _Column:
    values = [by_seed(metric, point) for point in points]
    means = [stats.interval(list(one.values())) if one else None for one in values]
    scale, unit = unit_of(metric.unit, max((abs(m.mean) for m in means if m), default=0.0))
    marks = _marks(metric, values)
    room = " " if any(marks or ()) else ""  # Digits stand below digits.
    cells = [
        ("-" if mean is None else number(mean, scale)) + ((marks[i] if marks else "") or room)
        for i, mean in enumerate(means)
    ]
    return _Column(titled(metric.title, unit) + room, cells, marks)


def _marks(metric: Metric, values: Sequence[BySeed]) -> list[str] | None:
    """The mark of each point, without any if all points tie. None where no value is better than
    another, and where fewer than two points have two seeds."""
    if metric.better is None or sum(len(one) > 1 for one in values) < 2:
        return None
    found = best.standing(dict(enumerate(values)), metric.sign, metric.resolution)
    if len(found.tied) == sum(bool(one) for one in values):
        return [""] * len(values)
    return [
        _BEST if i == found.best else _TIED if i in found.tied else "" for i in range(len(values))
    ]


def _made(points: Sequence[Point]) -> list[list[str]]:
    """The runs of each point, where points differ in that, or some run failed or is not valid; else
    nothing."""
    counts = [(len(runs_of(p)), len(p.get("runs") or [p])) for p in points]
    valid = [bool(point.get("valid")) for point in points]
    if all(valid) and len(set(counts)) == 1:
        return []
    cells = []
    for (good, every), is_valid in zip(counts, valid, strict=True):
        text = str(good) if good == every else f"{good} of {every}"
        cells.append([text if is_valid else f"{text}, NOT VALID"])
    return cells


def _legend(points: Sequence[Point], columns: Sequence[_Column]) -> Iterator[str]:
    counts = {len(runs_of(point)) for point in points} - {0}
    if not counts:
        return
    if max(counts) == 1:
        yield "One seed: no intervals and no marked best. --replications 5 gives both."
        return
    seeds = f"{min(counts)} to {max(counts)}" if len(counts) > 1 else f"{max(counts)}"
    judged = [set(one.marks) for one in columns if one.marks is not None]
    parts = [f"Means over {seeds} seeds ± half the 95 % interval."]
    if any(_BEST in marks for marks in judged):
        parts.append(
            f"{_BEST} best: the interval of its paired difference from every other point excludes "
            "0."
        )
    if any(_TIED in marks for marks in judged):
        parts.append(f"{_TIED} ties with the best mean.")
    if any(not any(marks) for marks in judged):
        parts.append("In a column without a mark, all points tie.")
    yield " ".join(parts)


def total_goodput(result: ResultLike) -> Interval | None:
    """The goodput of all flows together [bit/s], with its interval over the runs; None if the point
    has no run."""
    sums = [metrics.goodput_bps(run, {}) for run in runs_of(result.json)]
    return stats.interval(sums) if sums else None


def versus_table(points: Sequence[dict[str, Any]]) -> Grid:
    """Paired differences of the points from their baseline: the mean difference, half its interval,
    and the ratio."""
    axes = list(dict.fromkeys(key for point in points for key in point["overrides"]))
    queues = list(
        dict.fromkeys(q["name"] for point in points for q in point["versus"].get("queues", []))
    )
    head = [
        *axes,
        "seeds",
        "goodput [Mbps]",
        "ratio",
        *(f"{name} {what}" for name in queues for what in ("mean [pkt]", "ratio")),
    ]
    rows = []
    for i, point in enumerate(points):
        block = point["versus"]
        cells = [str(point["overrides"].get(axis, "")) for axis in axes]
        if block["baseline"] == i + 1:
            rows.append([*cells, "baseline"])
        elif block["seeds"] == 0:
            rows.append([*cells, "no result"])
        else:
            measured = {queue["name"]: queue.get("mean_packets") for queue in block["queues"]}
            cells += [str(block["seeds"]), *_difference(block["goodput_bps"], 1e-6)]
            rows.append(
                cells + [text for name in queues for text in _difference(measured.get(name), 1.0)]
            )
    return Grid(
        "Paired differences of the points from their baseline", head, rows, text_columns=len(axes)
    )


def _difference(measured: dict[str, Any] | None, scale: float) -> list[str]:
    if measured is None:
        return ["-", "-"]
    low, high = measured["ci95"] or (None, None)
    ratio = "-" if measured["ratio"] is None else significant(measured["ratio"], 3)
    return [f"{number(Interval(measured['difference'], low, high, measured['n']), scale)}", ratio]
