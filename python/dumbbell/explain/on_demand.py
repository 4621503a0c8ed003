"""Records that a figure or an export needs and a result does not have: the run is repeated with
them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..data import recording, series, summary
from ..errors import ScenarioError
from ..present import network
from . import runs

_NOUNS = {
    "flows": "series",
    "queues": "series",
    "signals": "drops and marks",
    "reactions": "reactions",
    "packets": "packets",
    "hops": "packets",
    "acks": "acknowledgments",
    "delays": "delays",
    "completions": "transfers",
    "markers": "markers",
}
_SAMPLES_PER_RTT = 10
_MOST_ROWS = 2_000_000
MOST_PACKETS = 400_000
"""Packets of a run that are recorded where nobody asked for packets, at most."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A run, and the records that are needed of it."""

    run: runs.Run
    result: str
    """What the user calls its result: the directory, or a name."""
    records: Sequence[str]
    """The series that are missing."""
    flows: Sequence[str] = ()
    """Whose packets, acknowledgments and delays: all if empty."""
    use: Sequence[str] = ()
    """Files with algorithms of the user's own."""
    often: str | None = None
    """The flow whose window is needed ten times in each of its round trips."""


@contextmanager
def repeated(wanted: Wanted) -> Iterator[tuple[Path, str]]:
    """Repeats the run with the missing records in a temporary directory: this directory, and the
    sentence that says so. Errors as of `runs.repeat`; `ScenarioError` if the run has nothing of
    what is wanted."""
    run = wanted.run
    nouns = list(dict.fromkeys(_NOUNS[name] for name in wanted.records))
    which = f", seed {run.seed}," if run.seeds > 1 else ""
    lack = f"{wanted.result}{which} has no recorded {' and '.join(nouns)}"
    names, every = list(wanted.records), recording.period(run.duration_s)
    if wanted.often is not None and (short := _every(run, wanted.often)) is not None:
        names, every = [*names, "flows"], short
    changes = recording.overrides(names, every, wanted.flows)
    with runs.repeated(run, changes, lack, wanted.use) as (directory, said):
        absent = [name for name in wanted.records if series.read(directory, name) is None]
        if absent:
            raise ScenarioError(f"{wanted.result}: this scenario has no {_NOUNS[absent[0]]}")
        yield directory, said


def _every(run: runs.Run, flow: str) -> str | None:
    """A tenth of the flow's round-trip time; None if the series would be too long."""
    plan = runs.plan(run)
    planned = next((f for f in plan["flows"] if f["name"] == flow), plan["flows"][0])
    period_s = network.base_rtt(plan, planned) / _SAMPLES_PER_RTT
    rows = len(run.flows) * run.duration_s / max(period_s, 1e-9)
    return f"{period_s * 1e6:.6g} us" if rows <= _MOST_ROWS else None


def few_packets(run: runs.Run) -> bool:
    """True if a run has so few packets that they may be recorded unasked."""
    data = summary.read(run.result)
    point = data["points"][(run.point or 1) - 1] if "points" in data else data
    return packets(run, point, run.flows) <= MOST_PACKETS


def packets(run: runs.Run, point: Mapping[str, Any], flows: Collection[str]) -> float:
    """About how many packets these flows send in a run, acknowledgments included. point: the
    result of the run's point."""
    window_s = run.duration_s - float(point.get("warmup_s") or 0.0)
    sent = (flow.get("sent_packets") for flow in point["flows"] if flow["name"] in flows)
    number = sum(float((n.get("mean") if isinstance(n, dict) else n) or 0.0) for n in sent)
    return number * 2 * run.duration_s / max(window_s, 1e-9)


def is_result(directory: str | Path) -> bool:
    """True if a directory, or one above it, is the result of a command, which can be repeated."""
    here = Path(directory)
    return any((place / "summary.json").is_file() for place in (here, *list(here.parents)[:2]))
