"""The throughput of a TCP at a given loss: Mathis et al. 1997, Ott et al. 1996, Padhye et al. 1998,
AIMD(a, b).

Throughout: rates are in segments a second, windows in segments, `rtt` and `timeout` in seconds; `p`
is the probability that a segment is lost, or signals congestion; `b` of the formulas of Mathis and
Padhye is `acked`, the segments that one acknowledgment acknowledges (2 with delayed
acknowledgments).
"""

from __future__ import annotations

import math


def mathis(p: float, rtt: float, acked: int = 1) -> float:
    """B = K / (RTT sqrt p), K = sqrt(3 / (2 b)): the sawtooth between W/2 and W with a loss every
    1/p segments.

    Mathis, Semke, Mahdavi, Ott: The macroscopic behavior of the TCP congestion avoidance algorithm,
    CCR 27(3), 1997, section 2. The authors compare it with simulations of random loss, where
    recovery by timeouts is rare.
    """
    return math.sqrt(1.5 / acked / p) / rtt


def peak_window(p: float, acked: int = 1) -> float:
    """The sawtooth's peak, W = sqrt(8 / (3 b p)) segments: Mathis et al. 1997, equation (1)."""
    return math.sqrt(8 / (3 * acked * p))


def aimd(a: float, b: float, p: float, rtt: float) -> float:
    """B = sqrt(a (2 - b) / (2 b)) / (RTT sqrt p): the sawtooth of `w += a` each round trip,
    `w -= b w` at a loss.

    Floyd, Handley, Padhye: A comparison of equation-based and AIMD congestion control, 2000,
    section 2.
    """
    return math.sqrt(a * (2 - b) / (2 * b) / p) / rtt


def aimd_peak(a: float, b: float, p: float) -> float:
    """The peak of that sawtooth, segments: (1 - (1 - b)^2) W^2 / (2 a) segments go in a tooth,
    which are 1 / p."""
    return math.sqrt(2 * a / (p * (1 - (1 - b) ** 2)))


def aimd_random(a: float, b: float, p: float, rtt: float) -> float:
    """The rate when every segment is lost with probability p by itself, in the limit of small p.

    Between losses W^2 / (2 a) grows by one with each segment, a loss multiplies it by c = (1 -
    b)^2, and losses come after an exponential number of segments: X = p W^2 / (2 a) is the sum of
    c^i E_i with E_i exponential of mean 1. The rate is 1 / E[RTT / W] = sqrt(2 a / p) / (RTT
    E[X^-1/2]), and E[X^s] = Gamma(1 + s) prod (1 - c^(k + s)) / (1 - c^k) over k >= 1. For a = 1, b
    = 1/2 this is 1.3098 / (RTT sqrt p).

    Ott, Kemperman, Mathis: The stationary behavior of ideal TCP congestion avoidance, 1996
    (1.3098); Guillemin, Robert, Zwart: AIMD algorithms and exponential functionals, Annals of
    Applied Probability 14(1), 2004 (the moments).
    """
    c, moment = (1 - b) ** 2, math.gamma(0.5)
    for k in range(1, 2000):
        moment *= (1 - c ** (k - 0.5)) / (1 - c**k)
        if c**k < 1e-18:
            break
    return math.sqrt(2 * a / p) / (rtt * moment)


def pftk_unconstrained_window(p: float, acked: int = 2) -> float:
    """E[Wu] of Padhye et al. 1998, equation (13): the mean window at a loss."""
    k = (2 + acked) / (3 * acked)
    return k + math.sqrt(8 * (1 - p) / (3 * acked * p) + k * k)


def pftk_timeout_share(p: float, w: float) -> float:
    """Q(w), equation (24): the probability that a loss in a window of w ends in a timeout."""
    if w <= 3:
        return 1.0
    q = 1 - p
    return min(1.0, (1 - q**3) * (1 + q**3 * (1 - math.pow(q, w - 3))) / (1 - math.pow(q, w)))


def pftk_backoff(p: float) -> float:
    """f(p), equation (29): a series of timeouts lasts f(p) / (1 - p) first timeouts; the backoff
    ends at 64."""
    return 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6


def pftk_second_loss(p: float, w: float) -> float:
    """The probability that independent losses take another segment of the window w in which one was
    lost: the share of losses of which the model knows nothing, because it repairs the rest of a
    round at once."""
    return 1 - math.pow(1 - p, w - 1)


def pftk(p: float, rtt: float, timeout: float, w_max: float = math.inf, acked: int = 2) -> float:
    """Send rate by the full model, equation (32); `timeout` is the mean first timeout T0.

    Padhye, Firoiu, Towsley, Kurose: Modeling TCP throughput: a simple model and its empirical
    validation, SIGCOMM 1998. `p` is the probability that a segment is lost when the one before in
    its round was not; those after it in the round are lost as well.
    """
    free = pftk_unconstrained_window(p, acked)
    w = min(free, w_max)
    q, backoff = pftk_timeout_share(p, w), pftk_backoff(p)
    rounds = acked / 2 * free if free < w_max else acked / 8 * w + (1 - p) / (p * w) + 1
    segments = (1 - p) / p + w + q / (1 - p)
    return segments / (rtt * (rounds + 1) + q * timeout * backoff / (1 - p))
