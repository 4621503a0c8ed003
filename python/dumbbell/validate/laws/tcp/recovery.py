"""Several losses in one window, by the rules of four recoveries: what Fall and Floyd
(Simulation-based comparisons of Tahoe, Reno and SACK TCP, CCR 26(3), 1996) show, worked out step by
step.

A path of one round trip, on which nothing takes time but the way; segments are numbered from 1,
each is acknowledged by itself, and data never end. A sender in congestion avoidance has a window of
segments out, some of them are lost, and nothing else ever is. Written from RFC 5681, RFC 3042
(limited transmit), RFC 6582 and RFC 6675; times in round trips.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field

DUP_THRESHOLD = 3


@dataclass(frozen=True)
class Outcome:
    """timeouts: expiries of the timer; repaired: when the receiver had the last of the lost
    segments, in round trips after the window was sent; again: segments that were sent more than
    once; halvings: reductions of ssthresh."""

    timeouts: int
    repaired: float
    again: int
    halvings: int


@dataclass
class Sender(ABC):
    """The common part of the four senders: the window, the path and the reverse path, the timer,
    and the segments that the receiver holds."""

    window: int
    lost: set[int]
    rto: float
    now: float = 0.0
    una: int = 1
    nxt: int = 1
    high: int = 1
    """The first segment that was never sent."""
    cwnd: float = 0.0
    ssthresh: float = 0.0
    dups: int = 0
    limited: int = 0
    recover: int = 0
    recovering: bool = False
    timer: float = 0.0
    received: set[int] = field(default_factory=set)
    acks: list[tuple[float, int, int, frozenset[int]]] = field(default_factory=list)
    timeouts: int = 0
    again: int = 0
    halvings: int = 0
    repaired: float = 0.0
    order: int = 0

    def send(self, n: int) -> None:
        """Segment n leaves; unless it is one of the lost ones for the first time, its
        acknowledgment comes back."""
        first = n >= self.high
        self.again += not first
        self.high = max(self.high, n + 1)
        if first and n in self.lost:
            return
        if n in self.lost and n not in self.received:
            self.repaired = self.now + 0.5
        self.received.add(n)
        cumulative = next(k for k in range(self.una, n + self.high + 2) if k not in self.received)
        beyond = frozenset(k for k in self.received if k > cumulative)
        self.order += 1
        heapq.heappush(self.acks, (self.now + 1, self.order, cumulative, beyond))

    def fill(self) -> None:
        """Sends what the window lets, from SND.NXT on."""
        while self.nxt - self.una < int(self.cwnd + 1e-9):
            self.send(self.nxt)
            self.nxt += 1

    def flight(self) -> int:
        """FlightSize, without what limited transmit sent (RFC 5681 section 3.2, step 2)."""
        return self.nxt - self.una - self.limited

    def halve(self) -> None:
        """RFC 5681, equation (4)."""
        self.ssthresh = max(self.flight() / 2, 2)
        self.halvings += 1

    def grow(self) -> None:
        """Slow start below ssthresh, above it congestion avoidance: RFC 5681 section 3.1."""
        self.cwnd += 1 if self.cwnd < self.ssthresh else 1 / self.cwnd

    def new_ack(self, acked: int) -> None:
        """An acknowledgment of `acked` new segments outside recovery."""
        self.grow()

    def duplicate(self) -> None:
        """A duplicate: the first two let a new segment go (RFC 3042), the third is taken for a
        loss."""
        self.dups += 1
        if self.dups < DUP_THRESHOLD:
            self.limited += 1
            self.send(self.nxt)
            self.nxt += 1
        elif self.dups == DUP_THRESHOLD:
            self.enter()

    @abstractmethod
    def enter(self) -> None:
        """A loss was found by duplicates."""

    def on_ack(self, cumulative: int, beyond: frozenset[int]) -> None:
        """An acknowledgment arrives: the next segment expected, and what the receiver holds beyond
        it."""
        if cumulative > self.una:
            acked, self.una = cumulative - self.una, cumulative
            self.nxt = max(self.nxt, self.una)
            self.dups = self.limited = 0
            self.timer = self.now + self.rto
            self.new_ack(acked)
        elif self.recovering or self.una > self.recover:
            self.duplicate()
        self.fill()

    def expire(self) -> None:
        """RFC 5681 section 3.1: a window of one, and everything outstanding again."""
        self.timeouts += 1
        self.halve()
        self.cwnd, self.recovering, self.dups, self.limited = 1, False, 0, 0
        self.recover, self.nxt = self.high - 1, self.una
        self.rto *= 2
        self.timer = self.now + self.rto
        self.fill()

    def run(self, until: float = 60.0) -> Outcome:
        """Until all that was lost is acknowledged; acknowledgments and expiries in the order of
        time."""
        self.cwnd = self.ssthresh = self.window
        self.timer = self.rto
        self.fill()
        while self.una <= max(self.lost) and self.now < until:
            if not self.acks or self.acks[0][0] > self.timer:
                self.now = self.timer
                self.expire()
            else:
                self.now, _, cumulative, beyond = heapq.heappop(self.acks)
                self.on_ack(cumulative, beyond)
        return Outcome(self.timeouts, self.repaired, self.again, self.halvings)


class Tahoe(Sender):
    """RFC 5681 without fast recovery: a window of one and slow start from the hole on, whatever was
    sent beyond."""

    def enter(self) -> None:
        """Everything from the hole on goes again, in slow start."""
        self.halve()
        self.cwnd, self.recover, self.nxt, self.limited = 1, self.high - 1, self.una, 0


class Reno(Sender):
    """RFC 5681 section 3.2: the first new acknowledgment ends recovery."""

    def enter(self) -> None:
        """Half the window, and a segment for each that has left the network."""
        self.halve()
        self.recovering = True
        self.send(self.una)
        self.cwnd = self.ssthresh + 3

    def duplicate(self) -> None:
        """In recovery each tells that a segment has left."""
        if self.recovering:
            self.cwnd += 1
        else:
            super().duplicate()

    def new_ack(self, acked: int) -> None:
        """The first ends recovery."""
        if self.recovering:
            self.cwnd, self.recovering = self.ssthresh, False
        else:
            super().new_ack(acked)


class NewReno(Reno):
    """RFC 6582: recovery lasts until all is acknowledged that was out when it began."""

    def enter(self) -> None:
        """As Reno, until what is out now is acknowledged."""
        self.recover = self.high - 1
        super().enter()

    def new_ack(self, acked: int) -> None:
        """A partial one finds the next hole; a full one ends recovery."""
        if not self.recovering:
            self.grow()
        elif self.una > self.recover:
            self.cwnd, self.recovering = min(self.ssthresh, max(self.nxt - self.una, 1) + 1), False
        else:
            self.send(self.una)
            self.cwnd += 1 - acked


class Sack(Sender):
    """RFC 6675: what is lost is known, and goes again as far as `pipe` leaves room."""

    held: frozenset[int] = frozenset()
    repeated: frozenset[int] = frozenset()

    def is_lost(self, n: int) -> bool:
        """IsLost, in segments."""
        return sum(k > n for k in self.held) >= DUP_THRESHOLD

    def pipe(self) -> int:
        """SetPipe: what is believed on its way, repetitions besides."""
        out = [n for n in range(self.una, self.nxt) if n not in self.held]
        return sum(not self.is_lost(n) for n in out) + sum(n in self.repeated for n in out)

    def enter(self) -> None:
        """Half the window, by pipe instead of inflation."""
        self.halve()
        self.cwnd, self.recover, self.recovering = self.ssthresh, self.high - 1, True
        self.repeat(self.una)

    def repeat(self, n: int) -> None:
        """Segment n goes again."""
        self.repeated |= {n}
        self.send(n)

    def on_ack(self, cumulative: int, beyond: frozenset[int]) -> None:
        """Updates the scoreboard before the sender acts on the ACK."""
        self.held = beyond
        super().on_ack(cumulative, beyond)

    def new_ack(self, acked: int) -> None:
        """A full one ends recovery."""
        if self.recovering and self.una > self.recover:
            self.recovering, self.cwnd, self.repeated = False, self.ssthresh, frozenset()
        elif not self.recovering:
            self.grow()

    def fill(self) -> None:
        """NextSeg: the first hole that is lost and did not go again, else new data."""
        if not self.recovering:
            super().fill()
            return
        while self.cwnd - self.pipe() >= 1:
            holes = [
                n
                for n in range(self.una, self.nxt)
                if n not in self.held and n not in self.repeated
            ]
            hole = next((n for n in holes if self.is_lost(n)), None)
            if hole is not None:
                self.repeat(hole)
            else:
                self.send(self.nxt)
                self.nxt += 1


RULES: dict[str, type[Sender]] = {"tahoe": Tahoe, "reno": Reno, "newreno": NewReno, "sack": Sack}


def recover(rules: str, window: int, lost: Iterable[int], rto: float) -> Outcome:
    """Returns the outcome of a window of so many segments of which those in `lost` are lost; `rto`
    in round trips."""
    return RULES[rules](window, set(lost), rto).run()
