"""The figures that a result can be drawn as, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..data import series
from ..explain import on_demand, runs
from . import (
    acks,
    crowd,
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


@dataclass(frozen=True, slots=True)
class Kind:
    """A figure of one run: what it shows, what it needs, and whether it is drawn when no kind is
    named."""

    title: str
    needs: tuple[str, ...]
    draw: Callable[[Source, View], Figure]
    unasked: bool = True


def _cwnd(source: Source, view: View) -> Figure:
    frame = view.cut(source.need("flows", ("time_s", "flow")))
    reactions = source.find("reactions")
    return windows.cwnd(
        [frame],
        reactions=None if reactions is None else view.cut(reactions),
        members=source.members(frame, view),
    )


def _goodput(source: Source, view: View) -> Figure:
    frame = view.cut(source.need("flows", ("time_s", "flow")))
    return over_time.goodput([frame], members=source.members(frame, view))


def _queue(source: Source, view: View) -> Figure:
    frame = view.cut(source.need("queues", ("time_s", "queue", "queue_packets")))
    names = series.names(frame, "queue", source.order("queues"))
    return queues.queue([frame], members=crowd.members(names, noun="queues"))


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


def missing(source: Source, kinds: Sequence[str]) -> list[str]:
    """The records that figures by these names need and a run does not have. Without names those of
    flows and queues, if the run has the records of no figure at all."""
    if not kinds:
        return [] if _drawable(source) else ["flows", "queues"]
    needed = dict.fromkeys(name for kind in kinds for name in KINDS[kind].needs)
    return [name for name in needed if source.find(name) is None]


def _drawable(source: Source) -> list[str]:
    """The figures that the records allow and that need no choice."""
    return [
        name
        for name, kind in KINDS.items()
        if kind.unasked and all(source.find(n) is not None for n in kind.needs)
    ]


def draw(source: Source, kinds: list[str], view: View) -> dict[str, Figure]:
    """Figures of one run by name; without `kinds` those that its records allow and that need no
    choice."""
    return {name: KINDS[name].draw(source, view) for name in kinds or _drawable(source)}


def draw_on_demand(
    run: runs.Run, name: str, kinds: list[str], view: View, use: Sequence[str] = ()
) -> tuple[dict[str, Figure], list[str]]:
    """Figures as of `draw`, and what to say of a run that was repeated because it has not the
    records. name: what messages call the result. use: files with algorithms of the user's own."""
    source = Source(run.directory, name)
    lacks = missing(source, kinds)
    if not lacks:
        return draw(source, kinds, view), []
    alone = kinds == ["timeseq"]
    wanted = on_demand.Wanted(
        run,
        name,
        lacks,
        flows=view.flows if alone else (),
        use=use,
        often=(view.flows or ("",))[0] if alone else None,
    )
    with on_demand.repeated(wanted) as (directory, said):
        return draw(Source(directory, name), kinds, view), [said]


__all__ = ["KINDS", "Kind", "draw", "draw_on_demand", "missing"]
