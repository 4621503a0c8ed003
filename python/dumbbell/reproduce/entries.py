"""The entries of `paper.toml` as objects: points, numbers, cells, claims, readings, figures.

Those that are tables of the file are declared as its `Shape`s; the others are made from them by
`papers`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta
from msgspec import field as default

from ..files.declared import Real, Shape

Count = Annotated[int, Meta(ge=1, le=100_000)]
"""A positive number, of runs for example."""


@dataclass(frozen=True, slots=True)
class Point:
    """One scenario with its overrides; `scheme` says that the paper's scheme is at work in it,
    `tags` what else readings may change it by."""

    id: str
    scenario: Path
    overrides: tuple[str, ...] = ()
    scheme: bool = False
    tags: tuple[str, ...] = ()


class Cell(Shape, frozen=True):
    """A printed number: a `measure` at a `point`, or an expression `of` the claims' numbers (a gain
    in %, say). `baseline` is the cell that its effect is measured from, `baseline_of` the
    expression for one that is not printed itself, with the value `baseline_published` that the
    print implies. `gain` says that the value is an effect in itself, `cut` that the print is cut
    off, not rounded. `missing` names the datum without which it is not testable."""

    id: str
    what: str
    published: Real
    decimals: Annotated[int, Meta(ge=-15, le=15)]
    unit: str
    point: str = ""
    measure: str = ""
    scale: Real = 1.0
    baseline: str | None = None
    fitted: bool = False
    missing: str | None = None
    of: str = ""
    baseline_of: str = ""
    baseline_published: Real = 0.0
    gain: bool = False
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Number:
    """A named number of the claims: a measurement at one point, or at several along `at`."""

    id: str
    points: tuple[str, ...]
    at: tuple[float, ...]
    measure: str
    scale: float = 1.0
    unit: str = ""


class Claim(Shape, frozen=True):
    """A claim in words and as predicates; `show` are the expressions whose values are its
    evidence."""

    id: str
    text: str
    reproduced: str = ""
    in_part: str = ""
    show: dict[str, str] = default(default_factory=dict)
    missing: str | None = None


class Finding(Shape, frozen=True):
    """A sentence of what was found, without its period: `{name}` is the expression of that name in
    `show`, and the verdict on the claim ends the sentence."""

    claim: str
    text: str
    show: dict[str, str] = default(default_factory=dict)


class Reading(Shape, frozen=True):
    """Another reading of what the paper leaves open: `choice` names what is read differently,
    `changes` are overrides of every point, `scheme_changes` of those with the scheme at work,
    `tagged` of those with a tag. `numbers` are names of numbers that others stand for: what is
    measured is read differently, not what is run."""

    id: str
    choice: str
    what: str
    changes: tuple[str, ...] = ()
    scheme_changes: tuple[str, ...] = ()
    tagged: dict[str, list[str]] = default(default_factory=dict)
    numbers: dict[str, str] = default(default_factory=dict)

    def at(self, point: Point) -> tuple[str, ...]:
        """The overrides at a point."""
        of_tags = tuple(change for tag in point.tags for change in self.tagged.get(tag, ()))
        return self.changes + of_tags + (self.scheme_changes if point.scheme else ())


@dataclass(frozen=True, slots=True)
class Readings:
    """One claim under every reading, one at a time. `effect` names a number that is positive where
    the claim holds; `what` says it in words, `over` what its points are; `show` are further
    expressions, averaged over the points. `claims` and `cells` are judged under every reading
    besides."""

    about: str
    effect: str
    what: str
    unit: str
    over: str
    show: dict[str, str]
    entries: tuple[Reading, ...]
    claims: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()


class Perturbation(Shape, frozen=True):
    """An error that a simulator might have, of which verdicts are to tell. `scale` multiplies the
    value of a key at each point by a factor, `controls` replaces congestion controls, `set` are
    overrides. Keys may have `*` for every item of a list."""

    id: str
    what: str
    scale: dict[str, Annotated[float, Meta(gt=0)]] = default(default_factory=dict)
    controls: dict[str, str] = default(default_factory=dict)
    set: tuple[str, ...] = ()


class Prediction(Shape, frozen=True):
    """Cells whose errors are told together: a row of a table that nothing was fitted on."""

    id: str
    what: str
    cells: tuple[str, ...]


class Assumption(Shape, frozen=True):
    """A choice that the paper does not print."""

    id: str
    what: str
    value: str
    chosen_by: str


class Table(Shape, frozen=True):
    """A printed table: rows of text, `@id` standing for a cell."""

    id: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of the report: its kind (a function of `pictures`) and what that kind asks for. It
    stands under the assumption `about` or the claim `claim` if it has one; `missing` names what it
    cannot be drawn without."""

    id: str
    caption: str
    kind: str = ""
    about: str | None = None
    claim: str | None = None
    missing: str | None = None
    options: dict[str, Any] = field(default_factory=dict)


class OverTime(Shape, frozen=True):
    """The first runs of some points over one time axis: `points` by their labels, `from_s` and
    `until_s` the part that is shown first, `flows` those that are shown at first and whose packets
    are recorded (none: all), `every` the period of their series. `text` are paragraphs on what
    there is to see, in which `{name}` is the expression of that name in `show`."""

    title: str
    text: tuple[str, ...]
    points: dict[str, str]
    from_s: Real
    until_s: Real
    show: dict[str, str] = default(default_factory=dict)
    flows: tuple[str, ...] = ()
    every: str = "10 ms"


class Surface(Shape, frozen=True):
    """A grid of reserved rates [kbit/s] and round-trip times [ms], and the templates of its
    numbers: `surface` says what they are. `spare` is what each flow may have beside its reservation
    [Mbit/s], `bucket` the depth of the token bucket in rate x RTT, of which whole packets count,
    `timeout` the least retransmission timeout [s], `acks` how many packets an acknowledgment is
    of."""

    rates: tuple[Real, ...]
    rtts: tuple[Real, ...]
    total: str
    inside: str
    wait: str
    out_loss: str
    tokens_lost: str
    packet_bits: Real
    spare: Real
    bucket: Real
    timeout: Real
    acks: Real = 1.0


class Measure(Shape, frozen=True):
    """A column of the hardware's table."""

    label: str
    measure: str
    scale: Real = 1.0


class Variant(Shape, frozen=True):
    """The scheme as hardware has it, or a step toward it: `changes` are overrides of the paper's
    point. It is compared with the variant `against`, run by run; one that `equals` another has to
    be the same run, packet by packet, and is run with the first `replications` seeds."""

    id: str
    what: str
    changes: tuple[str, ...] = ()
    against: str = ""
    equals: str = ""
    replications: Count = 1


@dataclass(frozen=True, slots=True)
class Hardware:
    """The cost of fixed point: the variants at each of `points` (`quick_points` for the smaller
    effort, which leaves out those that are to equal another), `baseline` the points without the
    scheme, from which `gain` is taken. A run with less than half of what the first variant has of
    `carried`, on average, is counted as locked out."""

    points: tuple[str, ...]
    quick_points: tuple[str, ...]
    baseline: tuple[str, ...]
    quick_baseline: tuple[str, ...]
    gain: Measure
    carried: str
    measures: tuple[Measure, ...]
    variants: tuple[Variant, ...]


class Effort(Shape, frozen=True):
    """The amount of runs: replications, overrides of every point, and points of readings (empty:
    all)."""

    replications: Count
    overrides: tuple[str, ...] = ()
    readings_at: tuple[Real, ...] = ()


@dataclass(frozen=True, slots=True)
class Paper:
    """`paper.toml`."""

    name: str
    title: str
    citation: str
    folder: Path
    seed: int
    full: Effort
    quick: Effort
    record: tuple[str, ...]
    scheme_owns: tuple[str, ...]
    scheme_shares: tuple[str, ...]
    points: dict[str, Point]
    cells: dict[str, Cell]
    numbers: dict[str, Number]
    derived: dict[str, str]
    claims: tuple[Claim, ...]
    findings: tuple[Finding, ...]
    readings: Readings | None
    surface: Surface | None
    hardware: Hardware | None
    predictions: tuple[Prediction, ...]
    assumptions: tuple[Assumption, ...]
    tables: tuple[Table, ...]
    pictures: tuple[Picture, ...]
    over_time: OverTime | None = None
    perturbations: tuple[Perturbation, ...] = ()
