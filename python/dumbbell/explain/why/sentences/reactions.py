"""What a sender did to its window, and why."""

from __future__ import annotations

from ..events import cause_in_words
from ..finding import Finding, Reaction
from .quantities import at, window


def change(f: Finding, r: Reaction) -> str:
    """A change of cwnd: `halved cwnd from 20 to 10 packets`."""
    a, b = r.cwnd_bytes_before, r.cwnd_bytes
    if a == b:
        return f"kept cwnd at {window(f, b)}"
    half = r.cause != "timeout" and abs(2 * b - a) <= f.segment_bytes
    halved = "halved" if half else "cut" if b < a else "raised"
    return f"{halved} cwnd from {window(f, a, unit=False)} to {window(f, b)}"


def moved(f: Finding, r: Reaction) -> str:
    """A reaction: when, what it changed, and its cause."""
    shown = f" The congestion control shows {r.control}." if r.cause == "own" and r.control else ""
    return f"At {at(f, r.time_ps)} the sender {change(f, r)}: {cause_in_words(r.cause)}.{shown}"


def without_loss(f: Finding, r: Reaction) -> str:
    """For a reaction to a loss where no data were lost; empty for others."""
    if f.packet is not None or r.cause not in ("loss", "timeout"):
        return ""
    if f.acks_lost:
        many = f"{f.acks_lost} acknowledgment{'s' if f.acks_lost > 1 else ''}"
        return f"No data were lost, but {many} were in the timeout before."
    return "No data were lost: packets that the sender assumed lost were late or out of order."


def following(f: Finding) -> str:
    """The next reaction after the one that is told."""
    n, r = f.next_reaction, f.reaction
    if n is None:
        return "Nothing reduced cwnd after that." if r is not None else ""
    grew = ""
    if r is not None and n.cwnd_bytes_before > r.cwnd_bytes:
        grew = f"Until then acknowledgments increased cwnd from {window(f, r.cwnd_bytes)}. "
    return (
        f"{grew}Next, at {at(f, n.time_ps)} the sender {change(f, n)}: {cause_in_words(n.cause)}."
    )


def echoed(f: Finding) -> list[str]:
    """After a mark: when it arrived, when its echo did, and the answer to that."""
    p, d = f.packet, f.detection
    if p is None or p.delivered_ps is None:
        return [
            "It did not arrive: its mark was lost."
            if p and p.dropped_ps
            else "It was in flight when the run ended."
        ]
    arrived = f"It arrived at {at(f, p.delivered_ps)}"
    if d is None or not p.sender:
        return [f"{arrived}."]
    if d.echo_ps is None:
        return [
            f"{arrived}; no acknowledgment with its echo reached the sender before the run ended."
        ]
    echo = f"{arrived}, and its echo reached the sender at {at(f, d.echo_ps)}"
    if d.how == "sampled":
        return [f"{echo}. A kernel's answer to it is not recorded."]
    if d.how == "echo" and d.reaction is not None:
        return [f"{echo}, which {change(f, d.reaction)} immediately."]
    if d.reaction is not None:
        return [
            f"{echo}, which had reacted to congestion at {at(f, d.reaction.time_ps)} and does so "
            "once per round trip."
        ]
    return [f"{echo}, which did not react."]
