"""Algorithms of a user's own for the tests: transcriptions of the catalogue's, in Python, decision
by decision."""

from __future__ import annotations

import math
from typing import Literal

import dumbbell
from dumbbell import PASS, drop
from dumbbell.plugins.hook_types import (
    Ack,
    Congestion,
    Cx,
    Link,
    Orders,
    Packet,
    Path,
    Queue,
    Verdict,
)


class PlainTail(dumbbell.Aqm):
    """Drop Tail, whose victim may be the head or a packet drawn at random."""

    victim: Literal["tail", "front", "random"] = dumbbell.parameter("tail", "Which packet goes.")

    def start(self, link: Link) -> None:
        if self.victim != "tail":
            self.needs = "held"

    def arrive(self, cx: Cx, queue: Queue, packet: Packet, fits: bool) -> Verdict:
        return PASS

    def make_room(self, cx: Cx, queue: Queue, packet: Packet) -> int | None:
        if self.victim == "tail":
            return None
        if self.victim == "front":
            return 0 if queue.waiting else None
        slot = cx.rng.below(queue.waiting + 1)
        return slot if slot < queue.waiting else None


class PaperRed(dumbbell.Aqm):
    """RED from the 1993 paper's Fig. 2 and section 4, with ns-2's whole packets of an idle time."""

    min_th: dumbbell.Packets = dumbbell.parameter(5.0, "Where signaling begins.")
    max_th: dumbbell.Packets = dumbbell.parameter(15.0, "Where it has reached max_p.")
    max_p: float = dumbbell.parameter(0.1, "The probability at max_th.", at_least=0, at_most=1)
    w_q: float = dumbbell.parameter(0.002, "The weight of the newest sample.", above=0, at_most=1)
    ecn: bool = dumbbell.parameter(False, "Whether ECN-capable packets are marked.")

    def check(self) -> None:
        if self.max_th < self.min_th:
            raise ValueError("max_th", "it is below min_th", "raise it to 3 min_th")

    def start(self, link: Link) -> None:
        self.avg, self.count, self.since = 0.0, -1, 0.0
        self.q_time: int | None = 0

    def arrive(self, cx: Cx, queue: Queue, packet: Packet, fits: bool) -> Verdict:
        was_idle = self.q_time is not None
        if self.q_time is not None:
            m = (cx.now_ps - self.q_time) * cx.link.rate // (8 * 10**12) // 500
            self.avg *= math.pow(1 - self.w_q, m)
            self.q_time = None
        self.avg = (1 - self.w_q) * self.avg + self.w_q * queue.packets
        verdict = self._decide(cx, queue)
        dropped = verdict == drop("forced") or (
            verdict != PASS and not (self.ecn and packet.capable)
        )
        if not dropped and not fits:
            self.count, self.since = 0, 0.0
        if was_idle and (dropped or not fits):
            self.q_time = cx.now_ps
        return verdict

    def _decide(self, cx: Cx, queue: Queue) -> Verdict:
        if queue.packets <= 1 or self.avg < self.min_th:
            self.count = -1
            return PASS
        if self.avg >= self.max_th:
            self.count, self.since = 0, 0.0
            return drop("forced")
        p_b = self.max_p * (self.avg - self.min_th) / (self.max_th - self.min_th)
        if self.count < 0:
            self.count, self.since = 0, 0.0
        else:
            self.count, self.since = self.count + 1, self.since + 1
        x = self.since * p_b
        p_a = min(p_b / (1 - x), 1.0) if x < 1 else 1.0
        if cx.rng.unit() >= p_a:
            return PASS
        self.count, self.since = 0, 0.0
        return dumbbell.SIGNAL if self.ecn else drop("early")

    def idle(self, cx: Cx) -> None:
        self.q_time = cx.now_ps

    def probe(self) -> dict[str, float]:
        return {"avg": self.avg}


class Reno5681(dumbbell.CongestionControl):
    """RFC 5681's window in whole bytes with carried remainders, the repair of RFC 6582."""

    recovery = "newreno"

    def start(self, path: Path) -> None:
        super().start(path)
        self.window, self.thresh = path.initial_window, path.initial_ssthresh or 2**64
        self.limit, self.rest, self.prior = max(path.growth_limit, 1), 0, (0, 0)
        self._show()

    def _show(self) -> None:
        self.cwnd, self.ssthresh = self.window, self.thresh

    def on_ack(self, ack: Ack, orders: Orders) -> None:
        if ack.acked == 0 or ack.phase == "recovery" or not ack.window_limited or ack.ece:
            return
        if self.window < self.thresh:
            self.window += min(ack.acked, self.limit * self.mss)
        else:
            credit = ack.acked if self.limit > 1 else min(ack.acked, self.mss)
            whole, self.rest = divmod(credit * self.mss * 65536 + self.rest, self.window * 65536)
            self.window += min(whole, self.mss + 1)
        self._show()

    def on_congestion(self, event: Congestion, orders: Orders) -> None:
        if event.cause == "further":
            return
        if event.cause == "spurious":
            self.window, self.thresh = (
                max(self.window, self.prior[0]),
                max(self.thresh, self.prior[1]),
            )
        else:
            if event.cause != "timeout" or event.first:
                self.prior = (self.window, self.thresh)
                held = self.window if event.cause == "ecn" else event.in_flight
                self.thresh = max(int(held - 0.5 * held), 2 * self.mss)
            self.window = self.mss if event.cause == "timeout" else min(self.window, self.thresh)
            if event.cause == "loss":
                self.window = max(self.window, self.mss)
        self.rest = 0
        self._show()

    def on_recovered(self, now: float, bound: int | None) -> None:
        if bound is not None:
            self.window = min(self.window, max(bound, self.mss))
        self._show()

    def on_idle(self, restart_window: int) -> None:
        self.window = min(self.window, max(restart_window, self.mss))
        self._show()
