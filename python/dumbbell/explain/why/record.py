"""Reads the records of one flow of a run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import api
from ...data import series
from ...errors import DumbbellError, EnvironmentLacks
from .. import runs
from ..runs import Run

if TYPE_CHECKING:
    from types import ModuleType

    import polars


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


def load(run: Run, flow: str, use: Sequence[str] = ()) -> Record:
    """The records of a flow. If its packets were not recorded the run is repeated in a temporary
    directory with `record.packets`, and must give the stored fingerprint: `InvalidRun` (exit code
    5) if it does not. `use`: files with algorithms of the user's own, in place of those that the
    scenario names."""
    recorded = _read(run, run.directory, flow, again=False)
    if recorded is not None:
        return recorded
    lack = f"the packets of {flow} were not recorded"
    with runs.repeated(run, [f"record.packets={json.dumps([flow])}"], lack, use) as (scratch, _):
        repeated = _read(run, scratch, flow, again=True)
    if repeated is None:
        raise DumbbellError(f"the repeated run recorded no packets of {flow}")
    return repeated


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
