"""Decisions of schedulers: the queue that lost a packet. Waiting packets are counted over all
queues."""

from __future__ import annotations

from .finding import Decision
from .phrases import full, general


def classes(d: Decision, _: str) -> str:
    """Classes that share one buffer."""
    if d.reason == "overflow":
        return f"{full(d)} in all its queues together"
    child = d.parameters.get("aqm")
    kind = child.get("kind") if isinstance(child, dict) else None
    if kind and d.reason != "evicted":
        return f"the `{kind}` of its class decided; {general(d)}"
    return general(d)
