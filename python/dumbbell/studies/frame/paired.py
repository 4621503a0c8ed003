"""Values by seed, and two of them judged in pairs.

All points of a study have the same seeds, so two of them are compared by their differences seed by
seed (`data.paired_seeds`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar, cast

from ...data.paired_seeds import BySeed as BySeed
from ...data.paired_seeds import Cell as Cell
from ...data.paired_seeds import Difference as Difference
from ...data.paired_seeds import excludes_zero as excludes_zero
from ...data.paired_seeds import paired_difference as paired_difference
from ...present import stats

Kind = TypeVar("Kind")


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


def above_zero(block: Cell | None) -> bool:
    """True if the interval of a difference lies above 0; False if it has no interval."""
    return block is not None and block["ci95"] is not None and block["ci95"][0] > 0


def holds_zero(block: Cell | None) -> bool:
    """True if a mean has an interval and 0 is in it."""
    return block is not None and bool(block["ci95"]) and not excludes_zero(block)
