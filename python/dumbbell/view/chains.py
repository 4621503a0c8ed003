"""The chains behind a flow's events: what the network decided, how the sender learned of it, what
it did, and when it was repaired."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..explain import why
from ..explain.why.events import cause_in_words
from ..explain.why.finding import Event, Finding, Reaction
from ..explain.why.record import Record
from ..present.units import significant
from .shapes import Chain, Step

_S = 1e-12


def chains(record: Record, events: Sequence[Event]) -> Iterator[Chain]:
    """The chain of each event."""
    for event in events:
        finding = why.of_event(record, event)
        yield {"text": why.told(finding), "steps": list(_steps(finding))}


def _steps(f: Finding) -> Iterator[Step]:
    """The instants of a finding, in the order of time."""
    return iter(sorted(_found(f), key=lambda step: step["t"]))


def _found(f: Finding) -> Iterator[Step]:
    p, signal, sign = f.packet, f.decision, f.detection
    if p is not None:
        again = ", a repetition" if p.retransmit else ""
        yield _step(p.sent_ps, "packet", f"packet {p.number} leaves{again}")
    if signal is not None:
        done = "marked" if signal.marked else "dropped"
        yield _step(signal.time_ps, "decision", f"{signal.link}: {done} ({signal.reason})")
    elif p is not None and p.dropped_ps is not None:
        yield _step(p.dropped_ps, "decision", f"{p.dropped_at}: dropped ({p.reason})")
    if sign is not None and sign.echo_ps is not None:
        yield _step(sign.echo_ps, "feedback", "the first echo reaches the sender")
    reactions = [sign.reaction if sign else None, f.reaction]
    for reaction in {r.time_ps: r for r in reactions if r is not None}.values():
        yield _step(reaction.time_ps, "reaction", _reaction(f, reaction))
    for repair in f.repairs:
        lost = " (lost as well)" if repair.dropped_ps is not None else ""
        yield _step(repair.sent_ps, "repair", f"sent again{lost}")
        if repair.delivered_ps is not None:
            yield _step(repair.delivered_ps, "arrival", "arrived")
    if p is not None and p.delivered_ps is not None:
        yield _step(p.delivered_ps, "arrival", f"packet {p.number} arrived")


def _reaction(f: Finding, r: Reaction) -> str:
    before, after = (
        significant(size / f.segment_bytes, 3) for size in (r.cwnd_bytes_before, r.cwnd_bytes)
    )
    window = f"; cwnd {before} → {after}" if before != after else ""
    return f"{cause_in_words(r.cause)}{window}"


def _step(ps: int, role: str, label: str) -> Step:
    return {"t": ps * _S, "role": role, "label": label}  # type: ignore[typeddict-item]
