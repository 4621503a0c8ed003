"""Events of a flow in the order of time, and the nearest to an instant."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from .finding import Event
from .journeys import to_ps

if TYPE_CHECKING:
    import polars

    from .record import Record

_FIRST = {"drop": 0, "mark": 1, "reaction": 2, "retransmission": 3}
_CAUSES = {
    "timeout": "the retransmission timer expired",
    "loss": "the sender detected a loss",
    "ecn_echo": "the sender received a congestion signal (ECN)",
    "recovered": "all losses were repaired",
    "rto_backed_off": "the congestion control doubled the timeout before its expiry",
    "rtt_reset": "the congestion control reset the round-trip time",
    "own": "the congestion control changed its window by itself",
}


def cause_in_words(cause: str) -> str:
    """A cause of `reactions.parquet` as half a sentence."""
    return _CAUSES.get(cause, cause)


@functools.lru_cache(maxsize=1)  # Every question about a record needs them.
def events(record: Record) -> list[Event]:
    """Drops, marks and retransmissions of the flow's packets, and its sender's reactions, in the
    order of time."""
    import polars as pl

    found = [_signal(row) for row in record.signals.iter_rows(named=True)]
    again = record.packets.filter(pl.col("retransmit"))
    for number, sent, seq in zip(again["packet"], again["sent_ps"], again["seq"], strict=True):
        found.append(Event("retransmission", sent, f"byte {seq} was retransmitted", packet=number))
    for i, (time, cause) in enumerate(
        zip(record.reactions["time_s"], record.reactions["cause"].cast(pl.String), strict=True)
    ):
        found.append(Event("reaction", to_ps(time), cause_in_words(cause), reaction=i))
    return sorted(found, key=lambda e: (e.time_ps, _FIRST[e.kind]))


def _signal(row: dict[str, object]) -> Event:
    marked, sender = bool(row["marked"]), str(row["from"]) == "sender"
    whose = "" if sender else "acknowledgment "
    verb = "marked" if marked else "dropped"
    return Event(
        "mark" if marked else "drop",
        to_ps(float(str(row["time_s"]))),
        f"{row['queue']} {verb} {whose}packet {row['packet']} ({row['reason']})",
        sender=sender,
        packet=int(str(row["packet"])),
    )


def nearest(found: list[Event], asked_ps: int) -> Event | None:
    """The event nearest to an instant; of equally near ones a drop before a mark before a
    reaction."""
    return min(found, key=lambda e: (abs(e.time_ps - asked_ps), _FIRST[e.kind]), default=None)


def around(found: list[Event], asked_ps: int) -> tuple[Event | None, Event | None]:
    """The last event at or before an instant and the first one after it."""
    before = [e for e in found if e.time_ps <= asked_ps]
    after = [e for e in found if e.time_ps > asked_ps]
    return (before[-1] if before else None, after[0] if after else None)


def window_at(flows: polars.DataFrame | None, asked_ps: int) -> int | None:
    """The congestion window, bytes, in the last row of the series at or before an instant."""
    if flows is None:
        return None
    rows = flows.filter(flows["time_s"] <= asked_ps / 1e12)
    return (
        int(rows["cwnd_bytes"][-1]) if rows.height and rows["cwnd_bytes"][-1] is not None else None
    )
