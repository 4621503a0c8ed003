"""From a question to a finding."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import ScenarioError
from ...present import units
from . import chain, events, journeys, samples
from .finding import AckSpacing, Event, Finding, Packet, Reaction, Sample

if TYPE_CHECKING:
    from .record import Record

_NEAR_RTTS = 4
_NEAR_LEAST_PS = 50 * journeys.PS // 1000


def near_ps(record: Record) -> int:
    """Largest distance of an event from its instant: four round trips of the empty path, at least
    50 ms."""
    rtt = base_rtt_ps(record)
    return max(_NEAR_LEAST_PS, _NEAR_RTTS * (rtt or 0))


def base_rtt_ps(record: Record) -> int | None:
    """The flow's round-trip time without queues, as the plan has it."""
    text = (record.planned.get("info") or {}).get("rtt")
    return None if text is None else journeys.to_ps(units.seconds(text))


def _blank(record: Record, question: str, asked_ps: int | None) -> Finding:
    transport = record.planned["transport"]
    tcp = transport.get("tcp") or {}
    options = 12 if tcp.get("timestamps") else 0
    full = record.packets["payload_bytes"].max() if record.packets.height else None
    mss = units.plain_bytes(tcp.get("mss"))
    return Finding(
        question=question,
        flow=record.flow,
        protocol=str(transport.get("protocol", "tcp")),
        asked_ps=asked_ps,
        base_rtt_ps=base_rtt_ps(record),
        within_ps=near_ps(record),
        tcp=tcp,
        segment_bytes=round(mss) - options if mss else int(str(full or 1)),
        kind="nothing",
        sampled=record.run.live,
    )


def event(record: Record, asked_ps: int, within_ps: int | None = None) -> Finding:
    """The events around an instant: the nearest drop, mark, retransmission or reaction, and its
    whole chain.

    If it is farther than `within_ps` (default: `near_ps`) nothing happened; `before` and `after`
    are the neighbors.
    """
    found = events.events(record)
    before, after = events.around(found, asked_ps)
    blank = replace(_blank(record, "event", asked_ps), before=before, after=after)
    blank = replace(blank, cwnd_bytes=events.window_at(record.flows, asked_ps))
    if within_ps is not None:
        blank = replace(blank, within_ps=within_ps)
    near = events.nearest(found, asked_ps)
    if near is None or abs(near.time_ps - asked_ps) > blank.within_ps:
        return blank
    return _story(record, blank, near)


def about(record: Record, event: Event) -> Finding:
    """One of the flow's events, and its whole chain."""
    return _story(record, _blank(record, "event", event.time_ps), event)


def _story(record: Record, blank: Finding, near: Event) -> Finding:
    if near.reaction is not None:
        return _of_reaction(record, blank, journeys.reactions(record)[near.reaction])
    found = journeys.find(record, near.sender, near.packet or 0)
    if found is None:
        return blank
    if near.kind == "mark":
        return _of_mark(record, blank, found)
    if near.kind == "drop":
        return _of_drop(record, blank, found)
    lost = _before(record, found, lost=True)
    if lost is None:
        told = replace(blank, packet=found, original=_before(record, found))
    else:
        told = _of_drop(record, blank, lost)
    return replace(told, kind="retransmission", event_ps=found.sent_ps)


def _before(record: Record, again: Packet, lost: bool = False) -> Packet | None:
    """The transmission before a repetition; with `lost` the one that it repairs, the last before it
    that was dropped."""
    if again.seq is None:
        return None
    rows = journeys.copies(record, again.seq)
    rows = rows.filter(rows["packet"] < again.number)
    if lost:
        rows = rows.filter(rows["dropped_ps"].is_not_null())
    return journeys.packet(record, rows.row(-1, named=True)) if rows.height else None


def _of_drop(record: Record, blank: Finding, lost: Packet) -> Finding:
    tcp_data = lost.sender and blank.protocol == "tcp"
    repairs = chain.repairs(record, lost) if tcp_data else ()
    return replace(
        blank,
        kind="drop",
        event_ps=lost.dropped_ps,
        packet=lost,
        decision=journeys.decision(record, lost, marked=False),
        detection=chain.of_loss(record, lost, repairs) if tcp_data else None,
        repairs=repairs,
        way_back=_ack_spacing(record, blank, lost),
        samples=_samples(record, lost, repairs) if tcp_data else (),
    )


def _samples(record: Record, lost: Packet, repairs: tuple[Packet, ...]) -> tuple[Sample, ...]:
    """Of a kernel's sender, its state before a drop and after the retransmission."""
    if not record.run.live:
        return ()
    again = repairs[0].sent_ps if repairs else None
    return samples.around(record, lost.dropped_ps or lost.sent_ps, again)


def _ack_spacing(record: Record, blank: Finding, packet: Packet) -> AckSpacing | None:
    """The neighbor of an acknowledgment at the sender."""
    return (
        chain.ack_spacing(record, packet) if blank.protocol == "tcp" and not packet.sender else None
    )


def _of_mark(record: Record, blank: Finding, marked: Packet) -> Finding:
    decision = journeys.decision(record, marked, marked=True)
    return replace(
        blank,
        kind="mark",
        event_ps=decision.time_ps if decision else marked.sent_ps,
        packet=marked,
        decision=decision,
        detection=chain.of_mark(record, marked) if blank.protocol == "tcp" else None,
    )


def _of_reaction(record: Record, blank: Finding, reaction: Reaction) -> Finding:
    """A reaction and what is behind it; of the end of a recovery, what had opened it."""
    cause: Reaction | None = reaction
    if reaction.cause == "recovered":
        earlier = [
            r
            for r in journeys.reactions(record)
            if r.time_ps <= reaction.time_ps and r is not reaction
        ]
        opening = [r for r in earlier if r.cause in ("loss", "timeout")]
        cause = opening[-1] if opening else None
    behind = chain.behind(record, cause) if cause else None
    told = blank
    if behind is not None:
        told = (_of_mark if cause and cause.cause == "ecn_echo" else _of_drop)(
            record, blank, behind
        )
    lost = (
        chain.acks_lost(record, cause)
        if cause and behind is None and cause.cause in ("loss", "timeout")
        else 0
    )
    return replace(
        told, kind="reaction", event_ps=reaction.time_ps, reaction=reaction, acks_lost=lost
    )


def cwnd(record: Record, asked_ps: int) -> Finding:
    """The last change of the congestion window before an instant, its cause, and the next
    change."""
    blank = replace(
        _blank(record, "cwnd", asked_ps), cwnd_bytes=events.window_at(record.flows, asked_ps)
    )
    if blank.protocol != "tcp":
        raise ScenarioError(f"{record.flow} is not a TCP flow: it has no congestion window")
    if record.run.live:
        return replace(blank, kind="window", samples=samples.last_fall(record, asked_ps))
    moved = [
        r
        for r in journeys.reactions(record)
        if r.cwnd_bytes != r.cwnd_bytes_before or r.cause == "recovered"
    ]
    last = [r for r in moved if r.time_ps <= asked_ps and r.cwnd_bytes != r.cwnd_bytes_before]
    following = [r for r in moved if r.time_ps > asked_ps and r.cwnd_bytes != r.cwnd_bytes_before]
    told = _of_reaction(record, blank, last[-1]) if last else blank
    return replace(told, kind="window", next_reaction=following[0] if following else None)


def packet(
    record: Record, *, number: int | None = None, seq: int | None = None, sender: bool = True
) -> Finding:
    """One packet's way: by its number, or by a byte of the stream that it carried (then its first
    transmission, or the first that was lost). `ScenarioError` if there is none."""
    found: Packet | None = None
    if number is not None:
        found = journeys.find(record, sender, number)
        if found is None:
            sent = record.end(sender).packets.height
            whose = "sender" if sender else "receiver"
            raise ScenarioError(
                f"the {whose} of {record.flow} sent no packet {number}: it sent {sent}, from 1"
            )
    elif seq is not None:
        rows = journeys.copies(record, seq)
        if not rows.height:
            offsets = record.sender.packets["seq"].drop_nulls().sort()
            last = offsets[-1] if offsets.len() else None
            raise ScenarioError(
                f"no packet of {record.flow} carried byte {seq}: "
                + (
                    "it has no sequence numbers"
                    if last is None
                    else f"the last began with byte {last}"
                )
            )
        dropped = rows.filter(rows["dropped_ps"].is_not_null())
        found = journeys.packet(record, (dropped if dropped.height else rows).row(0, named=True))
    assert found is not None
    blank = _blank(record, "packet", None)
    if found.dropped_ps is not None:
        return _of_drop(record, blank, found)
    back = _ack_spacing(record, blank, found) if found.delivered_ps is not None else None
    told = replace(blank, kind="journey", event_ps=found.sent_ps, packet=found, way_back=back)
    decision = journeys.decision(record, found, marked=True)
    return replace(_of_mark(record, told, found), kind="journey") if decision else told
