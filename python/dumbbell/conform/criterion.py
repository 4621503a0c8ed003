"""A criterion of a document: what is run, the number, the bound, and why the bound is where it
is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..present.units import significant
from .subject import Subject

if TYPE_CHECKING:
    from .trace import Trace

Tables = dict[str, Any]
"""A scenario as nested dictionaries."""
Run = Mapping[str, Any]
"""The JSON of one run, as in docs/reference/results.md."""
Build = Callable[[Subject], Tables]
"""The scenario of a criterion for one algorithm."""


def always(_: Subject) -> None:
    """The criterion applies to every algorithm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """A criterion.

    id: document and section first, as in `rfc9743.5.1.1.loss`. section: the key of
    `sections.toml`. runs: what is run, in a sentence. number: how the number follows from the
    result. why: where the bound comes from. least, most: the bounds; the whole interval must be
    within them.

    against: the name of an algorithm that runs the same scenario; the number is then the quotient
    of its value and that one's, seed by seed. traced: the number comes from the series of the flow
    `new`, not from the result. excuse: the reason why the criterion does not apply to an algorithm,
    or None. quick: whether `--quick` includes it.
    """

    id: str
    section: str
    runs: str
    number: str
    why: str
    scenario: Build | None = None
    measure: Callable[[Run], float] | None = None
    traced: Callable[[Trace], float] | None = None
    against: str | None = None
    least: float | None = None
    most: float | None = None
    unit: str = ""
    excuse: Callable[[Subject], str | None] = always
    quick: bool = True

    def __post_init__(self) -> None:
        measured = self.measure is not None or self.traced is not None
        if (self.scenario is None) is measured:
            raise ValueError(f"{self.id}: a scenario and what is measured of it belong together")
        if measured and self.least is None and self.most is None:
            raise ValueError(f"{self.id}: a criterion needs a bound")

    @property
    def bound_text(self) -> str:
        """The bound in words: `at least 0.8`."""
        words = [
            f"{word} {significant(value, 4)}"
            for word, value in (("at least", self.least), ("at most", self.most))
            if value is not None
        ]
        return f"{' and '.join(words)} {self.unit}".strip()

    @property
    def text(self) -> str:
        """The criterion in a sentence: the number and its bound."""
        of = f", divided by that of {self.against}" if self.against else ""
        return f"{self.number}{of}: {self.bound_text}" if self.bound_text else self.runs


def described(section: str, part: str, why: str) -> Criterion:
    """A criterion that no run can decide, with the reason."""
    return Criterion(
        id=f"{section}.{part}",
        section=section,
        runs="Nothing is run.",
        number="",
        why="",
        excuse=lambda _: why,
    )
