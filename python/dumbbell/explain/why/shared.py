"""Drops by the dynamic threshold of a buffer that the queues of a switch share."""

from __future__ import annotations

from ... import catalogue
from .finding import Decision
from .phrases import counted, found, n

GAUGES = {
    "held_bytes",
    "threshold_bytes",
    "shared_used_bytes",
    "shared_free_bytes",
    "shared_alpha",
}
"""What such a drop shows beside what the queue's algorithm does."""


def full(d: Decision) -> str:
    """That the packet had no room in the buffer, with the numbers that decided."""
    g = d.gauges
    used, free = _bytes(d, "shared_used_bytes"), _bytes(d, "shared_free_bytes")
    held = f"{found(d)} ({_bytes(d, 'held_bytes')})"
    if d.algorithm in catalogue.pages("qdisc"):
        held = f"its queue held {_bytes(d, 'held_bytes')}"
        if d.queue_packets is not None:
            held += f" of the {counted(d.queue_packets, 'packet')} that waited at the port"
    size = f"{g['shared_used_bytes'] + g['shared_free_bytes']:,.0f} bytes"
    state = f"of the switch's shared buffer of {size}, {used} were used and {free} free"
    return (
        f"{held}; {state}, and with the packet the queue would have passed its threshold of "
        f"{_bytes(d, 'threshold_bytes')}, alpha = {n(g['shared_alpha'])} times what would then "
        "have been free"
    )


def _bytes(d: Decision, name: str) -> str:
    return f"{d.gauges[name]:,.0f} bytes"
