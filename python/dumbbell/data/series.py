"""The recorded series of a result directory, read with polars when asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .. import api
from ..errors import CheckFailed, EnvironmentLacks, ScenarioError

if TYPE_CHECKING:
    import polars

T = TypeVar("T")

_ORDER = "dumbbell.order"
"""The key of a file's metadata with names in the scenario's order."""

NAMES = (
    "flows",
    "queues",
    "signals",
    "reactions",
    "packets",
    "hops",
    "acks",
    "delays",
    "completions",
    "markers",
)


def read(directory: str | Path, name: str) -> polars.DataFrame | None:
    """A series of one run, by its file's name (`NAMES`); None if it was not recorded."""
    file = Path(directory) / f"{name}.parquet"
    if not api.check_file(file):
        return None
    try:
        import polars
    except ImportError:
        raise EnvironmentLacks("reading series needs polars: pip install polars") from None
    return _read(file, polars.read_parquet)


def need(directory: str | Path, name: str) -> polars.DataFrame:
    """A series that must be there. `CheckFailed` if it is not."""
    frame = read(directory, name)
    if frame is None:
        raise damaged(Path(directory) / f"{name}.parquet", "it is missing")
    return frame


def plan(directory: str | Path, name: str = "packets") -> dict[str, Any] | None:
    """The plan of a run, which `packets` and `hops` have; None if there is no such file, or no plan
    in it."""
    file = Path(directory) / f"{name}.parquet"
    if not api.check_file(file):
        return None
    import polars

    about = _read(file, polars.read_parquet_metadata)
    try:
        found: dict[str, Any] | None = json.loads(about.get("dumbbell.plan", "null"))
    except ValueError as error:
        raise damaged(file, error) from None
    return found


def _read(file: Path, read: Callable[[Path], T]) -> T:
    """Calls polars, which raises or panics at some damaged files of earlier releases, which have no
    digests."""
    import polars

    try:
        return read(file)
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        raise damaged(file, (str(error).splitlines() or ["it cannot be read"])[0]) from None


def damaged(file: Path, what: object, fix: str = "run the scenario again") -> CheckFailed:
    """The error of a file that is not what was written, as the extension words it."""
    return CheckFailed(f"  \u00d7 {file} is damaged: {what}\n  help: {fix}\n")


def parts(
    frame: polars.DataFrame, column: str, order: Sequence[str] = ()
) -> list[tuple[str, polars.DataFrame]]:
    """The rows of each flow or queue: first those of `order`, then the others in the natural order
    of their names, `s2` before `s10`."""
    named = [(str(part[column][0]), part) for part in frame.partition_by(column)]
    places = {name: i for i, name in enumerate(order)}

    def key(pair: tuple[str, polars.DataFrame]) -> tuple[int, list[Any]]:
        natural = [int(t) if t.isdigit() else t for t in re.split(r"(\d+)", pair[0])]
        return places.get(pair[0], len(places)), natural

    return sorted(named, key=key)


def names(frame: polars.DataFrame, column: str, order: Sequence[str] = ()) -> list[str]:
    """The names of flows or queues in the order of `parts`."""
    return [name for name, _ in parts(frame.unique(column).select(column), column, order)]


def order(directory: str | Path, name: str) -> list[str]:
    """The scenario's order of the flows or queues of a series; empty if its file does not say."""
    file = Path(directory) / f"{name}.parquet"
    if not api.check_file(file):
        return []
    import polars

    found: list[str] = json.loads(_read(file, polars.read_parquet_metadata).get(_ORDER, "[]"))
    return found


SECONDS_FROM_S = 10.0
"""The length of a run from which figures show goodput as means over seconds, seconds."""


def means(frame: polars.DataFrame, every_s: float) -> polars.DataFrame:
    """Means of a part's numbers over periods of `every_s`; a last period that is not whole is left
    out."""
    period = (frame["time_s"] / every_s).floor().alias("period")
    bins = frame.with_columns(period).group_by("period", maintain_order=True).mean()
    whole = frame["time_s"].to_list()[-1] / every_s // 1  # Rows of a part are in the order of time.
    return bins.filter(bins["period"] < whole)


def run_directories(directory: str | Path) -> list[Path]:
    """The directories under `directory` that hold a run's series, in order; itself perhaps."""
    base = Path(directory)
    if not base.is_dir():
        raise ScenarioError(f"there is no result directory {base}")
    found = {file.parent for name in NAMES for file in base.rglob(f"{name}.parquet")}
    return sorted(found)
