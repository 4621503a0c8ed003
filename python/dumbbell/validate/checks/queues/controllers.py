"""PIE's controller by itself: the step of its probability in each decade, at a delay that stays.

Packets that can be marked arrive exactly as fast as the link sends them, half a transmission
behind its beats and behind a burst: each waits equally long. A mark removes none of them. Without
beta the probability rises by a step in each update, which is divided by the scale of its decade.
Without alpha it rises once, when the delay does. The estimate from the backlog over the rate has
the whole delay at once; that from the last packet's wait is the default.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from operator import itemgetter

from ....aqm_response.drive import drive
from ...check import Check
from ...laws import pie
from ...readings import mean
from ...runner import once

FOUND = 19
"""Packets that wait, 1 ms each, when one arrives."""
DELAY = FOUND * 1e-3 + 0.5e-3
"""The wait of each packet, with half of one in transmission; near the target, so that each decade
takes some steps."""
ROUNDING = 1e-6
"""A step is a difference of probabilities up to a thousand times as large."""


def probabilities(seconds: float, **words: object) -> list[float]:
    """PIE's probabilities, in the order of updates; the first one is 0."""
    queue = {"limit": "unlimited", "ecn": True, "mark_ecnth": 1.0, **words}
    burst = FOUND + 1
    times = [0] * burst + [10**9 * n + 5 * 10**8 for n in range(int(seconds * 1000))]
    arrivals = {"time_ps": times, "bytes": 1000, "ecn": "ect0"}
    table = drive("pie", queue, arrivals=arrivals, rate="8 Mbps")
    if any(found != FOUND for found in table.column("queue_packets")[burst:]):
        raise RuntimeError(f"the queue was not held at {FOUND} packets")
    return list(dict.fromkeys(table.numbers("drop_prob")))


def _step(below: float, seen: list[float]) -> float:
    """The mean step between probabilities of one decade."""
    low, high = pie.decade(below)
    return mean([after - p for p, after in pairwise(seen) if low <= p < high and after < high])


def _steps() -> Iterator[Check]:
    rising = partial(probabilities, 12, beta=0.0)
    for below in (*pie.SCALES, 1.0):
        yield Check(
            id=f"pie.step.below-{below:g}",
            law=(
                f"alpha (delay - target) / {pie.scale(below * 0.99)} in each update, with "
                f"drop_prob below {below:g}: RFC 8033 section 4.2"
            ),
            expected=pie.step(below * 0.99, DELAY, DELAY),
            tolerance=ROUNDING,
            measure=once("pie.alpha", rising, partial(_step, below)),
        )
    sudden = partial(probabilities, 0.05, alpha=0.0, delay="link_rate")
    yield Check(
        id="pie.step.growth",
        law=(
            "beta (delay - delay before) / 2048 when a queue comes at once, with drop_prob 0: RFC "
            "8033 section 4.2"
        ),
        expected=pie.step(0.0, FOUND * 1e-3, 0.0, alpha=0.0),
        tolerance=1 / FOUND,
        measure=once("pie.beta", sudden, itemgetter(1)),
    )


CHECKS = list(_steps())
