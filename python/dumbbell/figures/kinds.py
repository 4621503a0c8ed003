"""The figures that a result can be drawn as, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import (
    acks,
    delay,
    distributions,
    markers,
    measured,
    over_time,
    phase,
    queues,
    timeseq,
    transfers,
    windows,
)
from .recorded_run import Source, View
from .style import Figure

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class Kind:
    """A figure of one run: what it shows, what it needs, and whether it is drawn when no kind is
    named."""

    title: str
    needs: tuple[str, ...]
    draw: Callable[[Source, View], Figure]
    unasked: bool = True


def _cwnd(source: Source, view: View) -> Figure:
    frame = _only(source, view, "flows")
    reactions = source.find("reactions")
    return windows.cwnd([frame], reactions=None if reactions is None else view.cut(reactions))


def _goodput(source: Source, view: View) -> Figure:
    return over_time.goodput([_only(source, view, "flows")])


def _queue(source: Source, view: View) -> Figure:
    return queues.queue([view.cut(source.need("queues", ("time_s", "queue", "queue_packets")))])


def _only(source: Source, view: View, name: str) -> polars.DataFrame:
    """A series of the flows in view."""
    import polars as pl

    frame = view.cut(source.need(name, ("time_s", "flow")))
    chosen = [flow for _, flow, _ in source.chosen(frame, view)]
    return frame.filter(pl.col("flow").is_in(chosen))


KINDS: dict[str, Kind] = {
    "cwnd": Kind("congestion windows, ssthresh, reactions", ("flows",), _cwnd),
    "goodput": Kind("goodput of each flow", ("flows",), _goodput),
    "queue": Kind("queue, average, thresholds", ("queues",), _queue),
    "delay": Kind("one-way and queueing delay, CDF and CCDF", ("packets", "hops"), delay.delay),
    "fct": Kind(
        "completion times of sessions: CDF, mean against size",
        ("completions",),
        transfers.of_source,
    ),
    "curve": Kind(
        "signals by average queue",
        ("hops", "queues", "signals"),
        measured.measured_curve,
        unasked=False,
    ),
    "phase": Kind("two windows, or a window and a queue", ("flows",), phase.phase, unasked=False),
    "acks": Kind("acknowledgments: spacing at both ends, arrivals", ("acks",), acks.acks),
    "markers": Kind(
        "a marker: window, tokens, lost tokens, held packets", ("markers",), markers.markers
    ),
    "delays": Kind(
        "one-way delay: CDF and density, with jitter", ("delays",), distributions.delays
    ),
    "loss": Kind("cumulative loss over time", ("flows",), distributions.loss, unasked=False),
    "scatter": Kind(
        "throughput of two flows against each other",
        ("flows",),
        distributions.scatter,
        unasked=False,
    ),
    "timeseq": Kind("time-sequence graph", ("packets",), timeseq.timeseq, unasked=False),
}


def draw(source: Source, kinds: list[str], view: View) -> dict[str, Figure]:
    """Figures of one run by name; without `kinds` those that its records allow and that need no
    choice."""
    wanted = kinds or [
        name
        for name, kind in KINDS.items()
        if kind.unasked and all(source.find(n) is not None for n in kind.needs)
    ]
    return {name: KINDS[name].draw(source, view) for name in wanted}


__all__ = ["KINDS", "Kind", "draw"]
