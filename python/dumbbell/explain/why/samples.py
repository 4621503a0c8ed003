"""The state of a kernel's sender at its samples: a kernel tells no reactions, only its TCP_INFO at
instants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .finding import Sample
from .journeys import PS

if TYPE_CHECKING:
    import polars

    from .record import Record


def before(flows: polars.DataFrame | None, at_ps: int) -> Sample | None:
    """The last sample up to an instant."""
    rows = None if flows is None else flows.filter(flows["time_s"] <= at_ps / PS)
    return of_row(rows.row(-1, named=True)) if rows is not None and rows.height else None


def after(flows: polars.DataFrame | None, at_ps: int) -> Sample | None:
    """The first sample after an instant."""
    rows = None if flows is None else flows.filter(flows["time_s"] > at_ps / PS)
    return of_row(rows.row(0, named=True)) if rows is not None and rows.height else None


def around(record: Record, lost_ps: int, again_ps: int | None) -> tuple[Sample, ...]:
    """The samples before a drop and after its first retransmission; empty if the series is not
    recorded."""
    end = lost_ps if again_ps is None else again_ps
    pair = (before(record.flows, lost_ps), after(record.flows, end))
    return tuple(one for one in pair if one is not None)


def last_fall(record: Record, until_ps: int) -> tuple[Sample, ...]:
    """Two samples in a row between which the window fell, the last such up to an instant; empty if
    there are none."""
    if record.flows is None:
        return ()
    rows = record.flows.filter(record.flows["time_s"] <= until_ps / PS)
    windows = rows["cwnd_bytes"].to_list()
    for i in range(len(windows) - 1, 0, -1):
        if None not in windows[i - 1 : i + 1] and windows[i] < windows[i - 1]:
            return of_row(rows.row(i - 1, named=True)), of_row(rows.row(i, named=True))
    return ()


def of_row(row: Mapping[str, Any]) -> Sample:
    """A row of `flows.parquet`."""
    return Sample(
        time_ps=round(row["time_s"] * PS),
        cwnd_bytes=row["cwnd_bytes"],
        ssthresh_bytes=row["ssthresh_bytes"],
        srtt_us=row["srtt_us"],
        phase=None if row["phase"] is None else str(row["phase"]),
    )
