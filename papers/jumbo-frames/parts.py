"""RED as the paper's simulator had it: a queue that may be counted in bytes, full once its backlog
has reached the limit, whatever arrives. So the largest backlog is the limit and nearly one packet
more."""

from __future__ import annotations

import math

import dumbbell
from dumbbell import PASS, drop

FORCED, EARLY, FULL = drop("forced"), drop("early"), drop("overflow")


class FullRed(dumbbell.Aqm):
    """RED (Floyd, Jacobson 1993) with ns-2's choices: gentle, waiting, no packet dropped early that
    finds at most one.

    full: backlog >= limit, in packets or in bytes of `limit` mean packets."""

    full_at: float = dumbbell.parameter(
        20.0, "The backlog from which nothing is let in, packets.", above=0
    )
    min_th: float = dumbbell.parameter(
        5.0, "Average from which packets are dropped early, packets.", above=0
    )
    max_th: float = dumbbell.parameter(
        15.0, "Average at which the probability has reached max_p, packets.", above=0
    )
    max_p: float = dumbbell.parameter(0.1, "The probability at max_th.", at_least=0, at_most=1)
    w_q: float = dumbbell.parameter(0.002, "The weight of the newest sample.", above=0, at_most=1)
    mean_packet: int = dumbbell.parameter(
        500, "Bytes of a mean packet, the unit of a queue in bytes.", at_least=1
    )
    in_bytes: bool = dumbbell.parameter(True, "Whether queue, thresholds and limit count bytes.")
    by_size: bool = dumbbell.parameter(True, "Whether the probability grows with a packet's size.")
    gentle: bool = dumbbell.parameter(True, "Whether it rises to 1 at twice max_th.")
    automatic: bool = dumbbell.parameter(
        False, "Whether thresholds and weight follow from the link (ns-2, 10/2004)."
    )
    early: bool = dumbbell.parameter(True, "Whether any packet is dropped early: else Drop Tail.")

    def check(self):
        """Thresholds in order."""
        if self.max_th <= self.min_th:
            raise ValueError("max_th", "it is not above min_th", "raise it to 3 min_th")

    def start(self, link):
        """An empty queue, idle."""
        self.avg, self.since, self.outside = 0.0, 0.0, True
        self.q_time = 0
        self.largest = 0
        self.unit = float(self.mean_packet) if self.in_bytes else 1.0
        if self.automatic:
            rate = link.rate / (8 * self.mean_packet)
            self.min_th = max(5.0, 0.005 * rate / 2)
            self.max_th = 3 * self.min_th
            self.w_q = -math.expm1(-1 / (10 * max(0.1, 3 * (link.delay + 1 / rate)) * rate))

    def arrive(self, cx, queue, packet, fits):
        """The average, the early drop, the limit."""
        length = (queue.bytes if self.in_bytes else queue.packets) / self.unit
        since = self.q_time
        if since is not None:
            self.avg *= (1.0 - self.w_q) ** (
                (cx.now_ps - since) * cx.link.rate // (8 * 10**12) // self.mean_packet
            )
            self.q_time = None
        avg = self.avg = (1.0 - self.w_q) * self.avg + self.w_q * length
        if length >= self.full_at:
            self.since = 0.0
            return FULL
        if queue.bytes and queue.bytes + packet.ip_len > self.largest:
            self.largest = queue.bytes + packet.ip_len
        if (
            avg < self.min_th
            or not self.early
            or (queue.bytes == 0 if self.in_bytes else queue.packets <= 1)
        ):
            self.outside = True
            return PASS
        return self.between(cx, packet, avg)

    def between(self, cx, packet, avg):
        """An average above min_th."""
        low, high = self.min_th, self.max_th
        if avg >= (2.0 * high if self.gentle else high):
            self.since = 0.0
            return FORCED
        size = packet.ip_len / self.mean_packet if self.by_size else 1.0
        if self.outside:
            self.outside, self.since = False, size if self.by_size else 1.0
            return PASS
        if avg < high:
            p = self.max_p * (avg - low) / (high - low)
        else:
            p = self.max_p + (1.0 - self.max_p) * (avg - high) / high
        self.since += size
        x = self.since * p
        p_a = 0.0 if x < 1.0 else p / (2.0 - x) if x < 2.0 else 1.0
        if cx.rng.unit() >= (p_a * size if p_a < 1.0 else 1.0):
            return PASS
        self.since = 0.0
        return EARLY

    def idle(self, cx):
        """Nothing waits, nothing is sent."""
        self.q_time = cx.now_ps

    def probe(self):
        """The average in packets, or mean ones; the most bytes that waited."""
        return {"avg": self.avg, "largest": self.largest}
