"""Scenarios, results and sweeps as notebooks show them. Whatever a user has named is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from ..errors import DumbbellError, ScenarioError
from ..language.overrides import literal
from . import network, sparkline
from .grids import Grid
from .tables import result_grids, summary_line, sweep_grid
from .units import significant

if TYPE_CHECKING:
    from ..data.shapes import ResultLike, ScenarioLike, SweepLike, TableLike

_ROWS = 24
"""Rows of a table that are shown."""
_DRAWN = 40
"""Flows of a network that is drawn; of a larger one only the size is said."""

_STYLE = (
    "<style>"
    ".dumbbell{font-size:90%;line-height:1.35;overflow-x:auto}"
    ".dumbbell table{border-collapse:collapse;margin:.2em 0 "
    ".7em;border:0;font-variant-numeric:tabular-nums}"
    ".dumbbell caption,.dumbbell summary,.dumbbell b{font-weight:600;text-align:left;color:inherit}"
    ".dumbbell caption{caption-side:top;padding:.1em .4em}"
    ".dumbbell th,.dumbbell td{padding:.15em .7em .15em "
    ".4em;border:0;text-align:right;white-space:nowrap}"
    ".dumbbell thead th{border-bottom:1px solid currentColor}"
    ".dumbbell .w{text-align:left}"
    ".dumbbell td.w{max-width:32em;overflow:hidden;text-overflow:ellipsis}"
    ".dumbbell pre{font-size:90%;line-height:1.15;margin:.4em "
    "0;overflow-x:auto;background:none;color:inherit}"
    ".dumbbell small{opacity:.75}"
    ".dumbbell .bad{color:#b3261e;font-weight:600}"
    ".dumbbell svg{vertical-align:middle}"
    "</style>"
)


def _page(*parts: str) -> str:
    return f'{_STYLE}<div class="dumbbell">{"".join(parts)}</div>'


def grid(g: Grid, extra: Sequence[str] = ()) -> str:
    """A table; `extra` is a last column that is HTML already."""

    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=w' if i < g.text_columns else ''}>{escape(cell)}</{tag}>"
            for i, cell in enumerate(row)
        )

    head = cells(g.columns, "th") + ("<th></th>" if extra else "")
    tails = [f"<td>{html}</td>" for html in extra] or [""] * len(g.rows)
    body = [
        f"<tr>{cells(row, 'td')}{tail}</tr>"
        for row, tail in zip(g.rows[:_ROWS], tails, strict=False)
    ]
    more = len(g.rows) - _ROWS
    rest = (
        f"<tr><td class=w colspan={len(g.columns)}>… and {more} more</td></tr>" if more > 0 else ""
    )
    return (
        f"<table><caption>{escape(g.title)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(body)}{rest}</tbody></table>"
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
    return _page(grid(Grid(size, t.columns, rows, text_columns)))


def result(r: ResultLike) -> str:
    """Flows, queues and markers, with the first run's queue lengths over time where they were
    recorded."""
    grids = result_grids(r)
    lines = _queue_lines(r)
    shown = [grid(g, lines if g.title == "Queues" and lines else ()) for g in grids]
    return _page(f"<b>{escape(str(r.json.get('name', 'Result')))}</b> ", *shown, _said(r))


def sweep(s: SweepLike) -> str:
    """A row for each point, with its goodput as a bar."""
    from .tables import total_goodput

    totals = [total_goodput(r) for _, r in s]
    largest = max((t.high or t.mean for t in totals if t), default=0.0)
    bars = [sparkline.bar(t, largest) if t else "" for t in totals]
    invalid = sum(not r.json.get("valid", False) for _, r in s)
    warning = f'<p class="bad">{invalid} of {len(s)} points are not valid</p>' if invalid else ""
    name = escape(str(s.json.get("name", "Sweep")))
    note = (
        "<p><small>The bars are the goodput of all flows together; the line is its 95 % "
        "interval.</small></p>"
    )
    return _page(
        f"<b>{name}</b>: {len(s)} points",
        grid(sweep_grid(s), bars),
        warning,
        note if len(s) else "",
    )


def scenario(s: ScenarioLike) -> str:
    """The network, its flows and queues, and every parameter that was resolved; or what is wrong
    with it."""
    try:
        size = s.size()
        return _page(_head(size), _network(s) if size["flows"] <= _DRAWN else "")
    except ScenarioError as error:
        return _page(
            f'<p class="bad">{escape(repr(s))} is not right</p><pre>{escape(error.rendered)}</pre>'
        )


def _head(size: dict[str, Any]) -> str:
    runs = f", {size['points_total']} points" if size["points_total"] > 1 else ""
    runs += f", {size['runs_total']} runs" if size["runs_total"] > size["points_total"] else ""
    title = f"<br>{escape(size['title'])}" if size.get("title") else ""
    what = (
        f"{size['flows']} flows over {size['links']} links, {escape(str(size['duration']))}{runs}"
    )
    return f"<b>{escape(size['name'])}</b>: {what}{title}"


_FLOWS = ("flow", "path", "cc", "source", "start", "base RTT")
_LINKS = ("link", "rate", "delay", "queue", "MTU", "conditioner", "impairments")


def _network(s: ScenarioLike) -> str:
    plan = network.for_people(s.check(points=1)[0]["plan"])
    flows = Grid("Flows", _FLOWS, network.flow_rows(plan), len(_FLOWS))
    links = Grid("Links with a queue of their own", _LINKS, network.link_rows(plan), len(_LINKS))
    resolved = "".join(_details(title, values) for title, values in _resolved(plan))
    return (
        f"<pre>{escape(network.drawing(plan))}</pre>"
        f"{grid(flows)}{grid(links) if links.rows else ''}{resolved}"
    )


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
        yield f"{kind} of {where}: every parameter", values


def _details(title: str, values: dict[str, Any]) -> str:
    rows = [[key, literal(inner)] for key, inner in _flat(values)]
    lines = "".join(
        f"<tr><td class=w>{escape(k)}</td><td class=w>{escape(v)}</td></tr>" for k, v in rows
    )
    return (
        f"<details><summary>{escape(title)}</summary><table>"
        f"<tbody>{lines}</tbody></table></details>"
    )


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


def _said(r: ResultLike) -> str:
    """The line about the run itself, and a warning if it does not hold."""
    bad = (
        ""
        if r.valid
        else '<p class="bad">This result is not valid: its own checks do not hold.</p>'
    )
    return f"{bad}<small>{escape(summary_line(r))}</small>"


def _cell(value: float | int | str | bool | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return significant(value, 6) if isinstance(value, float) else str(value)
