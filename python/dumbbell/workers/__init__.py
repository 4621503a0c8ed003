"""Sweeps beyond one machine: the same request, the same store, runs made elsewhere.

The store says which runs are missing; these go to workers in parcels, each run as a plan in which
everything is resolved, so that a worker reads no scenario and no file. A worker keeps each run in
the store itself and answers with a line for it. When nothing is missing any more, the result is put
together from the store, here.

A parcel that is lost (its worker was killed, its batch job was ended) is simply still missing, and
is sent again; what it had finished is in the store. A run that is lost three times is a failure,
and the others go on.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from .. import api
from ..errors import EnvironmentLacks, ScenarioError
from . import options
from .crew import Crew, Parcel, Say, first_line

# Runs that are asked for at once: their plans are in memory, here and with whoever deals them out.
_AT_ONCE = 2000
# The number of times that a run may be lost with its worker.
_CHANCES = 3
# Parcels for each place that works, so that nobody waits long for the last one; and runs of a
# parcel.
_PARCELS_EACH = 4
_LARGEST = 50


def run(
    wanted: dict[str, Any], where: str, progress: api.Progress | None = None, say: Say = print
) -> dict[str, Any]:
    """The result of `api.run` for this request, whose runs are made `where`: `dask://HOST:PORT`,
    `ssh:HOST,HOST` or `slurm`. `say` hears what a person should know: a worker that was lost, for
    one."""
    options.check(where)
    if not wanted.get("store"):
        raise ScenarioError("runs on other machines are kept in a store: name one with --store DIR")
    first = api.call(
        "jobs", wanted | {"points": _AT_ONCE}
    )  # Before anybody is hired: a wrong scenario is refused here.
    if first["jobs"]:
        crew = hire(where, first["store"])
        whole = False
        try:
            _finish(wanted, first, crew, progress or (lambda *state: None), say)
            whole = True
        finally:
            crew.dismiss(whole)
    return api.run(wanted | {"assemble": True}, progress)


def hire(where: str, store: str) -> Crew:
    """The crew that `where` names."""
    options.check(where)
    kind, _, rest = where.partition(":")
    try:
        if kind == "dask":
            from .dask import Cluster

            return Cluster.at(rest)
        if kind == "ssh":
            from .ssh import Hosts

            return Hosts(rest)
        if kind == "slurm":
            from .slurm import Batch

            return Batch(rest, store)
    except ImportError as missing:
        extra = "slurm" if kind == "slurm" else "dask"
        raise EnvironmentLacks(
            f"--workers {where} needs the package {missing.name}: pip install 'dumbbell[{extra}]'"
        ) from None
    raise AssertionError(f"options.check lets {where} pass")


def _finish(
    wanted: dict[str, Any], listed: dict[str, Any], crew: Crew, progress: api.Progress, say: Say
) -> None:
    """Deals out what is missing until nothing is."""
    lost: Counter[str] = Counter()
    failed: set[str] = set()
    done = listed["have"]
    while listed["jobs"]:
        parcels = _parcels(listed, crew.places())
        total = done + len(listed["jobs"])
        for parcel, answer in crew.work(parcels):
            keys = [job["key"] for job in parcel["jobs"]]
            if isinstance(answer, Exception):
                lost.update(keys)
                say(
                    f"{len(keys)} runs were lost with their worker and will be retried: "
                    f"{first_line(answer)[:200]}"
                )
                given_up = [job for job in parcel["jobs"] if lost[job["key"]] >= _CHANCES]
                _give_up(parcel, given_up, answer)
                failed.update(job["key"] for job in given_up)
                continue
            _keep(parcel, answer)
            failed.update(row["key"] for row in answer if row["state"] != "done")
            done += len(answer)
            progress(done, total, done / total)
        listed = api.call("jobs", wanted | {"points": _AT_ONCE, "except": sorted(failed)})


def _parcels(listed: dict[str, Any], places: int) -> list[Parcel]:
    """Runs that go to a worker together."""
    jobs, common = (
        listed["jobs"],
        {key: value for key, value in listed.items() if key not in ("jobs", "have")},
    )
    size = max(1, min(_LARGEST, -(-len(jobs) // max(1, places * _PARCELS_EACH))))
    return [common | {"jobs": jobs[i : i + size]} for i in range(0, len(jobs), size)]


def _keep(parcel: Parcel, answer: list[dict[str, Any]]) -> None:
    """Keeps the rows of a worker that does not see the store."""
    asked = {job["key"] for job in parcel["jobs"]}
    rows = [
        {"key": row["key"], "row": row["row"]}
        for row in answer
        if "row" in row and row["key"] in asked
    ]
    if rows:
        api.call("keep", {"store": parcel["store"], "rows": rows})


def _give_up(parcel: Parcel, jobs: list[dict[str, Any]], why: Exception) -> None:
    """Rows for runs that have been lost too often."""
    message = f"lost {_CHANCES} times with its worker: {first_line(why)[:200]}"
    rows = [{"key": job["key"], "row": _failure(job, message)} for job in jobs]
    if rows:
        api.call("keep", {"store": parcel["store"], "rows": rows})


def _failure(job: dict[str, Any], message: str) -> dict[str, Any]:
    error = {"code": 1, "message": message}
    return {"seed": job["plan"]["seed"], "valid": False, "error": error, "of": job["of"]}
