"""What a queue, a wire or a conditioner did with a packet, and what it judged by."""

from __future__ import annotations

from .... import catalogue
from .. import decisions
from ..finding import Decision, Finding
from . import packet
from .quantities import at

_HOW = {
    "early": " early",
    "forced": " by force",
    "head": " when its turn came",
    "evicted": " to make room for another",
}


def dropped(f: Finding) -> str:
    """The drop: when, by what, and what the decision saw."""
    p, d = f.packet, f.decision
    if p is None:
        return ""
    of = "" if p.sender else " of the receiver"
    if d is None:
        return (
            f"At {at(f, p.dropped_ps)} `{p.dropped_at}` dropped "
            f"{packet.what(p)}{of}{packet.sent(f, p)}: {p.reason}."
        )
    verb = "lost" if d.reason == "link" else "dropped"
    what = f"{speaker(d)} {verb} {packet.what(p)}{of}{packet.sent(f, p)}{_HOW.get(d.reason, '')}"
    edges = "".join(f" {said}" for said in packet.edges(p))
    return f"At {at(f, p.dropped_ps)} {what}: {decisions.explained(d)}.{packet.waited(p)}{edges}"


def marked(f: Finding) -> str:
    """The mark: when, by what, and what the decision saw."""
    p, d = f.packet, f.decision
    if p is None or d is None:
        return ""
    what = f"{speaker(d)} marked {packet.what(p)}{packet.sent(f, p)}"
    return (
        f"At {at(f, d.time_ps)} {what} Congestion Experienced instead of dropping it: "
        f"{decisions.explained(d)}."
    )


def speaker(d: Decision) -> str:
    """What decided: a wire, a link, a queue or a conditioner."""
    if d.reason == "link":
        return f"the link `{d.link}`"
    if d.reason == "mtu":
        return f"`{d.link}`"
    # A queue polices too: sfb does with flows that do not respond.
    if d.reason == "policed" and d.algorithm not in catalogue.pages(*catalogue.QUEUES):
        return f"the conditioner of `{d.link}` ({d.algorithm})"
    return f"the queue of `{d.link}` ({d.algorithm})"
