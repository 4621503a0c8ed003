"""A capture on a page: of each TCP flow goodput, round-trip times, bytes in flight, what was sent
again, and its time-sequence graph."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from .. import api
from ..data import captures as data
from ..data.captures import Direction, Segment
from ..errors import ScenarioError
from ..figures import crowd
from ..models import fairness
from ..present import captures as tables
from ..present import findings
from ..present.grids import Grid
from ..present.units import significant
from .contents import Contents
from .files import Facts, File
from .flows import goodput_panel, period
from .shown import Pen, Shown, Side, SideT, pen

if TYPE_CHECKING:
    from .shapes import Panel

_PERIOD_S = 0.1
"""Of goodput, if the capture is not short."""
_FEWEST_PERIODS = 50
_MOST_SAID = 4
"""Flows that the finding tells of one by one."""
_KB = 1e-3


def read(name: str, wanted: Sequence[str], alone: bool) -> File:
    """The capture of this name. Of more than eight flows the eight with the most bytes are shown,
    and those `wanted`. Errors as of `data.captures.directions`, and `ScenarioError` if a flow is
    wanted that is not there and the file stands `alone` on its page."""
    found = data.carried(data.directions(Path(name), segments=True))
    unknown = [flow for flow in wanted if flow not in {one.name for one in found}]
    if unknown and alone:
        known = ", ".join(one.name for one in found[: crowd.MOST])
        raise ScenarioError(f"{name} has no flow `{unknown[0]}`; its flows are {known}")
    duration_s = max(_end(one) for one in found)
    largest = sorted(found, key=lambda one: -one.sent_bytes)[: crowd.MOST]
    shown = [one for one in found if one in largest or one.name in wanted]
    rates = {one.name: _mean(one, duration_s) for one in shown}
    left = len(found) - len(shown)
    notes = [f"{left} flows with fewer bytes are not drawn: --flow NAME draws one."] if left else []
    told = tables.tables(api.call("read_capture", {"file": name}))
    return File(
        name=name,
        facts=Facts(
            title=Path(name).name,
            duration_s=duration_s,
            findings=[
                *findings.shares(rates, fairness.jain(list(rates.values())) or 0.0),
                *(_again(one) for one in shown[:_MOST_SAID]),
                *notes,
            ],
            grids=[part for part in told if isinstance(part, Grid)],
            line="; ".join(part for part in told if isinstance(part, str)),
        ),
        command=f"dumbbell read {shlex.quote(name)}",
        lines=lambda contents, side: draw(contents, side, shown, duration_s),
    )


def _mean(one: Direction, duration_s: float) -> float:
    """Goodput over the whole capture, bit/s."""
    return (one.acked[-1][1] - one.first) * 8 / max(duration_s, 1e-9)


def _end(one: Direction) -> float:
    return max(one.acked[-1][0], _segments(one)[-1][0])


def _segments(one: Direction) -> list[Segment]:
    return one.segments or [(0.0, one.first, one.first, False)]


def _sent_again(one: Direction) -> list[tuple[int, float]]:
    """The number of each segment that was sent again, from 1, and its instant."""
    numbered = enumerate(_segments(one), 1)
    return [(number, time) for number, (time, _, _, again) in numbered if again]


def _again(one: Direction) -> str:
    told = f"{one.name} sent {len(_sent_again(one))} of {len(_segments(one))} segments again"
    if not one.rtt:
        return f"{told}."
    middle = median(seconds for _, seconds in one.rtt) * 1e3
    return f"{told}; its median round-trip time is {significant(middle, 3)} ms."


def draw(contents: Contents, side: Side, flows: Sequence[Direction], duration_s: float) -> None:
    """Draws flows with their segments. Panels stand in the order in which those of a run do."""
    every_s = period(min(_PERIOD_S, duration_s / _FEWEST_PERIODS), duration_s)
    panels = (
        contents.panel("delay", "Round-trip time and queueing delay", "ms"),
        contents.panel("flight", "Bytes in flight", "kB"),
        contents.panel("again", "Segments sent again", "segments"),
        goodput_panel(contents, every_s),
    )
    for place, one in enumerate(flows):
        rate = significant(_mean(one, duration_s) / 1e6, 3)
        detail = f"{rate} Mbit/s, {len(_sent_again(one))} segments sent again"
        member = crowd.Member(one.name, (one.name,), place)
        mine = pen(contents, side, "flow", member, detail)
        _lines(mine, one, panels, (every_s, duration_s))
        _events(mine, one)
        _sequence(mine, one)


def _lines(
    mine: Pen[SideT],
    one: Direction,
    panels: tuple[Panel, Panel, Panel, Panel],
    times: tuple[float, float],
) -> None:
    delay, flight, again, goodput = panels
    every_s, duration_s = times

    def draw(panel: Panel, what: str, points: Sequence[tuple[float, float]], **more: Any) -> None:
        if points:
            instants, values = zip(*points, strict=True)
            rows = {"time_s": instants, what: values}
            table = mine.contents.given(mine.shown.name(what, one.name), rows)
            mine.line(panel, one.name, table, what, **more)

    draw(delay, "rtt_s", one.rtt, scale=1e3)
    draw(flight, "flight_bytes", list(_in_flight(one)), scale=_KB, shape="step")
    draw(again, "again", _counted(one, duration_s), shape="step")
    middles = [(end - every_s / 2, bps) for end, bps in one.goodput(every_s)]
    draw(goodput, "goodput_bps", middles, scale=1e-6)


def _in_flight(one: Direction) -> Iterator[tuple[float, float]]:
    """Bytes between the highest that was seen and the highest that was acknowledged, after each
    segment and each acknowledgment."""
    sent = [(time, 1, end) for time, _, end, _ in _segments(one)]
    acked = [(time, 0, byte) for time, byte in one.acked]
    highest = known = one.first
    for time, is_segment, byte in sorted(sent + acked):
        highest, known = (max(highest, byte), known) if is_segment else (highest, byte)
        yield time, float(max(highest - known, 0))


def _counted(one: Direction, duration_s: float) -> list[tuple[float, float]]:
    """How many segments were sent again, at each of them."""
    times = [time for _, time in _sent_again(one)]
    counts = [(time, float(count)) for count, time in enumerate(times, 1)]
    return [(0.0, 0.0), *counts, (duration_s, float(len(times)))]


def _events(mine: Pen[SideT], one: Direction) -> None:
    """The segments that were sent again, as events."""
    again = _sent_again(one)
    if not again or isinstance(mine.shown, Shown):
        return  # A run has the events of its records.
    rows: dict[str, Sequence[Any]] = {
        "time_s": [time for _, time in again],
        "kind": ["retransmission"] * len(again),
        "reason": [""] * len(again),
        "packet": [number for number, _ in again],
        "again": list(range(1, len(again) + 1)),
    }
    mine.contents.explained(
        {
            "run": mine.shown.number,
            "flow": one.name,
            "switch": mine.switch,
            "table": mine.contents.given(mine.shown.name("events", one.name), rows),
            "panels": {"again": "again"},
        },
        (),
    )


def _sequence(mine: Pen[SideT], one: Direction) -> None:
    """The segments and the acknowledgments."""
    if isinstance(mine.shown, Shown):
        return  # A run has the packets of its records.
    contents, name = mine.contents, mine.shown.name
    times, starts, ends, again = zip(*_segments(one), strict=True)
    acked, bytes_ = zip(*one.acked, strict=True)
    sent: dict[str, Sequence[Any]] = {
        "time_s": times,
        "seq": [start - one.first for start in starts],
        "end": [end - one.first for end in ends],
        "kind": ["again" if repeated else "data" for repeated in again],
    }
    acks: dict[str, Sequence[Any]] = {"time_s": acked, "ack": [byte - one.first for byte in bytes_]}
    contents.timeseq.append(
        {
            "run": mine.shown.number,
            "flow": one.name,
            "sent": contents.given(name("sent", one.name), sent),
            "acks": contents.given(name("acks", one.name), acks),
        }
    )
