"""CUBIC by RFC 9438: windows in segments, times in seconds."""

from __future__ import annotations

import math
import random

from .throughput import aimd_peak, mathis

C = 0.4
BETA = 0.7
BETA_ECN = 0.85
"""The share of the window that an ECN echo leaves with ABE: RFC 8511 section 4.2."""


def k(w_max: float, w: float, c: float = C) -> float:
    """K = cbrt((W_max - cwnd_epoch) / C): how long the cubic takes back to W_max. Section 4.2,
    figure 2."""
    return math.copysign(abs((w_max - w) / c) ** (1 / 3), w_max - w)


def window(t: float, w_max: float, w: float, c: float = C) -> float:
    """W(t) = C (t - K)^3 + W_max, `t` after congestion avoidance began with the window `w`. Section
    4.2, figure 1."""
    return c * (t - k(w_max, w, c)) ** 3 + w_max


def fast_convergence(w: float, beta: float = BETA) -> float:
    """W_max after a loss that comes before the last W_max was reached: cwnd (1 + beta) / 2. Section
    4.7."""
    return w * (1 + beta) / 2


def alpha(beta: float = BETA) -> float:
    """The increase, segments a round trip, that with `beta` is as fast as Reno: 3 (1 - beta) / (1 +
    beta). Section 4.3, figure 4."""
    return 3 * (1 - beta) / (1 + beta)


def cubic_window(p: float, rtt: float, c: float = C, beta: float = BETA) -> float:
    """AVG_W_cubic = (C (3 + beta) / (4 (1 - beta)))^1/4 RTT^3/4 / p^3/4: losses at equal intervals.
    Section 5.1, figure 6."""
    return math.pow(c * (3 + beta) / (4 * (1 - beta)), 0.25) * math.pow(rtt / p, 0.75)


def reno_window(p: float) -> float:
    """The mean window of Reno with the same losses, sqrt(3 / (2 p)); of AIMD(alpha, 1 - beta) too.
    Section 5.1."""
    return mathis(p, 1.0)


def mean_window(p: float, rtt: float) -> float:
    """The larger of the two: tables 1 and 2 of section 5.1."""
    return max(cubic_window(p, rtt), reno_window(p))


def rounds_in_tooth(p: float, rtt: float, c: float = C, beta: float = BETA) -> float:
    """Returns the number of round trips from one of these losses to the next, K / RTT at the W_max
    of the cubic tooth."""
    w_max = tooth_peak(p, rtt, c, beta)
    return k(w_max, beta * w_max, c) / rtt


def tooth_peak(p: float, rtt: float, c: float = C, beta: float = BETA) -> float:
    """W_max of that tooth: its mean is (3 + beta) / 4 of it."""
    return cubic_window(p, rtt, c, beta) * 4 / (3 + beta)


def friendly_peak(p: float, beta: float = BETA) -> float:
    """W_max of a tooth of AIMD(alpha, 1 - beta)."""
    return aimd_peak(alpha(beta), 1 - beta, p)


def random_window(
    p: float, rtt: float, c: float = C, beta: float = BETA, losses: int = 6000
) -> float:
    """The mean window when every segment is lost with probability p by itself: section 4.2's curve
    alone, with W_max as the loss found it, drawn for so many losses (to about 1 %). A round trip at
    beta W_max repairs each."""
    rng = random.Random(1)
    w_max, packets, time = tooth_peak(p, rtt, c, beta), 0.0, 0.0
    for _ in range(losses):
        start, k_ = beta * w_max, k(w_max, beta * w_max, c)
        due = rng.expovariate(p)
        low, high = 0.0, due * rtt / start  # The window is never below where it starts.
        for _ in range(40):
            t = (low + high) / 2
            sent = (c * ((t - k_) ** 4 - k_**4) / 4 + w_max * t) / rtt
            low, high = (t, high) if sent < due else (low, t)
        time += high + rtt
        packets += due + start
        w_max = c * (high - k_) ** 3 + w_max
    return packets * rtt / time
