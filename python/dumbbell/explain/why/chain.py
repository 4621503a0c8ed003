"""The chain of a loss or a mark: what the network did, how the sender learned of it, what it did,
when it was repaired.

Both ways: from a packet to the reaction that it caused, and from a reaction to the packet behind
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import journeys
from .finding import AckSpacing, Detection, Packet, Reaction

if TYPE_CHECKING:
    from .record import Record

# Reactions are recorded in seconds, packets in picoseconds: equal instants may differ by the
# rounding.
_SAME_PS = 1000


def repairs(record: Record, lost: Packet) -> tuple[Packet, ...]:
    """The later transmissions of a packet's first byte, up to the first that arrived."""
    if not lost.sender or lost.seq is None:
        return ()
    rows = journeys.copies(record, lost.seq)
    found: list[Packet] = []
    for row in rows.filter(rows["packet"] > lost.number).iter_rows(named=True):
        found.append(journeys.packet(record, row))
        if found[-1].delivered_ps is not None:
            break
    return tuple(found)


def of_loss(record: Record, lost: Packet, again: tuple[Packet, ...]) -> Detection:
    """The sign by which the sender learned that a data packet was lost."""
    dropped = lost.dropped_ps if lost.dropped_ps is not None else lost.sent_ps
    all_of_it = journeys.reactions(record)
    until = again[0].sent_ps + _SAME_PS if again else None
    if record.run.live:
        at_ps = again[0].sent_ps if again else None
        how = "sampled" if again else "never"
        return _detection(record, lost, how, None, at_ps)
    seq = lost.seq or 0
    for reaction in all_of_it:
        if reaction.time_ps < dropped or (until is not None and reaction.time_ps > until):
            continue
        if reaction.cause in ("loss", "timeout") and reaction.una <= seq < max(
            reaction.nxt, reaction.una + 1
        ):
            how = "timeout" if reaction.cause == "timeout" else "acknowledgements"
            return _detection(record, lost, how, reaction, reaction.time_ps)
    if until is None:
        return _detection(record, lost, "never", None, None)
    opened = _recovery(all_of_it, again[0].sent_ps)
    how = "in_recovery" if opened is not None else "probe"
    return _detection(record, lost, how, opened, again[0].sent_ps)


def _recovery(all_of_it: list[Reaction], at_ps: int) -> Reaction | None:
    """The reaction that opened the recovery in which the sender is at an instant."""
    opened: Reaction | None = None
    for reaction in all_of_it:
        if reaction.time_ps > at_ps + _SAME_PS:
            break
        if reaction.phase == "open":
            opened = None
        elif reaction.cause in ("loss", "timeout"):
            opened = reaction
    return opened


def _detection(
    record: Record, lost: Packet, how: str, reaction: Reaction | None, at_ps: int | None
) -> Detection:
    return Detection(
        how=how,
        reaction=reaction,
        duplicates=_duplicates(record, lost, at_ps),
        arrived_after=_arrived_after(record, lost, at_ps),
        repeats_lost=_repeats_lost(record, lost, at_ps),
    )


def _duplicates(record: Record, lost: Packet, at_ps: int | None) -> int:
    """Acknowledgments that asked for the lost bytes and told of later ones, until `at_ps`: all but
    the first, which acknowledged what was before them; that one as well if it has a SACK block (RFC
    6675, section 2: DupAck)."""
    back = record.receiver
    arrived = back.column("delivered_ps")  # Of a lost one NaN, which no comparison holds for.
    until = np.inf if at_ps is None else at_ps + _SAME_PS
    same = (back.column("ack") == (lost.seq or 0)) & (back.column("payload_bytes") == 0)
    acks = back.packets.filter(same & (arrived <= until))
    if not acks.height:
        return 0
    first = str(acks.sort("delivered_ps")["options"][0] or "")
    return acks.height - (0 if first.startswith("sack") else 1)


def _arrived_after(record: Record, lost: Packet, at_ps: int | None) -> int:
    """Data packets sent after the lost one that arrived until `at_ps`."""
    sent = record.sender
    until = np.inf if at_ps is None else at_ps + _SAME_PS
    later = (sent.column("packet") > lost.number) & (sent.column("payload_bytes") > 0)
    return int(np.count_nonzero(later & (sent.column("delivered_ps") <= until)))


def _repeats_lost(record: Record, lost: Packet, at_ps: int | None) -> int:
    """Earlier transmissions of the same bytes, and repetitions until `at_ps`, that were dropped as
    well."""
    import polars as pl

    if lost.seq is None:
        return 0
    again = journeys.copies(record, lost.seq).filter(
        (pl.col("packet") > lost.number) & pl.col("dropped_ps").is_not_null()
    )
    return (
        again.height
        if at_ps is None
        else again.filter(pl.col("dropped_ps") <= at_ps + _SAME_PS).height
    )


def of_mark(record: Record, marked: Packet) -> Detection:
    """The consequences of a mark: its echo, and the sender's answer, at most one each round
    trip."""
    nothing = Detection("never", None, 0, 0, 0)
    if marked.delivered_ps is None or not marked.sender:
        return nothing
    back = record.receiver
    acks = back.echoes & (back.column("sent_ps") >= marked.delivered_ps)
    if not acks.any():
        return nothing
    echo = int(back.column("delivered_ps")[acks].min())
    if record.run.live:
        return Detection("sampled", None, 0, 0, 0, echo)
    before: Reaction | None = None
    for reaction in journeys.reactions(record):
        if reaction.cause in ("ecn_echo", "loss", "timeout"):
            if abs(reaction.time_ps - echo) <= _SAME_PS and reaction.cause == "ecn_echo":
                return Detection("echo", reaction, 0, 0, 0, echo)
            if reaction.time_ps > echo:
                break
            before = reaction
    return Detection("reduced_already" if before else "never", before, 0, 0, 0, echo)


def behind(record: Record, reaction: Reaction) -> Packet | None:
    """The packet whose loss or mark a reaction answers; None if there is none."""
    if reaction.cause == "ecn_echo":
        return _mark_behind(record, reaction)
    if reaction.cause in ("loss", "timeout"):
        return _loss_behind(record, reaction)
    return None


def _loss_behind(record: Record, reaction: Reaction) -> Packet | None:
    import polars as pl

    # Of the byte that the sender waits for; else of any that was on its way.
    lost = journeys.copies(record, reaction.una).filter(
        pl.col("dropped_ps") <= reaction.time_ps + _SAME_PS
    )
    if not lost.height:
        lost = record.sender.packets.filter(
            (pl.col("dropped_ps") <= reaction.time_ps + _SAME_PS)
            & (pl.col("seq") >= reaction.una)
            & (pl.col("seq") < reaction.nxt)
        )
    if not lost.height:
        return None
    return journeys.packet(record, lost.sort("dropped_ps").row(-1, named=True))


def _mark_behind(record: Record, reaction: Reaction) -> Packet | None:
    """The receiver echoes from the first mark until it hears that the sender reduced (RFC 3168,
    section 6.1.3)."""
    back, sent = record.receiver, record.sender
    echoes = back.packets.filter(
        back.echoes & (back.column("delivered_ps") <= reaction.time_ps + _SAME_PS)
    )
    if not echoes.height:
        return None
    echoed = int(echoes.sort("delivered_ps")["sent_ps"][-1])
    data = sent.packets.filter(sent.column("delivered_ps") <= echoed)
    heard = data.filter(data["flags"].str.contains("W") & ~data["flags"].str.contains("S"))
    since = 0 if not heard.height else int(heard.sort("delivered_ps")["delivered_ps"][-1])
    marks = data.filter(data["ce_on_arrival"] & (data["delivered_ps"] >= since))
    if not marks.height:
        return None
    return journeys.packet(record, marks.sort("delivered_ps").row(0, named=True))


def ack_spacing(record: Record, ack: Packet) -> AckSpacing | None:
    """An acknowledgment among those around it at the sender; None of a lost one after which none
    arrived, or of the first that arrived."""
    import polars as pl

    acks = record.receiver.packets.filter(
        pl.col("delivered_ps").is_not_null() & pl.col("ack").is_not_null()
    )
    lost = ack.delivered_ps is None
    if lost:
        near = acks.filter(pl.col("packet") > ack.number).sort("delivered_ps", "packet")
    else:
        near = acks.filter(pl.col("delivered_ps") < ack.delivered_ps).sort(
            "delivered_ps", "packet", descending=True
        )
    if not near.height:
        return None
    row = near.row(0, named=True)
    later, number = (row["delivered_ps"], row["ack"]) if lost else (ack.delivered_ps, ack.ack or 0)
    known = acks.filter(pl.col("delivered_ps") < later)["ack"]
    before = max([1, *known.to_list()])  # The stream's data begin at 1.
    return AckSpacing(
        number=row["packet"],
        delivered_ps=row["delivered_ps"],
        spacing_receiver_ps=abs(ack.sent_ps - row["sent_ps"]),
        spacing_sender_ps=None
        if ack.delivered_ps is None
        else ack.delivered_ps - row["delivered_ps"],
        newly_acked_bytes=max(0, number - before),
    )


def acks_lost(record: Record, reaction: Reaction) -> int:
    """Acknowledgments that were dropped in the timeout before a reaction."""
    import polars as pl

    since = reaction.time_ps - round(reaction.rto_us_before * 1_000_000)
    acks = record.receiver.packets
    return acks.filter(
        (pl.col("dropped_ps") >= since) & (pl.col("dropped_ps") <= reaction.time_ps)
    ).height
