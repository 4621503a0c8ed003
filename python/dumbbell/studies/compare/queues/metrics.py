"""Metrics of a run: one table, so that a new metric is one line. A measurement of a result has its
unit, better direction and title from `data.measurements`.

Delays are waiting times in the queue that is looked at; goodput, fairness and timeouts are of all
flows together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

from ....data import measurements
from ....data.metrics import (
    ROUNDING,
    Queue,
    Run,
    goodput_bps,
    jain,
    loss_share,
    marks_share,
    rtos,
)


class MetricRow(TypedDict):
    """A metric in documents."""

    key: str
    title: str
    unit: str
    better: str | None


@dataclass(frozen=True, slots=True)
class Metric:
    """A measurement: its key in the JSON, its name in tables, its unit there, which way is good
    (None: it is shown, and nobody wins by it), how a sentence calls the best, and how it is taken
    from a run."""

    key: str
    title: str
    unit: str
    better: str | None
    best: str
    of: Callable[[Run, Queue], float | None]
    resolution: float = ROUNDING
    """Relative differences up to this are the measurement's own: rounding, or the bins of a
    histogram."""
    rank: int = 0
    """Its rank in the table of a terminal (`present.columns.Shown`)."""

    @property
    def sign(self) -> float:
        """1 where more is better, -1 where less is."""
        return -1.0 if self.better == "lower" else 1.0

    def document(self) -> MetricRow:
        """The metric as JSON."""
        return {"key": self.key, "title": self.title, "unit": self.unit, "better": self.better}


def completion_s(run: Run, _: Queue) -> float | None:
    """The 99th percentile of the completion time of the first session's transfers [s]. None without
    a session, and where nothing finished."""
    return run["sessions"][0]["p99_completion_s"] if run.get("sessions") else None


def _of_queue(key: str) -> Callable[[Run, Queue], float | None]:
    return lambda _, queue: queue.get(key)


def _measured(
    row: str,
    key: str,
    of: Callable[[Run, Queue], float | None] | None = None,
    *,
    best: str = "",
    title: str = "",
    rank: int = 0,
) -> Metric:
    """The metric of a measurement of a row; without `of` of the queue that is looked at. It is
    judged if `best` says how a sentence calls the best. title: its name here, if that is another
    than in results."""
    one = measurements.find(row, key)
    return Metric(
        key,
        title or one.title,
        one.unit,
        one.better if best else None,
        best,
        of or _of_queue(key),
        one.resolution or ROUNDING,
        rank,
    )


ALL = (
    _measured("flow", "goodput_bps", goodput_bps, best="the highest goodput"),
    Metric("jain", "Jain's index", "", "higher", "the fairest shares", jain, rank=3),
    _measured(
        "queue",
        "p50_sojourn_s",
        best="the lowest median queueing delay",
        title="median delay",
        rank=4,
    ),
    _measured("queue", "p99_sojourn_s", best="the lowest p99 queueing delay", title="p99 delay"),
    _measured(
        "session",
        "p99_completion_s",
        completion_s,
        best="the shortest p99 completion time",
        rank=1,
    ),
    Metric("loss_share", "loss", "1", "lower", "the least loss", loss_share, rank=2),
    _measured("queue", "mean_sojourn_s", title="mean delay"),
    _measured("queue", "utilization"),
    Metric("marks_share", "marked", "1", None, "", marks_share),
    _measured("totals", "rtos", rtos),
)

JUDGED = tuple(metric for metric in ALL if metric.better)

DELAY, GOODPUT = "p99_sojourn_s", "goodput_bps"
"""The metric of the first sentence, and what it is bought with."""
