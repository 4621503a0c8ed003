"""The shares of packets that wires lose."""

from __future__ import annotations

import math


def bit_errors(rate: float, size: int) -> float:
    """The share of packets of `size` bytes with a wrong bit: 1 - (1 - rate)^(8 size), bits being
    independent."""
    return -math.expm1(8 * size * math.log1p(-rate))


def coded(loss: float, data: int, repair: int) -> float:
    """Returns the loss that a maximum distance separable block code leaves of independent losses: a
    packet is lost, and so are at least `repair` of the other n - 1 = data + repair - 1 of its
    block."""
    others = data + repair - 1
    terms = (
        math.comb(others, j) * loss**j * (1 - loss) ** (others - j)
        for j in range(repair, others + 1)
    )
    return loss * sum(terms)


def coded_bursts(to_bad: float, to_good: float, data: int, repair: int) -> float:
    """Returns the loss that such a code leaves if packets are lost while a channel is bad (Gilbert
    1960, a step for each packet) and a block is sent in a row. Forward over the number of lost
    packets: the probability, and the mean of the data packets among them."""
    share = to_bad / (to_bad + to_good)
    block = data + repair
    zero = [(0.0, 0.0)] * (block + 1)
    good, bad = [(1 - share, 0.0), *zero[1:]], [(share, 0.0), *zero[1:]]
    for slot in range(block):
        counts = 1 if slot < data else 0
        hit = [(0.0, 0.0)] + [(p, lost + p * counts) for p, lost in bad[:-1]]
        good, bad = (
            [_mixed(1 - to_bad, g, to_good, h) for g, h in zip(good, hit, strict=True)],
            [_mixed(to_bad, g, 1 - to_good, h) for g, h in zip(good, hit, strict=True)],
        )
    return sum(lost for _, lost in good[repair + 1 :] + bad[repair + 1 :]) / data


def _mixed(
    a: float, x: tuple[float, float], b: float, y: tuple[float, float]
) -> tuple[float, float]:
    return a * x[0] + b * y[0], a * x[1] + b * y[1]
