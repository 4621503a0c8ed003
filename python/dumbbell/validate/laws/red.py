"""RED. Floyd and Jacobson, Random Early Detection Gateways for Congestion Avoidance, IEEE/ACM ToN
1(4), 1993.

avg is the low-pass filtered queue, w the weight of the newest sample, p_b the probability of the
curve, p_a the one after spacing. Lengths are in packets; spacing is the number of packets from one
signal to the next.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


def step(queue: float, w: float, n: int) -> float:
    """avg after `n` arrivals that all find `queue`, from 0: Q (1 - (1 - w)^n)."""
    return queue * (1 - (1 - w) ** n)


def step_arrivals(threshold: float, queue: float, w: float) -> int:
    """Arrivals that find `queue` until avg, from 0, is at least `threshold`: ceil(ln(1 - theta / Q)
    / ln(1 - w))."""
    return math.ceil(math.log(1 - threshold / queue) / math.log(1 - w))


def burst(n: int, w: float) -> float:
    """avg after arrivals that find 1, 2, ... n packets, from 0 (equation 3):
    n + 1 + ((1 - w)^(n + 1) - 1) / w."""
    return n + 1 + ((1 - w) ** (n + 1) - 1) / w


def longest_burst(threshold: float, w: float) -> int:
    """The longest burst into an empty queue that leaves avg below `threshold`, by equation 3."""
    n = 1
    while burst(n + 1, w) < threshold:
        n += 1
    return n


def idle(avg: float, w: float, m: float) -> float:
    """avg after an idle time in which `m` typical packets could have been sent (section 4):
    avg (1 - w)^m."""
    return avg * math.pow(1 - w, m)


def typical_packets(idle_s: float, rate_bps: float, size: int) -> float:
    """m: how many packets of `size` bytes the link could have sent in `idle_s`."""
    return idle_s * rate_bps / (8 * size)


def averages(found: Iterable[float], w: float) -> list[float]:
    """avg at each of some arrivals into a queue that is never idle between them, from 0, by the
    recurrence."""
    avg, out = 0.0, []
    for queue in found:
        avg += w * (queue - avg)
        out.append(avg)
    return out


@dataclass(frozen=True)
class Curve:
    """p_b by avg (Fig. 2); gentle: from max_p at max_th to 1 at twice max_th (Floyd 2000)."""

    min_th: float
    max_th: float
    max_p: float
    gentle: bool = False

    def p_b(self, avg: float) -> float:
        """The probability of a signal before spacing; 1 where every packet gets one."""
        if avg < self.min_th:
            return 0.0
        if avg < self.max_th:
            return self.max_p * (avg - self.min_th) / (self.max_th - self.min_th)
        if self.gentle and avg < 2 * self.max_th:
            return self.max_p + (1 - self.max_p) * (avg - self.max_th) / self.max_th
        return 1.0


@dataclass(frozen=True)
class Law:
    """A distribution of spacings: the chance of each, from 1 on."""

    p: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Its mean."""
        return math.fsum(n * p for n, p in enumerate(self.p, 1))

    @property
    def variance(self) -> float:
        """Its variance."""
        return math.fsum((n - self.mean) ** 2 * p for n, p in enumerate(self.p, 1))

    @property
    def least(self) -> int:
        """The least spacing with a probability above 0."""
        return next(n for n, p in enumerate(self.p, 1) if p > 0)

    @property
    def most(self) -> int:
        """The greatest spacing with a probability above 0."""
        return max(n for n, p in enumerate(self.p, 1) if p > 0)


def _of_hazards(hazards: Iterable[float]) -> Law:
    """P(X = n) = h(n) (1 - h(1)) ... (1 - h(n - 1)), until nothing is left."""
    left, out = 1.0, []
    for h in hazards:
        out.append(left * h)
        left *= 1 - h
        if left < 1e-15:
            break
    return Law(tuple(out))


def _packets() -> Iterable[int]:
    return range(1, 100_000)


def geometric(p_b: float) -> Law:
    """Method 1: each packet with p_b."""
    return _of_hazards(p_b for _ in _packets())


def uniform(p_b: float) -> Law:
    """Method 2 as in Fig. 2: count is 0 after a signal and grows before each use; p_a = p_b / (1 -
    count p_b)."""
    return _of_hazards(_spaced(p_b, 1 - n * p_b) for n in _packets())


def uniform_wait(p_b: float) -> Law:
    """`wait`: nothing while count p_b < 1, then p_a = p_b / (2 - count p_b)."""
    return _of_hazards(0.0 if n * p_b < 1 - 1e-9 else _spaced(p_b, 2 - n * p_b) for n in _packets())


def uniform_stored(p_b: float) -> Law:
    """Fig. 17: one random number R for each signal, which comes at the first count >= R / p_b: P(X
    <= n) = n p_b."""
    whole = round(1 / p_b)
    return Law((p_b,) * whole)


def _spaced(p_b: float, room: float) -> float:
    """p_b / room, and 1 where that would be more; room is that of exact arithmetic to 1e-9."""
    return 1.0 if room <= p_b * (1 + 1e-9) else p_b / room


def classes(law: Law, share: float = 1 / 60) -> list[tuple[int, float]]:
    """The spacings in groups of neighbors that have at least `share` each: the last of each group,
    and its chance."""
    out, p = [], 0.0
    for n, one in enumerate(law.p, 1):
        p += one
        if p >= share:
            out.append((n, p))
            p = 0.0
    last, rest = out[-1]
    out[-1] = (max(last, law.most), rest + p)
    return out


def chi_square(spacings: Sequence[int], law: Law) -> float:
    """Pearson's statistic of a sample against a law, in its classes; what the law excludes makes it
    infinite. With n classes it is distributed as chi-square with n - 1 degrees of freedom."""
    if any(not law.least <= x <= law.most for x in spacings):
        return math.inf
    ends, chances = zip(*classes(law), strict=True)
    found = [0] * len(ends)
    for x in spacings:
        found[bisect.bisect_left(ends, x)] += 1
    return math.fsum(
        (n - len(spacings) * p) ** 2 / (len(spacings) * p)
        for n, p in zip(found, chances, strict=True)
    )


def chi_square_quantile(dof: int, z: float) -> float:
    """A quantile of chi-square by Wilson and Hilferty (1931), for the normal quantile `z`."""
    return float(dof * (1 - 2 / (9 * dof) + z * math.sqrt(2 / (9 * dof))) ** 3)
