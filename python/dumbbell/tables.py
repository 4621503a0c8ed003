"""Results as tables for people: every number with its unit, and its 95 % interval where there is one."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table

from .stats import Interval, interval
from .units import TIMES, prefix, significant, time_text

if TYPE_CHECKING:
    from .result import Result, Row


def grid(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], text_columns: int = 1) -> Table:
    """A plain table; the first `text_columns` columns are words, the others numbers."""
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i < text_columns else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def to_text(renderables: Iterable[RenderableType], width: int = 140) -> str:
    """Tables as plain text."""
    out = io.StringIO()
    console = Console(file=out, width=width, no_color=True, highlight=False, markup=False)
    for renderable in renderables:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).rstrip("\n")


def result_tables(result: Result) -> list[RenderableType]:
    """A table for the flows and one for the queues."""
    return [_flows(result), _queues(result)]


# A column: its title, the key in the JSON, and the unit of the JSON's number.
Column = tuple[str, str, str]
_FLOWS: tuple[Column, ...] = (
    ("goodput", "goodput_bps", "bps"),
    ("share", "share", "1"),
    ("sent", "sent_packets", "pkt"),
    ("lost", "lost_packets", "pkt"),
    ("retransmits", "retransmits", ""),
    ("timeouts", "rtos", ""),
    ("marks", "marks", ""),
    ("srtt", "srtt_mean_s", "s"),
    ("cwnd", "cwnd_mean_packets", "pkt"),
)
_QUEUES: tuple[Column, ...] = (
    ("mean", "mean_packets", "pkt"),
    ("max", "max_packets", "pkt"),
    ("sojourn", "mean_sojourn_s", "s"),
    ("p99 sojourn", "p99_sojourn_s", "s"),
    ("utilization", "utilization", "1"),
    ("marks", "marks", ""),
)
_RARE = ("marks", "rtos")


def _flows(result: Result) -> Table:
    titles, cells = _measured(result.flows, _FLOWS)
    rows = [[f.name, f.as_dict().get("cc") or "-", *row] for f, row in zip(result.flows, cells, strict=True)]
    return grid("Flows", ["flow", "cc", *titles], rows, text_columns=2)


def _queues(result: Result) -> Table:
    titles, cells = _measured(result.queues, _QUEUES)
    rows = [[q.name, q.kind, *row, drops(q)] for q, row in zip(result.queues, cells, strict=True)]
    return grid("Queues", ["queue", "kind", *titles, "drops"], rows, text_columns=2)


def _measured(rows: Sequence[Row], columns: Sequence[Column]) -> tuple[list[str], list[list[str]]]:
    """Titles with their units, and the cells of each row. Columns that nobody has are left out, and marks and
    timeouts that never occurred."""
    titles: list[str] = []
    shown: list[list[str]] = []
    for title, key, unit in columns:
        values = [row.interval(key) for row in rows]
        largest = max((abs(v.mean) for v in values if v is not None), default=None)
        if largest is None or (key in _RARE and largest == 0):
            continue
        scale, name = _unit(unit, largest)
        titles.append(f"{title} [{name}]" if name else title)
        shown.append(["-" if v is None else number(v, scale) for v in values])
    return titles, [list(cells) for cells in zip(*shown, strict=True)]


def _unit(unit: str, largest: float) -> tuple[float, str]:
    """The scale and the unit in which a column's largest number reads well."""
    if unit == "1":
        return 100.0, "%"
    if unit == "s":
        return next(((1 / scale, name) for scale, name in TIMES if largest >= scale), (1e6, "us"))
    if unit == "bps":
        scale, name = prefix(largest)
        return 1 / scale, f"{name}bps"
    return 1.0, unit


def number(x: Interval, scale: float = 1.0) -> str:
    """The mean times `scale`, and half the width of its interval if there is one."""
    text = significant(x.mean * scale)
    if x.half is None:
        return text
    half = x.half if x.half > 1e-12 * abs(x.mean) else 0.0  # Equal runs: less is the rounding of their mean.
    return f"{text} ± {significant(half * scale, 2)}"


def drops(queue: Row) -> str:
    """Drops by reason: `overflow 12, early 340`; those that never happened are left out."""
    reasons = queue.as_dict().get("drops", {})
    numbers = ((reason, Interval.read(n)) for reason, n in reasons.items())
    return ", ".join(f"{reason} {number(n)}" for reason, n in numbers if n and n.mean > 0) or "none"


def sweep_table(points: Sequence[dict[str, Any]]) -> str:
    """A line for each point: what it changes, the goodput of all flows, and each queue's length and use. Plain text:
    a terminal's table of a thousand lines takes a second to lay out."""
    axes = list(dict.fromkeys(key for point in points for key in point["overrides"]))
    queues = list(dict.fromkeys(queue["name"] for point in points for queue in point.get("queues", [])))
    head = [
        *axes,
        "goodput [Mbps]",
        *(f"{name} {what}" for name in queues for what in ("mean [pkt]", "utilization [%]")),
    ]
    return plain([head, *(_point_cells(point, axes, queues) for point in points)], text_columns=len(axes))


def _point_cells(point: dict[str, Any], axes: Sequence[str], queues: Sequence[str]) -> list[str]:
    cells = [str(point["overrides"].get(axis, "")) for axis in axes]
    if "flows" not in point:
        return [*cells, f"no result: {point['error']['message']}"]
    runs = [run for run in point.get("runs") or [point] if "flows" in run]
    cells.append(number(interval([sum(f["goodput_bps"] for f in run["flows"]) for run in runs]), 1e-6))
    rows = {queue["name"]: queue for queue in point["queues"]}
    for name in queues:
        for key, scale in (("mean_packets", 1.0), ("utilization", 100.0)):
            measured = Interval.read(rows.get(name, {}).get(key))
            cells.append("-" if measured is None else number(measured, scale))
    return cells


def versus_table(points: Sequence[dict[str, Any]]) -> str:
    """Each point less its baseline, seed by seed: the mean difference, half its interval, and the ratio."""
    axes = list(dict.fromkeys(key for point in points for key in point["overrides"]))
    queues = list(dict.fromkeys(q["name"] for point in points for q in point["versus"].get("queues", [])))
    head = [
        *axes,
        "seeds",
        "goodput [Mbps]",
        "ratio",
        *(f"{name} {what}" for name in queues for what in ("mean [pkt]", "ratio")),
    ]
    rows = [head]
    for i, point in enumerate(points):
        block = point["versus"]
        cells = [str(point["overrides"].get(axis, "")) for axis in axes]
        if block["baseline"] == i:
            rows.append([*cells, "baseline"])
        elif block["seeds"] == 0:
            rows.append([*cells, "no result"])
        else:
            measured = {queue["name"]: queue.get("mean_packets") for queue in block["queues"]}
            cells += [str(block["seeds"]), *_difference(block["goodput_bps"], 1e-6)]
            rows.append(cells + [text for name in queues for text in _difference(measured.get(name), 1.0)])
    return "Each point less its baseline, seed by seed\n" + plain(rows, text_columns=len(axes))


def _difference(measured: dict[str, Any] | None, scale: float) -> list[str]:
    if measured is None:
        return ["-", "-"]
    low, high = measured["ci95"] or (None, None)
    ratio = "-" if measured["ratio"] is None else significant(measured["ratio"], 3)
    return [f"{number(Interval(measured['difference'], low, high, measured['n']), scale)}", ratio]


def plain(rows: Sequence[Sequence[str]], text_columns: int = 1) -> str:
    """Aligned columns; the first row is the head, the first `text_columns` columns are words, the others numbers."""
    count = len(rows[0])
    widths = [max((len(row[i]) for row in rows if i < len(row) - (len(row) < count)), default=0) for i in range(count)]
    lines = []
    for row in rows:
        cells = [
            c.ljust(w) if i < text_columns else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=False))
        ]
        lines.append("   ".join(cells).rstrip())
    return "\n".join([lines[0], "─" * len(lines[0]), *lines[1:]])


def summary_line(result: Result) -> str:
    """One line about the run itself."""
    json = result.json
    parts = [f"{time_text(json['duration_s'])} simulated" if "duration_s" in json else ""]
    if json.get("wall_s") is not None:
        parts.append(f"in {time_text(float(Interval.read(json['wall_s'])))}")
    runs = json.get("runs") or [json]
    parts.append(f"{len(runs)} replications" if len(runs) > 1 else "")
    parts += [f"fingerprint {result.fingerprint}", "" if result.valid else "NOT VALID"]
    return " · ".join(part for part in parts if part)
