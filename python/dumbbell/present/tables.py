"""Results as tables for people: every number with its unit, and its 95 % interval where there is
one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.table import Table

from ..data import measurements
from ..language.overrides import toml
from . import stats
from .grids import Grid, grid, number, plain, unit_of
from .stats import Interval
from .units import significant, time_text

if TYPE_CHECKING:
    from ..data.rows import Row
    from ..data.shapes import ResultLike, SweepLike


def result_tables(result: ResultLike) -> list[RenderableType]:
    """A table for the flows, one for the queues, one for what was recorded of acknowledgments."""
    return [_drawn(g) for g in result_grids(result)]


def sweep_tables(sweep: SweepLike) -> list[RenderableType]:
    """A table with a row for each point."""
    return [_drawn(sweep_grid(sweep))]


def result_grids(result: ResultLike) -> list[Grid]:
    """The flows, what their applications measured, the sessions, the queues, profiles, markers and
    processors of hosts where there are any, and acknowledgments where they were recorded."""
    own = [_flows(result)] if len(result.flows) or not len(result.sessions) else []
    told = [_applications(result)] if any(flow.application for flow in result.flows) else []
    sessions = [_sessions(result), *_by_size(result)] if len(result.sessions) else []
    followed = [acks for flow in result.flows if (acks := flow.acks) is not None]
    profiles = (
        [_profiles(result)] if any("in_throughput_bps" in f.as_dict() for f in result.flows) else []
    )
    markers = [_markers(result)] if len(result.markers) else []
    wires = [_ethernets(result)] if any("collisions" in q.as_dict() for q in result.queues) else []
    hosts = [_hosts(result)] if len(result.hosts) else []
    tail = [_acks(followed)] if followed else []
    if any("validity" in run for run in result.json.get("runs") or [result.json]):
        from . import validity

        tail += validity.grids(result.json)
    return [*own, *told, *sessions, _queues(result), *wires, *profiles, *markers, *hosts, *tail]


def measures_table(result: ResultLike) -> Table:
    """Everything that is measured of the queues."""
    rows = []
    for title, key in _MEASURES:
        unit = measurements.find("queue", key).unit
        values = [queue.interval(key) for queue in result.queues]
        largest = max((abs(v.mean) for v in values if v is not None), default=None)
        if largest is not None:
            scale, name = unit_of(unit, largest)
            rows.append(
                [
                    f"{title} [{name}]" if name else title,
                    *("-" if v is None else number(v, scale) for v in values),
                ]
            )
    return _drawn(
        Grid("Measures of queues", ["measure", *(queue.name for queue in result.queues)], rows)
    )


def _drawn(g: Grid) -> Table:
    return grid(g.title, g.columns, g.rows, g.text_columns)


# A column: its title, the key in the JSON, and the unit of the JSON's number.
Column = tuple[str, str, str]
# The measurements that a table of a sort of row shows; the registry has their heads and units.
_SHOWN = {
    "flow": (
        "goodput_bps",
        "share",
        "sent_packets",
        "lost_packets",
        "retransmits",
        "rtos",
        "marks",
        "srtt_mean_s",
        "cwnd_mean_packets",
        "completion_s",
    ),
    "session": (
        "flows",
        "finished",
        "arrived_bps",
        "mean_bytes",
        "mean_completion_s",
        "p50_completion_s",
        "p95_completion_s",
        "p99_completion_s",
        "mean_slowdown",
        "p99_slowdown",
    ),
    "queue": (
        "mean_packets",
        "max_packets",
        "mean_sojourn_s",
        "p99_sojourn_s",
        "utilization",
        "marks",
        "lock_out",
    ),
    "acks": (
        "sent",
        "lost",
        "duplicates",
        "mean_newly_acked_bytes",
        "p50_spacing_receiver_s",
        "p50_spacing_sender_s",
        "compressed_share",
        "stretched_share",
    ),
    "marker": (
        "in_rate_bps",
        "out_rate_bps",
        "dropped_packets",
        "tokens_lost_share",
        "tokens_mean_bytes",
        "tokens_mean_packets",
        "held_mean_packets",
        "holding_mean_s",
        "holding_p99_s",
    ),
    "host": (
        "packets",
        "interrupts",
        "cycles_per_packet",
        "cycles_per_bit",
        "utilization",
        "dropped_packets",
    ),
}
# Numbers of a flow within a profile and beyond it.
_PROFILES = (
    "reserved_bps",
    "target_bps",
    "in_throughput_bps",
    "out_throughput_bps",
    "in_sent_packets",
    "in_lost_packets",
    "out_sent_packets",
    "out_lost_packets",
)
_ETHERNETS = ("collisions", "late_collisions", "excessive_collisions", "broken_frames")
_RARE = ("marks", "rtos", "lock_out", "dropped_packets", "held_mean_packets")
# Further measures of a queue, by titles that group them: a row for each, a column for each queue.
_MEASURES = (
    ("length, mean", "mean_packets"),
    ("length, 50 %", "p50_packets"),
    ("length, 95 %", "p95_packets"),
    ("length, 99 %", "p99_packets"),
    ("length, mean", "mean_bytes"),
    ("length, largest", "max_bytes"),
    ("time empty", "empty_share"),
    ("time above the threshold", "time_above_share"),
    ("the threshold", "watch_above_packets"),
    ("the threshold", "watch_above_bytes"),
    ("standing queue", "standing_packets"),
    ("sojourn, mean", "mean_sojourn_s"),
    ("sojourn, 50 %", "p50_sojourn_s"),
    ("sojourn, 95 %", "p95_sojourn_s"),
    ("sojourn, 99 %", "p99_sojourn_s"),
    ("standing sojourn", "standing_sojourn_s"),
    ("global synchronization", "synchronization"),
    ("flows that lose in an epoch", "loss_epoch_share"),
    ("locked out", "lock_out"),
)


def _columns_of(row: str, names: Sequence[str] = ()) -> list[Column]:
    """The columns of measurements of a sort of row; without names, those that its table shows."""
    found = measurements.of(row)
    return [(found[name].head, name, found[name].unit) for name in names or _SHOWN[row]]


def _flows(result: ResultLike) -> Grid:
    titles, cells = _measured(result.flows, _columns_of("flow"))
    rows = [
        [f.name, f.as_dict().get("cc") or "-", *row]
        for f, row in zip(result.flows, cells, strict=True)
    ]
    return Grid("Flows", ["flow", "cc", *titles], rows, text_columns=2)


def _sessions(result: ResultLike) -> Grid:
    titles, cells = _measured(result.sessions, _columns_of("session"))
    rows = [[s.name, *row] for s, row in zip(result.sessions, cells, strict=True)]
    return Grid("Sessions", ["session", *titles], rows)


def _by_size(result: ResultLike) -> list[Grid]:
    """A table for each session whose transfers have several classes of size."""
    grids = []
    for session in result.sessions:
        classes = [
            row
            for row in session.by_size
            if (flows := row.interval("flows")) is not None and flows.mean > 0
        ]
        if len(classes) > 1:
            titles, cells = _measured(
                classes, [c for c in _columns_of("session") if c[1] != "arrived_bps"]
            )
            rows = [[row.name, *cell] for row, cell in zip(classes, cells, strict=True)]
            grids.append(Grid(f"Sizes of {session.name}", ["size", *titles], rows))
    return grids


def _applications(result: ResultLike) -> Grid:
    """Measurements of applications, each number by its name in the JSON."""
    rows = []
    for flow in result.flows:
        for key, value in flow.application.items():
            if value is not None:
                known = value if isinstance(value, Interval) else Interval(float(value))
                unit = "s" if key.endswith("_s") else "bps" if key.endswith("_bps") else ""
                scale, name = unit_of(unit, abs(known.mean))
                what = key.removesuffix("_s").removesuffix("_bps").replace("_", " ")
                rows.append([flow.name, what, f"{number(known, scale)} {name}".rstrip()])
    return Grid("Applications", ["flow", "measure", "value"], rows, text_columns=2)


def _queues(result: ResultLike) -> Grid:
    titles, cells = _measured(result.queues, _columns_of("queue"))
    rows = [[q.name, q.kind, *row, drops(q)] for q, row in zip(result.queues, cells, strict=True)]
    return Grid("Queues", ["queue", "kind", *titles, "drops"], rows, text_columns=2)


def _ethernets(result: ResultLike) -> Grid:
    ends = [q for q in result.queues if "collisions" in q.as_dict()]
    titles, cells = _measured(ends, _columns_of("queue", _ETHERNETS))
    rows = [[q.name, *row] for q, row in zip(ends, cells, strict=True)]
    return Grid("Ends of Ethernets", ["queue", *titles], rows)


def _profiles(result: ResultLike) -> Grid:
    titles, cells = _measured(result.flows, _columns_of("flow", _PROFILES))
    rows = [[f.name, *row] for f, row in zip(result.flows, cells, strict=True)]
    return Grid(f"Profiles{_distance(result)}", ["flow", *titles], rows)


def _distance(result: ResultLike) -> str:
    """The mean distance of flows from their targets, for a title."""
    mean = result.totals.interval("target_error_mean")
    return "" if mean is None else f", {number(mean, 100.0, 3)} % from their targets in the mean"


def _markers(result: ResultLike) -> Grid:
    titles, cells = _measured(result.markers, _columns_of("marker"))
    rows = [
        [m.as_dict().get("flow") or "all", m.link, m.kind, *row]
        for m, row in zip(result.markers, cells, strict=True)
    ]
    return Grid("Markers", ["of flow", "before", "kind", *titles], rows, text_columns=3)


def _hosts(result: ResultLike) -> Grid:
    titles, cells = _measured(result.hosts, _columns_of("host"))
    rows = [[h.host, h.direction, *row] for h, row in zip(result.hosts, cells, strict=True)]
    return Grid("Hosts", ["host", "processor", *titles], rows, text_columns=2)


def _acks(followed: Sequence[Row]) -> Grid:
    titles, cells = _measured(followed, _columns_of("acks"))
    rows = [[acks.name, *row] for acks, row in zip(followed, cells, strict=True)]
    return Grid("Acknowledgments", ["flow", *titles], rows)


def sweep_grid(sweep: SweepLike) -> Grid:
    """A row for each point: what is swept, the goodput of all flows together, and the first
    queue."""
    points = list(sweep)
    of_queue = _columns_of("queue")
    swept = list(dict.fromkeys(key for changes, _ in points for key in changes))
    rows: list[dict[str, Interval | None]] = []
    for _, result in points:
        queue = result.queues[0] if result.json.get("queues") else None
        row = {key: queue.interval(key) if queue else None for _, key, _ in of_queue}
        rows.append({"goodput_bps": total_goodput(result), **row})
    titles, cells = _columns(rows, [*_columns_of("totals", ("goodput_bps",)), *of_queue])
    named = [
        [*(_word(changes.get(key)) for key in swept), *row]
        for (changes, _), row in zip(points, cells, strict=True)
    ]
    return Grid("Points", [*swept, *titles], named, text_columns=len(swept))


def total_goodput(result: ResultLike) -> Interval | None:
    """The goodput of all flows together [bit/s], with its interval over the runs; None if the point
    has no run."""
    runs = [run for run in result.runs if "flows" in run.json]
    sums = [
        float(r.totals.goodput_bps) if r.sessions else sum(float(f.goodput_bps) for f in r.flows)
        for r in runs
    ]
    return stats.interval(sums) if sums else None


def _word(value: object) -> str:
    return value if isinstance(value, str) else "-" if value is None else toml(value)


def _measured(rows: Sequence[Row], columns: Sequence[Column]) -> tuple[list[str], list[list[str]]]:
    """Titles with their units, and the cells of each row."""
    return _columns([{key: row.interval(key) for _, key, _ in columns} for row in rows], columns)


def _columns(
    rows: Sequence[dict[str, Interval | None]], columns: Sequence[Column]
) -> tuple[list[str], list[list[str]]]:
    """Titles with their units, and the cells of each row. Columns that nobody has are left out, and
    marks and timeouts that never occurred."""
    titles: list[str] = []
    shown: list[list[str]] = []
    for title, key, unit in columns:
        values = [row[key] for row in rows]
        largest = max((abs(v.mean) for v in values if v is not None), default=None)
        if largest is None or (key in _RARE and largest == 0):
            continue
        scale, name = unit_of(unit, largest)
        titles.append(f"{title} [{name}]" if name else title)
        shown.append(["-" if v is None else number(v, scale) for v in values])
    return titles, [[column[i] for column in shown] for i in range(len(rows))]


def drops(queue: Row) -> str:
    """Drops by reason: `overflow 12, early 340`; those that never happened are left out."""
    reasons = queue.as_dict().get("drops", {})
    numbers = ((reason, Interval.read(n)) for reason, n in reasons.items())
    return ", ".join(f"{reason} {number(n)}" for reason, n in numbers if n and n.mean > 0) or "none"


def versus_table(points: Sequence[dict[str, Any]]) -> str:
    """Each point less its baseline, seed by seed: the mean difference, half its interval, and the
    ratio."""
    axes = list(dict.fromkeys(key for point in points for key in point["overrides"]))
    queues = list(
        dict.fromkeys(q["name"] for point in points for q in point["versus"].get("queues", []))
    )
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
        if block["baseline"] == i + 1:
            rows.append([*cells, "baseline"])
        elif block["seeds"] == 0:
            rows.append([*cells, "no result"])
        else:
            measured = {queue["name"]: queue.get("mean_packets") for queue in block["queues"]}
            cells += [str(block["seeds"]), *_difference(block["goodput_bps"], 1e-6)]
            rows.append(
                cells + [text for name in queues for text in _difference(measured.get(name), 1.0)]
            )
    return "Each point less its baseline, seed by seed\n" + plain(rows, text_columns=len(axes))


def _difference(measured: dict[str, Any] | None, scale: float) -> list[str]:
    if measured is None:
        return ["-", "-"]
    low, high = measured["ci95"] or (None, None)
    ratio = "-" if measured["ratio"] is None else significant(measured["ratio"], 3)
    return [f"{number(Interval(measured['difference'], low, high, measured['n']), scale)}", ratio]


def summary_line(result: ResultLike) -> str:
    """One line about the run itself."""
    json = result.json
    done = "on real kernels" if json.get("on") == "kernel" else "simulated"
    parts = [f"{time_text(json['duration_s'])} {done}" if "duration_s" in json else ""]
    if json.get("wall_s") is not None:
        parts.append(f"in {time_text(float(json['wall_s']))}")
    runs = json.get("runs") or [json]
    parts.append(f"{len(runs)} replications" if len(runs) > 1 else "")
    parts += [f"fingerprint {result.fingerprint}", "" if result.valid else "NOT VALID"]
    return " · ".join(part for part in parts if part)
