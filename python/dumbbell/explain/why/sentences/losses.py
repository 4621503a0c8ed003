"""After a loss: how the sender learned of it, and how it was repaired."""

from __future__ import annotations

from ....present.units import time_text
from ..finding import Detection, Finding, Packet, Reaction, Sample
from . import reactions, reverse_path
from .quantities import at, span, window

_PHASES = {"recovery": "in fast recovery", "loss": "after a timeout,"}


def afterwards(f: Finding) -> list[str]:
    """What followed a drop; nothing if the sender's side is not known."""
    p, d = f.packet, f.detection
    if p is None:
        return []
    if f.protocol != "tcp":
        return [f"UDP does not retransmit: its {p.payload_bytes:,} bytes of payload never arrived."]
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
            f"The sender was already repairing other losses, {since}; it did not reduce cwnd "
            "again for this one."
        )
    if d.how == "sampled":
        return sampled(f, "between the drop and the retransmission")
    if d.how == "probe":
        return "The sender retransmitted it as a probe, before it detected the loss."
    return "The sender had not detected the loss when the run ended."


def sampled(f: Finding, when: str) -> str:
    """What a kernel's sender did, as far as its samples tell."""
    if len(f.samples) < 2:
        return f"What the kernel did {when} is not recorded: `record.every` samples its state."
    return (
        f"The kernel's state is known at its samples: {_state(f, f.samples[0])}; "
        f"{_state(f, f.samples[1])}."
    )


def _state(f: Finding, s: Sample) -> str:
    """A sample in words."""
    cwnd = "unknown" if s.cwnd_bytes is None else window(f, s.cwnd_bytes)
    threshold = "not set" if s.ssthresh_bytes is None else window(f, s.ssthresh_bytes)
    srtt = "unknown" if s.srtt_us is None else time_text(s.srtt_us / 1e6)
    phase = f", phase {s.phase}" if s.phase else ""
    return (
        f"at {at(f, s.time_ps)} cwnd {cwnd}, ssthresh {threshold}, smoothed round-trip time "
        f"{srtt}{phase}"
    )


def _evidence(f: Finding, d: Detection, r: Reaction, p: Packet) -> str:
    after = f"{span(r.time_ps - (p.dropped_ps or r.time_ps))} later, at {at(f, r.time_ps)},"
    if d.duplicates:
        count = f"{d.duplicates} duplicate acknowledgment{'s' if d.duplicates > 1 else ''}"
        law = " (RACK)" if f.tcp.get("detection") == "rack" else ""
        return f"After {count}{law}, {after}"
    return f"After selective acknowledgments of later data, {after}"


def _no_fast_retransmit(f: Finding, d: Detection, r: Reaction) -> str:
    threshold = int(f.tcp.get("dupack_threshold") or 3)
    if f.packet is not None and f.packet.transmission > 1:
        why = (
            "the lost packet was itself a retransmission, which duplicate acknowledgments cannot "
            "identify"
        )
    elif d.repeats_lost:
        why = (
            f"{d.repeats_lost} retransmission{'s' if d.repeats_lost > 1 else ''} of it had also "
            "been lost"
        )
    elif d.arrived_after == 0:
        why = (
            "no later packet had arrived, so the receiver had no reason for a duplicate "
            "acknowledgment"
        )
    elif d.duplicates < threshold:
        why = (
            f"only {d.duplicates} of the {threshold} duplicate acknowledgments that indicate a "
            "loss had arrived"
        )
    else:
        where = _PHASES.get(r.phase_before, "not in recovery").rstrip(",")
        why = f"{d.duplicates} duplicate acknowledgments had arrived while the sender was {where}"
    return f"No fast retransmit came first, because {why}"


def _repaired(f: Finding, d: Detection) -> str:
    if not f.repairs:
        return "" if d.how == "never" else "It was not retransmitted before the run ended."
    *failed, last = f.repairs
    text = [
        f"The retransmission at {at(f, t.sent_ps)} was also dropped ({t.reason} at "
        f"`{t.dropped_at}`)."
        for t in failed[:2]
    ]
    if len(failed) > 2:
        text.append(f"{len(failed) - 2} more retransmissions were lost.")
    first = f.packet.sent_ps if f.packet else last.sent_ps
    again = f"The retransmission at {at(f, last.sent_ps)}"
    if last.delivered_ps is not None:
        late = f"{span(last.delivered_ps - first)} after the first transmission"
        text.append(f"{again} arrived at {at(f, last.delivered_ps)}, {late}.")
    elif last.dropped_ps is not None:
        text.append(
            f"{again} was also dropped ({last.reason} at `{last.dropped_at}`); no retransmission "
            "arrived."
        )
    else:
        text.append(f"{again} was in flight when the run ended.")
    return " ".join(text)
