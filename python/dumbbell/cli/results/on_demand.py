"""Records that a command needs and a result does not have: the run is repeated with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...data import recording, series
from ...errors import ScenarioError
from ...explain import runs
from ...present import network

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


@dataclass(frozen=True, slots=True)
class Wanted:
    """A run, and the records that a command needs of it."""

    result: str
    """The directory that the user named."""
    records: Sequence[str]
    """The series that are missing."""
    flows: Sequence[str] = ()
    """Whose packets, acknowledgments and delays: all if empty."""
    point: int | None = None
    seed: int | None = None
    use: Sequence[str] = ()
    """Files with algorithms of the user's own."""
    often: str | None = None
    """The flow whose window is needed ten times in each of its round trips."""


@contextmanager
def repeated(wanted: Wanted) -> Iterator[tuple[Path, str]]:
    """Repeats the run with the missing records in a temporary directory: this directory, and the
    sentence that says so. Errors as of `runs.repeat`; `ScenarioError` if the run has nothing of
    what is wanted."""
    run = runs.locate(wanted.result, wanted.point, wanted.seed)
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


def is_result(directory: str | Path) -> bool:
    """True if a directory, or one above it, is the result of a command, which can be repeated."""
    here = Path(directory)
    return any((place / "summary.json").is_file() for place in (here, *list(here.parents)[:2]))
