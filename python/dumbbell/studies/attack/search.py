"""The search: generations of genomes, each made from the most harmful ones before it.

A (mu + lambda) evolution: `MU` parents are the most harmful genomes so far, and each generation has
`LAMBDA` new ones. The first generation is random and has each feature alone. A later one has a
share of random genomes, so that the search can leave a local maximum. Everything follows from the
seed; finished runs come from the store, so that the same command resumes a search that was ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from ...errors import ScenarioError
from .genomes import Breeder, key
from .space import Feature, Genome
from .trial import Trials, Tried

MU, LAMBDA = 8, 32
FRESH = 0.2
"""Share of random genomes in a generation."""
_ATTEMPTS = 50
"""Genomes that are made in the hope of a new one."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The most runs of a search, or the most processor time [s] that they take."""

    runs: int | None = None
    cpu_s: float | None = None

    def left(self, trials: Trials) -> int:
        """The number of runs that may still be made."""
        if self.runs is not None:
            return self.runs - trials.made
        assert self.cpu_s is not None
        return LAMBDA if trials.cpu_s < self.cpu_s else 0

    def spent(self, trials: Trials) -> float:
        """The fraction that is used up."""
        if self.runs is not None:
            return min(1.0, trials.made / self.runs)
        assert self.cpu_s is not None
        return min(1.0, trials.cpu_s / self.cpu_s)


def budget(text: str) -> Budget:
    """`"600"` or `"600 runs"`, or `"120 s"` of processor time. `ScenarioError` for anything
    else."""
    words = text.split()
    number, unit = [*words, "runs"][:2] if words else ("", "")
    if len(words) == 1 and number[-1:] == "s":
        number, unit = number[:-1], "s"
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    whole = value == int(value) if abs(value) < 1e9 else False
    if len(words) > 2 or value <= 0 or unit not in ("run", "runs", "s") or value >= 1e9:
        raise _wrong(text)
    if unit == "s":
        return Budget(cpu_s=value)
    if not whole:
        raise _wrong(text)
    return Budget(runs=int(value))


def _wrong(text: str) -> ScenarioError:
    return ScenarioError(
        f"--budget {text}: this is not a budget\n"
        'help: write a number of runs, such as 600, or of seconds, such as "120 s"'
    )


@dataclass(frozen=True, slots=True)
class Generation:
    """What is known after a generation: runs so far, and the greatest harm."""

    runs: int
    harm: float | None


def search(
    trials: Trials,
    features: Sequence[Feature],
    fixed: Mapping[str, float],
    allowed: Budget,
    heard: Callable[[float], None] = lambda _: None,
) -> tuple[list[Tried], list[Generation]]:
    """All genomes that were tried, the most harmful first, and what each generation gave."""
    breeder = Breeder(features, fixed, Random(f"attack {trials.seed}"))
    found: dict[tuple[object, ...], Tried] = {}
    history: list[Generation] = []
    while (room := allowed.left(trials)) > 0:
        parents = _ranked(found)[:MU]
        wanted = _generation(breeder, parents, set(found), min(LAMBDA, room))
        if not wanted:
            break
        for one in trials.of(wanted):
            found[key(one.genome)] = one
        history.append(Generation(trials.made, _ranked(found)[0].harm))
        heard(allowed.spent(trials))
        if history[0].harm is None:
            why = trials.errors[0] if trials.errors else "no run is valid"
            raise ScenarioError(f"no run of the first generation has a result: {why}")
    return _ranked(found), history


def _ranked(found: Mapping[tuple[object, ...], Tried]) -> list[Tried]:
    """The most harmful first; of equals the one that was tried first."""
    return sorted(found.values(), key=lambda one: -one.rank)


def _generation(
    breeder: Breeder, parents: Sequence[Tried], known: set[tuple[object, ...]], size: int
) -> list[Genome]:
    """Up to `size` genomes, none of them known."""
    found: dict[tuple[object, ...], Genome] = {}
    if not parents:
        for feature in breeder.features[:size]:
            one = breeder.alone(feature)
            found[key(one)] = one
    for _ in range(_ATTEMPTS * size):
        if len(found) == size:
            break
        one = breeder.fresh()
        if parents and breeder.random.random() >= FRESH:
            one = breeder.child(_picked(breeder, parents), _picked(breeder, parents))
        if key(one) not in known:
            found[key(one)] = one
    return list(found.values())


def _picked(breeder: Breeder, parents: Sequence[Tried]) -> Genome:
    """The better of two parents at random."""
    first, second = (breeder.random.randrange(len(parents)) for _ in range(2))
    return parents[min(first, second)].genome
