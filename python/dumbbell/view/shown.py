"""One result of a page, and the pen that draws its lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from ..explain.runs import Run
from ..figures import crowd
from ..figures.recorded_run import Source
from ..figures.style import palette
from . import looks
from .contents import Contents
from .lines import Line
from .shapes import Axis, Look, Panel, Series

BAND = (0.1, 0.5, 0.9)
"""Quantiles of groups: the lower edge of the band, the line, the upper edge."""


@dataclass(frozen=True)
class Side:
    """A result of a page: its number among the results, and its label."""

    number: int
    label: str
    look: palette.Look | None = field(default=None, kw_only=True)
    """The look of all lines, where several results are compared; None: each flow has its own."""
    only: Sequence[str] = field(default=(), kw_only=True)
    """The flows whose switches are on at first; none: all."""

    def name(self, *parts: str) -> str:
        """The name of a table or a switch of this result."""
        return "/".join((str(self.number), *parts))

    def said(self, label: str) -> str:
        """A label, with the run's where several are compared."""
        return f"{label} ({self.label})" if self.look else label


@dataclass(frozen=True)
class Shown(Side):
    """A run of a page, with its records and its plan."""

    run: Run
    source: Source
    plan: dict[str, Any]
    flows: Sequence[str] = ()
    """Flows that are shown one by one although there are many."""
    window: tuple[float, float] | None = field(default=None, kw_only=True)
    """The part of the run [s] whose events are explained; None: the whole."""


SideT = TypeVar("SideT", bound=Side)


@dataclass(frozen=True)
class Pen(Generic[SideT]):
    """Draws the lines of one flow, queue or group of a result. `look` and `switch` are its
    names."""

    contents: Contents
    shown: SideT
    look: str
    switch: str

    def line(
        self,
        panel: Panel,
        label: str,
        table: str,
        column: str,
        scale: float = 1.0,
        role: str = "",
        *,
        look: str = "",
        shape: Literal["line", "step"] = "line",
        detail: bool = False,
        x: Axis | None = None,
    ) -> None:
        """Draws a column of a table. role: what it shows, if the label is not the same in other
        runs. look: another than the pen's."""
        line: Series = {
            "label": label,
            "table": table,
            "column": column,
            "scale": scale,
            "look": look or self.look,
            "shape": shape,
            "switch": self.switch,
            "run": self.shown.number,
            "role": role or label,
        }
        if detail:
            line["detail"] = True
        if x is not None:
            line["x"] = x
        panel["series"].append(line)

    def draw(
        self, line: Line, name: str, table: str, *, per: float = 1.0, own: Look | None = None
    ) -> None:
        """Draws a line of the flow or the queue `name`. per: what its scale is divided by, if the
        line says so. own: the look of its part, if it is not that of the whole with the line's dash
        and width."""
        look = self.look
        if line.part:
            look = f"{self.look}/{line.part}"
            whole = self.contents.look[self.look]
            dashed: Look = {**whole, "dash": list(line.dash), "width": line.width}
            self.contents.look[look] = own or dashed
        self.line(
            self.contents.panel(line.panel),
            line.label.format(name=name, part=line.part),
            table,
            line.column,
            line.scale / (per if line.per else 1.0),
            look=look,
            shape=line.shape,
            detail=line.detail,
        )

    def median(self, panel: Panel, label: str, table: str, column: str, scale: float = 1.0) -> None:
        """Draws a group: its median and its band."""
        low, middle, high = (f"{column}_p{q * 100:.0f}" for q in BAND)
        self.line(panel, label, table, middle, scale)
        panel["series"][-1]["band"] = {"low": low, "high": high}


def pen(
    contents: Contents,
    shown: SideT,
    kind: Literal["flow", "queue"],
    member: crowd.Member,
    detail: str,
) -> Pen[SideT]:
    """The pen of a flow, a queue or a group, with its look and its switch on the page. detail: what
    the switch says besides the name."""
    look = shown.name("look", kind, member.label)
    switch = shown.name(kind, member.label)
    own = looks.queue(member.place) if kind == "queue" else member.look
    contents.look[look] = looks.member(own, shown.look)
    contents.switches[switch] = {
        "id": switch,
        "label": shown.said(member.label),
        "kind": "group" if member.grouped else kind,
        "on": kind == "queue" or not shown.only or member.label in shown.only,
        "look": look,
        "detail": "" if member.grouped else detail,
    }
    return Pen(contents, shown, look, switch)
