"""What the page's script reads, as JSON: see web/README.md for the format."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Table = dict[str, Any]
"""A packed table, as the verb `pack` answers it."""

Marker = Literal["circle", "square", "triangle", "diamond", "down", "plus", "cross", "star"]


class Look(TypedDict):
    """A line's color on a light and on a dark page, its dash in pixels (empty: solid), its width,
    and the marker of its points."""

    color: str
    dark: str
    dash: list[float]
    width: NotRequired[float]
    marker: NotRequired[Marker]


class Run(TypedDict):
    """A run: `label` among the others, and what identifies it."""

    label: str
    name: str
    duration_s: float
    warmup_s: float
    seed: NotRequired[int]
    fingerprint: NotRequired[str]


class Axis(TypedDict):
    """The horizontal values of a line in a phase plane or in a panel of points: the column of a
    table, times `scale`. In a panel of points it has a row for each row of the line's column."""

    table: str
    column: str
    scale: float
    label: str
    unit: str


class Series(TypedDict):
    """A line: a column times `scale`. Lines of two runs with the same `role` are comparable.

    In a panel of points it may be of marks or of bars, and has a switch of its own where `switch`
    is not one of the page."""

    label: str
    table: str
    column: str
    scale: float
    look: str
    shape: Literal["line", "step", "marks", "bars"]
    switch: str
    run: int
    role: str
    band: NotRequired[dict[str, str]]
    """Columns of bounds, `low` and `high`: of a group, or a confidence interval."""
    interval: NotRequired[Literal["bar", "band"]]
    """How a panel of points draws `band`; `bar`, with caps, unless it is given."""
    detail: NotRequired[bool]
    """True if it is only shown of few flows, or of a highlighted one."""
    x: NotRequired[Axis]
    href: NotRequired[str]
    """A column of words of a panel of points: what a click on the point shows, a command or
    `#ANCHOR` of the page; null or empty is nothing."""


class Threshold(TypedDict):
    """A horizontal line."""

    value: float
    label: str
    look: str


class PointAxis(TypedDict):
    """The horizontal axis of a panel of points. With `names` the values are indices into
    `names`, and the series of a name stand side by side."""

    label: str
    unit: str
    scale: Literal["linear", "log", "names"]
    names: NotRequired[list[str]]


class Panel(TypedDict):
    """A panel over the time axis, a phase plane, or points over another axis. It is drawn in the
    element with `data-panel-place` equal to its `id`, else on the time page."""

    id: str
    title: str
    unit: str
    kind: Literal["time", "phase", "points"]
    series: list[Series]
    lines: list[Threshold]
    range: NotRequired[dict[str, Any]]
    """`from`: the lower end of the vertical axis. `robust`: peaks may leave a time panel."""
    x: NotRequired[PointAxis]
    """Of a panel of points: its horizontal axis."""
    log: NotRequired[bool]
    """Of a panel of points: True if its vertical axis is logarithmic."""


class Switch(TypedDict):
    """What a reader switches on and off."""

    id: str
    label: str
    kind: Literal["flow", "group", "queue", "run"]
    on: bool
    look: str
    detail: str


class Span(TypedDict):
    """Bytes of a blob."""

    blob: int
    at: int
    bytes: int


class Events(TypedDict):
    """What happened to a flow: a table with `time_s`, `kind`, `reason`, and for each panel the
    column with the value at which an event is drawn (empty: at the top)."""

    run: int
    flow: str
    switch: str
    table: str
    panels: dict[str, str]
    chains: NotRequired[Span]
    command: NotRequired[str]


class Step(TypedDict):
    """An instant of a chain."""

    t: float
    role: Literal["packet", "decision", "feedback", "reaction", "repair", "arrival"]
    label: str


class Chain(TypedDict):
    """What led to an event and what followed, in the words of `dumbbell why`."""

    text: str
    steps: list[Step]


class TimeSeq(TypedDict):
    """The packets of a flow for its time-sequence graph."""

    run: int
    flow: str
    sent: str
    acks: str


class Space(TypedDict):
    """Packets on their way in a part of a run: nodes from the top, and a table of hops."""

    run: int
    from_s: float
    to_s: float
    nodes: list[dict[str, str]]
    table: str


class Page(TypedDict):
    """All of it."""

    format: Literal[1]
    title: str
    runs: list[Run]
    look: dict[str, Look]
    tables: dict[str, Table]
    panels: list[Panel]
    switches: list[Switch]
    events: list[Events]
    timeseq: list[TimeSeq]
    space: list[Space]
    static: str
    window: NotRequired[list[float]]
    """The part of the runs [s] that is shown first."""
