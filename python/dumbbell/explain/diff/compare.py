"""Two runs, and whether they are alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import ScenarioError
from .parting import Parting, parting
from .recorded_run import Side, load, names_result
from .steps import common, first, steps

BEFORE = 6
"""Number of common steps shown before the parting."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two runs, and where they diverge; `parting` is None if they do not."""

    a: Side
    b: Side
    until_ps: int
    """End of the comparison: to the end of the shorter one."""
    plans: tuple[tuple[str, Any, Any], ...]
    """Differences of the plans: key, value in A, value in B; None where one has none."""
    parting: Parting | None

    @property
    def alike(self) -> bool:
        """True if every packet went the same way at the same picosecond."""
        return self.parting is None

    def as_dict(self) -> dict[str, Any]:
        """Tables, lists and numbers for JSON."""
        sides = {
            key: {
                "source": s.name,
                "seed": s.seed,
                "fingerprint": s.fingerprint,
                "repeated": s.repeated,
            }
            for key, s in (("a", self.a), ("b", self.b))
        }
        return {
            "alike": self.alike,
            **sides,
            "until_ps": self.until_ps,
            "plans": [{"key": key, "a": a, "b": b} for key, a, b in self.plans],
            "parting": None if self.parting is None else self.parting.as_dict(),
        }


def compare(
    a: str | Path,
    b: str | Path | None = None,
    *,
    overrides: Sequence[str] = (),
    point: int | None = None,
    seed: int | None = None,
    use: Sequence[str] = (),
) -> Compared:
    """Compares two runs, given as result directories or scenario files; without `b`, a scenario and
    the same with `overrides`, which apply to `b`.

    point, seed: which run of both. use: files with algorithms of the user's own. Errors: as
    `dumbbell.why.ask`.
    """
    if point is not None and not (names_result(a) or (b is not None and names_result(b))):
        raise ScenarioError(
            "--point selects a point of a result; for a scenario with a sweep, set the values "
            "with -s"
        )
    left = load(a, point=point, seed=seed, use=use)
    return of_sides(
        left, load(a if b is None else b, overrides=overrides, point=point, seed=seed, use=use)
    )


def of_sides(a: Side, b: Side) -> Compared:
    """Compares two runs that are loaded."""
    until = min(a.end_ps, b.end_ps)
    in_a, in_b = steps(a, until), steps(b, until)
    found = first(in_a, in_b)
    where = None
    if found is not None:
        step, only = found
        where = parting(step, only, a, b, common(in_a, in_b, step, BEFORE))
    return Compared(a, b, until, tuple(_differences(a.plan, b.plan)), where)


def _differences(a: dict[str, Any], b: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """The keys of two plans whose values differ, in the order of A; what is recorded changes no
    run."""
    left, right = dict(_flat(a)), dict(_flat(b))
    for key in [*left, *(key for key in right if key not in left)]:
        if left.get(key) != right.get(key):
            yield key, left.get(key), right.get(key)


def _flat(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Every value at the end of a path with dots; items of a list go by their name, or their number
    from 0."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if key or name not in ("record", "name", "title"):
                yield from _flat(inner, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            name = inner["name"] if isinstance(inner, dict) and "name" in inner else i
            yield from _flat(inner, f"{key}.{name}")
    else:
        yield key, value
