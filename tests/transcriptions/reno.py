"""TCP Reno by RFC 5681 (with RFC 3042's limited transmit) and RFC 6298, packet by packet, over a
Drop Tail bottleneck.

One event list, times in picoseconds, windows in whole bytes (what an increase leaves over is
carried to the next one), cwnd inflated during fast recovery as RFC 5681 section 3.2 has it. What
the RFCs leave open is chosen as the product documents it:

- one segment is timed at a time, and a repetition ends the timing (RFC 6298 section 3: Karn's
  algorithm);
- fast retransmit starts the timer anew;
- after a timeout everything outstanding goes again in slow start, and duplicate acknowledgments
  start no fast retransmit until all of it is acknowledged (RFC 6582 section 4.1 says why, for any
  sender without SACK);
- limited transmit lets outstanding data exceed cwnd by one segment at the first duplicate, by two
  at the second;
- a loss halves the smaller of FlightSize and cwnd, which is not inflated, in whole bytes;
- a second expiry for the same segment leaves ssthresh as it is (RFC 5681 section 3.1, equation
  (4)).
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

PS = 10**12
INFINITE = 10**18


class Clock:
    """The event list. At one instant packets come before timers, and among packets those of a lower
    rank."""

    def __init__(self) -> None:
        self.now = 0
        self.events: list[tuple[int, float, int, Callable[..., None], tuple[Any, ...]]] = []
        self.made = 0

    def at(self, time: int, rank: float, call: Callable[..., None], *args: Any) -> None:
        """Calls at `time`; a packet has a rank below 1, a timer 1, a look 2."""
        self.made += 1
        heapq.heappush(self.events, (time, rank, self.made, call, args))

    def run(self, end: int) -> None:
        """Everything up to `end`."""
        while self.events and self.events[0][0] <= end:
            self.now, _, _, call, args = heapq.heappop(self.events)
            call(*args)


@dataclass
class Packet:
    """A segment or an acknowledgment, and what became of it."""

    number: int
    seq: int
    payload: int
    ack: int
    retransmit: bool
    sent_ps: int
    delivered_ps: int | None = None
    dropped_ps: int | None = None
    backlog: int | None = None


class Link:
    """A transmitter with a FIFO of at most `limit` packets beside the one that it sends, and a
    wire."""

    def __init__(
        self, clock: Clock, rate_bps: int, delay_ps: int, limit: int | None = None, rank: float = 0
    ) -> None:
        self.clock, self.delay_ps, self.limit, self.rank = clock, delay_ps, limit, rank
        self.ps_per_byte, rest = divmod(8 * PS, rate_bps)
        assert rest == 0
        self.free_at = 0
        self.starts: deque[int] = deque()

    def take(self, p: Packet, header: int, onward: Callable[[Packet], None]) -> None:
        """A packet comes; `onward` is called with it at the far end."""
        now = self.clock.now
        if self.limit is not None:
            while self.starts and self.starts[0] <= now:
                self.starts.popleft()
            p.backlog = len(self.starts)
            if self.free_at > now and len(self.starts) + 1 > self.limit:
                p.dropped_ps = now
                return
        start = max(now, self.free_at)
        self.free_at = start + (p.payload + header) * self.ps_per_byte
        if self.limit is not None:
            self.starts.append(start)
        self.clock.at(self.free_at + self.delay_ps, self.rank, onward, p)


@dataclass(frozen=True)
class Options:
    """A sender's and a receiver's constants."""

    mss: int = 1000
    initial_window: int = 2
    initial_ssthresh: float = INFINITE
    limited_transmit: bool = True
    min_rto_ps: int = PS // 5
    max_rto_ps: int = 60 * PS
    initial_rto_ps: int = 3 * PS
    delayed_ack_ps: int | None = None


@dataclass
class Reaction:
    """What a sender did about a loss."""

    time_ps: int
    cause: str
    cwnd_before: float
    cwnd: float
    """Without the inflation of a fast recovery."""
    ssthresh: float
    una: int


class Receiver:
    """RFC 5681 section 4.2: each segment, or every second one and after a time, is acknowledged;
    others at once."""

    def __init__(self, clock: Clock, o: Options, send: Callable[[Packet], None]) -> None:
        self.clock, self.o, self.send = clock, o, send
        self.next, self.acked = 1, 1
        self.held: set[int] = set()
        self.due = 0
        self.sent: list[Packet] = []

    def take(self, p: Packet) -> None:
        """A segment arrives."""
        p.delivered_ps = self.clock.now
        delay = self.o.delayed_ack_ps
        in_order = p.seq == self.next and not self.held
        if p.seq >= self.next:
            self.held.add(p.seq)
        while self.next in self.held:
            self.held.remove(self.next)
            self.next += self.o.mss
        if delay is None or not in_order or self.next - self.acked >= 2 * self.o.mss:
            self.acknowledge()
        elif self.due == 0:
            self.due = self.clock.now + delay
            self.clock.at(self.due, 1, self.expire, self.due)

    def expire(self, due: int) -> None:
        """The delayed acknowledgment's time has come, if none went before."""
        if due == self.due:
            self.acknowledge()

    def acknowledge(self) -> None:
        """Everything in order."""
        self.acked, self.due = self.next, 0
        ack = Packet(len(self.sent) + 1, 1, 0, self.next, False, self.clock.now)
        self.sent.append(ack)
        self.send(ack)


class Sender:
    """The sender of an endless stream whose bytes are numbered from 1."""

    def __init__(self, clock: Clock, o: Options, send: Callable[[Packet], None]) -> None:
        self.clock, self.o, self.send = clock, o, send
        self.una = self.nxt = self.high = 1
        self.cwnd: float = o.initial_window * o.mss
        self.ssthresh: float = o.initial_ssthresh
        self.left: float = 0
        self.dupacks, self.limited = 0, 0
        self.in_recovery = False
        self.deflated: float = 0
        self.resending_until = 0
        self.timed: tuple[int, int] | None = None
        self.srtt: float | None = None
        self.rttvar = 0.0
        self.rto: float = o.initial_rto_ps
        self.timer: int | None = None
        self.expired_at = 0
        self.sent: list[Packet] = []
        self.reactions: list[Reaction] = []

    def emit(self, seq: int) -> None:
        """One segment."""
        again = seq < self.high
        p = Packet(len(self.sent) + 1, seq, self.o.mss, 1, again, self.clock.now)
        if again:
            self.timed = None
        elif self.timed is None:
            self.timed = (seq + self.o.mss, self.clock.now)
        self.high = max(self.high, seq + self.o.mss)
        self.sent.append(p)
        if self.timer is None:
            self.start_timer()
        self.send(p)

    def fill(self) -> None:
        """As much as cwnd allows, in whole segments."""
        while self.nxt + self.o.mss - self.una <= self.cwnd:
            self.nxt += self.o.mss
            self.emit(self.nxt - self.o.mss)

    def take(self, p: Packet) -> None:
        """An acknowledgment arrives."""
        p.delivered_ps = self.clock.now
        if p.ack > self.una:
            self.new_ack(p.ack)
        elif p.ack == self.una and self.nxt > self.una:
            self.duplicate()

    def new_ack(self, ack: int) -> None:
        """RFC 5681 sections 3.1 and 3.2 step 6; RFC 6298 (5.2), (5.3)."""
        acked, self.una = ack - self.una, ack
        self.nxt = max(self.nxt, ack)
        if self.timed is not None and ack >= self.timed[0]:
            self.measure(self.clock.now - self.timed[1])
            self.timed = None
        if self.in_recovery:
            before, self.cwnd, self.in_recovery = self.cwnd, self.deflated, False
            self.note("recovered", before)
        elif self.cwnd < self.ssthresh:
            self.cwnd += min(acked, self.o.mss)
        else:
            increase, self.left = divmod(self.o.mss * self.o.mss + self.left, self.cwnd)
            self.cwnd += increase
        if self.resending_until and ack >= self.resending_until:
            self.resending_until = 0
            self.note("recovered", self.cwnd)
        self.dupacks, self.limited = 0, 0
        if self.una == self.high:
            self.timer = None
        else:
            self.start_timer()
        self.fill()

    def duplicate(self) -> None:
        """RFC 5681 section 3.2 steps 1 to 5."""
        mss = self.o.mss
        if self.resending_until:
            return
        self.dupacks += 1
        if self.in_recovery:
            self.cwnd += mss
            self.fill()
        elif self.dupacks == 3:
            before = self.cwnd
            self.ssthresh = max(self.lost_window() // 2, 2 * mss)
            self.deflated = min(self.cwnd, self.ssthresh)
            self.cwnd = self.deflated + 3 * mss
            self.in_recovery, self.limited, self.left = True, 0, 0
            self.note("loss", before)
            self.start_timer()
            self.emit(self.una)
            self.fill()
        elif self._may_send_one_more():
            self.nxt += mss
            self.limited += mss
            self.emit(self.nxt - mss)

    def _may_send_one_more(self) -> bool:
        """Limited transmit: the first duplicate lets one segment go beyond cwnd, the second
        another."""
        beyond = self.nxt + self.o.mss - self.una - self.cwnd
        return self.o.limited_transmit and self.dupacks < 3 and beyond <= self.dupacks * self.o.mss

    def measure(self, rtt: int) -> None:
        """RFC 6298 section 2, with a clock of no granularity."""
        if self.srtt is None:
            self.srtt, self.rttvar = float(rtt), rtt / 2
        else:
            self.rttvar = 0.75 * self.rttvar + 0.25 * abs(self.srtt - rtt)
            self.srtt = 0.875 * self.srtt + 0.125 * rtt
        self.rto = min(max(self.srtt + 4 * self.rttvar, self.o.min_rto_ps), self.o.max_rto_ps)

    def start_timer(self) -> None:
        """It runs for RTO from now."""
        self.timer = self.clock.now + int(self.rto)
        self.clock.at(self.timer, 1, self.expire, self.timer)

    def expire(self, due: int) -> None:
        """RFC 6298 (5.4) to (5.6), RFC 5681 section 3.1."""
        if due != self.timer:
            return
        before = self.cwnd
        if self.expired_at != self.una:
            self.ssthresh = max(self.lost_window() // 2, 2 * self.o.mss)
        self.expired_at = self.una
        self.cwnd = self.o.mss
        self.in_recovery, self.dupacks, self.limited, self.left = False, 0, 0, 0
        self.resending_until = self.high
        self.rto = min(2 * self.rto, self.o.max_rto_ps)
        self.timed = None
        self.nxt = self.una
        self.note("timeout", before)
        self.start_timer()
        self.fill()

    def lost_window(self) -> int:
        """What a loss halves, in whole bytes: FlightSize without limited transmit's segments, or
        the window where that is smaller."""
        return min(self.nxt - self.una - self.limited, int(self.window()))

    def note(self, cause: str, before: float) -> None:
        """Writes down a reaction."""
        self.reactions.append(
            Reaction(self.clock.now, cause, before, self.window(), self.ssthresh, self.una)
        )

    def window(self) -> float:
        """cwnd without the inflation of a fast recovery."""
        return self.deflated if self.in_recovery else self.cwnd


@dataclass
class Flow:
    """A connection, and its private links: to the bottleneck and from it, and the same on the way
    back."""

    sender: Sender
    receiver: Receiver
    windows: list[tuple[int, float]] = field(default_factory=list)


def dumbbell(
    flows: list[tuple[int, int, Options]],
    *,
    end_ps: int,
    bottleneck: tuple[int, int, int],
    access_bps: int,
    look_ps: int,
    first: tuple[int, int] = (0, 0),
    header: int = 40,
) -> list[Flow]:
    """Flows, each (start, delay of its access links, options), over a bottleneck of (rate, delay,
    limit in packets).

    `first`: which flow's packets go first where several come at one instant, forward and back. No
    RFC says, and it does come about: a round trip of one flow and then of another takes as long as
    the other way round. Every `look_ps` the congestion windows are written down, without the
    inflation of a fast recovery.
    """
    clock = Clock()
    rate, delay, limit = bottleneck
    forward, back = Link(clock, rate, delay, limit), Link(clock, rate, delay)
    made = []
    for i, (start, access_ps, options) in enumerate(flows):
        ranks = (0.0 if i == first[0] else 0.5, 0.0 if i == first[1] else 0.5)
        made.append(
            _connect(clock, (forward, back), (access_bps, access_ps), ranks, options, header)
        )
        clock.at(start, 1, made[-1].sender.fill)

    def look(at: int) -> None:
        for f in made:
            f.windows.append((at, f.sender.window()))
        clock.at(at + look_ps, 2, look, at + look_ps)

    clock.at(look_ps, 2, look, look_ps)
    clock.run(end_ps)
    return made


def _connect(
    clock: Clock,
    shared: tuple[Link, Link],
    access: tuple[int, int],
    ranks: tuple[float, float],
    options: Options,
    header: int,
) -> Flow:
    forward, back = shared
    to_left, to_receiver, from_receiver, to_sender = (
        Link(clock, *access, rank=r) for r in (ranks[0], 0, ranks[1], 0)
    )

    def data(p: Packet) -> None:
        to_left.take(
            p,
            header,
            lambda p: forward.take(p, header, lambda p: to_receiver.take(p, header, receiver.take)),
        )

    def acknowledgement(p: Packet) -> None:
        from_receiver.take(
            p,
            header,
            lambda p: back.take(p, header, lambda p: to_sender.take(p, header, sender.take)),
        )

    sender, receiver = Sender(clock, options, data), Receiver(clock, options, acknowledgement)
    return Flow(sender, receiver)
