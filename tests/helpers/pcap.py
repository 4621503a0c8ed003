"""What tcptrace and tshark count, counted from `packets.parquet`: their definitions, transcribed in
words first.

Both look at a capture taken at a flow's sender: what it sends, at the instant of sending, and what
arrives, at the instant of arriving; at one instant the arrival comes first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PS_PER_NS = 1_000
PS_PER_US = 1_000_000

Row = dict[str, Any]


def rows(run: Path, flow: str) -> list[Row]:
    """A flow's packets."""
    import polars

    return (
        polars.read_parquet(run / "packets.parquet").filter(polars.col("flow") == flow).to_dicts()
    )


def at_sender(packets: list[Row]) -> Iterator[tuple[int, bool, Row]]:
    """(ps, whether it was sent here, packet), in the order of a capture."""
    seen = [(p["sent_ps"], True, p) for p in packets if p["from"] == "sender"]
    seen += [
        (p["delivered_ps"], False, p)
        for p in packets
        if p["from"] == "receiver" and p["delivered_ps"] is not None
    ]
    return iter(sorted(seen, key=lambda s: (s[0], s[1], s[2]["packet"])))


def end(p: Row) -> int:
    """The offset after a segment; SYN and FIN take one."""
    return p["seq"] + p["payload_bytes"] + ("S" in p["flags"]) + ("F" in p["flags"])


@dataclass
class Tcptrace:
    """What `tcptrace -lr` prints of the data's direction.

    A round-trip time is taken when a segment is acknowledged for the first time by exactly its last
    byte; not if a segment acknowledged with it was sent again after it ("post-loss"), and not if it
    was itself sent twice ("ambiguous"). SYN and FIN are bytes of a repetition. Times are
    microseconds.
    """

    packets: int = 0
    data_packets: int = 0
    data_bytes: int = 0
    unique_bytes: int = 0
    again_packets: int = 0
    again_bytes: int = 0
    sack_packets: int = 0
    rtt_us: list[int] = field(default_factory=list)
    post_loss: int = 0
    ambiguous: int = 0
    cumulative: int = 0


def tcptrace(packets: list[Row]) -> Tcptrace:
    """The counts of one flow."""
    out, high = Tcptrace(), 0
    waiting: dict[int, tuple[int, bool]] = {}  # end: (time of the last sending, whether sent twice)
    for ps, sent, p in at_sender(packets):
        us = ps // PS_PER_US
        if not sent:
            out.sack_packets += p["options"] is not None and p["options"].startswith("sack")
            latest_repeat = -1
            for covered in sorted(e for e in waiting if e <= p["ack"]):
                when, twice = waiting.pop(covered)
                if covered < p["ack"]:
                    out.cumulative += 1
                elif latest_repeat > when:
                    out.post_loss += 1
                elif twice:
                    out.ambiguous += 1
                else:
                    out.rtt_us.append(us - when)
                if twice:
                    latest_repeat = max(latest_repeat, when)
            continue
        out.packets += 1
        out.data_packets += p["payload_bytes"] > 0
        out.data_bytes += p["payload_bytes"]
        if end(p) > p["seq"]:
            again = p["seq"] < high
            out.again_packets += again
            out.again_bytes += end(p) - p["seq"] if again else 0
            out.unique_bytes += 0 if again else p["payload_bytes"]
            waiting[end(p)] = (us, again)
            high = max(high, end(p))
    return out


def tshark_rtts(packets: list[Row]) -> list[int]:
    """`tcp.analysis.ack_rtt`, ns: for each packet that acknowledges exactly the last byte of a
    segment that was not acknowledged before, the time since that segment was first sent. Both
    directions count; a time of zero (our hosts answer at once) is not shown."""
    waiting: dict[bool, dict[int, int]] = {True: {}, False: {}}
    found = []
    for ps, sent, p in at_sender(packets):
        ns = ps // PS_PER_NS
        if p["ack"] is not None:
            of_other = waiting[not sent]
            if p["ack"] in of_other:
                found.append(ns - of_other[p["ack"]])
            for covered in [e for e in of_other if e <= p["ack"]]:
                del of_other[covered]
        if end(p) > p["seq"]:
            waiting[sent].setdefault(end(p), ns)
    return [ns for ns in found if ns > 0]
