"""New genomes: drawn at random, and made from others by mutation and crossover."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random

from .space import FEATURES, PATH, Feature, Genome, repaired

CHANGE, SWAP, ADD, REMOVE = 0.5, 0.3, 0.2, 0.2
"""Probabilities: a parameter changes, a feature comes from the second parent, a feature is added or
removed."""
STEP = 0.5
"""Standard deviation of the logarithm of a change."""


class Breeder:
    """Makes genomes of some features, with some parameters of the path fixed. The same seed makes
    the same genomes."""

    def __init__(
        self, features: Sequence[Feature], fixed: Mapping[str, float], random: Random
    ) -> None:
        self.features, self.fixed, self.random = tuple(features), fixed, random

    def fresh(self) -> Genome:
        """A genome with one feature to three at random."""
        count = min(len(self.features), self.random.choice((1, 1, 2, 3)))
        names = self.random.sample([one.name for one in self.features], count)
        return self._settled({name: FEATURES[name].draw(self.random) for name in names})

    def alone(self, feature: Feature) -> Genome:
        """A genome with this one feature."""
        return self._settled({feature.name: feature.draw(self.random)})

    def child(self, first: Genome, second: Genome) -> Genome:
        """A genome of the first's features, some of the second's, and changes of both."""
        found: dict[str, dict[str, float]] = {}
        for name in FEATURES:
            parent = second if self.random.random() < SWAP else first
            if name in parent:
                found[name] = {
                    one.name: self._changed(one.fit, parent[name][one.name])
                    for one in FEATURES[name].parameters
                }
        extra = [name for name in found if name != PATH.name]
        if len(extra) > 1 and self.random.random() < REMOVE:
            del found[self.random.choice(extra)]
        absent = [one for one in self.features if one.name not in found]
        if absent and (not extra or self.random.random() < ADD):
            added = self.random.choice(absent)
            found[added.name] = added.draw(self.random)
        return self._settled(found)

    def _changed(self, fit: Callable[[float], float], value: float) -> float:
        if self.random.random() >= CHANGE:
            return value
        return fit(value * math.exp(self.random.gauss(0.0, STEP)))

    def _settled(self, found: Mapping[str, Mapping[str, float]]) -> Genome:
        path = {**(found.get(PATH.name) or PATH.draw(self.random)), **self.fixed}
        ordered: Genome = {
            name: path if name == PATH.name else dict(found[name])
            for name in FEATURES
            if name == PATH.name or name in found
        }
        kept = repaired(ordered)
        if kept is None:
            kept = {name: of for name, of in ordered.items() if name != "pulses"}
        return kept


def key(genome: Genome) -> tuple[object, ...]:
    """What makes two genomes the same."""
    return tuple((name, tuple(sorted(of.items()))) for name, of in sorted(genome.items()))
