"""Scenarios, results and sweeps as notebooks show them. Whatever a user has named is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import DumbbellError, ScenarioError
from ..language.overrides import literal
from . import network, sparkline, templates
from .grids import Grid
from .tables import result_grids, summary_line, sweep_grid
from .units import significant

if TYPE_CHECKING:
    from ..data.shapes import ResultLike, ScenarioLike, SweepLike, TableLike

_DRAWN = 500
"""Flows of a network that is drawn; of a larger one only the size is said."""
_BARS = "Bars show the total goodput of all flows; lines show its 95 % interval."


def _fragment(
    name: str = "", about: str = "", grids: Sequence[tuple[Grid, Sequence[str]]] = (), **more: Any
) -> str:
    """The HTML of an object: its name and what is said about it, tables (each with a further column
    of HTML, or none), and what else the template knows."""
    known = {"title": "", "bad": "", "drawing": "", "picture": "", "details": (), "note": ""}
    return templates.render(
        templates.PAGES / "notebook.html.j2", name=name, about=about, grids=grids, **known | more
    )


def table(t: TableLike, limit: int) -> str:
    """The first rows of a table."""
    columns = [t.column(name, limit) for name in t.columns]
    words = [any(isinstance(value, str) for value in column) for column in columns]
    # Columns of words come first in all our tables as a rule; what follows a number is aligned as
    # one.
    text_columns = next((i for i, is_word in enumerate(words) if not is_word), len(words))
    rows = [[_cell(value) for value in row] for row in zip(*columns, strict=True)]
    size = f"{len(t)} rows" + (f", the first {limit}" if len(t) > limit else "")
    return _fragment(grids=[(Grid(size, t.columns, rows, text_columns), ())])


def result(r: ResultLike) -> str:
    """Flows, queues and markers, with the first run's queue lengths over time where they were
    recorded."""
    lines = _queue_lines(r)
    return _fragment(
        str(r.json.get("name", "Result")),
        bad="" if r.valid else "This result is not valid: its checks failed.",
        grids=[(g, lines if g.title == "Queues" else ()) for g in result_grids(r)],
        note=summary_line(r),
    )


def sweep(s: SweepLike) -> str:
    """A row for each point, with its goodput as a bar."""
    from .tables import total_goodput

    totals = [total_goodput(r) for _, r in s]
    largest = max((t.high or t.mean for t in totals if t), default=0.0)
    bars = [sparkline.bar(t, largest) if t else "" for t in totals]
    invalid = sum(not r.json.get("valid", False) for _, r in s)
    return _fragment(
        str(s.json.get("name", "Sweep")),
        f": {len(s)} points",
        [(sweep_grid(s), bars)],
        bad=f"{invalid} of {len(s)} points are not valid" if invalid else "",
        note=_BARS if len(s) else "",
    )


def scenario(s: ScenarioLike) -> str:
    """The network, its flows and queues, and every parameter that was resolved; or what is wrong
    with it."""
    try:
        size = s.size()
        drawn = _network(s) if size["flows"] <= _DRAWN else {}
        return _fragment(size["name"], _size(size), title=size.get("title") or "", **drawn)
    except ScenarioError as error:
        return _fragment(bad=f"{s!r} is not right", drawing=error.rendered)


def _size(size: dict[str, Any]) -> str:
    runs = f", {size['points_total']} points" if size["points_total"] > 1 else ""
    runs += f", {size['runs_total']} runs" if size["runs_total"] > size["points_total"] else ""
    return f": {size['flows']} flows over {size['links']} links, {size['duration']}{runs}"


def _network(s: ScenarioLike) -> dict[str, Any]:
    """The drawing, the tables and the parameters."""
    whole = s.check(points=1)[0]["plan"]
    plan = network.for_people(whole)
    flows = Grid("Flows", network.FLOWS, network.flow_rows(plan), len(network.FLOWS))
    links = Grid(
        "Links with their own queue", network.LINKS, network.link_rows(plan), len(network.LINKS)
    )
    return {
        "picture": network.inline(whole),
        "grids": [(grid, ()) for grid in (flows, links) if grid is flows or grid.rows],
        "details": [
            (title, [(key, literal(inner)) for key, inner in _flat(values)])
            for title, values in _resolved(plan)
        ],
    }


def _resolved(plan: network.Plan) -> Iterable[tuple[str, dict[str, Any]]]:
    """The parameters of queues and of TCP with every default, each set once, titled by where it
    applies."""
    queues = [
        (link["name"], link["aqm"]["kind"], link["aqm"]["config"])
        for link in plan["links"]
        if link["report"]
    ]
    tcps = [
        (f["name"], "tcp", f["transport"])
        for f in plan["flows"]
        if f["transport"]["protocol"] == "tcp"
    ]
    places: dict[str, list[str]] = {}
    sets: dict[str, tuple[str, dict[str, Any]]] = {}
    for place, kind, values in [*queues, *tcps]:
        same = f"{kind} {values}"
        places.setdefault(same, []).append(place)
        sets[same] = (kind, values)
    for same, (kind, values) in sets.items():
        where = ", ".join(places[same][:4]) + (", …" if len(places[same]) > 4 else "")
        yield f"{kind} of {where}: all parameters", values


def _flat(values: dict[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _queue_lines(r: ResultLike) -> list[str]:
    """For each queue its length over time in the first run, if it was recorded and can be read."""
    try:
        series = r.runs[0].series("queues") if r.runs else None
    except DumbbellError:
        return []
    if series is None:
        return []
    columns = (series.column("queue"), series.numbers("time_s"), series.numbers("queue_packets"))
    lines: dict[str, list[tuple[float, float]]] = {}
    for name, time, packets in zip(*columns, strict=True):
        lines.setdefault(str(name), []).append((time, packets))
    return [
        sparkline.line(lines.get(queue.name, []), f"{queue.name}: queue [packets] over time")
        for queue in r.queues
    ]


def _cell(value: float | int | str | bool | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return significant(value, 6) if isinstance(value, float) else str(value)
