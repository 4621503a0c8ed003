"""Losses that fall together: congestion epochs, and the correlation of flows' losses.

The same definitions as `synchronization` and `loss_epoch_share` of a result's queues
(docs/reference/queue-measures.md), for losses that were recorded one by one.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence


def epochs_of(losses: Sequence[tuple[float, str]], gap: float) -> list[set[str]]:
    """The flows that lose in each congestion epoch; `losses` are (time, flow) in the order of time.
    An epoch ends when nothing is lost for longer than `gap`, in the unit of the times."""
    epochs: list[set[str]] = []
    last = -math.inf
    for time, flow in losses:
        if time - last > gap:
            epochs.append(set())
        epochs[-1].add(flow)
        last = time
    return epochs


def phi(a: set[int], b: set[int], count: int) -> float | None:
    """The phi coefficient of two binary series of `count` bins, given where they are 1; None if one
    is constant."""
    spread = len(a) * (count - len(a)) * len(b) * (count - len(b))
    return (count * len(a & b) - len(a) * len(b)) / math.sqrt(spread) if spread else None


def index(series: Collection[set[int]], count: int) -> float | None:
    """The global synchronization index of binary series of `count` bins, given where each is 1: the
    mean of phi over all pairs, each weighted by the product of the two standard deviations. None if
    fewer than two vary.

    The sum of all covariances is the variance of the sum, so that no pair need be looked at.
    """
    here: dict[int, int] = {}
    for bins in series:
        for k in bins:
            here[k] = here.get(k, 0) + 1
    own = [len(bins) / count * (1 - len(bins) / count) for bins in series]
    together = sum(n * n for n in here.values()) / count - (sum(here.values()) / count) ** 2
    pairs = math.fsum(map(math.sqrt, own)) ** 2 - math.fsum(own)
    return (together - math.fsum(own)) / pairs if sum(v > 0 for v in own) > 1 else None
