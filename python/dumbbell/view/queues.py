"""The queues of a run: length, average and thresholds, probabilities, delay."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..data import series as saved
from ..figures import crowd
from ..present.units import plain_rate
from . import fabric, lines, looks
from .contents import Contents
from .shown import Pen, Shown, pen

if TYPE_CHECKING:
    import polars


def draw(contents: Contents, shown: Shown) -> None:
    """Draws the queues that were recorded: up to eight one by one, more as groups: in a fabric by
    its tiers, with the utilization of their links, else by their algorithm."""
    frame = shown.source.find("queues")
    if frame is None:
        return
    kinds = {str(q["name"]): str(q.get("kind")) for q in shown.source.summary.get("queues", [])}
    names = saved.names(frame, "queue", shown.source.order("queues"))
    by_tier = fabric.members(shown.plan)
    members = by_tier or crowd.members(names, (), lambda: kinds, "queues")
    for member in members:
        mine = pen(contents, shown, "queue", member, kinds.get(member.label, ""))
        if member.grouped:
            if by_tier:
                fabric.draw(mine, member, frame)
            _group(mine, member)
        else:
            rows = frame.filter(frame["queue"] == member.label)
            _queue(mine, member.label, rows, alone=len(members) == 1)


def _group(mine: Pen[Shown], member: crowd.Member) -> None:
    shown = mine.shown
    file = shown.source.directory / "queues.parquet"
    name = shown.name("queues", member.label)
    table = mine.contents.band(name, file, ["queue_packets"], "queue", member.names)
    panel = mine.contents.panel("queue")
    mine.median(panel, member.label, table, lines.LENGTH.column)


def _queue(mine: Pen[Shown], name: str, rows: polars.DataFrame, *, alone: bool) -> None:
    """Draws a queue. alone: no other queue is drawn."""
    contents, shown = mine.contents, mine.shown
    gauges = [
        column
        for column in rows.columns
        if column != "time_s" and rows[column].dtype.is_float()
        if rows[column].null_count() < rows.height
    ]
    table = contents.recorded(
        shown.name("queues", name),
        shown.source.directory / "queues.parquet",
        ["time_s", "queue_packets", "queue_bytes", *gauges],
        {"queue": name},
    )
    mine.draw(lines.LENGTH, name, table)
    if lines.AVERAGE.column in gauges:
        color = "#000000" if shown.look is None and alone else contents.look[mine.look]["color"]
        thick = looks.plain(color, contents.look[mine.look]["dash"], lines.AVERAGE.width)
        mine.draw(lines.AVERAGE, name, table, own=thick)
    for threshold in (one for one in lines.THRESHOLDS if one in gauges):
        values = rows[threshold].drop_nulls().unique()
        if len(values) == 1:
            said = f"{threshold} {values[0]:.4g}"
            contents.threshold(contents.panel("queue"), float(values[0]), said)
    chances = [gauge for gauge in gauges if _is_probability(gauge, rows[gauge])]
    for place, gauge in enumerate(chances):
        line = replace(lines.CHANCE, column=gauge, part=gauge)
        part = looks.part(contents.look[mine.look], place, shown.look)
        mine.draw(line, name, table, own=part)
    rate = _rate(shown, name)
    if rate:
        mine.draw(lines.WAIT, name, table, per=rate)


def _is_probability(name: str, values: polars.Series) -> bool:
    """True for a probability of a signal, by the names that the catalogue gives it."""
    return lines.PROBABILITY.fullmatch(name) is not None and bool(
        (values.drop_nulls() <= 1.0).all()
    )


def _rate(shown: Shown, name: str) -> float | None:
    """The constant rate of a link, bit/s; None if it changes."""
    for link in shown.plan["links"]:
        if link["name"] == name and (link.get("service") or {}).get("kind") in (None, "constant"):
            return plain_rate(link.get("rate"))
    return None
