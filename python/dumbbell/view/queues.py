"""The queues of a run: length, average and thresholds, probabilities, delay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..data import series as saved
from ..figures import crowd
from ..present.units import plain_rate
from . import looks
from .contents import Contents
from .shown import Pen, Shown, pen

if TYPE_CHECKING:
    import polars

_AVERAGE = "avg"
_THRESHOLDS = ("min_th", "max_th")


def draw(contents: Contents, shown: Shown) -> None:
    """Draws the queues that were recorded: up to eight one by one, more as groups by their
    algorithm."""
    frame = shown.source.find("queues")
    if frame is None:
        return
    kinds = {str(q["name"]): str(q.get("kind")) for q in shown.source.summary.get("queues", [])}
    names = saved.names(frame, "queue", shown.source.order("queues"))
    members = crowd.members(names, (), lambda: kinds, "queues")
    for member in members:
        mine = pen(contents, shown, "queue", member, kinds.get(member.label, ""))
        if member.grouped:
            _group(mine, member)
        else:
            rows = frame.filter(frame["queue"] == member.label)
            _queue(mine, member.label, rows, alone=len(members) == 1)


def _group(mine: Pen[Shown], member: crowd.Member) -> None:
    shown = mine.shown
    file = shown.source.directory / "queues.parquet"
    name = shown.name("queues", member.label)
    table = mine.contents.band(name, file, ["queue_packets"], "queue", member.names)
    panel = mine.contents.panel("queue", "Queue", "packets")
    mine.median(panel, member.label, table, "queue_packets")


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
    panel = contents.panel("queue", "Queue", "packets")
    mine.line(panel, name, table, "queue_packets", shape="step")
    if _AVERAGE in gauges:
        thick = f"{mine.look}/average"
        color = "#000000" if shown.look is None and alone else contents.look[mine.look]["color"]
        contents.look[thick] = looks.plain(color, contents.look[mine.look]["dash"], 2.2)
        mine.line(panel, f"{name}, average", table, _AVERAGE, look=thick)
    for threshold in (one for one in _THRESHOLDS if one in gauges):
        values = rows[threshold].drop_nulls().unique()
        if len(values) == 1:
            contents.threshold(panel, float(values[0]), f"{threshold} {values[0]:.4g}")
    chances = [gauge for gauge in gauges if _is_probability(gauge, rows[gauge])]
    for place, gauge in enumerate(chances):
        chance = contents.panel("probability", "Probability of a drop or a mark", "")
        look = f"{mine.look}/{gauge}"
        contents.look[look] = looks.part(contents.look[mine.look], place, shown.look)
        mine.line(chance, f"{name}, {gauge}", table, gauge, look=look)
    rate = _rate(shown, name)
    if rate:
        delay = contents.panel("delay", "Round-trip time and queueing delay", "ms")
        label = f"queue of {name}"
        mine.line(delay, label, table, "queue_bytes", 8e3 / rate, shape="step")


def _is_probability(name: str, values: polars.Series) -> bool:
    """True for a probability of a signal, by the names that the catalogue gives it."""
    named = name in ("p", "drop_prob") or name.startswith("p_")
    return named and bool((values.drop_nulls() <= 1.0).all())


def _rate(shown: Shown, name: str) -> float | None:
    """The constant rate of a link, bit/s; None if it changes."""
    for link in shown.plan["links"]:
        if link["name"] == name and (link.get("service") or {}).get("kind") in (None, "constant"):
            return plain_rate(link.get("rate"))
    return None
