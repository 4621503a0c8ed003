"""The shape of `paper.toml`: every table of the file and the types of its keys.

Tables that are objects of a paper as they stand are those of `entries`; the others are declared
here, and `papers` makes objects from them. Entries that range over axes, or share keys, are written
out before (`ranges`): this is the shape of the document with an entry each.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta, field

from ..files.declared import Real, Shape
from .entries import (
    Assumption,
    Cell,
    Claim,
    Effort,
    Finding,
    Measure,
    OverTime,
    Perturbation,
    Prediction,
    Reading,
    Surface,
    Table,
    Variant,
)

Value = int | float | str
Place = Value | dict[str, Value]
"""A place of an axis: its value, or a table with further values beside the axis' own."""
Texts = Annotated[tuple[str, ...], Meta(max_length=1000)]


class Ranges(Shape, frozen=True):
    """What entries range over, and the groups of overrides that they name. An axis is a list of
    places, or the name of a CSV file beside `paper.toml` whose columns are their values."""

    axes: dict[str, Annotated[tuple[Place, ...], Meta(min_length=1, max_length=1000)] | str] = (
        field(default_factory=dict)
    )
    overrides: dict[str, Texts] = field(default_factory=dict)


ENTRIES = (
    *("point", "cell", "number", "claim", "reading", "variant", "prediction", "assumption"),
    *("table", "figure"),
)
"""The lists of tables whose entries may be written once for many."""


class Scheme(Shape, frozen=True):
    """Overrides of the scheme, and those of them that it shares with every point."""

    owns: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()


class Point(Shape, frozen=True):
    """A scenario with overrides; `scenario` is a file beside `paper.toml`."""

    id: str
    scenario: str
    overrides: tuple[str, ...] = ()
    scheme: bool = False
    tags: tuple[str, ...] = ()


class Number(Shape, frozen=True):
    """A named number. over: the axis along which its points lie, at: which of its places."""

    id: str
    point: str
    measure: str
    over: str | None = None
    at: Annotated[tuple[Real, ...], Meta(max_length=1000)] = ()
    scale: Real = 1.0
    unit: str = ""


class Readings(Shape, frozen=True):
    """Numbers that are compared under every reading."""

    about: str
    effect: str
    what: str
    unit: str
    over: str
    show: dict[str, str] = field(default_factory=dict)
    claims: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()


class Hardware(Shape, frozen=True):
    """The hardware's table; its rows are the `[[variant]]`s."""

    points: tuple[str, ...]
    quick_points: tuple[str, ...]
    baseline: tuple[str, ...]
    quick_baseline: tuple[str, ...]
    gain: Measure
    carried: str
    measures: tuple[Measure, ...]


class Line(Shape, frozen=True):
    """A line of a figure: numbers, and printed cells by their place."""

    label: str
    numbers: tuple[str, ...]
    cells: dict[str, str] = field(default_factory=dict)


class Red(Shape, frozen=True):
    """RED's parameters, whose curve is drawn."""

    min_th: Real
    max_th: Real
    max_p: Real
    gentle: bool = False


class Figure(Shape, frozen=True):
    """A figure. Which keys beside the first six it needs, and which it may have, depends on its
    kind: `KINDS`."""

    id: str
    caption: str
    kind: str = ""
    about: str | None = None
    claim: str | None = None
    missing: str | None = None
    points: dict[str, str] | None = None
    lines: dict[str, Line] | None = None
    curves: dict[str, Red] | None = None
    panels: dict[str, dict[str, str]] | None = None
    flows: dict[str, str] | None = None
    numbers: dict[str, str] | None = None
    sizes: tuple[Real, ...] | None = None
    targets: tuple[Real, ...] | None = None
    tops: tuple[Real, Real, Real] | None = None
    crossover: tuple[str, str] | None = None
    flow: str | None = None
    reason: str | None = None
    definition: Literal["best", "nearest"] | None = None
    file: str | None = None
    x: str | None = None
    y: str | None = None
    error: str | None = None
    x_label: str | None = None
    y_label: str | None = None
    logarithmic: bool | None = None
    table: bool | None = None
    plain: bool | None = None
    from_s: Real | None = None
    until_s: Real | None = None
    every_s: Annotated[float, Meta(gt=0)] | None = None
    top: Real | None = None
    runners: Annotated[int, Meta(ge=1, le=1000)] | None = None


COMMON = frozenset({"id", "caption", "kind", "about", "claim", "missing"})
"""Keys of every figure."""

_TIMES = {"from_s", "until_s"}
_PANELS = ({"points", "flows"}, {"top"})
_GRID = {"file", "x", "y", "error", "x_label", "y_label"}

KINDS: dict[str, tuple[set[str], set[str]]] = {
    "curve": ({"curves"}, set()),
    "over": ({"lines", "x", "y"}, {"logarithmic", "table", "plain", "crossover"}),
    "queue": ({"points"}, {"every_s", *_TIMES}),
    "cwnd": ({"points"}, _TIMES),
    "cwnd_sum": ({"points"}, {"every_s", *_TIMES}),
    "drops": ({"points", "reason"}, set()),
    "thresholds": ({"points"}, _TIMES),
    "valley": (_GRID, set()),
    "wave": (set(), set()),
    "window": ({"points"}, _TIMES),
    "performance": ({"points", *_TIMES}, set()),
    "tokens": ({"points", "flow", *_TIMES}, {"tops"}),
    "classes": ({"numbers", "sizes", "targets", "x", "y"}, set()),
    "best_sizes": ({"definition"}, set()),
    "model": (set(), set()),
    "fitted": ({*_GRID, "runners"}, set()),
    "schemes": ({"panels", "x"}, set()),
    "rates": _PANELS,
    "sharing": _PANELS,
    "lost": _PANELS,
    "delays": _PANELS,
}
"""The keys that each kind of figure needs, and those that it may have."""


class PaperFile(Shape, frozen=True):
    """The file. Patterns of cells, in which `*` stands for any text, say which cells parameters
    were `fitted` on, and which cells are the `baselines` of others: there `*` is the same text on
    both sides."""

    title: str
    citation: str
    full: Effort
    quick: Effort
    point: tuple[Point, ...]
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 1
    record: tuple[str, ...] = ()
    scheme: Scheme = field(default_factory=Scheme)
    axes: dict[str, Annotated[tuple[dict[str, Value], ...], Meta(max_length=1000)]] = field(
        default_factory=dict
    )
    fitted: Texts = ()
    baselines: dict[str, str] = field(default_factory=dict)
    cell: tuple[Cell, ...] = ()
    number: tuple[Number, ...] = ()
    derived: dict[str, str] = field(default_factory=dict)
    claim: tuple[Claim, ...] = ()
    finding: tuple[Finding, ...] = ()
    readings: Readings | None = None
    reading: tuple[Reading, ...] = ()
    surface: Surface | None = None
    hardware: Hardware | None = None
    variant: tuple[Variant, ...] = ()
    prediction: tuple[Prediction, ...] = ()
    assumption: tuple[Assumption, ...] = ()
    table: tuple[Table, ...] = ()
    figure: tuple[Figure, ...] = ()
    over_time: OverTime | None = None
    perturbation: tuple[Perturbation, ...] = ()


def misfits(figure: Figure) -> Iterator[str]:
    """Keys that a figure lacks for its kind, and those that its kind does not take. One without
    data is not drawn."""
    if figure.missing is not None:
        return
    if figure.kind not in KINDS:
        yield f"there is no kind of figure `{figure.kind}`; there are {', '.join(KINDS)}"
        return
    needed, allowed = KINDS[figure.kind]
    given = {key for key in figure.__struct_fields__ if getattr(figure, key) is not None} - COMMON
    yield from (f"a figure of kind `{figure.kind}` needs `{key}`" for key in sorted(needed - given))
    yield from (
        f"a figure of kind `{figure.kind}` has no `{key}`"
        for key in sorted(given - needed - allowed)
    )
