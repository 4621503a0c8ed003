"""RED as Floyd and Jacobson wrote it (IEEE/ACM ToN 1(4), August 1993, Fig. 2 and Fig. 17), before a
FIFO and a link.

Choices that the paper leaves open, all written in the product's documentation: the queue does not
count the packet in transmission; the idle time begins when the link has nothing left to send; after
an idle time the average decays and is then updated by this arrival (`idle_style = "ns2"`, else Fig.
2); a packet that finds at most `min_q_for_drop` waiting is let in (ns-2); the physical limit comes
after the decision and starts the count anew.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import floor
from typing import Any

PS = 10**12


@dataclass(frozen=True)
class Parameters:
    """The paper's parameters; thresholds in packets."""

    min_th: float = 5
    max_th: float = 15
    max_p: float = 0.1
    w_q: float = 0.002
    mean_packet_size: int = 500
    gentle: bool = False
    ecn: bool = False
    ecn_hard: bool = True
    spacing: str = "uniform"
    idle_style: str = "ns2"
    idle_fraction: str = "floor"
    min_q_for_drop: float = 1
    byte_mode: bool = False
    byte_drop: str = "off"
    mtu: int = 1500


@dataclass
class Arrival:
    """A packet that comes to the queue."""

    time_ps: int
    ip_len: int
    ect: bool = False


@dataclass
class Decision:
    """What became of an arrival, and what was looked at."""

    fate: str = "pass"
    """`pass`, `mark`, or the reason of a drop: `early`, `forced`, `overflow`."""
    why: str = ""
    backlog: int = 0
    saw: dict[str, float] = field(default_factory=dict)
    departed_ps: int | None = None


class Red:
    """The algorithm's state."""

    def __init__(self, p: Parameters, rate_bps: int, uniform: Callable[[], float]) -> None:
        self.p, self.rate_bps, self.uniform = p, rate_bps, uniform
        self.avg = 0.0
        self.count: float = -1
        self.packets_counted = -1
        self.random = 0.0
        self.below = True
        self.p_b = self.p_a = self.coin = 0.0
        self.count_seen = -1

    def average(self, q: float, idle_ps: int | None) -> None:
        """Step 1 of Fig. 2. `idle_ps`: how long the link had nothing to send; `None`: it is
        sending."""
        w = self.p.w_q
        if idle_ps is not None:
            small = idle_ps * self.rate_bps / (8 * PS * self.p.mean_packet_size)
            if self.p.idle_fraction == "floor":
                small = floor(idle_ps * self.rate_bps // (8 * PS * self.p.mean_packet_size))
            self.avg = (1 - w) ** small * self.avg
            if self.p.idle_style == "paper":
                return
        self.avg = (1 - w) * self.avg + w * q

    def decide(self, backlog: int, a: Arrival) -> str:
        """Step 2 of Fig. 2: `pass`, `signal` or `force`."""
        p = self.p
        self.p_b = self.p_a = self.coin = 0.0
        if self.avg < p.min_th or (p.min_q_for_drop > 0 and backlog <= p.min_q_for_drop):
            self.count, self.packets_counted, self.below = -1, -1, True
            self.count_seen = -1
            return "pass"
        if self.avg < p.max_th:
            self.p_b = p.max_p * (self.avg - p.min_th) / (p.max_th - p.min_th)
        elif p.gentle and self.avg < 2 * p.max_th:
            self.p_b = p.max_p + (1 - p.max_p) * (self.avg - p.max_th) / p.max_th
        else:
            self.p_b = self.p_a = 1.0
            self.count_seen = self.packets_counted
            self.restart()
            return "force"
        return "signal" if self.chosen(a) else "pass"

    def chosen(self, a: Arrival) -> bool:
        """Whether the packet is the one, in the random region."""
        p = self.p
        size, times = 1.0, 1.0
        if p.byte_drop == "mean_size":
            self.p_b *= a.ip_len / p.mean_packet_size
        elif p.byte_drop == "max_size":
            self.p_b *= a.ip_len / p.mtu
        elif p.byte_drop == "ns2":
            size, times = a.ip_len, a.ip_len / p.mean_packet_size
        entering = self.below if p.spacing == "uniform_wait" else self.packets_counted == -1
        self.below = False
        if entering:
            self.restart()
            if p.spacing == "uniform_wait":  # ns-2: the first packet is counted and not tested.
                self.count, self.packets_counted, self.count_seen = size, 1, 1
                return False
        else:
            self.count += size
            self.packets_counted += 1
        self.count_seen = self.packets_counted
        if p.spacing == "uniform_stored":
            hit = self.packets_counted > 0 and self.count >= self.random / self.p_b
            self.p_a, self.coin = float(hit), self.random if self.packets_counted > 0 else 0.0
        else:
            self.p_a = self.spaced(times)
            self.coin = self.uniform()
            hit = self.coin < self.p_a
        if hit:
            self.restart()
        return hit

    def spaced(self, times: float) -> float:
        """p_a of p_b and the count."""
        # ns-2 divides the bytes since the last signal by the mean size as whole numbers.
        count = self.count // self.p.mean_packet_size if self.p.byte_drop == "ns2" else self.count
        x = count * self.p_b
        if self.p.spacing == "bernoulli":
            p = self.p_b
        elif self.p.spacing == "uniform":
            p = self.p_b / (1 - x) if x < 1 else 1.0
        else:
            p = 0.0 if x < 1 else self.p_b / (2 - x) if x < 2 else 1.0
        return min(1.0, p * times) if p < 1 else 1.0

    def restart(self) -> None:
        """A signal was given, or a packet was lost for want of room: count <- 0."""
        self.count, self.packets_counted = 0, 0
        if self.p.spacing == "uniform_stored":
            self.random = self.uniform()

    def saw(self) -> dict[str, float]:
        """The numbers of the last decision."""
        return {
            "avg": self.avg,
            "p_b": self.p_b,
            "p_a": self.p_a,
            "count": self.count_seen,
            "coin": self.coin,
        }


def queue(
    arrivals: Iterable[Arrival],
    p: Parameters,
    uniform: Callable[[], float],
    *,
    rate_bps: int,
    limit: int,
    count_in_service: bool = False,
) -> list[Decision]:
    """What becomes of `arrivals` at a link of `rate_bps` whose queue of at most `limit` packets is
    RED's."""
    ps_per_byte, rest = divmod(8 * PS, rate_bps)
    assert rest == 0, "a rate at which a byte takes whole picoseconds"
    red = Red(p, rate_bps, uniform)
    waiting: deque[tuple[int, int]] = deque()  # when each leaves the backlog, and its length
    free_at, idle_since = 0, 0
    made = []
    for a in arrivals:
        now = a.time_ps
        while waiting and waiting[0][0] <= now:
            waiting.popleft()
        idle = free_at <= now
        backlog = len(waiting)
        length = sum(size for _, size in waiting) / p.mean_packet_size if p.byte_mode else backlog
        red.average(length, now - max(idle_since, free_at) if idle else None)
        verdict = red.decide(backlog, a)
        saw = red.saw()
        decision = Decision(backlog=backlog, saw=saw)
        marks = p.ecn and a.ect and not (verdict == "force" and p.ecn_hard)
        reason = {"signal": "early", "force": "forced"}.get(verdict)
        fits = backlog + 1 <= limit
        if reason and not marks:
            decision.fate = decision.why = reason
        elif not fits:
            decision.fate = decision.why = "overflow"
            red.restart()
            decision.saw = red.saw()
        elif reason:
            decision.fate, decision.why = "mark", reason
        if decision.fate in ("pass", "mark"):
            start = max(free_at, now)
            free_at = start + a.ip_len * ps_per_byte
            decision.departed_ps = free_at
            leaves = free_at if count_in_service else start
            if leaves > now:
                waiting.append((leaves, a.ip_len))
        elif idle:
            idle_since = now  # The average has the time until now.
        made.append(decision)
    return made


def parameters(written: dict[str, Any]) -> Parameters:
    """The parameters that a scenario writes, without units."""
    return Parameters(**{k: v for k, v in written.items() if k in Parameters.__dataclass_fields__})
