"""The packet on which two runs diverge, as each of them recorded it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..why.journeys import gauges, to_ps
from .steps import KINDS

if TYPE_CHECKING:
    from .recorded_run import Side

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PacketTrace:
    """The packet in one of the runs, as far as it got to the place; what did not happen there is
    None."""

    packet: Row | None
    """Its row of `packets.parquet`."""
    hop: Row | None
    """Its row of `hops.parquet` at the link."""
    gauges: Mapping[str, float] | None
    """Gauges of the decision that dropped or marked the packet: a decision that lets one pass
    leaves no record."""
    reaction: Row | None
    """The last reaction of the flow's sender by then: a row of `reactions.parquet`."""


@dataclass(frozen=True, slots=True)
class Parting:
    """The parting: the packet, what happened to it first in one of them and not in the other, and
    before it."""

    time_ps: int
    flow: str
    sender: bool
    """True if the flow's sender sent the packet, or its receiver."""
    packet: int
    link: str | None
    """The link; None at the flow's own ends."""
    kind: str
    """The event that one run only has: `sent`, `arrived`, `marked`, `dropped`, `departed` or
    `delivered`."""
    only: str
    """In which: `a` or `b`."""
    a: PacketTrace
    b: PacketTrace
    before: tuple[Row, ...]
    """The last steps that both have."""

    def as_dict(self) -> dict[str, Any]:
        """Tables, lists and numbers for JSON."""
        plain = asdict(self)
        plain["from"] = "sender" if plain.pop("sender") else "receiver"
        return {**plain, "before": [_step(row) for row in self.before]}


def parting(step: Row, only: str, a: Side, b: Side, before: list[dict[str, Any]]) -> Parting:
    """All that the records have about a step that one run has alone."""
    return Parting(
        time_ps=step["time_ps"],
        flow=step["flow"],
        sender=step["from"] == "sender",
        packet=step["packet"],
        link=step["link"] or None,
        kind=KINDS[step["kind"]],
        only=only,
        a=_seen(a, step),
        b=_seen(b, step),
        before=tuple(before),
    )


def _seen(side: Side, step: Row) -> PacketTrace:
    import polars as pl

    def row(frame: pl.DataFrame, **wanted: object) -> dict[str, Any] | None:
        found = frame.filter(*(pl.col(name) == value for name, value in wanted.items()))
        return found.row(0, named=True) if found.height else None

    who = {name: step[name] for name in ("flow", "from", "packet")}
    signal = row(side.signals, **who, queue=step["link"])
    told = side.reactions.filter(
        (pl.col("flow") == step["flow"]) & (pl.col("time_s") * 1e12 <= step["time_ps"] + 1)
    )
    return PacketTrace(
        packet=row(side.packets, **who),
        hop=row(side.hops, **who, link=step["link"]) if step["link"] else None,
        gauges=None if signal is None else gauges(signal),
        reaction=told.sort("time_s", maintain_order=True).row(-1, named=True)
        if told.height
        else None,
    )


def _step(row: Row) -> dict[str, Any]:
    return {**row, "kind": KINDS[row["kind"]], "link": row["link"] or None}


def reaction_ps(row: Row) -> int:
    """Instant of a reaction."""
    return to_ps(row["time_s"])
