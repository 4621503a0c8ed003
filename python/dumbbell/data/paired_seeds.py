"""One point of a sweep against another, seed by seed.

All points of a sweep have the same seeds, and a seed gives every part of the network (each flow's
start, each queue's coins) the same chance at every point: common random numbers. What differs
between two runs of one seed is then the scheme, not the luck, and the interval of the mean
difference is Student's over the seeds (A. Law, Simulation Modeling and Analysis, 5th edition,
sections 10.2.1 and 11.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

from ..errors import ScenarioError
from ..language import overrides as words
from ..present import stats

Baseline = str | int | Mapping[str, Any]
"""A point by its number, from 1; or overrides, as `"queue.kind=drop_tail"`: each point is then
compared with the one that has these and is otherwise like itself."""


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


def versus(points: Sequence[dict[str, Any]], baseline: Baseline) -> list[dict[str, Any]]:
    """Each point against its baseline:
    `{"baseline": number, "overrides", "seeds", "goodput_bps", "flows", "queues"}`.

    Every number of a flow and a queue is `{"difference", "ci95": [low, high], "ratio", "n"}`: this
    point's mean less the baseline's over the seeds that both have, Student's 95 % interval of that
    (None for fewer than two seeds), and this mean over that one (None where that is 0).
    `goodput_bps` is of all flows together. A point that has no result, or whose baseline has none,
    has only `{"baseline", "overrides", "seeds": 0}`.
    """
    partners = _partners(points, baseline)
    return [
        _against(point, points[partner], partner + 1)
        for point, partner in zip(points, partners, strict=True)
    ]


def _partners(points: Sequence[dict[str, Any]], baseline: Baseline) -> list[int]:
    """The place of each point's baseline in the list."""
    if isinstance(baseline, str) and baseline.strip().isdigit():
        baseline = int(baseline)
    if isinstance(baseline, int):
        if not 1 <= baseline <= len(points):
            raise ScenarioError(
                f"there is no point {baseline} to compare with: there are {len(points)}, from 1"
            )
        return [baseline - 1] * len(points)
    fixed = _canonical(_read(baseline) if isinstance(baseline, str) else baseline)
    named = [_canonical(point["overrides"]) for point in points]
    known = sorted({key for point in named for key in point})
    for key in fixed:
        if key not in known:
            raise ScenarioError(
                f"the sweep has no axis `{key}` to compare along; its axes are "
                f"{', '.join(known) or 'none'}"
            )
    numbers = {_identity(point): i for i, point in reversed(list(enumerate(named)))}
    found = [numbers.get(_identity(point | fixed)) for point in named]
    for point, number in zip(points, found, strict=True):
        if number is None:
            wanted = ", ".join(
                f"{key} = {value}" for key, value in (point["overrides"] | fixed).items()
            )
            raise ScenarioError(
                f"the sweep has no point with {wanted} to compare with; name a baseline by its "
                f"number"
            )
    return [number for number in found if number is not None]


def _read(text: str) -> dict[str, Any]:
    """`"queue.kind=drop_tail,queue.limit=36 pkt"` as overrides."""
    out = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if not equals:
            raise ScenarioError(
                f"`{text}` is not a baseline: write KEY=VALUE as in queue.kind=drop_tail, "
                "or a number"
            )
        out[key.strip()] = words.word(value.strip())
    return out


def _canonical(point: Mapping[str, Any]) -> dict[str, Any]:
    """`queue` and `queue.kind` name the same choice."""
    return {key.removesuffix(".kind"): value for key, value in point.items()}


def _identity(point: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((key, repr(value)) for key, value in point.items()))


def _against(point: dict[str, Any], other: dict[str, Any], number: int) -> dict[str, Any]:
    mine, theirs = _by_seed(point), _by_seed(other)
    seeds = [seed for seed in mine if seed in theirs]
    pairs = [(mine[seed], theirs[seed]) for seed in seeds]
    block: dict[str, Any] = {
        "baseline": number,
        "overrides": other["overrides"],
        "seeds": len(seeds),
    }
    if pairs:
        block["goodput_bps"] = difference(
            [_goodput(a) for a, _ in pairs], [_goodput(b) for _, b in pairs]
        )
        block |= {part: list(_rows(part, pairs)) for part in ("flows", "queues")}
    return block


def _by_seed(point: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """The runs that have results."""
    return {run["seed"]: run for run in point.get("runs") or [point] if "flows" in run}


def _goodput(run: dict[str, Any]) -> float:
    return float(sum(flow["goodput_bps"] for flow in run["flows"]))


def _rows(
    part: str, pairs: list[tuple[dict[str, Any], dict[str, Any]]]
) -> Iterator[dict[str, Any]]:
    """The flows, or the queues, that both points have, by name."""
    there = {row["name"] for row in pairs[0][1][part]}
    for name in (row["name"] for row in pairs[0][0][part] if row["name"] in there):
        both = [(_named(a[part], name), _named(b[part], name)) for a, b in pairs]
        keys = [key for key, value in both[0][0].items() if _is_number(value) or value is None]
        row: dict[str, Any] = {"name": name}
        for key in keys:
            known = [
                (a[key], b[key])
                for a, b in both
                if _is_number(a.get(key)) and _is_number(b.get(key))
            ]
            if known:
                row[key] = difference([a for a, _ in known], [b for _, b in known])
        yield row


def _named(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(row for row in rows if row["name"] == name)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def difference(mine: Sequence[float], theirs: Sequence[float]) -> Difference:
    """The mean of the paired differences, its interval, and the ratio of the means."""
    differences = [a - b for a, b in zip(mine, theirs, strict=True)]
    base = stats.mean(theirs)
    return {
        "difference": stats.mean(differences),
        "ci95": stats.ci95(differences),
        "ratio": stats.mean(mine) / base if base else None,
        "n": len(differences),
    }


def paired_difference(mine: BySeed, theirs: BySeed) -> Difference | None:
    """The mean of `mine` less `theirs`, seed by seed over the seeds that both have, with its 95 %
    interval. It is positive if mine is larger; None if they have no seed in common."""
    seeds = [seed for seed in mine if seed in theirs]
    if not seeds:
        return None
    return difference([mine[s] for s in seeds], [theirs[s] for s in seeds])


def excludes_zero(block: Cell | Difference | None) -> bool:
    """True if the interval of a difference excludes 0; False if it has no interval."""
    if block is None or block["ci95"] is None:
        return False
    low, high = block["ci95"]
    return bool(low > 0 or high < 0)
