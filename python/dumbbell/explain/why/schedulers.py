"""Decisions of schedulers: the queue that lost a packet. Waiting packets are counted over all
queues."""

from __future__ import annotations

from .finding import Decision
from .phrases import found, full, general, said

BY = {"fq_codel": "CoDel", "fq_cobalt": "COBALT", "fq_pie": "PIE"}
"""The algorithm that keeps each flow's queue short."""


def flow_queue(d: Decision) -> str:
    """A queue for each flow with an AQM in it."""
    all_told = f"{found(d)} in all queues"
    if d.reason == "evicted":
        return _longest(d, "most bytes, and gave up its oldest packets")
    if d.reason == "overflow":
        return full(d)
    if d.reason == "head" and d.marked and said(d, "ce_threshold") not in ("?", "0 s"):
        above = (
            f"above ce_threshold {said(d, 'ce_threshold')}, or had stood above target "
            f"{said(d, 'target')}"
        )
        return f"the delay in its flow's own queue was {above}; {all_told}"
    if d.reason == "head":
        rule = (
            f"{BY[d.algorithm]} of its flow's own queue took it, where the delay had stood above "
            f"{said(d, 'target')}"
            f" for an interval of {said(d, 'interval')}"
        )
        return f"{rule}; {all_told}"
    if d.reason == "early":
        rule = (
            f"{BY[d.algorithm]} of its flow's own queue drew it, to bring the delay there to "
            f"{said(d, 'target')}"
        )
        return f"{rule}; {all_told}"
    if d.algorithm == "fq_cobalt":
        return f"BLUE's chance in its flow's own queue, which had been full, fell on it; {all_told}"
    return general(d)


def fq(d: Decision) -> str:
    """A queue for each flow."""
    return (
        _longest(d, "most bytes, and gave up its oldest packets")
        if d.reason == "evicted"
        else classes(d)
    )


def sfq(d: Decision) -> str:
    """Hashed queues."""
    end = "oldest" if d.parameters.get("headdrop") else "newest"
    return (
        _longest(d, f"most packets, and gave up its {end}") if d.reason == "evicted" else classes(d)
    )


def classes(d: Decision) -> str:
    """Classes that share one buffer."""
    if d.reason == "overflow":
        return f"{full(d)}, over all its queues"
    child = d.parameters.get("aqm")
    kind = child.get("kind") if isinstance(child, dict) else None
    if kind and d.reason != "evicted":
        return f"`{kind}`, which keeps its class, chose it; {general(d)}"
    return general(d)


def _longest(d: Decision, what: str) -> str:
    limit = f" of {d.limit}" if d.limit and d.limit != "unlimited" else ""
    return f"the buffer{limit} was full, and its flow's queue held the {what}"
