"""Single queues. Kleinrock, Queueing Systems 1 (1975); Gross and Harris, Fundamentals of Queueing
Theory (1998).

Throughout: `rho` is the offered load, arrival rate times mean service time; lengths count the
packet in service (L) or leave it out (Lq); waiting and sojourn times are in units of the mean
service time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


def mm1_length(rho: float) -> float:
    """M/M/1: L = rho / (1 - rho)."""
    return rho / (1 - rho)


def mm1_waiting_packets(rho: float) -> float:
    """M/M/1: Lq = rho^2 / (1 - rho)."""
    return rho**2 / (1 - rho)


def mm1_waiting_quantile(rho: float, p: float) -> float:
    """M/M/1: the quantile of the waiting time before service, P(Wq <= t) = 1 - rho exp(-(1 - rho)
    t)."""
    return max(0.0, math.log(rho / (1 - p)) / (1 - rho))


def pollaczek_khinchine(rho: float, scv: float) -> float:
    """M/G/1: mean waiting time before service, rho (1 + scv) / (2 (1 - rho)); scv: squared
    coefficient of variation."""
    return rho * (1 + scv) / (2 * (1 - rho))


def md1_length(rho: float) -> float:
    """M/D/1: L = rho + rho^2 / (2 (1 - rho))."""
    return rho + rho * pollaczek_khinchine(rho, 0.0)


@dataclass(frozen=True)
class Finite:
    """A queue that some arrivals do not get into: the chance of each length at any instant, the
    packet in service included, and the share of arrivals that are refused at that length."""

    rho: float
    p: tuple[float, ...]
    refused: tuple[float, ...]

    @property
    def blocking(self) -> float:
        """The share of arrivals that are refused: by PASTA they find each length as often as it is
        there."""
        return math.fsum(p * no for p, no in zip(self.p, self.refused, strict=True))

    @property
    def length(self) -> float:
        """E[N], the packet in service included."""
        return math.fsum(n * p for n, p in enumerate(self.p))

    @property
    def waiting_packets(self) -> float:
        """The mean number of packets that wait, without the one in service."""
        return math.fsum((n - 1) * p for n, p in enumerate(self.p) if n)

    @property
    def utilisation(self) -> float:
        """The share of time in which it serves: 1 - P(0)."""
        return 1 - self.p[0]

    @property
    def waiting(self) -> float:
        """Mean waiting time before service of those that get in, in service times, by Little's
        law."""
        return self.waiting_packets / (self.rho * (1 - self.blocking))


def birth_death(rho: float, refused: Sequence[float]) -> Finite:
    """M/M/1 whose arrivals are refused with a chance that depends on the length that they find; the
    last is 1.

    Cut between n and n + 1: lambda (1 - refused(n)) P(n) = mu P(n + 1).
    """
    weights = [1.0]
    for no in refused[:-1]:
        weights.append(weights[-1] * rho * (1 - no))
    total = math.fsum(weights)
    return Finite(rho, tuple(w / total for w in weights), tuple(refused))


def mm1k(rho: float, k: int) -> Finite:
    """M/M/1/K: P(n) = rho^n / (1 + rho + ... + rho^K)."""
    return birth_death(rho, [0.0] * k + [1.0])


def md1k(rho: float, k: int) -> Finite:
    """M/D/1/K by the chain embedded at departures (Gross and Harris, section 5.1.8).

    A departure leaves 0 to K - 1 packets behind; a service of fixed length sees a Poisson number of
    arrivals of mean rho, of which those beyond the room are lost. The chain's law pi, found by
    solving level by level, gives that of any instant: P(n) = pi(n) / (pi(0) + rho) for n < K, P(K)
    = 1 - 1 / (pi(0) + rho).
    """
    arrivals = [math.exp(-rho) * rho**n / math.factorial(n) for n in range(k + 1)]
    # Balance of what a departure leaves: pi(j) = pi(0) a(j) + sum of pi(i) a(j - i + 1), i from 1
    # to j + 1.
    pi = [1.0]
    for j in range(k - 1):
        inner = math.fsum(pi[i] * arrivals[j - i + 1] for i in range(1, j + 1))
        pi.append((pi[j] - pi[0] * arrivals[j] - inner) / arrivals[0])
    total = math.fsum(pi)
    pi = [x / total for x in pi]
    away = pi[0] + rho
    return Finite(rho, (*(x / away for x in pi), 1 - 1 / away), (*[0.0] * k, 1.0))
