"""A finding as tables: the packet's journey, what the decision saw, what the sender did, and when
the repair came."""

from __future__ import annotations

from ...models import codepoints
from ...present.grids import Grid
from ...present.units import significant, time_text
from .events import cause_in_words
from .finding import Decision, Finding, Hop, Packet, Reaction
from .sentences.quantities import clock, span

_JOURNEY = ["link", "fate", "arrived", "found waiting", "waited", "left", "far end"]
_EDGE = ["marked", "held"]


def tables(f: Finding) -> list[Grid]:
    """Every table that the finding has the numbers for."""
    found = []
    if f.packet is not None:
        found.append(_journey(f"Packet {f.packet.number} of {f.flow}{_whose(f.packet)}", f.packet))
    if f.decision is not None:
        found.append(_decision(f.decision))
    reactions = [
        r for r in (f.reaction, f.detection.reaction if f.detection else None, f.next_reaction) if r
    ]
    distinct = list(dict.fromkeys(reactions))
    if distinct:
        found.append(_reactions(f, sorted(distinct, key=lambda r: r.time_ps)))
    if f.repairs:
        found.append(_repairs(f.repairs))
    return found


def _whose(p: Packet) -> str:
    return "" if p.sender else ", of its receiver"


def _journey(title: str, p: Packet) -> Grid:
    if not any(h.colour for h in p.hops):
        return Grid(title, _JOURNEY, [_hop(h) for h in p.hops], 2)
    rows = [[*_hop(h), _mark(h), span(h.held_ps) if h.held_ps else "-"] for h in p.hops]
    return Grid(title, [*_JOURNEY, *_EDGE], rows, 2)


def _mark(h: Hop) -> str:
    """The color and codepoint that the edge before a queue gave the packet: `IN, af11`."""
    if h.colour is None or h.dscp is None:
        return "-"
    return f"{codepoints.color(h.colour)}, {codepoints.name(h.dscp)}"


def _hop(h: Hop) -> list[str]:
    fate = (
        "passed"
        if h.reason is None
        else f"{'dropped' if h.dropped_ps is not None else 'marked'}, {h.reason}"
    )
    if h.reason is None and h.departed_ps is None:
        fate = "there at the end"
    end = h.departed_ps if h.departed_ps is not None else h.dropped_ps
    return [
        h.link,
        fate,
        clock(h.arrived_ps),
        str(h.backlog_packets),
        "-" if h.waited_ps is None else span(h.waited_ps),
        "-" if end is None else clock(end),
        "-" if h.far_end_ps is None else clock(h.far_end_ps),
    ]


def _decision(d: Decision) -> Grid:
    rows = [
        ["at", d.link],
        ["by", d.algorithm or "-"],
        ["time", clock(d.time_ps)],
        ["reason", d.reason],
    ]
    if d.queue_packets is not None:
        rows.append(["packets waiting", str(d.queue_packets)])
    if d.limit:
        rows.append(["limit", d.limit])
    rows += [[name, significant(value, 6)] for name, value in d.gauges.items()]
    return Grid("What decided", ["", "value"], rows, 1)


def _reactions(f: Finding, reactions: list[Reaction]) -> Grid:
    columns = [
        "time",
        "cause",
        "phase",
        "cwnd [pkt]",
        "ssthresh [pkt]",
        "in flight [pkt]",
        "timeout",
    ]
    size = f.segment_bytes
    rows = [
        [
            clock(r.time_ps),
            cause_in_words(r.cause),
            f"{r.phase_before} -> {r.phase}",
            f"{_size(r.cwnd_bytes_before, size)} -> {_size(r.cwnd_bytes, size)}",
            f"{_size(r.ssthresh_bytes_before, size)} -> {_size(r.ssthresh_bytes, size)}",
            _size(r.in_flight_bytes_before, size),
            f"{time_text(r.rto_us_before / 1e6)} -> {time_text(r.rto_us / 1e6)}",
        ]
        for r in reactions
    ]
    return Grid("What the sender did", columns, rows, 3)


def _size(size: int | None, segment: int) -> str:
    return "-" if size is None else significant(size / segment, 3)


def _repairs(repairs: tuple[Packet, ...]) -> Grid:
    rows = [
        [
            f"packet {p.number}",
            "arrived"
            if p.delivered_ps is not None
            else f"dropped, {p.reason}"
            if p.dropped_ps is not None
            else "on its way",
            clock(p.sent_ps),
            "-"
            if (p.delivered_ps or p.dropped_ps) is None
            else clock(p.delivered_ps or p.dropped_ps or 0),
        ]
        for p in repairs
    ]
    return Grid("Sent again", ["packet", "fate", "sent", "until"], rows, 2)
