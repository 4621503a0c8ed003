"""From rows to packets, decisions and reactions. Pure functions over the frames of a `Record`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...models import codepoints
from ...present.units import plain_rate
from .finding import Decision, Hop, Packet, Reaction

if TYPE_CHECKING:
    import polars

    from .record import Record

PS = 1_000_000_000_000
# Columns of signals.parquet that are not gauges: see docs/reference/results.md.
_NAMED = (
    "time_s",
    "queue",
    "flow",
    "from",
    "packet",
    "reason",
    "marked",
    "seq",
    "ip_len_bytes",
    "retransmit",
)
SIGNAL_COLUMNS = frozenset((*_NAMED, "queue_packets"))
_SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9}


def size_bytes(text: object) -> int | None:
    """A size of a plan (`"1.46 kB"`) in bytes; None if it is none."""
    match = re.fullmatch(r"\s*([0-9.eE+-]+)\s*(B|kB|MB|GB)\s*", str(text))
    return None if match is None else round(float(match[1]) * _SIZES[match[2]])


def link(record: Record, name: str) -> dict[str, Any]:
    """A link of the plan."""
    found: dict[str, Any] = next((k for k in record.plan["links"] if k["name"] == name), {})
    return found


def transport(record: Record) -> dict[str, Any]:
    """The flow's transport in the plan."""
    found: dict[str, Any] = next(f for f in record.plan["flows"] if f["name"] == record.flow)[
        "transport"
    ]
    return found


def side(frame: polars.DataFrame, sender: bool) -> polars.DataFrame:
    """The rows of the packets that one end sent."""
    import polars as pl

    return frame.filter(pl.col("from").cast(pl.String) == ("sender" if sender else "receiver"))


def packet(record: Record, row: dict[str, Any]) -> Packet:
    """A row of `packets.parquet` with its hops."""
    sender = str(row["from"]) == "sender"
    return Packet(
        sender=sender,
        number=row["packet"],
        sent_ps=row["sent_ps"],
        delivered_ps=row["delivered_ps"],
        dropped_ps=row["dropped_ps"],
        dropped_at=row["dropped_at"],
        reason=row["reason"],
        flags=row["flags"] or "",
        seq=row["seq"],
        ack=row["ack"],
        payload_bytes=row["payload_bytes"],
        ip_len_bytes=row["ip_len_bytes"],
        retransmit=row["retransmit"],
        transmission=_transmission(record, row) if sender else 1,
        ce_on_arrival=row["ce_on_arrival"],
        hops=hops(record, sender, row["packet"], row["ip_len_bytes"]),
    )


def _transmission(record: Record, row: dict[str, Any]) -> int:
    """Transmissions of the packet's first byte, this one included."""
    if row["seq"] is None or not row["retransmit"]:
        return 1
    return (
        copies(record, row["seq"])
        .filter(copies(record, row["seq"])["packet"] <= row["packet"])
        .height
    )


def copies(record: Record, seq: int) -> polars.DataFrame:
    """Every packet of the sender that carried byte `seq` of the stream, in order."""
    import polars as pl

    data = side(record.packets, sender=True)
    first, length = pl.col("seq"), pl.col("payload_bytes")
    takes = pl.max_horizontal(
        length, pl.col("flags").str.contains("S|F", literal=False).cast(pl.UInt64)
    )
    data = data.with_columns(flags=pl.col("flags").cast(pl.String))
    return data.filter(first.is_not_null() & (first <= seq) & (pl.lit(seq) < first + takes))


def find(record: Record, sender: bool, number: int) -> Packet | None:
    """A packet by its number."""
    rows = side(record.packets, sender).filter(side(record.packets, sender)["packet"] == number)
    return packet(record, rows.row(0, named=True)) if rows.height else None


def hops(record: Record, sender: bool, number: int, ip_len_bytes: int) -> tuple[Hop, ...]:
    """The links that a packet came to, in order."""
    import polars as pl

    rows = (
        side(record.hops, sender)
        .filter(pl.col("packet") == number)
        .sort("arrived_ps", maintain_order=True)
    )
    found: list[Hop] = []
    for row in rows.iter_rows(named=True):
        hop = _hop(record, row, ip_len_bytes)
        found.append(
            hop if hop.colour is None else _marked(record, hop, found[-1] if found else None)
        )
    return tuple(found)


def _marked(record: Record, hop: Hop, before: Hop | None) -> Hop:
    """A hop behind an edge: which of its rules judged the packet, and for how long that held it."""
    number = next(i for i, flow in enumerate(record.plan["flows"]) if flow["name"] == record.flow)
    came = None if before is None else before.dscp
    rule = codepoints.rule_of(link(record, hop.link).get("conditioner"), number, came) or {}
    since = before.far_end_ps if before is not None else None
    held = 0 if since is None else max(0, hop.arrived_ps - since)
    return replace(hop, marker=rule.get("kind"), held_ps=held)


def _hop(record: Record, row: dict[str, Any], ip_len_bytes: int) -> Hop:
    planned = link(record, row["link"])
    constant = planned.get("service") is None or planned["service"].get("kind") == "constant"
    rate = plain_rate(planned.get("rate")) if constant else None
    framing = planned.get("framing") or 0
    wire = ip_len_bytes + (framing if isinstance(framing, int) else size_bytes(framing) or 0)
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
    return Hop(
        link=row["link"],
        arrived_ps=row["arrived_ps"],
        backlog_packets=row["backlog_packets"],
        waited_ps=waited,
        transmission_ps=transmission,
        departed_ps=row["departed_ps"],
        far_end_ps=row["far_end_ps"],
        dropped_ps=row["dropped_ps"],
        reason=row["reason"],
        dscp=row.get("dscp"),
        colour=row.get("colour"),
    )


def decision(record: Record, of: Packet, marked: bool) -> Decision | None:
    """The state that the queue or wire saw when it dropped or marked a packet."""
    import polars as pl

    rows = side(record.signals, of.sender).filter(
        (pl.col("packet") == of.number) & (pl.col("marked") == marked)
    )
    if not rows.height:
        return None
    row = rows.row(0, named=True)
    planned = link(record, row["queue"])
    algorithm, parameters = _who(planned, row["reason"], record)
    gauges = {
        name: float(value)
        for name, value in row.items()
        if name not in SIGNAL_COLUMNS and isinstance(value, int | float)
    }
    return Decision(
        time_ps=to_ps(row["time_s"]),
        link=row["queue"],
        algorithm=algorithm,
        parameters=parameters,
        limit="" if row["reason"] == "link" else _limit(planned.get("capacity")),
        reason=row["reason"],
        marked=row["marked"],
        queue_packets=None if row["reason"] == "link" else row["queue_packets"],
        gauges=gauges,
    )


def _who(planned: dict[str, Any], reason: str, record: Record) -> tuple[str, dict[str, Any]]:
    """The algorithm behind a reason, and its parameters: the wire's impairments lose, the first
    rule of the edge that has this flow polices, and where there is none a queue with a penalty box
    does."""
    if reason == "link":
        kinds = planned.get("impairments") or []
        return " + ".join(k["kind"] for k in kinds), {k["kind"]: k.get("config", {}) for k in kinds}
    queue = planned.get("aqm") or planned.get("qdisc")
    number = next(i for i, flow in enumerate(record.plan["flows"]) if flow["name"] == record.flow)
    edge = codepoints.rule_of(planned.get("conditioner"), number) if reason == "policed" else None
    part = edge or queue or {}
    return str(part.get("kind", "")), dict(part.get("config") or {})


def _limit(capacity: object) -> str:
    """A queue's limit in words: `60 packets`, `64 buffers of 2048 bytes`."""
    if isinstance(capacity, dict) and capacity:
        unit, value = next(iter(capacity.items()))
        if unit == "buffers":
            return f"{value['count']} buffers of {value['size']} bytes"
        return f"{value} {unit}"
    return "" if capacity is None else str(capacity)


def reaction(row: dict[str, Any]) -> Reaction:
    """A row of `reactions.parquet`."""
    known = {name: row[name] for name in Reaction.__dataclass_fields__ if name in row}
    return Reaction(time_ps=to_ps(row["time_s"]), **known)


def to_ps(seconds: float) -> int:
    """Seconds of a record as the picoseconds that they were made from (exact below 9,000 s)."""
    return round(seconds * PS)
