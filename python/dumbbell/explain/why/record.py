"""Reads the records of one flow of a run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import api
from ...data import series
from ...errors import DumbbellError, EnvironmentLacks
from .. import runs
from ..runs import Run

if TYPE_CHECKING:
    from types import ModuleType

    import numpy as np
    import numpy.typing as npt
    import polars

    Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class End:
    """What one end of a flow sent: its packets, their hops, and the drops and marks among them, in
    the order of time. Words are text. Columns are arrays in which NaN is no value."""

    packets: polars.DataFrame
    hops: polars.DataFrame
    signals: polars.DataFrame

    @cached_property
    def _columns(self) -> dict[str, npt.NDArray[np.float64]]:
        import numpy as np

        numbers = ("packet", "sent_ps", "delivered_ps", "dropped_ps", "seq", "ack", "payload_bytes")
        return {name: self.packets[name].to_numpy().astype(np.float64) for name in numbers}

    def column(self, name: str) -> npt.NDArray[np.float64]:
        """A column of numbers of `packets`."""
        return self._columns[name]

    @cached_property
    def first_byte_after(self) -> npt.NDArray[np.float64]:
        """The byte of the stream after the last that each packet takes; a SYN or a FIN takes
        one."""
        import numpy as np

        takes = self.packets["flags"].str.contains("S|F").fill_null(False).to_numpy()
        end: npt.NDArray[np.float64] = self.column("seq") + np.maximum(
            self.column("payload_bytes"), takes
        )
        return end

    @cached_property
    def hop_numbers(self) -> npt.NDArray[np.float64]:
        """The number of each hop's packet."""
        import numpy as np

        return self.hops["packet"].to_numpy().astype(np.float64)

    @cached_property
    def echoes(self) -> Mask:
        """The packets with ECN echo, but not of a handshake, that arrived."""
        flags = self.packets["flags"]
        said = flags.str.contains("E") & ~flags.str.contains("S")
        return (self.packets["delivered_ps"].is_not_null() & said).fill_null(False).to_numpy()


@dataclass(frozen=True, eq=False)
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

    @cached_property
    def flow_number(self) -> int:
        """The number of the flow in the plan, from 0."""
        return [f["name"] for f in self.plan["flows"]].index(self.flow)

    @property
    def planned(self) -> dict[str, Any]:
        """The flow in the plan."""
        found: dict[str, Any] = self.plan["flows"][self.flow_number]
        return found

    @cached_property
    def sender(self) -> End:
        """What the sender sent."""
        return self._end("sender")

    @cached_property
    def receiver(self) -> End:
        """What the receiver sent."""
        return self._end("receiver")

    def end(self, sender: bool) -> End:
        """What one end sent."""
        return self.sender if sender else self.receiver

    def _end(self, name: str) -> End:
        import polars as pl

        packets, hops, signals = (
            frame.filter(pl.col("from").cast(pl.String) == name).with_columns(
                pl.selectors.categorical().cast(pl.String)
            )
            for frame in (self.packets, self.hops, self.signals)
        )
        return End(packets, hops, signals)


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


def recorded(run: Run, directory: Path, flow: str) -> Record | None:
    """The records of a flow in a directory, of the run or of its repetition; None if its packets
    are not there."""
    return _read(run, directory, flow, again=directory != run.directory)


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
            directory / "packets.parquet", f"it lacks data that this release reads: {error}"
        ) from None


def polars_of(command: str) -> ModuleType:
    """Polars, which `command` reads records with. `EnvironmentLacks` if it is not installed."""
    try:
        import polars
    except ImportError:
        raise EnvironmentLacks(
            f"`{command}` reads records with polars: pip install polars"
        ) from None
    return polars
