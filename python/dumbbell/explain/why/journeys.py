"""From rows to packets, decisions and reactions. Pure functions over the frames of a `Record`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from ...models import codepoints
from ...present.units import plain_bytes, plain_rate
from .finding import Decision, Hop, Packet, Reaction

if TYPE_CHECKING:
    import polars

    from .record import Record

PS = 1_000_000_000_000
LAST_FIXED = "queue_packets"
"""The last column of signals.parquet that each algorithm has: gauges come behind it, as
docs/reference/records.md says."""


def link(record: Record, name: str) -> dict[str, Any]:
    """A link of the plan."""
    found: dict[str, Any] = next((k for k in record.plan["links"] if k["name"] == name), {})
    return found


def packet(record: Record, row: dict[str, Any]) -> Packet:
    """A row of `packets.parquet` with its hops."""
    sender = str(row["from"]) == "sender"
    return Packet(
        **_of(Packet, row)
        | {
            "sender": sender,
            "number": row["packet"],
            "flags": row["flags"] or "",
            "transmission": _transmission(record, row) if sender else 1,
            "hops": hops(record, sender, row["packet"], row["ip_len_bytes"]),
        }
    )


def _of(kind: type[Packet | Hop | Reaction], row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a dataclass that a row has under the same names."""
    return {field.name: row[field.name] for field in fields(kind) if field.name in row}


def _transmission(record: Record, row: dict[str, Any]) -> int:
    """Transmissions of the packet's first byte, this one included."""
    if row["seq"] is None or not row["retransmit"]:
        return 1
    again = copies(record, row["seq"])
    return again.filter(again["packet"] <= row["packet"]).height


def copies(record: Record, seq: int) -> polars.DataFrame:
    """Every packet of the sender that carried byte `seq` of the stream, in order."""
    sent = record.sender
    return sent.packets.filter((sent.column("seq") <= seq) & (seq < sent.first_byte_after))


def find(record: Record, sender: bool, number: int) -> Packet | None:
    """A packet by its number."""
    end = record.end(sender)
    rows = end.packets.filter(end.column("packet") == number)
    return packet(record, rows.row(0, named=True)) if rows.height else None


def hops(record: Record, sender: bool, number: int, ip_len_bytes: int) -> tuple[Hop, ...]:
    """The links that a packet came to, in order."""
    end = record.end(sender)
    found: list[Hop] = []
    for row in end.hops.filter(end.hop_numbers == number).iter_rows(named=True):
        hop = _hop(record, row, ip_len_bytes)
        found.append(
            hop if hop.colour is None else _marked(record, hop, found[-1] if found else None)
        )
    return tuple(found)


def _marked(record: Record, hop: Hop, before: Hop | None) -> Hop:
    """A hop behind an edge: which of its rules judged the packet, and for how long that held it."""
    came = None if before is None else before.dscp
    rules = link(record, hop.link).get("conditioner")
    rule = codepoints.rule_of(rules, record.flow_number, came) or {}
    since = before.far_end_ps if before is not None else None
    held = 0 if since is None else max(0, hop.arrived_ps - since)
    return replace(hop, marker=rule.get("kind"), held_ps=held)


def _hop(record: Record, row: dict[str, Any], ip_len_bytes: int) -> Hop:
    planned = link(record, row["link"])
    constant = planned.get("service") is None or planned["service"].get("kind") == "constant"
    rate = plain_rate(planned.get("rate")) if constant else None
    framing = planned.get("framing") or 0
    wire = ip_len_bytes + (
        framing if isinstance(framing, int) else round(plain_bytes(framing) or 0)
    )
    wire = max(wire, planned.get("least") or 0)
    transmission = None if not rate else round(wire * 8 / rate * PS)
    waited = None
    if row["departed_ps"] is not None:
        # A transmitter carries its rounding over to the next packet: by a picosecond more or less,
        # never below zero.
        waited = max(0, row["departed_ps"] - row["arrived_ps"] - (transmission or 0))
        waited = 0 if waited <= 1 else waited
    elif row["dropped_ps"] is not None:
        # The wire loses what was transmitted, a queue what waits.
        sent = (transmission or 0) if row["reason"] == "link" else 0
        waited = max(0, row["dropped_ps"] - row["arrived_ps"] - sent)
    return Hop(**_of(Hop, row) | {"waited_ps": waited, "transmission_ps": transmission})


def decision(record: Record, of: Packet, marked: bool) -> Decision | None:
    """The state that the queue or wire saw when it dropped or marked a packet."""
    signals = record.end(of.sender).signals
    rows = signals.filter((signals["packet"] == of.number) & (signals["marked"] == marked))
    if not rows.height:
        return None
    row = rows.row(0, named=True)
    planned = link(record, row["queue"])
    algorithm, parameters = _who(planned, row["reason"], record)
    return Decision(
        time_ps=to_ps(row["time_s"]),
        link=row["queue"],
        algorithm=algorithm,
        parameters=parameters,
        limit="" if row["reason"] == "link" else _limit(planned.get("capacity")),
        reason=row["reason"],
        marked=row["marked"],
        queue_packets=None if row["reason"] == "link" else row["queue_packets"],
        gauges=gauges(row),
    )


def gauges(signal: Mapping[str, Any]) -> dict[str, float]:
    """What the algorithm showed with a drop or a mark: a row of `signals.parquet` without the
    columns that every algorithm has."""
    names = list(signal)
    own = names[names.index(LAST_FIXED) + 1 :]
    return {name: float(signal[name]) for name in own if isinstance(signal[name], int | float)}


def _who(planned: dict[str, Any], reason: str, record: Record) -> tuple[str, dict[str, Any]]:
    """The algorithm behind a reason, and its parameters: the wire's impairments lose, the first
    rule of the edge that has this flow polices, and where there is none a queue with a penalty box
    does."""
    if reason == "link":
        kinds = planned.get("impairments") or []
        return " + ".join(k["kind"] for k in kinds), {k["kind"]: k.get("config", {}) for k in kinds}
    queue = planned.get("aqm") or planned.get("qdisc")
    edge = None
    if reason == "policed":
        edge = codepoints.rule_of(planned.get("conditioner"), record.flow_number)
    part = edge or queue or {}
    return str(part.get("kind", "")), dict(part.get("config") or {})


def _limit(capacity: object) -> str:
    """A queue's limit in words: `60 packets`, `64 buffers of 2048 bytes`."""
    if isinstance(capacity, dict) and capacity:
        unit, value = next(iter(capacity.items()))
        if unit == "buffers":
            return f"{value['count']} buffers of {value['size']} bytes"
        return f"{value} {'bytes' if unit == 'reached' else unit}"
    return "" if capacity is None else str(capacity)


def reaction(row: dict[str, Any]) -> Reaction:
    """A row of `reactions.parquet`."""
    return Reaction(time_ps=to_ps(row["time_s"]), **_of(Reaction, row))


@functools.lru_cache(maxsize=1)  # Every question about a record needs them.
def reactions(record: Record) -> list[Reaction]:
    """All reactions of the flow's sender."""
    return [reaction(row) for row in record.reactions.iter_rows(named=True)]


def to_ps(seconds: float) -> int:
    """Seconds of a record as the picoseconds that they were made from (exact below 9,000 s)."""
    return round(seconds * PS)
