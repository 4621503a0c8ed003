"""A finding as a teacher would say it: sentences in the order in which things happened."""

from __future__ import annotations

from .events import cause_in_words
from .finding import Event, Finding
from .sentences import losses, packet, queues, reactions, reverse_path
from .sentences.quantities import at, span, window


def told(f: Finding) -> str:
    """The whole answer, one paragraph."""
    parts = {
        "drop": _drop,
        "mark": _mark,
        "retransmission": _retransmission,
        "reaction": _reaction,
        "journey": _journey,
        "window": _window,
        "nothing": _nothing,
    }[f.kind](f)
    return " ".join(part for part in parts if part)


def _drop(f: Finding) -> list[str]:
    return [queues.dropped(f), *losses.afterwards(f)]


def _mark(f: Finding) -> list[str]:
    return [queues.marked(f), *reactions.echoed(f)]


def _retransmission(f: Finding) -> list[str]:
    p = f.packet
    if p is None:
        return []
    if f.decision is not None or p.dropped_ps is not None:
        head = (
            f"The nearest event is the retransmission at {at(f, f.event_ps)}, which repairs a loss."
        )
        return [head, *_drop(f)]
    again = f"At {at(f, p.sent_ps)} the sender retransmitted {packet.what(p)}."
    if f.original is None or f.original.delivered_ps is None:
        return [again]
    late = f.original.delivered_ps > p.sent_ps
    first = f"They were not lost: the previous transmission, at {at(f, f.original.sent_ps)},"
    arrived = (
        f"{'was still in flight and arrived' if late else 'had arrived'} at "
        f"{at(f, f.original.delivered_ps)}."
    )
    probe = " With tail_loss_probe on, this may be a probe." if f.tcp.get("tail_loss_probe") else ""
    return [again, f"{first} {arrived}{probe}"]


def _reaction(f: Finding) -> list[str]:
    r = f.reaction
    if r is None:
        return []
    if r.cause == "recovered":
        head = (
            f"At {at(f, r.time_ps)} all losses were repaired and the sender left {r.phase_before}"
        )
        head += f" with cwnd {window(f, r.cwnd_bytes)}."
        return [head, "Its cause:" if f.packet else "", *_story(f)]
    if f.packet is not None and f.detection is not None and f.detection.reaction == r:
        return [
            f"The nearest event is the sender's reaction at {at(f, r.time_ps)}. Its cause:",
            *_story(f),
        ]
    again = f.packet is not None and r.cause in ("loss", "timeout")
    head = "What was not acknowledged at that time:" if again else ""
    return [reactions.moved(f, r), head, *_story(f), reactions.without_loss(f, r)]


def _window(f: Finding) -> list[str]:
    r = f.reaction
    asked = f.asked_ps or 0
    begin = "" if f.cwnd_bytes is None else f"At {at(f, asked)} cwnd was {window(f, f.cwnd_bytes)}."
    if f.sampled:
        parts = [begin, losses.sampled(f, "before") if f.samples else _never_fell(f, asked)]
        return [part for part in parts if part]
    if r is None:
        begin += (
            f" Nothing had reduced it until {at(f, asked)}: acknowledgments had increased it "
            "since the start of the flow."
        )
        parts = [begin.strip()]
    else:
        parts = [
            begin,
            f"Its last change was at {at(f, r.time_ps)}: {cause_in_words(r.cause)}.",
            *_story(f),
        ]
        if f.packet is None or f.detection is None or f.detection.reaction != r:
            parts.insert(2, reactions.moved(f, r))
        if f.packet is None:
            parts.append(reactions.without_loss(f, r))
    return [*parts, reactions.following(f)]


def _never_fell(f: Finding, asked: int) -> str:
    """Of a kernel's sender whose window did not fall from sample to sample, as far as is known."""
    if f.cwnd_bytes is None:
        return "The kernel's window is not recorded: `record.every` samples it."
    return f"From sample to sample it had not fallen until {at(f, asked)}."


def _journey(f: Finding) -> list[str]:
    p = f.packet
    if p is None:
        return []
    who = "sender" if p.sender else "receiver"
    begin = f"At {at(f, p.sent_ps)} the {who} sent {packet.what(p)}{packet.again(p)}."
    if p.delivered_ps is None:
        return [begin, "It was still in flight when the run ended."]
    total = p.delivered_ps - p.sent_ps
    waiting = sum(h.waited_ps or 0 for h in p.hops)
    arrived = f"It arrived at {at(f, p.delivered_ps)}, {span(total)} later,"
    if waiting:
        longest = max(p.hops, key=lambda h: h.waited_ps or 0)
        arrived += f" of which it spent {span(waiting)} waiting, {packet.where(longest, waiting)};"
    else:
        arrived += " without waiting anywhere;"
    sending = sum(h.transmission_ps or 0 for h in p.hops)
    way = sum((h.far_end_ps or 0) - (h.departed_ps or 0) for h in p.hops)
    arrived += f" transmission took {span(sending)} and propagation {span(way)}."
    back = [reverse_path.arrived(f.way_back)] if f.way_back else []
    return [
        begin,
        *packet.edges(p),
        arrived,
        *back,
        *(_mark(f) if f.decision else []),
    ]


def _nothing(f: Finding) -> list[str]:
    asked = f.asked_ps or 0
    if f.before is None and f.after is None:
        return [
            f"Nothing happened to {f.flow}: no drop, mark, retransmission or reaction in the "
            f"whole run."
        ]
    head = (
        f"Nothing happened to {f.flow} around {at(f, asked)}: no drop, mark, "
        "retransmission or reaction"
    )
    head += f" within {span(f.within_ps)}."
    return [
        head,
        _neighbor(f, "The previous event was", f.before, asked),
        _neighbor(f, "The next event is", f.after, asked),
    ]


def _story(f: Finding) -> list[str]:
    if f.packet is None:
        return []
    return _drop(f) if f.packet.dropped_ps is not None else _mark(f) if f.decision else []


def _neighbor(f: Finding, head: str, e: Event | None, asked: int) -> str:
    if e is None:
        return ""
    return f"{head} {span(abs(e.time_ps - asked))} away, at {at(f, e.time_ps)}: {e.what}."
