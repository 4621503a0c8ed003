"""A finding as a teacher would say it: sentences in the order in which things happened."""

from __future__ import annotations

import math

from ...models import codepoints
from ...present.units import significant, time_text
from . import decisions, reverse_path
from .events import cause_in_words
from .finding import Decision, Detection, Event, Finding, Hop, Packet, Reaction
from .journeys import PS


def told(f: Finding) -> str:
    """The whole answer, one paragraph."""
    say = _Words(f)
    parts = {
        "drop": say.drop,
        "mark": say.mark,
        "retransmission": say.retransmission,
        "reaction": say.reaction,
        "journey": say.journey,
        "window": say.window,
        "nothing": say.nothing,
    }[f.kind]()
    return " ".join(part for part in parts if part)


def clock(ps: int, digits: int = 6) -> str:
    """An instant: `12.398123 s`."""
    return f"{ps / PS:.{digits}f} s"


def span(ps: int) -> str:
    """A duration in the unit that reads best."""
    return time_text(ps / PS)


def digits(base_rtt_ps: int | None) -> int:
    """Decimals of an instant, in seconds, that tell a hundredth of a round trip; four at least."""
    if not base_rtt_ps:
        return 6
    return min(9, max(4, 2 - math.floor(math.log10(base_rtt_ps / PS))))


_HOW = {
    "early": " early",
    "forced": " by force",
    "head": " when its turn came",
    "evicted": " to make room for another",
}
_PHASES = {"recovery": "in fast recovery", "loss": "after a timeout,"}
_CARRIED = {"S": "the SYN", "F": "the FIN"}


class _Words:
    """The sentences about one finding."""

    def __init__(self, f: Finding) -> None:
        self.f = f
        self.digits = digits(f.base_rtt_ps)

    # Whole answers.

    def drop(self) -> list[str]:
        return [self._dropped(), *self._afterwards()]

    def mark(self) -> list[str]:
        return [self._marked(), *self._echoed()]

    def retransmission(self) -> list[str]:
        f, p = self.f, self.f.packet
        if p is None:
            return []
        if f.decision is not None or p.dropped_ps is not None:
            head = (
                f"The nearest event is the retransmission at {self._t(f.event_ps)}, which "
                "answers a loss."
            )
            return [head, *self.drop()]
        again = f"At {self._t(p.sent_ps)} the sender sent {self._what(p)} again."
        if f.original is None or f.original.delivered_ps is None:
            return [again]
        late = f.original.delivered_ps > p.sent_ps
        first = f"They were not lost: the transmission before, of {self._t(f.original.sent_ps)},"
        arrived = (
            f"{'was still on its way and arrived' if late else 'had arrived'} at "
            f"{self._t(f.original.delivered_ps)}."
        )
        probe = (
            " With tail_loss_probe on, this may be a probe." if f.tcp.get("tail_loss_probe") else ""
        )
        return [again, f"{first} {arrived}{probe}"]

    def reaction(self) -> list[str]:
        f, r = self.f, self.f.reaction
        if r is None:
            return []
        if r.cause == "recovered":
            head = (
                f"At {self._t(r.time_ps)} everything lost was repaired and the sender left "
                f"{r.phase_before}"
            )
            head += f" with cwnd {self._packets(r.cwnd_bytes)}."
            return [head, "What had begun it:" if f.packet else "", *self._story()]
        if f.packet is not None and f.detection is not None and f.detection.reaction == r:
            return [
                f"The nearest event is the sender's reaction at {self._t(r.time_ps)}. Behind it:",
                *self._story(),
            ]
        again = f.packet is not None and r.cause in ("loss", "timeout")
        head = "What was not yet acknowledged then:" if again else ""
        return [self._moved(r), head, *self._story(), self._without_loss(r)]

    def window(self) -> list[str]:
        f, r = self.f, self.f.reaction
        asked = f.asked_ps or 0
        begin = (
            ""
            if f.cwnd_bytes is None
            else f"At {self._t(asked)} cwnd was {self._packets(f.cwnd_bytes)}."
        )
        if r is None:
            begin += (
                f" Nothing had reduced it until {self._t(asked)}: acknowledgements made it "
                "grow since the flow began."
            )
            parts = [begin.strip()]
        else:
            parts = [
                begin,
                f"What moved it last, at {self._t(r.time_ps)}: {cause_in_words(r.cause)}.",
                *self._story(),
            ]
            if f.packet is None or f.detection is None or f.detection.reaction != r:
                parts.insert(2, self._moved(r))
            if f.packet is None:
                parts.append(self._without_loss(r))
        return [*parts, self._next()]

    def journey(self) -> list[str]:
        p = self.f.packet
        if p is None:
            return []
        who = "sender" if p.sender else "receiver"
        begin = f"At {self._t(p.sent_ps)} the {who} sent {self._what(p)}{_again(p)}."
        if p.delivered_ps is None:
            return [begin, "It was still on its way when the run ended."]
        total = p.delivered_ps - p.sent_ps
        waiting = sum(h.waited_ps or 0 for h in p.hops)
        arrived = f"It arrived at {self._t(p.delivered_ps)}, {span(total)} later,"
        if waiting:
            longest = max(p.hops, key=lambda h: h.waited_ps or 0)
            arrived += (
                f" of which it spent {span(waiting)} waiting, {self._where(longest, waiting)};"
            )
        else:
            arrived += " without waiting anywhere;"
        sending = sum(h.transmission_ps or 0 for h in p.hops)
        way = sum((h.far_end_ps or 0) - (h.departed_ps or 0) for h in p.hops)
        arrived += f" transmission took {span(sending)} and the way {span(way)}."
        back = [reverse_path.arrived(self.f.way_back)] if self.f.way_back else []
        return [
            begin,
            *self._edges(p),
            arrived,
            *back,
            *([self._marked(), *self._echoed()] if self.f.decision else []),
        ]

    def nothing(self) -> list[str]:
        f = self.f
        asked = f.asked_ps or 0
        if f.before is None and f.after is None:
            return [
                f"Nothing happened to {f.flow}: no drop, mark, retransmission or reaction in the "
                f"whole run."
            ]
        head = (
            f"Nothing happened to {f.flow} around {self._t(asked)}: no drop, mark, "
            "retransmission or reaction"
        )
        head += f" within {span(f.within_ps)}."
        return [
            head,
            self._neighbor("The last before was", f.before, asked),
            self._neighbor("The next is", f.after, asked),
        ]

    # Parts of them.

    def _story(self) -> list[str]:
        if self.f.packet is None:
            return []
        return (
            self.drop()
            if self.f.packet.dropped_ps is not None
            else self.mark()
            if self.f.decision
            else []
        )

    def _dropped(self) -> str:
        p, d = self.f.packet, self.f.decision
        if p is None:
            return ""
        of = "" if p.sender else " of the receiver"
        if d is None:
            return (
                f"At {self._t(p.dropped_ps)} `{p.dropped_at}` dropped "
                f"{self._what(p)}{of}{self._sent(p)}: {p.reason}."
            )
        verb = "lost" if d.reason == "link" else "dropped"
        what = f"{_speaker(d)} {verb} {self._what(p)}{of}{self._sent(p)}{_HOW.get(d.reason, '')}"
        edges = "".join(f" {said}" for said in self._edges(p))
        return (
            f"At {self._t(p.dropped_ps)} {what}: {decisions.explained(d)}.{self._waited(p)}{edges}"
        )

    def _marked(self) -> str:
        p, d = self.f.packet, self.f.decision
        if p is None or d is None:
            return ""
        what = f"{_speaker(d)} marked {self._what(p)}{self._sent(p)}"
        return (
            f"At {self._t(d.time_ps)} {what} Congestion Experienced instead of dropping it: "
            f"{decisions.explained(d)}."
        )

    def _edges(self, p: Packet) -> list[str]:
        """The colors that edges on its path gave the packet."""
        said = []
        for h in (h for h in p.hops if h.colour is not None and h.dscp is not None):
            held = f" after holding it for {span(h.held_ps)}" if h.held_ps else ""
            what = f"{codepoints.color(h.colour)} ({codepoints.name(h.dscp or 0)})"
            said.append(f"{h.marker or 'The edge'} before `{h.link}` marked it {what}{held}.")
        return said

    def _waited(self, p: Packet) -> str:
        last = p.hops[-1] if p.hops else None
        if last is None or not last.waited_ps or last.dropped_ps is None or last.reason == "link":
            return ""
        return f" It had been in the queue for {span(last.waited_ps)}."

    def _afterwards(self) -> list[str]:
        f, p, d = self.f, self.f.packet, self.f.detection
        if p is None:
            return []
        if f.protocol != "tcp":
            return [f"UDP repeats nothing: its {p.payload_bytes:,} bytes of payload never arrived."]
        if not p.sender:
            return [reverse_path.lost(f.way_back, self._t)]
        return [] if d is None else [self._learned(d, p), self._repaired(d)]

    def _learned(self, d: Detection, p: Packet) -> str:
        r = d.reaction
        if d.how == "acknowledgements" and r is not None:
            return f"{self._evidence(d, r, p)} the sender {self._change(r)}."
        if d.how == "timeout" and r is not None:
            timer = f"the retransmission timer of {time_text(r.rto_us_before / 1e6)} expired"
            return (
                f"{self._no_fast_retransmit(d, r)}: at {self._t(r.time_ps)} {timer}; it "
                f"{self._change(r)}."
            )
        if d.how == "in_recovery" and r is not None:
            since = (
                f"{_PHASES.get(r.phase, r.phase)} since {self._t(r.time_ps)}, when it "
                f"{self._change(r)}"
            )
            return (
                f"The sender was repairing other losses already, {since}; it did not reduce "
                "once more for this one."
            )
        if d.how == "probe":
            return "The sender repeated it before it had declared a loss, as a probe."
        return "The sender had not noticed when the run ended."

    def _evidence(self, d: Detection, r: Reaction, p: Packet) -> str:
        after = f"{span(r.time_ps - (p.dropped_ps or r.time_ps))} later, at {self._t(r.time_ps)},"
        if d.duplicates:
            count = f"{d.duplicates} duplicate acknowledgement{'s' if d.duplicates > 1 else ''}"
            law = " (RACK)" if self.f.tcp.get("detection") == "rack" else ""
            return f"After {count}{law}, {after}"
        return f"Told by selective acknowledgements of later data, {after}"

    def _no_fast_retransmit(self, d: Detection, r: Reaction) -> str:
        threshold = int(self.f.tcp.get("dupack_threshold") or 3)
        if self.f.packet is not None and self.f.packet.transmission > 1:
            why = (
                "the lost packet was a repetition itself, which duplicate acknowledgements "
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
                "duplicate acknowledgement"
            )
        elif d.duplicates < threshold:
            why = (
                f"only {d.duplicates} of the {threshold} duplicate acknowledgements that "
                "tell a loss had come"
            )
        else:
            where = _PHASES.get(r.phase_before, "not in recovery").rstrip(",")
            why = f"{d.duplicates} duplicate acknowledgements had come to a sender that was {where}"
        return f"No fast retransmit came first, because {why}"

    def _repaired(self, d: Detection) -> str:
        if not self.f.repairs:
            return "" if d.how == "never" else "It was not sent again before the run ended."
        *failed, last = self.f.repairs
        text = [
            f"It sent it again at {self._t(t.sent_ps)}, which was dropped too ({t.reason} at "
            f"`{t.dropped_at}`)."
            for t in failed[:2]
        ]
        if len(failed) > 2:
            text.append(f"{len(failed) - 2} more repetitions were lost.")
        first = self.f.packet.sent_ps if self.f.packet else last.sent_ps
        again = f"It sent it again at {self._t(last.sent_ps)}"
        if last.delivered_ps is not None:
            late = f"{span(last.delivered_ps - first)} after the lost one had left"
            text.append(f"{again}; this arrived at {self._t(last.delivered_ps)}, {late}.")
        elif last.dropped_ps is not None:
            text.append(
                f"{again}, which was dropped too ({last.reason} at `{last.dropped_at}`); no "
                f"repetition arrived."
            )
        else:
            text.append(f"{again}; this was on its way when the run ended.")
        return " ".join(text)

    def _echoed(self) -> list[str]:
        p, d = self.f.packet, self.f.detection
        if p is None or p.delivered_ps is None:
            return [
                "It did not arrive: what it had to say was lost."
                if p and p.dropped_ps
                else "It was on its way when the run ended."
            ]
        arrived = f"It arrived at {self._t(p.delivered_ps)}"
        if d is None or not p.sender:
            return [f"{arrived}."]
        if d.echo_ps is None:
            return [
                f"{arrived}; no acknowledgement with its echo reached the sender before the run "
                f"ended."
            ]
        echo = f"{arrived}, and its echo reached the sender at {self._t(d.echo_ps)}"
        if d.how == "echo" and d.reaction is not None:
            return [f"{echo}, which {self._change(d.reaction)} at once."]
        if d.reaction is not None:
            return [
                f"{echo}, which had answered congestion at {self._t(d.reaction.time_ps)} and does "
                f"so once a round trip."
            ]
        return [f"{echo}, which did not react."]

    def _moved(self, r: Reaction) -> str:
        shown = (
            f" The congestion control shows {r.control}." if r.cause == "own" and r.control else ""
        )
        return (
            f"At {self._t(r.time_ps)} the sender {self._change(r)}: "
            f"{cause_in_words(r.cause)}.{shown}"
        )

    def _without_loss(self, r: Reaction) -> str:
        f = self.f
        if f.packet is not None or r.cause not in ("loss", "timeout"):
            return ""
        if f.acks_lost:
            many = f"{f.acks_lost} acknowledgement{'s' if f.acks_lost > 1 else ''}"
            return f"No data were lost; in the timeout before it, {many} had been."
        return "No data were lost: what the sender took for a loss was late or out of order."

    def _next(self) -> str:
        n, r = self.f.next_reaction, self.f.reaction
        if n is None:
            return "Nothing reduced it after that." if r is not None else ""
        grew = ""
        if r is not None and n.cwnd_bytes_before > r.cwnd_bytes:
            grew = f"Until then acknowledgements made it grow from {self._packets(r.cwnd_bytes)}. "
        return (
            f"{grew}Next, at {self._t(n.time_ps)} the sender {self._change(n)}: "
            f"{cause_in_words(n.cause)}."
        )

    def _change(self, r: Reaction) -> str:
        a, b = r.cwnd_bytes_before, r.cwnd_bytes
        if a == b:
            return f"kept cwnd at {self._packets(b)}"
        half = r.cause != "timeout" and abs(2 * b - a) <= self.f.segment_bytes
        halved = "halved" if half else "cut" if b < a else "raised"
        return f"{halved} cwnd from {self._packets(a, unit=False)} to {self._packets(b)}"

    def _packets(self, size: int, unit: bool = True) -> str:
        text = significant(size / self.f.segment_bytes, 3)
        return text if not unit else f"{text} packet{'' if text == '1' else 's'}"

    def _what(self, p: Packet) -> str:
        name = f"packet {p.number}"
        for letter, word in _CARRIED.items():
            if letter in p.flags:
                return f"{name}, {word},"
        if not p.sender:
            return (
                f"{name}, an acknowledgement of all before byte {p.ack},"
                if p.ack is not None
                else name
            )
        if p.seq is None:
            return f"{name} of {p.payload_bytes:,} bytes"
        return f"{name} with bytes {p.seq} to {p.seq + max(p.payload_bytes, 1) - 1}"

    def _sent(self, p: Packet) -> str:
        ordinal = "" if p.seq is None or not p.sender else f", {_nth(p.transmission)} transmission"
        return f" (sent at {self._t(p.sent_ps)}{ordinal})"

    def _where(self, h: Hop, waiting: int) -> str:
        share = "" if (h.waited_ps or 0) == waiting else f"{span(h.waited_ps or 0)} of it "
        behind = (
            f", where it found {h.backlog_packets} packet{'' if h.backlog_packets == 1 else 's'} "
            f"waiting"
            if h.backlog_packets
            else ""
        )
        return f"{share}at `{h.link}`{behind}"

    def _neighbor(self, head: str, e: Event | None, asked: int) -> str:
        if e is None:
            return ""
        return f"{head} {span(abs(e.time_ps - asked))} away, at {self._t(e.time_ps)}: {e.what}."

    def _t(self, ps: int | None) -> str:
        return "?" if ps is None else clock(ps, self.digits)


def _speaker(d: Decision) -> str:
    if d.reason == "link":
        return f"the wire of `{d.link}`"
    if d.reason == "mtu":
        return f"`{d.link}`"
    if d.reason == "policed" and d.algorithm not in decisions.POLICING:
        return f"the conditioner of `{d.link}` ({d.algorithm})"
    return f"the queue of `{d.link}` ({d.algorithm})"


def _nth(n: int) -> str:
    return {1: "its first", 2: "its second", 3: "its third"}.get(n, f"its {n}th")


def _again(p: Packet) -> str:
    return f", {_nth(p.transmission)} transmission" if p.transmission > 1 else ""
