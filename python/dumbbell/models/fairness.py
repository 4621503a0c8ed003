"""Fairness between flows: Jain's index, of a whole run or period by period."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ScenarioError

if TYPE_CHECKING:
    from ..data.shapes import ResultLike


def jain(shares: Sequence[float]) -> float | None:
    """(sum x)^2 / (n sum x^2): 1 if all have the same, 1/n if one has everything; None if nobody
    has anything.

    R. Jain, D. Chiu, W. Hawe: A quantitative measure of fairness and discrimination for resource
    allocation in shared computer systems, DEC-TR-301, 1984.
    """
    squares = math.fsum(x * x for x in shares)
    return math.fsum(shares) ** 2 / (len(shares) * squares) if squares > 0 else None


@dataclass(frozen=True, slots=True)
class Moment:
    """One period of the series."""

    time_s: float
    """End of the period."""
    jain: float
    """The index over the flows that were active in it."""
    flows: int
    """Number of active flows."""


def over_time(run: ResultLike) -> list[Moment]:
    """The index of each period of the recorded series after the warm-up; a period without goodput
    is left out.

    A flow is active in a period if it sent something in it, or has data on the way at its end: one
    that waits for its timer is active and gets nothing, one that has not begun or is done does not
    count. `ScenarioError` if flows were not recorded, or of a result with replications.
    """
    table = run.series("flows")
    if len(set(table.column("seed"))) > 1:
        raise ScenarioError("fairness over time belongs to one run: ask each of `runs`")
    names = ("time_s", "delivered_bytes", "sent_bytes", "in_flight_bytes")
    times, delivered, sent, in_flight = (table.numbers(name) for name in names)
    before: dict[object, tuple[float, float]] = {}
    periods: dict[float, list[float]] = defaultdict(list)
    warmup = float(run.json.get("warmup_s", 0.0))
    for i, flow in enumerate(table.column("flow")):
        then = before.get(flow)
        before[flow] = (delivered[i], sent[i])
        if then is not None and times[i] > warmup and (sent[i] > then[1] or in_flight[i] > 0):
            periods[times[i]].append(delivered[i] - then[0])
    found = ((time, jain(shares), len(shares)) for time, shares in sorted(periods.items()))
    return [Moment(time, index, flows) for time, index, flows in found if index is not None]


def mean(moments: Iterable[Moment]) -> float | None:
    """The mean of the index over periods; None without one."""
    values = [moment.jain for moment in moments]
    return math.fsum(values) / len(values) if values else None
