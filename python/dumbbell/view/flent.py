"""A data file of flent on a page: its rates, windows, round-trip times and pings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median

from ..data import flent as data
from ..data.flent import Data, Flow, Points
from ..errors import ScenarioError
from ..figures import crowd
from ..models import fairness
from ..present import findings
from ..present.grids import Grid
from ..present.units import significant
from .contents import Contents
from .files import Facts, File
from .flows import goodput_panel
from .shown import Pen, Side, pen

_PING = "ping"


def read(name: str, wanted: Sequence[str], alone: bool) -> File:
    """The data file of this name. Of more than eight flows the eight with the highest rates are
    shown, and those `wanted`. Errors as of `data.flent.read`, and `ScenarioError` if a flow is
    wanted that is not there and the file stands `alone` on its page."""
    found = data.read(Path(name))
    names = [flow.name for flow in found.flows]
    unknown = [flow for flow in wanted if flow not in names]
    if unknown and alone:
        known = ", ".join(names[: crowd.MOST])
        raise ScenarioError(f"{name} has no flow `{unknown[0]}`; its flows are {known}")
    largest = sorted(found.flows, key=lambda flow: -_mean(flow.goodput_bps))[: crowd.MOST]
    shown = [flow for flow in found.flows if flow in largest or flow.name in wanted]
    rates = {flow.name: _mean(flow.goodput_bps) for flow in shown}
    left = len(found.flows) - len(shown)
    notes = [f"{left} flows with lower rates are not drawn: --flow NAME draws one."] if left else []
    duration_s = max(time for points in _all(found) for time, _ in points)
    return File(
        name=name,
        facts=Facts(
            title=found.title or Path(name).name,
            duration_s=duration_s,
            findings=[
                *findings.shares(rates, fairness.jain(list(rates.values())) or 0.0),
                *_pings(found.ping_s),
                *notes,
            ],
            grids=[_grid(shown)] if shown else [],
            about=found.about,
            figures=() if shown else ("delay",),
        ),
        command="",
        lines=lambda contents, side: _draw(contents, side, shown, found.ping_s),
    )


def _all(found: Data) -> list[Points]:
    """Every series that has points."""
    flows = [p for f in found.flows for p in (f.goodput_bps, f.cwnd_packets, f.rtt_s)]
    return [points for points in (*flows, found.ping_s) if points]


def _mean(points: Points) -> float:
    return fmean(value for _, value in points) if points else 0.0


def _pings(points: Points) -> list[str]:
    """A sentence on the pings, if there are any."""
    if not points:
        return []
    middle = median(value for _, value in points) * 1e3
    return [f"The median of {len(points)} pings is {significant(middle, 3)} ms."]


def _grid(flows: Sequence[Flow]) -> Grid:
    rows = [
        [
            flow.name,
            significant(_mean(flow.goodput_bps) / 1e6, 4),
            significant(_mean(flow.rtt_s) * 1e3, 4) if flow.rtt_s else "",
            significant(_mean(flow.cwnd_packets), 4) if flow.cwnd_packets else "",
        ]
        for flow in flows
    ]
    return Grid("Flows", ["flow", "goodput [Mbps]", "rtt [ms]", "cwnd [pkt]"], rows)


def _draw(contents: Contents, side: Side, flows: Sequence[Flow], pings: Points) -> None:
    for place, flow in enumerate(flows):
        rate = f"{significant(_mean(flow.goodput_bps) / 1e6, 3)} Mbit/s"
        member = crowd.Member(flow.name, (flow.name,), place)
        mine = pen(contents, side, "flow", member, rate)
        _line(mine, ("delay", "rtt_s"), flow.name, flow.rtt_s, 1e3)
        _line(mine, ("cwnd", "cwnd_packets"), flow.name, flow.cwnd_packets)
        _line(mine, ("goodput", "goodput_bps"), flow.name, flow.goodput_bps, 1e-6)
    if pings:
        member = crowd.Member(_PING, (_PING,), len(flows))
        mine = pen(contents, side, "flow", member, "")
        _line(mine, ("delay", "rtt_s"), _PING, pings, 1e3)


def _line(
    mine: Pen[Side], at: tuple[str, str], label: str, points: Points, scale: float = 1.0
) -> None:
    """Draws a series in a panel, if it has points."""
    if not points:
        return
    panel, column = at
    contents = mine.contents
    times, values = zip(*points, strict=True)
    rows = {"time_s": times, column: values}
    table = contents.given(mine.shown.name(panel, label), rows)
    shown = {
        "delay": lambda: contents.panel("delay", "Round-trip time and queueing delay", "ms"),
        "cwnd": lambda: contents.panel("cwnd", "Congestion window", "packets"),
        "goodput": lambda: goodput_panel(contents, _step(points)),
    }[panel]()
    mine.line(shown, label, table, column, scale)


def _step(points: Points) -> float:
    """The period of a series."""
    steps = [later - earlier for (earlier, _), (later, _) in pairwise(points)]
    return median(steps) if steps else 0.0
