"""One run of a result directory, and its repetition with more records.

A simulated run can be repeated at any time: records do not change it, so the repetition must give
the fingerprint of the result.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import api
from ..data import records, summary
from ..errors import InvalidRun, ScenarioError
from ..files import reading
from ..files.write import temporary_folder
from ..language import overrides
from ..plugins.base import Own

_LEVELS = 3
_MOST_NAMES = 20
_USE = re.compile(r"\s*use\b")
"""Paths of overrides that name files with algorithms."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a result directory."""

    result: Path
    """Directory of `summary.json` and `scenario.toml`."""
    directory: Path
    """Directory of its records."""
    name: str
    version: str
    point: int | None
    """Its number, from 1, if the result is a sweep."""
    overrides: dict[str, Any]
    seed: int
    seeds: int
    """Number of seeds of the point."""
    fingerprint: str
    flows: tuple[str, ...]
    duration_s: float
    on: str = "sim"
    """Where it ran: `sim`, `kernel` or `linux`."""
    tables: dict[str, Any] | None = None
    """The scenario of a result that this program made; None: it is in the result's directory."""
    own: tuple[type[Own], ...] = ()
    """Plugin classes that `tables` name."""

    @property
    def live(self) -> bool:
        """True if kernels ran it: it is shown as recorded, not repeated."""
        return self.on != "sim"


def locate(result: str | Path, point: int | None = None, seed: int | None = None) -> Run:
    """The run that is meant: of a sweep `point` (from 1) must be said, the seed is the first unless
    said.

    `ScenarioError` if there is no result, or no such point or seed.
    """
    base, point, seed = _home(Path(result), point, seed)
    data = summary.read(base)
    directory, changes, number = base, {}, None
    on = str(data.get("on") or "sim")
    if "points" in data:
        points = data["points"]
        number = _point(base, points, point)
        data = {**{k: data.get(k) for k in ("name", "version")}, **points[number - 1]}
        directory = base / records.point_name(number - 1, len(points))
        changes = data["overrides"]
    elif point not in (None, 1):
        raise ScenarioError(f"{base} is not a sweep: it has no point {point}")
    runs = data.get("runs") or [data]
    by_seed = {int(run["seed"]): run for run in runs if "fingerprint" in run}
    if not by_seed or "flows" not in data:
        raise ScenarioError(
            f"{directory} has no result: "
            f"{(data.get('error') or {}).get('message', 'its runs failed')}"
        )
    chosen = next(iter(by_seed)) if seed is None else seed
    if chosen not in by_seed:
        raise ScenarioError(
            f"{base} has no run with seed {chosen}; its seeds are {', '.join(map(str, by_seed))}"
        )
    if (directory / f"seed-{chosen}").is_dir():
        directory = directory / f"seed-{chosen}"
    return Run(
        result=base,
        directory=directory,
        name=str(data.get("name") or "scenario"),
        version=str(data.get("version") or "?"),
        point=number,
        overrides=changes,
        seed=chosen,
        seeds=len(by_seed),
        fingerprint=by_seed[chosen]["fingerprint"],
        flows=tuple(str(f["name"]) for f in data["flows"]),
        duration_s=float(data.get("duration_s") or 0.0),
        on=on,
    )


def _home(given: Path, point: int | None, seed: int | None) -> tuple[Path, int | None, int | None]:
    """The directory with the summary: `given`, or above it, if `given` is one point or one seed of
    a result."""
    here = given
    for _ in range(_LEVELS):
        if (here / "summary.json").exists():
            return here, point, seed
        kind, _, number = here.name.partition("-")
        if kind == "seed" and number.isdigit() and seed is None:
            seed = int(number)
        elif kind == "point" and number.isdigit() and point is None:
            point = int(number)
        else:
            break
        here = here.parent
    return given, point, seed


def _point(base: Path, points: list[dict[str, Any]], wanted: int | None) -> int:
    if wanted is None and len(points) == 1:
        return 1
    if wanted is None or not 1 <= wanted <= len(points):
        told = [
            f"  --point {i}: " + ", ".join(f"{k} = {v}" for k, v in point["overrides"].items())
            for i, point in enumerate(points, 1)
        ]
        more = [f"  ... to --point {len(points)}"] if len(told) > _MOST_NAMES else []
        head = (
            f"{base} holds a sweep: select a point with --point"
            if wanted is None
            else f"{base} has no point {wanted}"
        )
        raise ScenarioError("\n".join([head, *told[:_MOST_NAMES], *more]))
    return wanted


def flow_named(run: Run, wanted: str) -> str:
    """A flow by its name, or by its number, from 1 in the scenario's order. A name goes before a
    number."""
    if wanted in run.flows:
        return wanted
    if wanted.isdigit() and 1 <= int(wanted) <= len(run.flows):
        return run.flows[int(wanted) - 1]
    known = ", ".join(f"{i} = {name}" for i, name in enumerate(run.flows[:_MOST_NAMES], 1))
    raise ScenarioError(
        f"there is no flow `{wanted}`; flows by number and name: {known}"
        + (", ..." if len(run.flows) > _MOST_NAMES else "")
    )


def repeat(run: Run, changes: Sequence[str], lack: str, out: Path, use: Sequence[str] = ()) -> None:
    """Makes a run again with more records, in the directory `out`.

    changes: the overrides that record more, such as `record.packets=true`. lack: what was not
    recorded, as the first clause of messages. use: files with algorithms of the user's own.
    `ScenarioError` if the run cannot be repeated, `InvalidRun` (exit code 5) if the repetition has
    another fingerprint.
    """
    again = " ".join(f"-s '{change}'" if '"' in change else f"-s {change}" for change in changes)
    if run.live:
        raise ScenarioError(
            f"{lack}, and a run on real kernels cannot be repeated\n"
            f"help: record it in the next run with {again}"
        )
    wanted = _request(run, changes, lack, use) | {"out": str(out)}
    try:
        fingerprint = api.run(wanted, own=run.own)["fingerprint"]
    except ScenarioError as error:
        raise ScenarioError(f"{lack}, and the run cannot be repeated:\n{error.rendered}") from None
    if fingerprint != run.fingerprint:
        from .. import __version__

        raise InvalidRun(
            f"{lack}, and repeating the run gives the fingerprint {fingerprint} instead of "
            f"{run.fingerprint}: the result was made by another build (it says {run.version}, "
            f"this is {__version__}). Use that build, or run {run.result / 'scenario.toml'} again "
            f"with {again}"
        )


def plan(run: Run, use: Sequence[str] = ()) -> dict[str, Any]:
    """The plan of a run, from the scenario of its result. Errors as of `repeat`."""
    lack = f"the plan of {run.result} was not recorded"
    request = _request(run, (), lack, use) | {"points": 1}
    found: dict[str, Any] = api.plan(request, run.own)["points"][0]
    return dict(found["plan"])


def scenario(run: Run) -> dict[str, Any]:
    """The tables of a run's scenario, as its result has them, with the point's overrides by their
    keys; empty if the file is gone."""
    if run.tables is not None:
        return {**run.tables, **run.overrides}
    file = run.result / "scenario.toml"
    if not api.check_file(file):
        return {}
    return {**_tables(file), **run.overrides}


def _tables(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(reading.text(file))
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise ScenarioError(f"{file} cannot be read: {error}") from None


def _request(run: Run, changes: Sequence[str], lack: str, use: Sequence[str]) -> dict[str, Any]:
    """The request that makes a run again."""
    if run.tables is not None:  # This program named its files with algorithms itself.
        value = {k: v for k, v in run.tables.items() if k not in ("sweep", "stop", "extends")}
        point = [f"{key}={overrides.literal(changed)}" for key, changed in run.overrides.items()]
        return api.request(
            {"value": value, "name": run.name}, [*point, *changes], seed=run.seed, replications=1
        )
    file = run.result / "scenario.toml"
    api.check_file(file)
    try:
        value = _tables(file)
    except FileNotFoundError:
        raise ScenarioError(
            f"{lack}, and {file}, from which the run could be repeated, is missing: run the "
            "scenario again"
        ) from None
    return api.request(
        {"value": value, "name": run.name},
        [*_without_programs(value, run, lack, use), *changes],
        seed=run.seed,
        replications=1,
        use=list(use) or None,
    )


@contextmanager
def repeated(
    run: Run, changes: Sequence[str], lack: str, use: Sequence[str] = ()
) -> Iterator[tuple[Path, str]]:
    """`repeat` in a temporary directory: the directory, and the sentence that says so."""
    with temporary_folder() as scratch:
        repeat(run, changes, lack, scratch, use)
        yield scratch, f"{lack}: repeated the run (fingerprint {run.fingerprint}, unchanged)"


def _without_programs(value: dict[str, Any], run: Run, lack: str, use: Sequence[str]) -> list[str]:
    """Takes out of a result's scenario all that would load files with algorithms, and returns the
    point's overrides without such: whoever looks at a result says which files may run.
    `ScenarioError` if nobody did."""
    for key in ("sweep", "extends"):  # The scenario of a result has neither.
        value.pop(key, None)
    named = value.pop("use", None)
    changes = {
        key: changed
        for key, changed in run.overrides.items()
        if not _USE.match(key.replace('"', ""))
    }
    if (named or len(changes) < len(run.overrides)) and not use:
        raise ScenarioError(
            f"{lack}, and repeating the run needs its plugins ({named}). Dumbbell does not run "
            "code from a result: name the files with --use FILE"
        )
    return [f"{key}={overrides.literal(changed)}" for key, changed in changes.items()]
