"""The divergence of two runs, in sentences and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...present.grids import Grid
from ...present.units import significant
from ..why.events import cause_in_words
from ..why.sentences.quantities import clock, span
from .parting import reaction_ps
from .steps import KINDS

if TYPE_CHECKING:
    from .compare import Compared
    from .parting import PacketTrace, Parting, Row

SHOWN = 12
"""Most differences of the plans that the table has."""


def told(c: Compared) -> str:
    """One paragraph."""
    until = span(c.until_ps)
    if c.parting is None:
        same = (
            f"fingerprint {c.a.fingerprint}"
            if c.a.fingerprint == c.b.fingerprint
            else "up to there"
        )
        return (
            "A and B are identical: every packet took the same path at the same picosecond for "
            f"{until} ({same})."
        )
    p = c.parting
    place = f" at `{p.link}`" if p.link else ""
    return (
        f"A and B diverge at {clock(p.time_ps, 9)}{place}, on packet {p.packet} of "
        f"{p.flow}{'' if p.sender else ', sent by its receiver'}{_content(p)}. In A "
        f"{_fate(p, p.a)}; in B {_fate(p, p.b)}."
    )


def _content(p: Parting) -> str:
    row = p.a.packet or p.b.packet
    if row is None or not row["payload_bytes"] or row["seq"] is None:
        return ""
    return f" (bytes {row['seq']} to {row['seq'] + row['payload_bytes'] - 1})"


def _fate(p: Parting, seen: PacketTrace) -> str:
    """The end of the packet in one of the runs, near the instant of the parting."""
    if seen.packet is None:
        return "it was never sent"
    if p.kind == "sent" or seen.packet["sent_ps"] > p.time_ps:
        what = "again" if seen.packet["retransmit"] else "for the first time"
        return f"it was sent at {clock(seen.packet['sent_ps'], 9)}, with its data {what}"
    hop = seen.hop
    if p.link is None:
        at = seen.packet["delivered_ps"]
        return "it did not arrive" if at is None else f"it arrived at {clock(at, 9)}"
    if hop is None:
        return "it never arrived there"
    if hop["dropped_ps"] is not None:
        return f"it was dropped ({hop['reason']}){_waiting(hop)}"
    if p.kind == "arrived":
        return f"it arrived at {clock(hop['arrived_ps'], 9)}{_waiting(hop)}"
    mark = f"marked ({hop['reason']}) and " if hop["reason"] is not None else ""
    left = (
        ""
        if hop["departed_ps"] is None
        else f", and its last bit left at {clock(hop['departed_ps'], 9)}"
    )
    return f"it was {mark}queued{_waiting(hop)}{left}"


def _waiting(hop: Row) -> str:
    return f" with {hop['backlog_packets']} packets waiting"


def tables(c: Compared) -> list[Grid]:
    """The packet in both runs, what both have before, and what differs in the plans."""
    made = []
    if c.parting is not None:
        made += [_packet(c.parting), _before(c.parting)]
    if c.plans:
        made.append(_plans(c.plans))
    return [table for table in made if table.rows]


def _packet(p: Parting) -> Grid:
    rows = [row for row in _rows(p) if row[1] != "-" or row[2] != "-"]
    return Grid(
        f"Packet {p.packet} of {p.flow}{'' if p.sender else ', of its receiver'}",
        ["", "A", "B"],
        rows,
    )


def _rows(p: Parting) -> list[list[str]]:
    a, b = p.a, p.b

    def both(name: str, key: str, rows: tuple[Row | None, Row | None], show: Any) -> list[str]:
        shown = ["-" if row is None or row.get(key) is None else show(row[key]) for row in rows]
        return [name, *shown]

    packets, hops, last = (a.packet, b.packet), (a.hop, b.hop), (a.reaction, b.reaction)
    rows = [
        both("sent", "sent_ps", packets, lambda x: clock(x, 9)),
        both("first byte", "seq", packets, str),
        both("acknowledges", "ack", packets, str),
        both("bytes", "ip_len_bytes", packets, str),
        both("sent before", "retransmit", packets, lambda x: "yes" if x else "no"),
        both("came", "arrived_ps", hops, lambda x: clock(x, 9)),
        both("found waiting", "backlog_packets", hops, str),
        both("dropped or marked", "reason", hops, str),
        both("left", "departed_ps", hops, lambda x: clock(x, 9)),
        both("delivered", "delivered_ps", packets, lambda x: clock(x, 9)),
    ]
    gauges = (a.gauges, b.gauges)
    for name in dict.fromkeys([*(a.gauges or {}), *(b.gauges or {})]):
        rows.append(both(name, name, gauges, lambda x: significant(x, 6)))
    rows.append(
        ["sender's last reaction", *("-" if r is None else clock(reaction_ps(r), 9) for r in last)]
    )
    rows.append(both("because of", "cause", last, cause_in_words))
    rows.append(both("cwnd then, bytes", "cwnd_bytes", last, str))
    rows.append(both("ssthresh then, bytes", "ssthresh_bytes", last, str))
    return rows


def _before(p: Parting) -> Grid:
    rows = [
        [
            clock(s["time_ps"], 9),
            s["flow"],
            s["from"],
            s["link"] or "-",
            KINDS[s["kind"]],
            str(s["packet"]),
        ]
        for s in p.before
    ]
    return Grid(
        "The last events in both runs", ["time", "flow", "from", "link", "what", "packet"], rows, 5
    )


def _plans(plans: tuple[tuple[str, Any, Any], ...]) -> Grid:
    rows = [[key, *("-" if x is None else str(x) for x in (a, b))] for key, a, b in plans[:SHOWN]]
    if len(plans) > SHOWN:
        rows.append([f"and {len(plans) - SHOWN} more", "", ""])
    return Grid("Differences between the plans", ["", "A", "B"], rows)
