"""Values by seed, and two of them judged in pairs.

All points of a study have the same seeds, so two of them are compared by their differences seed by
seed (`data.paired_seeds`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict, TypeVar, cast

from ...data import paired_seeds
from ...present import stats

Kind = TypeVar("Kind")
BySeed = Mapping[int, float]
"""A measurement by seed; a seed is left out where its run has no such value."""


class Cell(TypedDict):
    """A mean with its 95 % interval over n values; the interval is None for a single one."""

    mean: float
    ci95: Sequence[float] | None
    n: int


class Difference(TypedDict):
    """A mean difference over n seeds with its 95 % interval, and the ratio of both means."""

    difference: float
    ci95: Sequence[float] | None
    ratio: float | None
    n: int


def picked(kind: type[Kind], row: Mapping[str, object]) -> Kind:
    """The part of a row that a `TypedDict` describes, in the order of its keys."""
    return cast(Kind, {key: row[key] for key in kind.__annotations__})


def cell(values: Iterable[float]) -> Cell | None:
    """The mean of these values with its 95 % interval, as in results; None if there are none."""
    numbers = list(values)
    if not numbers:
        return None
    return {"mean": stats.mean(numbers), "ci95": stats.ci95(numbers), "n": len(numbers)}


def cell_of(by_seed: BySeed) -> Cell | None:
    """The mean over the seeds; None if there are none."""
    return cell(by_seed.values())


def gain(mine: BySeed, theirs: BySeed) -> Cell | None:
    """The mean of `mine` less `theirs`, seed by seed; None if they have no seed in common."""
    return cell(mine[seed] - theirs[seed] for seed in mine if seed in theirs)


def paired_difference(mine: BySeed, theirs: BySeed) -> Difference | None:
    """The mean of `mine` less `theirs`, seed by seed over the seeds that both have, with its 95 %
    interval. It is positive if mine is larger; None if they have no seed in common."""
    seeds = [seed for seed in mine if seed in theirs]
    if not seeds:
        return None
    found = paired_seeds.difference([mine[s] for s in seeds], [theirs[s] for s in seeds])
    return Difference(
        difference=found["difference"], ci95=found["ci95"], ratio=found["ratio"], n=found["n"]
    )


def excludes_zero(block: Cell | Difference | None) -> bool:
    """True if the interval of a difference excludes 0; False if it has no interval."""
    if block is None or block["ci95"] is None:
        return False
    low, high = block["ci95"]
    return bool(low > 0 or high < 0)


def above_zero(block: Cell | None) -> bool:
    """True if the interval of a difference lies above 0; False if it has no interval."""
    return block is not None and block["ci95"] is not None and block["ci95"][0] > 0


def holds_zero(block: Cell | None) -> bool:
    """True if a mean has an interval and 0 is in it."""
    return block is not None and bool(block["ci95"]) and not excludes_zero(block)
