"""The shrinker: the simplest genome that keeps the harm of the one that was found.

It makes one change at a time: it removes a feature, gives a parameter its mildest value, moves it
half or a quarter of the way there (on a logarithmic scale), or rounds it to one digit. All changes
of a round are tried at once; the first in this order that keeps the harm is made. It ends when no
change keeps it, so that each feature that is left is needed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from .genomes import key
from .space import FEATURES, PATH, Genome, Parameter, repaired
from .trial import Trials, Tried

KEEP = 0.9
"""The share of the harm that a change must keep."""
_ROUNDS = 60
_NEAR = 1.25
"""A value within this factor of the mildest one is not moved halfway any more."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The genome that is left, and the changes that led to it."""

    last: Tried
    steps: tuple[str, ...]


def shrink(trials: Trials, found: Tried, fixed: Collection[str] = ()) -> Shrunk:
    """Simplifies a genome. Its harm stays at least `KEEP` of what it was. `fixed` parameters of the
    path do not change."""
    assert found.harm is not None
    least = KEEP * found.harm
    now, steps = found, []
    for _ in range(_ROUNDS):
        changes = [
            (text, genome)
            for text, genome in _simpler(now.genome, fixed)
            if key(genome) != key(now.genome)
        ]
        tried = trials.of([genome for _, genome in changes])
        made = next(
            (
                (text, one)
                for (text, _), one in zip(changes, tried, strict=True)
                if one.harm is not None and one.harm >= least
            ),
            None,
        )
        if made is None:
            break
        steps.append(made[0])
        now = made[1]
    return Shrunk(now, tuple(steps))


def _simpler(genome: Genome, fixed: Collection[str]) -> Iterator[tuple[str, Genome]]:
    """Every simpler genome, the simplest first, and what is simpler."""
    for name in genome:
        if name != PATH.name:
            yield f"without {name}", {key: of for key, of in genome.items() if key != name}
    places = [
        (name, one)
        for name in genome
        for one in FEATURES[name].parameters
        if not (name == PATH.name and one.name in fixed)
    ]
    for how in (_mildest, _halfway, _quarter, _rounded):
        for name, one in places:
            value = how(one, genome[name][one.name])
            if value is None:
                continue
            changed = repaired({**genome, name: {**genome[name], one.name: value}})
            if changed is not None and changed[name][one.name] == value:
                yield f"{name}.{one.name} = {value:g} {one.unit}".rstrip(), changed


def _mildest(one: Parameter, value: float) -> float | None:
    return None if one.mild in (None, value) else one.mild


def _halfway(one: Parameter, value: float) -> float | None:
    """The value between this one and the mildest; None if it is near that."""
    return _part(one, value, 0.5)


def _quarter(one: Parameter, value: float) -> float | None:
    """The value a quarter of the way to the mildest; None if it is near that."""
    return _part(one, value, 0.25)


def _part(one: Parameter, value: float, part: float) -> float | None:
    if one.mild is None or max(value / one.mild, one.mild / value) <= _NEAR:
        return None
    return one.fit(value * math.exp(part * math.log(one.mild / value)))


def _rounded(one: Parameter, value: float) -> float | None:
    """The value with one digit, unless it is the mildest or has one digit already."""
    if value == one.mild or float(f"{value:.1g}") == value:
        return None
    short = float(f"{value:.1g}")
    return short if one.low <= short <= one.high else None
