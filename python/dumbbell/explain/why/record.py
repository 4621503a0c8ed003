"""Selects a run of a result, and reads the records of one of its flows."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import api
from ...data import series, summary
from ...errors import DumbbellError, EnvironmentLacks, ScenarioError
from ...files import reading
from ...files.write import temporary_folder
from ...language import overrides

if TYPE_CHECKING:
    from types import ModuleType

    import polars

_LEVELS = 3


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


@dataclass(frozen=True, slots=True)
class Record:
    """The records of one flow in one run. All frames hold this flow only, in the order of time."""

    run: Run
    flow: str
    plan: dict[str, Any]
    packets: polars.DataFrame
    hops: polars.DataFrame
    signals: polars.DataFrame
    reactions: polars.DataFrame
    flows: polars.DataFrame | None
    again: bool
    """True if the run was repeated because its packets had not been recorded."""


def locate(result: str | Path, point: int | None = None, seed: int | None = None) -> Run:
    """The run that is meant: of a sweep `point` (from 1) must be said, the seed is the first unless
    said.

    `ScenarioError` if there is no result, or no such point or seed.
    """
    base, point, seed = _home(Path(result), point, seed)
    data = summary.read(base)
    directory, changes, number = base, {}, None
    if "points" in data:
        points = data["points"]
        number = _point(base, points, point)
        data = {**{k: data.get(k) for k in ("name", "version")}, **points[number - 1]}
        directory, changes = base / f"point-{number:0{len(str(len(points)))}d}", data["overrides"]
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
        most = 20
        more = [f"  ... to --point {len(points)}"] if len(told) > most else []
        head = (
            f"{base} holds a sweep: say which point"
            if wanted is None
            else f"{base} has no point {wanted}"
        )
        raise ScenarioError("\n".join([head, *told[:most], *more]))
    return wanted


def flow_named(run: Run, wanted: str) -> str:
    """A flow by its name, or by its number, from 1 in the scenario's order. A name goes before a
    number."""
    if wanted in run.flows:
        return wanted
    if wanted.isdigit() and 1 <= int(wanted) <= len(run.flows):
        return run.flows[int(wanted) - 1]
    most = 20
    known = ", ".join(f"{i} = {name}" for i, name in enumerate(run.flows[:most], 1))
    raise ScenarioError(
        f"there is no flow `{wanted}`; flows by number and name: {known}"
        + (", ..." if len(run.flows) > most else "")
    )


def load(run: Run, flow: str, use: Sequence[str] = ()) -> Record:
    """The records of a flow. If its packets were not recorded the run is repeated in a temporary
    directory with `record.packets`, and must give the stored fingerprint: `DumbbellError` (exit
    code 1) if it does not. `use`: files with algorithms of the user's own, in place of those that
    the scenario names."""
    recorded = _read(run, run.directory, flow, again=False)
    if recorded is not None:
        return recorded
    with temporary_folder() as scratch:
        repeat(run, [flow], f"of {flow}", Path(scratch), use)
        repeated = _read(run, Path(scratch), flow, again=True)
    if repeated is None:
        raise DumbbellError(f"the repeated run recorded no packets of {flow}")
    return repeated


def repeat(
    run: Run, flows: Sequence[str] | bool, whose: str, out: Path, use: Sequence[str]
) -> None:
    """Makes a run again, with the packets of `flows` (True: of all) recorded, in the directory
    `out`. `whose`: what messages call the packets. `DumbbellError` if it is not the same run."""
    file = run.result / "scenario.toml"
    api.check_file(file)
    try:
        value = tomllib.loads(reading.text(file))
    except FileNotFoundError:
        raise ScenarioError(
            f"the packets {whose} were not recorded, and {file}, from which the run could be "
            f"repeated, is missing. "
            "Run the scenario again with -s record.packets=true"
        ) from None
    except (OSError, ValueError) as error:
        raise ScenarioError(f"{file} cannot be read: {error}") from None
    changes = _without_programs(value, run, whose, use)
    wanted = api.request(
        {"value": value, "name": run.name},
        [*changes, f"record.packets={json.dumps(flows)}"],
        seed=run.seed,
        replications=1,
        out=str(out),
        use=list(use) or None,
    )
    try:
        fingerprint = api.run(wanted)["fingerprint"]
    except ScenarioError as error:
        raise ScenarioError(
            f"the packets {whose} were not recorded, and the run cannot be "
            f"repeated:\n{error.rendered}"
        ) from None
    if fingerprint != run.fingerprint:
        from ... import __version__

        raise DumbbellError(
            f"the packets {whose} were not recorded, and repeating the run gives the fingerprint "
            f"{fingerprint} "
            f"instead of {run.fingerprint}: the result was made by another build (it says "
            f"{run.version}, this is "
            f"{__version__}). Ask that build, or run {file} again with -s record.packets=true"
        )


def _without_programs(value: dict[str, Any], run: Run, whose: str, use: Sequence[str]) -> list[str]:
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
            f"the packets {whose} were not recorded, and the run needs algorithms of its own "
            f"({named}) to be repeated. "
            "A result runs no programs by itself: name their files with --use FILE"
        )
    return [f"{key}={overrides.literal(changed)}" for key, changed in changes.items()]


def _read(run: Run, directory: Path, flow: str, again: bool) -> Record | None:
    if not api.check_file(directory / "packets.parquet"):
        return None
    pl = polars_of("why")
    try:
        plan = series.plan(directory) or {}
        index = [f["name"] for f in plan["flows"]].index(flow)
        if index not in plan["record"]["packets"]:
            return None
        of_flow = pl.col("flow").cast(pl.String) == flow
        flows = directory / "flows.parquet"

        def frame(name: str, order: str) -> polars.DataFrame:
            return series.need(directory, name).filter(of_flow).sort(order, maintain_order=True)

        return Record(
            run=run,
            flow=flow,
            plan=plan,
            packets=frame("packets", "sent_ps"),
            hops=frame("hops", "arrived_ps"),
            signals=frame("signals", "time_s"),
            reactions=frame("reactions", "time_s"),
            flows=frame("flows", "time_s") if flows.exists() and not again else None,
            again=again,
        )
    except (KeyError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise series.damaged(
            directory / "packets.parquet", f"it does not have what this release reads: {error}"
        ) from None


def polars_of(command: str) -> ModuleType:
    """Polars, which `command` reads records with. `EnvironmentLacks` if it is not installed."""
    try:
        import polars
    except ImportError:
        raise EnvironmentLacks(
            f"`{command}` reads records with polars: pip install 'dumbbell[figures]'"
        ) from None
    return polars
