"""One of the two runs: everything that was recorded of it, of all flows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import api
from ...data import series
from ...errors import ScenarioError
from ...files.write import temporary_folder
from ...present.units import seconds
from .. import runs
from ..why import record

if TYPE_CHECKING:
    import polars

_FRAMES = ("packets", "hops", "signals", "reactions")


@dataclass(frozen=True, slots=True)
class Side:
    """A run and its records, each frame with words as text."""

    name: str
    """The name that the user gave it."""
    seed: int
    fingerprint: str
    plan: dict[str, Any]
    packets: polars.DataFrame
    hops: polars.DataFrame
    signals: polars.DataFrame
    reactions: polars.DataFrame
    flows: polars.DataFrame | None = None
    """Samples of the flows' senders, if they were recorded."""
    repeated: bool = False
    """True if the run of a result was made again, because not all of its packets had been
    recorded."""

    @property
    def end_ps(self) -> int:
        """Duration of the run."""
        return round(seconds(self.plan["duration"]) * 10**12)


def names_result(given: str | Path) -> bool:
    """True if a result directory is meant, and not a scenario file."""
    path = Path(given)
    return path.is_dir() or (not path.exists() and path.suffix != ".toml")


def load(
    given: str | Path,
    *,
    overrides: Sequence[str] = (),
    point: int | None = None,
    seed: int | None = None,
    use: Sequence[str] = (),
) -> Side:
    """The run of a result directory or of a scenario file.

    overrides: applied to a scenario file. point: which of a result that is a sweep. seed: which run
    of a result; of a scenario file the seed. Errors: `ScenarioError` if there is no such run,
    `InvalidRun` if a result's run, made again, is another one.
    """
    path = Path(given)
    if names_result(path):
        if overrides:
            raise ScenarioError(
                f"{given} is the result of a finished run: --set applies to a scenario file"
            )
        return _of_result(path, point, seed, use)
    return of_scenario(path, overrides, seed, use)


def _of_result(path: Path, point: int | None, seed: int | None, use: Sequence[str]) -> Side:
    run = runs.locate(path, point, seed)
    kept = _read(str(path), run.seed, run.fingerprint, run.directory)
    if kept is not None:
        return kept
    lack = f"not all packets of {path} were recorded"
    with runs.repeated(run, ["record.packets=true"], lack, use) as (scratch, _):
        return _whole(_read(str(path), run.seed, run.fingerprint, scratch, repeated=True), path)


def of_scenario(
    path: Path,
    overrides: Sequence[str],
    seed: int | None,
    use: Sequence[str],
    on: str = "sim",
) -> Side:
    """Runs a scenario file with every packet recorded. on: `sim`, or `linux` for a kernel in
    virtual time."""
    with temporary_folder() as scratch:
        out = Path(scratch) / "run"
        wanted = api.request(
            {"path": str(path)},
            [*overrides, "record.packets=true"],
            seed=seed,
            replications=1,
            out=str(out),
            use=list(use) or None,
            on=None if on == "sim" else on,
        )
        if len(api.plan(wanted)["points"]) > 1:
            raise ScenarioError(
                f"{path} is a sweep: set its values with -s, or compare two points of its result"
            )
        result = api.run(wanted)
        directory = out if "points" not in result else next(out.glob("point-*"))
        run = result["points"][0] if "points" in result else result
        return _whole(_read(str(path), run["seed"], run["fingerprint"], directory), path)


def _whole(side: Side | None, path: Path) -> Side:
    if side is None:
        raise ScenarioError(f"{path}: the run recorded no packets")
    return side


def _read(
    name: str, seed: int, fingerprint: str, directory: Path, repeated: bool = False
) -> Side | None:
    """The records of a directory; None if they are not of all flows."""
    if not api.check_file(directory / "packets.parquet"):
        return None
    pl = record.polars_of("diff")
    try:
        plan = series.plan(directory) or {}
        if len(plan["record"]["packets"]) < len(plan["flows"]):
            return None
        flows = series.read(directory, "flows")
        frames = {frame: series.need(directory, frame) for frame in _FRAMES}
    except (KeyError, TypeError) as error:
        raise series.damaged(
            directory / "packets.parquet", f"it lacks data that this release reads: {error}"
        ) from None
    words = {
        k: frame.with_columns(pl.col(pl.Categorical).cast(pl.String)) for k, frame in frames.items()
    }
    if flows is not None:
        flows = flows.with_columns(pl.col(pl.Categorical).cast(pl.String))
    return Side(
        name=name,
        seed=seed,
        fingerprint=fingerprint,
        plan=plan,
        flows=flows,
        repeated=repeated,
        **words,
    )
