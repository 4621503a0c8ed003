"""Many rows of a result in a few groups, each with the mean, the extremes and Jain's index of a
measurement."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..models import fairness
from . import stats
from .stats import Interval

if TYPE_CHECKING:
    from ..data.rows import Row
    from ..data.shapes import ResultLike

MOST = 20
"""A table with more rows has groups instead."""

Rows = Callable[["ResultLike"], Sequence["Row"]]
"""The rows of one sort that a result has."""
Kind = Callable[["Row"], str]
"""The kind of a row: the congestion control of a flow, the algorithm of a queue."""


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of a name and a kind, by run. Every measurement is formed in each run, and has its
    interval over the runs."""

    name: str
    kind: str
    runs: Sequence[Sequence[Row]]

    @property
    def count(self) -> int:
        """The number of rows."""
        return max(map(len, self.runs), default=0)

    def interval(self, key: str) -> Interval | None:
        """The mean over the rows; None if none has the measurement."""
        return self._each(key, stats.mean)

    def lowest(self, key: str) -> Interval | None:
        """The lowest of the rows."""
        return self._each(key, min)

    def highest(self, key: str) -> Interval | None:
        """The highest of the rows."""
        return self._each(key, max)

    def jain(self, key: str) -> Interval | None:
        """Jain's fairness index of the rows; None for a single one."""
        return None if self.count < 2 else self._each(key, fairness.jain)

    def as_dict(self) -> dict[str, Any]:
        """`drops` by reason, the mean over the queues, as in the JSON."""
        reasons = dict.fromkeys(r for run in self.runs for row in run for r in _drops(row))
        means = {
            reason: stats.interval(
                [stats.mean([_drops(row).get(reason, 0.0) for row in run]) for run in self.runs]
            )
            for reason in reasons
        }
        return {
            "drops": {
                reason: {
                    "mean": of.mean,
                    "ci95": None if of.low is None else [of.low, of.high],
                    "n": of.n,
                }
                for reason, of in means.items()
            }
        }

    def _each(self, key: str, of: Callable[[Sequence[float]], float | None]) -> Interval | None:
        found = []
        for run in self.runs:
            values = [v.mean for row in run if (v := row.interval(key)) is not None]
            one = of(values) if values else None
            if one is not None:
                found.append(one)
        return stats.interval(found) if found else None


def _drops(row: Row) -> dict[str, float]:
    drops = row.as_dict().get("drops", {})
    return {reason: n.mean for reason, v in drops.items() if (n := Interval.read(v)) is not None}


def groups(result: ResultLike, of: Rows, kind: Kind) -> list[Group]:
    """The rows in groups: by template (`near.1`, `near.2`: `near`) and kind, or by kind alone if
    that makes more than `MOST` of them."""
    names = {row.name: (template(row.name), kind(row)) for row in of(result)}
    if len(set(names.values())) > MOST:
        names = {name: ("all", its) for name, (_, its) in names.items()}
    if len(set(names.values())) > MOST:
        names = dict.fromkeys(names, ("all", "several"))
    runs = [rows for run in result.runs or [result] if (rows := of(run))]
    members: dict[tuple[str, str], list[list[Row]]] = {
        key: [[] for _ in runs] for key in dict.fromkeys(names.values())
    }
    for i, run in enumerate(runs):
        for row in run:
            if row.name in names:
                members[names[row.name]][i].append(row)
    found = []
    for (name, its), by_run in members.items():
        alone = by_run[0][0].name if by_run and len(by_run[0]) == 1 else name
        found.append(Group(alone, its, [run for run in by_run if run]))
    return found


def template(name: str) -> str:
    """What the names of a template's rows have in common: `near.12` is `near`, `leaf1>spine2` is
    `leaf*>spine*`."""
    return re.sub(r"\d+", "*", re.sub(r"\.\d+$", "", name))
