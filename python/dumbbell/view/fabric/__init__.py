"""What a page shows of a network with many switches: by tier how busy its links were and how long
its queues were, and by size how long transfers took.

A tier is what leads from one layer of the network to the next. Layers are the hosts, and switches
whose names differ in a number only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...figures import style
from ...figures.crowd import Member
from ...figures.style import lettering, palette
from ...figures.style.chart import Axis, Chart, Line
from ...figures.style.chart import draw as draw_chart
from ...present.grids import Grid
from ...present.units import plain_rate, prefix, time_text
from .. import charts
from ..contents import Contents
from ..results import Read
from ..shown import BAND, Pen, Shown
from . import pixels

if TYPE_CHECKING:
    import polars
    from numpy.typing import NDArray

    Cells = NDArray[np.float64]

FEWEST = 9
"""Reported links of a network that is shown by tiers; fewer are drawn one by one."""
_MOST_TIERS = 8
"""Where layers make more tiers than this, all switches are one layer."""
_MOST_COLUMNS = 300
"""Columns of a map; more instants share columns."""
_BUSY, _LONG = "#2a84c6", "#d55e00"
"""Colors of a busy link and of a long queue, for light and dark pages."""


class Tier(NamedTuple):
    """Links from one layer to the next, in the scenario's order."""

    label: str
    links: list[dict[str, Any]]


class Row(NamedTuple):
    """A tier of a map: what it is, its image, and the height of the image in pixels."""

    label: str
    said: str
    image: str
    height: int


class Map(NamedTuple):
    """A quantity of each link over time, from 0 to `most`."""

    title: str
    color: str
    most: str
    rows: list[Row]


class Sheet(NamedTuple):
    """Charts of a page, as a template shows them: their places, and a drawing for where scripts are
    off."""

    name: str
    caption: str
    svg: str
    places: list[str]


class Section(NamedTuple):
    """The part of a page about a fabric: the ends of the time axis, maps, a table of the tiers, and
    the transfers of each session."""

    ends: tuple[str, str]
    maps: list[Map]
    grid: Grid
    transfers: list[Sheet]


def tiers(plan: dict[str, Any]) -> list[Tier]:
    """The reported links of a plan by tiers; none if they are few."""
    reported = [link for link in plan["links"] if link["report"]]
    if len(reported) < FEWEST:
        return []
    for layer in (_layer, _kind):
        found: dict[str, list[dict[str, Any]]] = {}
        for link in reported:
            ends = (layer(plan["nodes"][link[end]]) for end in ("from", "to"))
            found.setdefault(" → ".join(ends), []).append(link)
        if len(found) <= _MOST_TIERS:
            break
    return [Tier(label, links) for label, links in found.items()]


def _layer(node: dict[str, Any]) -> str:
    """The layer of a node: `pod1/edge2` is of `edge`."""
    if node["kind"] == "host":
        return "host"
    return re.sub(r"\d+$", "", node["name"].rpartition("/")[2]) or "switch"


def _kind(node: dict[str, Any]) -> str:
    return "host" if node["kind"] == "host" else "switch"


def members(plan: dict[str, Any]) -> list[Member]:
    """The tiers of a plan as groups of queues."""
    return [
        Member(
            f"{tier.label}, {len(tier.links)} links",
            tuple(link["name"] for link in tier.links),
            place,
            grouped=True,
        )
        for place, tier in enumerate(tiers(plan))
    ]


def draw(mine: Pen[Shown], member: Member, frame: polars.DataFrame) -> None:
    """Draws the utilization of a tier: the median over its links, and the band from the 10th to the
    90th percentile."""
    if "sent_bytes" not in frame.columns:
        return
    links = [link for link in mine.shown.plan["links"] if link["name"] in set(member.names)]
    time, busy = _utilization(frame, links)
    if len(time) < 1 or not len(busy):
        return
    table = {"time_s": time.tolist()}
    for q in BAND:
        table[f"utilization_p{q * 100:.0f}"] = np.quantile(busy, q, axis=0).tolist()
    name = mine.contents.given(mine.shown.name("utilization", member.label), table)
    period = f"{time[0] if len(time) == 1 else time[1] - time[0]:.3g}"
    title = f"Utilization of links, means over {period} s"
    panel = mine.contents.panel("utilization", title, "%")
    mine.median(panel, member.label, name, "utilization", 100.0)


def section(contents: Contents, one: Read, number: int) -> Section | None:
    """The section about result `number` of a page; None if its network is small, or if it has no
    series."""
    found, frame = tiers(one.plan), one.source.find("queues")
    if not found or frame is None or frame.height == 0:
        return None
    maps = []
    if "sent_bytes" in frame.columns:
        busy = [_utilization(frame, tier.links)[1] for tier in found]
        maps.append(_map("Utilization", _BUSY, "100 %", found, busy, 1.0, _percent))
    lengths = [_column(frame, tier.links, "queue_bytes")[1] for tier in found]
    longest = max((float(cells.max(initial=0.0)) for cells in lengths), default=0.0)
    if longest > 0:
        maps.append(_map("Queues", _LONG, _bytes(longest), found, lengths, longest, _bytes))
    time = frame["time_s"].to_numpy()
    words = (time_text(float(time.min())), time_text(float(time.max())))
    return Section(words, maps, _grid(one, found), _transfers(contents, one, number))


def _map(
    title: str,
    color: str,
    most: str,
    found: Sequence[Tier],
    values: Sequence[Cells],
    top: float,
    said: Any,
) -> Map:
    """A map of `values`, a row for each link of a tier; `top` is the darkest, and `said` the words
    for a value."""
    rows = []
    for tier, cells in zip(found, values, strict=True):
        if not len(cells):
            continue
        means = cells.mean(axis=1)
        first = int(means.argmax())
        words = (
            f"mean {said(float(means.mean()))}, highest on {tier.links[first]['name']}: "
            f"{said(float(means[first]))}"
        )
        image = pixels.image(_fewer(cells) / top, color)
        rows.append(Row(_counted(tier), words, image, _height(len(cells))))
    return Map(title, color, most, rows)


def _counted(tier: Tier) -> str:
    count = len(tier.links)
    return f"{tier.label}, {count} link{'s' if count > 1 else ''}"


def _height(rows: int) -> int:
    """The height of an image, so that a link is visible and a tier fits on a screen."""
    return rows * max(1, min(12, 192 // rows))


def _fewer(cells: Cells) -> Cells:
    """At most `_MOST_COLUMNS` columns, each the mean of several."""
    step = -(-cells.shape[1] // _MOST_COLUMNS)
    starts = np.arange(0, cells.shape[1], step)
    widths = np.diff(np.append(starts, cells.shape[1]))
    sums: Cells = np.add.reduceat(cells, starts, axis=1)
    return sums / widths


def _column(
    frame: polars.DataFrame, links: Sequence[dict[str, Any]], column: str
) -> tuple[Cells, Cells]:
    """Instants, and a column of each link at them, a row for each."""
    parts = {str(name): rows for (name,), rows in frame.partition_by("queue", as_dict=True).items()}
    own = [parts[link["name"]].sort("time_s") for link in links if link["name"] in parts]
    if not own:
        return np.empty(0), np.empty((0, 0))
    time = own[0]["time_s"].to_numpy().astype(np.float64)
    return time, np.array([rows[column].to_numpy().astype(np.float64) for rows in own])


def _utilization(frame: polars.DataFrame, links: Sequence[dict[str, Any]]) -> tuple[Cells, Cells]:
    """The ends of periods, and the share of each link's rate that it sent in them."""
    known = [link for link in links if plain_rate(link.get("rate"))]
    time, sent = _column(frame, known, "sent_bytes")
    if len(time) < 2:
        return np.empty(0), np.empty((0, 0))
    rates = np.array([plain_rate(link["rate"]) for link in known], dtype=np.float64)
    bits = 8 * np.diff(sent, axis=1)
    return time[1:], np.clip(bits / (rates[:, None] * np.diff(time)), 0.0, 1.0)


def _grid(one: Read, found: Sequence[Tier]) -> Grid:
    """The tiers in numbers, of the time after the warm-up."""
    queues = {queue.name: queue for queue in one.result.queues}
    rows = []
    for tier in found:
        own = [queues[link["name"]] for link in tier.links if link["name"] in queues]
        if not own:
            continue
        busy = [float(queue.utilization) for queue in own]
        longest = max(own, key=lambda queue: float(queue.max_packets))
        drops = sum(float(n) for queue in own for n in queue.drops.values())
        rows.append(
            [
                _counted(tier),
                _percent(sum(busy) / len(busy)),
                _percent(max(busy)),
                f"{float(longest.max_packets):g}",
                f"{drops:g}",
            ]
        )
    heads = ["tier", "mean utilization", "busiest link", "longest queue [packets]", "drops"]
    return Grid("Tiers", heads, rows)


_PERCENTILES = (("p50", "median"), ("p95", "95th"), ("p99", "99th"), ("p999", "99.9th"))


def _transfers(contents: Contents, one: Read, number: int) -> list[Sheet]:
    """Of each session the completion times and the slowdowns, over classes of sizes."""
    drawn: list[Sheet] = []
    for session in one.result.sessions:
        rows = [row for row in session.by_size if float(row.as_dict().get("finished", 0)) > 0]
        if not rows:
            continue
        axis = Axis("size of the transfer", scale="names", names=[row.name for row in rows])
        pair = [
            _over_sizes("Completion time", "ms", axis, rows, "completion_s", 1e3),
            _over_sizes("Slowdown", "", axis, rows, "slowdown", 1.0),
        ]
        name = f"transfers-{number}-{len(drawn) + 1}"
        charts.draw(contents, name, pair)
        caption = (
            f"{session.name}: completion times, and slowdowns: times over the least that the path "
            "allows."
        )
        drawn.append(Sheet(name, caption, _drawing(name, pair), charts.places(name, pair)))
    return drawn


def _drawing(name: str, pair: Sequence[Chart]) -> str:
    """The charts side by side as an `<svg>` element."""
    figure, sides = style.new(1, len(pair), size=(9.6, 3.6))
    for axes, one in zip(sides, pair, strict=True):
        draw_chart(axes, one, shift=0.12)
        axes.set_xticks(range(len(one.x.names)), one.x.names, rotation=20, ha="right")
        axes.set(yscale="log", ylabel=f"{one.title} [{one.unit}]" if one.unit else one.title)
        lettering.legend(axes)
    return style.svg(figure, name)


def _over_sizes(
    title: str, unit: str, axis: Axis, rows: Sequence[Any], key: str, scale: float
) -> Chart:
    lines = []
    for place, (percentile, label) in enumerate(_PERCENTILES):
        points = [
            (float(x), scale * float(value))
            for x, row in enumerate(rows)
            if (value := row.as_dict().get(f"{percentile}_{key}")) is not None
        ]
        if points:
            x, y = zip(*points, strict=True)
            lines.append(Line(label, x, y, palette.nth(place)))
    return Chart(title, unit, axis, lines, log=True)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _bytes(value: float) -> str:
    scale, word = prefix(value)
    return f"{value / scale:.3g} {word}B"
