"""A player over a link of constant rate that it has for itself: the buffer of Yin et al., SIGCOMM
2015, segment by segment, and rates by algorithm 1 of Huang et al., SIGCOMM 2014. Exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

Chooser = Callable[[int, Fraction], int]
"""From the last place in the ladder and the seconds in the buffer to the next place."""


@dataclass
class Seen:
    """What a viewer sees until some instant, in seconds since the first request."""

    rungs: list[int] = field(default_factory=list)
    """The place in the ladder of each segment that arrived."""
    start_up: Fraction | None = None
    stalls: int = 0
    stalled: Fraction = Fraction(0)
    buffer: Fraction = Fraction(0)

    @property
    def switches(self) -> int:
        """Segments of another rate than the one before."""
        return sum(a != b for a, b in pairwise(self.rungs))

    def quality(self, ladder_bps: Sequence[int]) -> float:
        """Yin et al., section 3 with q(R) = R in kbps, lambda 1, mu and mu_s 3000."""
        kbps = [Fraction(ladder_bps[rung], 1000) for rung in self.rungs]
        steps = sum(abs(b - a) for a, b in pairwise(kbps))
        return float(sum(kbps) - steps - 3000 * (self.stalled + (self.start_up or 0)))


def watch(
    choose: Chooser,
    fetch_s: Sequence[Fraction],
    segment: Fraction,
    start: Fraction,
    most: Fraction,
    until: Fraction,
) -> Seen:
    """A player that starts with `start` in its buffer, goes on with one segment after a stall, and
    waits until a segment has room within `most`. fetch_s: for each place in the ladder, the time
    from a request to the last byte of the segment. until: when it is asked.

    B(k + 1) = max(B(k) - d, 0) + segment, and max(d - B(k), 0) is a stall (Yin et al., section 3),
    where d is the time that the segment takes.
    """
    seen, now, level, rung = Seen(), Fraction(0), Fraction(0), 0
    while True:
        playing = seen.start_up is not None
        pause = max(level + segment - most, Fraction(0)) if playing else Fraction(0)
        rung = choose(rung, level - pause)
        gone = pause + fetch_s[rung]
        over = now + gone > until
        spent = until - now if over else gone
        if playing and spent > level:
            seen.stalls += 1
            seen.stalled += spent - level
        level = max(level - spent, Fraction(0)) if playing else level
        if over:
            seen.buffer = level
            return seen
        now, level = now + gone, level + segment
        seen.rungs.append(rung)
        if not playing and level >= start:
            seen.start_up = now


def bba(ladder_bps: Sequence[int], reservoir: Fraction, cushion: Fraction) -> Chooser:
    """BBA-0: Huang et al., algorithm 1, with f a straight line over the cushion."""
    low, high = ladder_bps[0], ladder_bps[-1]

    def choose(last: int, level: Fraction) -> int:
        if level <= reservoir:
            return 0
        if level >= reservoir + cushion:
            return len(ladder_bps) - 1
        f = low + (high - low) * (level - reservoir) / cushion
        above = ladder_bps[min(last + 1, len(ladder_bps) - 1)]
        below = ladder_bps[max(last - 1, 0)]
        if f >= above:
            return max((i for i, rate in enumerate(ladder_bps) if rate < f), default=last)
        if f <= below:
            return min((i for i, rate in enumerate(ladder_bps) if rate > f), default=last)
        return last

    return choose


def lowest(last: int, level: Fraction) -> int:
    """The lowest rate, whatever happens."""
    return 0
