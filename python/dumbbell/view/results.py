"""The results of a page: their runs, with the records that the panels need."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..data import captures as packets
from ..data import flent as flent_data
from ..data import recording, series
from ..data import summary as saved
from ..errors import ScenarioError
from ..explain import on_demand, runs
from ..explain.runs import Run
from ..figures.recorded_run import Source
from ..result import Result
from . import captures, flent
from .files import File

_NEEDED = ("flows", "queues", "signals", "reactions")
_MOST_FLOWS = 8
"""Flows whose packets are recorded unless some are named."""


@dataclass(frozen=True, slots=True)
class Which:
    """The runs of the results, and the flows that are shown one by one among many."""

    point: int | None = None
    seed: int | None = None
    flows: Sequence[str] = ()
    use: Sequence[str] = ()
    named: str = ""
    """What commands on the page call the result, if it is not the directory that is read."""


@dataclass(frozen=True, slots=True)
class Read:
    """A result: the run that is shown, its records, its plan and its numbers."""

    name: str
    run: Run
    source: Source
    plan: dict[str, Any]
    scenario: dict[str, Any]
    result: Result
    note: str = ""
    """What is to be said of records that the result lacks; empty if it has all."""


def find(name: str, flows: Sequence[str], alone: bool) -> File | None:
    """The file of this name; None of a directory. flows: those that are shown although there are
    many. alone: nothing else is on the page, so it must have all of them. `ScenarioError` if there
    is none, or if it is of another kind; `CheckFailed` if it is damaged."""
    path = Path(name)
    if path.is_dir():
        return None
    if not path.is_file():
        raise ScenarioError(
            f"there is no result {name}: `view` reads directories of `run --out`, captures and "
            "flent's data"
        )
    if flent_data.is_flent(path):
        return flent.read(name, flows, alone)
    if packets.is_capture(path):
        return captures.read(name, flows, alone)
    raise ScenarioError(
        f"{name} is not a result: `view` reads directories of `run --out`, captures (pcapng, pcap) "
        "and flent's data (.flent, .flent.gz)"
    )


def read(name: str, which: Which, stack: ExitStack) -> Read:
    """A result directory. A run that lacks records is repeated in a directory that lives as long as
    `stack`, and must have the same fingerprint. Errors as of `runs.repeat`."""
    run = runs.locate(name, which.point, which.seed)
    result = Result(_numbers(run))
    directory, note = run.directory, ""
    packets = _flows(run, result, which)
    missing = [one for one in _NEEDED if series.read(directory, one) is None]
    if packets and not _has(directory, packets):
        missing.append("packets")
    if missing and run.live:
        note = _unrecorded(which.named or name, missing)
    elif missing:
        wanted = dict.fromkeys([*_NEEDED, *missing])
        changes = recording.overrides(wanted, _every(run), packets)
        directory, note = stack.enter_context(
            runs.repeated(run, changes, f"{name} lacks records of the page", which.use)
        )
    plan = series.plan(directory) or runs.plan(run, which.use)
    scenario = runs.scenario(run) | {"on": run.on, "seed": run.seed}
    return Read(name, run, Source(directory, name), plan, scenario, result, note)


def _unrecorded(name: str, missing: Sequence[str]) -> str:
    """What to say of a live run that lacks records."""
    changes = recording.overrides(missing)
    again = " ".join(f"-s '{one}'" if '"' in one else f"-s {one}" for one in changes)
    return (
        f"{name} lacks records of the page, and a run on real kernels cannot be repeated: record "
        f"them in the next run with {again}"
    )


def _numbers(run: Run) -> dict[str, Any]:
    """The JSON of a run's point."""
    data = saved.read(run.result)
    if "points" not in data:
        return data
    point: dict[str, Any] = data["points"][(run.point or 1) - 1]
    return {"name": run.name, "version": run.version, **point}


def _flows(run: Run, result: Result, which: Which) -> list[str]:
    """The flows whose packets the page needs; none if they are too many."""
    chosen = [runs.flow_named(run, name) for name in which.flows]
    if not chosen and len(run.flows) <= _MOST_FLOWS:
        chosen = list(run.flows)
    few = on_demand.packets(run, result.json, chosen) <= on_demand.MOST_PACKETS
    return chosen if few else []


def _has(directory: Path, flows: Sequence[str]) -> bool:
    """True if the packets of these flows were recorded."""
    plan = series.plan(directory)
    if plan is None:
        return False
    recorded = {plan["flows"][i]["name"] for i in plan["record"]["packets"]}
    return recorded >= set(flows)


def _every(run: Run) -> str:
    """The period of the run's records, or one that suits its length."""
    every = (runs.scenario(run).get("record") or {}).get("every")
    return str(every) if every else recording.period(run.duration_s)
