"""After a loss: how the sender learned of it, and how it was repaired."""

from __future__ import annotations

from ....present.units import time_text
from ..finding import Detection, Finding, Packet, Reaction
from . import reactions, reverse_path
from .quantities import at, span

_PHASES = {"recovery": "in fast recovery", "loss": "after a timeout,"}


def afterwards(f: Finding) -> list[str]:
    """What followed a drop; nothing if the sender's side is not known."""
    p, d = f.packet, f.detection
    if p is None:
        return []
    if f.protocol != "tcp":
        return [f"UDP repeats nothing: its {p.payload_bytes:,} bytes of payload never arrived."]
    if not p.sender:
        return [reverse_path.lost(f.way_back, lambda ps: at(f, ps))]
    return [] if d is None else [_learned(f, d, p), _repaired(f, d)]


def _learned(f: Finding, d: Detection, p: Packet) -> str:
    r = d.reaction
    if d.how == "acknowledgements" and r is not None:
        return f"{_evidence(f, d, r, p)} the sender {reactions.change(f, r)}."
    if d.how == "timeout" and r is not None:
        timer = f"the retransmission timer of {time_text(r.rto_us_before / 1e6)} expired"
        return (
            f"{_no_fast_retransmit(f, d, r)}: at {at(f, r.time_ps)} {timer}; it "
            f"{reactions.change(f, r)}."
        )
    if d.how == "in_recovery" and r is not None:
        since = (
            f"{_PHASES.get(r.phase, r.phase)} since {at(f, r.time_ps)}, when it "
            f"{reactions.change(f, r)}"
        )
        return (
            f"The sender was repairing other losses already, {since}; it did not reduce "
            "once more for this one."
        )
    if d.how == "probe":
        return "The sender repeated it before it had declared a loss, as a probe."
    return "The sender had not noticed when the run ended."


def _evidence(f: Finding, d: Detection, r: Reaction, p: Packet) -> str:
    after = f"{span(r.time_ps - (p.dropped_ps or r.time_ps))} later, at {at(f, r.time_ps)},"
    if d.duplicates:
        count = f"{d.duplicates} duplicate acknowledgment{'s' if d.duplicates > 1 else ''}"
        law = " (RACK)" if f.tcp.get("detection") == "rack" else ""
        return f"After {count}{law}, {after}"
    return f"Told by selective acknowledgments of later data, {after}"


def _no_fast_retransmit(f: Finding, d: Detection, r: Reaction) -> str:
    threshold = int(f.tcp.get("dupack_threshold") or 3)
    if f.packet is not None and f.packet.transmission > 1:
        why = (
            "the lost packet was a repetition itself, which duplicate acknowledgments "
            "do not tell apart"
        )
    elif d.repeats_lost:
        why = (
            f"{d.repeats_lost} repetition{'s' if d.repeats_lost > 1 else ''} of it had "
            "been lost as well"
        )
    elif d.arrived_after == 0:
        why = (
            "nothing sent after it had arrived, so that the receiver had no cause for a "
            "duplicate acknowledgment"
        )
    elif d.duplicates < threshold:
        why = (
            f"only {d.duplicates} of the {threshold} duplicate acknowledgments that "
            "tell a loss had come"
        )
    else:
        where = _PHASES.get(r.phase_before, "not in recovery").rstrip(",")
        why = f"{d.duplicates} duplicate acknowledgments had come to a sender that was {where}"
    return f"No fast retransmit came first, because {why}"


def _repaired(f: Finding, d: Detection) -> str:
    if not f.repairs:
        return "" if d.how == "never" else "It was not sent again before the run ended."
    *failed, last = f.repairs
    text = [
        f"It sent it again at {at(f, t.sent_ps)}, which was dropped too ({t.reason} at "
        f"`{t.dropped_at}`)."
        for t in failed[:2]
    ]
    if len(failed) > 2:
        text.append(f"{len(failed) - 2} more repetitions were lost.")
    first = f.packet.sent_ps if f.packet else last.sent_ps
    again = f"It sent it again at {at(f, last.sent_ps)}"
    if last.delivered_ps is not None:
        late = f"{span(last.delivered_ps - first)} after the lost one had left"
        text.append(f"{again}; this arrived at {at(f, last.delivered_ps)}, {late}.")
    elif last.dropped_ps is not None:
        text.append(
            f"{again}, which was dropped too ({last.reason} at `{last.dropped_at}`); no "
            f"repetition arrived."
        )
    else:
        text.append(f"{again}; this was on its way when the run ended.")
    return " ".join(text)
