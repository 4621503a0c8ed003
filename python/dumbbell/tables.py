"""Results as tables for people: every number with its unit, and its 95 % interval where there is one."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table

from .stats import Interval
from .units import prefix, significant, time_text

if TYPE_CHECKING:
    from .result import Result, Row

Show = Callable[[Interval], str]


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


def scaled(scale: float, unit: str, digits: int = 4) -> Show:
    """Shows a number times `scale`, with `unit`: the mean, and the interval if there is one."""

    def show(x: Interval) -> str:
        text = significant(x.mean * scale, digits)
        if x.half is not None:
            text += f" ± {significant(x.half * scale, 2)}"
        return f"{text} {unit}".rstrip()

    return show


def bits(x: Interval) -> str:
    """A rate in bit/s."""
    scale, name = prefix(x.mean)
    return scaled(1 / scale, f"{name}bps")(x)


def duration(x: Interval) -> str:
    """A time in seconds, milliseconds or microseconds."""
    if x.mean >= 1:
        return scaled(1, "s")(x)
    return scaled(1e3, "ms")(x) if x.mean >= 1e-3 else scaled(1e6, "us")(x)


count = scaled(1, "")
percent = scaled(100, "%")
packets = scaled(1, "pkt")

_FLOWS: tuple[tuple[str, str, Show], ...] = (
    ("goodput", "goodput_bps", bits),
    ("share", "share", percent),
    ("sent", "sent_packets", packets),
    ("lost", "lost_packets", packets),
    ("retransmits", "retransmits", count),
    ("timeouts", "rtos", count),
    ("marks", "marks", count),
    ("srtt", "srtt_mean_s", duration),
    ("cwnd", "cwnd_mean_packets", packets),
)
_QUEUES: tuple[tuple[str, str, Show], ...] = (
    ("mean", "mean_packets", packets),
    ("max", "max_packets", packets),
    ("sojourn", "mean_sojourn_s", duration),
    ("p99 sojourn", "p99_sojourn_s", duration),
    ("utilization", "utilization", percent),
    ("marks", "marks", count),
)


def _flows(result: Result) -> Table:
    columns = _shown(result.flows, _FLOWS)
    rows = [[f.name, f.as_dict().get("cc") or "-", *_cells(f, columns)] for f in result.flows]
    return grid("Flows", ["flow", "cc", *(title for title, _, _ in columns)], rows, text_columns=2)


def _queues(result: Result) -> Table:
    columns = _shown(result.queues, _QUEUES)
    rows = [[q.name, q.kind, *_cells(q, columns), drops(q)] for q in result.queues]
    titles = ["queue", "kind", *(title for title, _, _ in columns), "drops"]
    return grid("Queues", titles, rows, text_columns=2)


def _shown(rows: Sequence[Row], columns: Sequence[tuple[str, str, Show]]) -> list[tuple[str, str, Show]]:
    """Columns that some row has; marks and timeouts only where there are any."""
    rare = ("marks", "rtos")

    def wanted(key: str) -> bool:
        values = [row.interval(key) for row in rows]
        return any(v is not None and (key not in rare or v.mean > 0) for v in values)

    return [column for column in columns if wanted(column[1])]


def _cells(row: Row, columns: Sequence[tuple[str, str, Show]]) -> list[str]:
    values = ((row.interval(key), show) for _, key, show in columns)
    return ["-" if value is None else show(value) for value, show in values]


def drops(queue: Row) -> str:
    """Drops by reason: `overflow 12, early 340`; those that never happened are left out."""
    reasons = queue.as_dict().get("drops", {})
    numbers = ((reason, Interval.read(n)) for reason, n in reasons.items())
    return ", ".join(f"{reason} {count(n)}" for reason, n in numbers if n and n.mean > 0) or "none"


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
