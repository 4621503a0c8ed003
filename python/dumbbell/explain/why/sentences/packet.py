"""A packet in an answer: its name, its transmission, the colors it was given, where it waited."""

from __future__ import annotations

from ....models import codepoints
from ..finding import Finding, Hop, Packet
from .quantities import at, span

_CARRIED = {"S": "the SYN", "F": "the FIN"}


def what(p: Packet) -> str:
    """The packet by its number and by what it carries."""
    name = f"packet {p.number}"
    for letter, word in _CARRIED.items():
        if letter in p.flags:
            return f"{name}, {word},"
    if not p.sender:
        return (
            f"{name}, an acknowledgment of all bytes before {p.ack}," if p.ack is not None else name
        )
    if p.seq is None:
        return f"{name} of {p.payload_bytes:,} bytes"
    return f"{name} with bytes {p.seq} to {p.seq + max(p.payload_bytes, 1) - 1}"


def sent(f: Finding, p: Packet) -> str:
    """When it was sent, and which transmission of its bytes it was."""
    ordinal = "" if p.seq is None or not p.sender else f", {_nth(p.transmission)} transmission"
    return f" (sent at {at(f, p.sent_ps)}{ordinal})"


def again(p: Packet) -> str:
    """Which transmission of its bytes it was; empty for the first."""
    return f", {_nth(p.transmission)} transmission" if p.transmission > 1 else ""


def edges(p: Packet) -> list[str]:
    """The colors that edges on its path gave the packet."""
    said = []
    for h in (h for h in p.hops if h.colour is not None and h.dscp is not None):
        held = f" after holding it for {span(h.held_ps)}" if h.held_ps else ""
        what = f"{codepoints.color(h.colour)} ({codepoints.name(h.dscp or 0)})"
        said.append(f"{h.marker or 'The edge'} before `{h.link}` marked it {what}{held}.")
    return said


def waited(p: Packet) -> str:
    """How long a dropped packet had been in the queue; empty if it did not wait there."""
    last = p.hops[-1] if p.hops else None
    if last is None or not last.waited_ps or last.dropped_ps is None or last.reason == "link":
        return ""
    return f" It had been in the queue for {span(last.waited_ps)}."


def where(h: Hop, waiting: int) -> str:
    """The hop of the longest wait. `waiting`: all waits together, ps."""
    share = "" if (h.waited_ps or 0) == waiting else f"{span(h.waited_ps or 0)} of it "
    behind = (
        f", where it found {h.backlog_packets} packet{'' if h.backlog_packets == 1 else 's'} "
        f"waiting"
        if h.backlog_packets
        else ""
    )
    return f"{share}at `{h.link}`{behind}"


def _nth(n: int) -> str:
    return {1: "its first", 2: "its second", 3: "its third"}.get(n, f"its {n}th")
