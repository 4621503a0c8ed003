"""Results as tables for people: every number with its unit, and its 95 % interval where there is
one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from ..data import measurements
from . import columns, groups
from .columns import Column, Member, Shown
from .grids import Grid, number, unit_of
from .groups import Group
from .points import sweep_grid as sweep_grid
from .points import total_goodput as total_goodput
from .stats import Interval
from .units import time_text

if TYPE_CHECKING:
    from ..data.rows import Row
    from ..data.shapes import ResultLike

Label = tuple[str, Callable[[Any], str]]
"""A column of text: its head, and its cell for a row of the result."""


def result_tables(result: ResultLike, every: bool = False) -> list[RenderableType]:
    """The tables of a result; `every`: with each row, however many there are."""
    return list(result_grids(result, every))


def result_grids(result: ResultLike, every: bool = False) -> list[Grid]:
    """The flows, what their applications measured, live video, the sessions, the queues, profiles,
    markers, processors of hosts and shared buffers where there are any, and acknowledgments where
    they were recorded. More than `groups.MOST` rows are summarized in groups, unless `every`."""
    return [grid for part in _parts(result, every) for grid in part] + _of_live_runs(result)


def _parts(result: ResultLike, every: bool) -> Iterator[Sequence[Grid]]:
    if len(result.flows) or not len(result.sessions):
        yield [_table(result, _FLOWS, every)]
    if any(flow.application for flow in result.flows):
        yield [_applications(result, every)]
    if _media(result):
        yield [_table(result, _MEDIA, every)]
    if len(result.sessions):
        yield [_table(result, _SESSIONS, True), *_by_size(result)]
    if len(result.queues):
        yield [_table(result, _QUEUES, every)]
    if _ends(result):
        yield [_table(result, _ETHERNETS, every)]
    if any("in_throughput_bps" in flow.as_dict() for flow in result.flows):
        yield [_table(result, _PROFILES, every, _distance(result))]
    if len(result.markers):
        yield [_table(result, _MARKERS, every)]
    if len(result.hosts):
        yield [_table(result, _HOSTS, every)]
    if len(result.shared_buffers):
        yield [_table(result, _SHARED_BUFFERS, every)]
    if _followed(result):
        yield [_table(result, _ACKS, every)]


def _of_live_runs(result: ResultLike) -> list[Grid]:
    if not any("validity" in run for run in result.json.get("runs") or [result.json]):
        return []
    from . import validity

    return validity.grids(result.json)


def _ends(result: ResultLike) -> list[Row]:
    return [queue for queue in result.queues if "collisions" in queue.as_dict()]


def _followed(result: ResultLike) -> list[Row]:
    return [acks for flow in result.flows if (acks := flow.acks) is not None]


def _media(result: ResultLike) -> list[Row]:
    return [media for flow in result.flows if (media := flow.media) is not None]


def _cc(flow: Row) -> str:
    return str(flow.as_dict().get("cc") or "-")


def drops(queue: Row | Group) -> str:
    """Drops by reason: `overflow 12, early 340`; those that never happened are left out."""
    reasons = queue.as_dict().get("drops", {})
    numbers = ((reason, Interval.read(n)) for reason, n in reasons.items())
    return ", ".join(f"{reason} {number(n)}" for reason, n in numbers if n and n.mean > 0) or "none"


@dataclass(frozen=True, slots=True)
class _Sort:
    """A table of a sort of rows: its title, the sort in the registry of measurements, the rows of a
    result, the measurements, and columns of text before and behind them. Rows are grouped by name
    and `kind`, the place of a column of text."""

    title: str
    row: str
    of: groups.Rows
    shown: Shown
    before: Sequence[Label]
    kind: int | None = None
    behind: Sequence[Label] = ()


def _named(head: str) -> Label:
    return (head, lambda row: str(row.name))


_KIND: Label = ("kind", lambda row: str(row.kind))
_FLOWS = _Sort(
    "Flows", "flow", lambda r: r.flows, columns.FLOW, [_named("flow"), ("cc", _cc)], kind=1
)
_PROFILES = _Sort("Profiles", "flow", lambda r: r.flows, columns.PROFILE, [_named("flow")])
_SESSIONS = _Sort("Sessions", "session", lambda r: r.sessions, columns.SESSION, [_named("session")])
_QUEUES = _Sort(
    "Queues",
    "queue",
    lambda r: r.queues,
    columns.QUEUE,
    [_named("queue"), _KIND],
    kind=1,
    behind=[("drops", drops)],
)
_ETHERNETS = _Sort("Ends of Ethernets", "queue", _ends, columns.ETHERNET, [_named("queue")])
_MARKERS = _Sort(
    "Markers",
    "marker",
    lambda r: r.markers,
    columns.MARKER,
    [
        ("of flow", lambda marker: marker.as_dict().get("flow") or "all"),
        ("before", lambda marker: marker.link),
        _KIND,
    ],
    kind=2,
)
_HOSTS = _Sort(
    "Hosts",
    "host",
    lambda r: r.hosts,
    columns.HOST,
    [("host", lambda host: host.host), ("processor", lambda host: host.direction)],
    kind=1,
)
_SHARED_BUFFERS = _Sort(
    "Shared buffers",
    "shared_buffer",
    lambda r: r.shared_buffers,
    columns.SHARED_BUFFER,
    [_named("switch")],
)
_ACKS = _Sort("Acknowledgments", "acks", _followed, columns.ACKS, [_named("flow")])
_MEDIA = _Sort("Live video", "media", _media, columns.MEDIA, [_named("flow")])
_BEHIND = 3
"""The rank of columns of text behind the measurements."""


def _table(result: ResultLike, sort: _Sort, every: bool, more: str = "") -> Grid:
    """A row for each row of the result, or for each group of them; `more` joins the title."""
    rows = sort.of(result)
    if len(rows) > groups.MOST and not every:
        return _grouped(result, sort, more)
    return _grid(
        f"{sort.title}{more}", rows, sort.before, columns.of(sort.row, sort.shown), sort.behind
    )


def _grid(
    title: str,
    members: Sequence[Member],
    before: Sequence[Label],
    wanted: Sequence[Column],
    behind: Sequence[Label] = (),
    notes: Sequence[str] = (),
) -> Grid:
    block = columns.block(members, wanted)
    rows = [
        [*(text(one) for _, text in before), *cells, *(text(one) for _, text in behind)]
        for one, cells in zip(members, block.rows, strict=True)
    ]
    heads = [*(head for head, _ in before), *block.heads, *(head for head, _ in behind)]
    ranks = [*[0] * len(before), *block.ranks, *[_BEHIND] * len(behind)]
    return Grid(title, heads, rows, len(before), ranks, notes)


def _grouped(result: ResultLike, sort: _Sort, more: str) -> Grid:
    """A row for each group: how many rows it has, of the first measurement the mean, the extremes
    and Jain's index, and the mean of the others."""
    kinds: Label = ("", lambda _: "") if sort.kind is None else sort.before[sort.kind]
    found = groups.groups(result, sort.of, kinds[1])
    key = next(iter(sort.shown))
    first, *others = columns.of(sort.row, sort.shown)
    first = first._replace(scale=key)
    spread = [
        first,
        first._replace(head="lowest", rank=1, of=lambda group: group.lowest(key)),
        first._replace(head="highest", rank=1, of=lambda group: group.highest(key)),
    ]
    if key == "goodput_bps":
        spread.append(Column("Jain", "", 1, False, lambda group: group.jain(key)))
    what = sort.before[0][0].removeprefix("of ")
    before: list[Label] = [("group", lambda group: group.name)]
    if sort.kind is not None:
        before.append((kinds[0], lambda group: group.kind))
    count = Column(f"{what}s", "", 0, False, lambda group: Interval(group.count))
    rows = sum(group.count for group in found)
    note = (
        f"{rows} {what}s in {len(found)} group{'s' if len(found) > 1 else ''}; numbers are means "
        f"over the group unless the head says otherwise; --all shows every {what}"
    )
    return _grid(
        f"{sort.title}{more}", found, before, [count, *spread, *others], sort.behind, [note]
    )


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
            shown = {key: rank for key, rank in columns.SESSION.items() if key != "arrived_bps"}
            wanted = columns.of("session", shown)
            grids.append(_grid(f"Sizes of {session.name}", classes, [_named("size")], wanted))
    return grids


def _applications(result: ResultLike, every: bool) -> Grid:
    """Measurements of applications, each number by its name in the JSON. Of many flows, the mean
    and the extremes over the flows of a template."""
    values: dict[tuple[str, str], list[Interval]] = {}
    grouped = len(result.flows) > groups.MOST and not every
    for flow in result.flows:
        name = groups.template(flow.name) if grouped else flow.name
        for key, value in flow.application.items():
            if value is not None:
                known = value if isinstance(value, Interval) else Interval(float(value))
                values.setdefault((name, key), []).append(known)
    rows = []
    for (name, key), found in values.items():
        unit = "s" if key.endswith("_s") else "bps" if key.endswith("_bps") else ""
        scale, unit = unit_of(unit, max(abs(one.mean) for one in found))
        what = key.removesuffix("_s").removesuffix("_bps").replace("_", " ")
        means = [one.mean for one in found]
        shown = [Interval(sum(means) / len(means)), Interval(min(means)), Interval(max(means))]
        cells = shown if grouped else found
        rows.append([name, what, *(f"{number(one, scale)} {unit}".rstrip() for one in cells)])
    heads = ["group", "measure", "mean", "min", "max"] if grouped else ["flow", "measure", "value"]
    return Grid("Applications", heads, rows, text_columns=2)


def _distance(result: ResultLike) -> str:
    """The mean distance of flows from their targets, for a title."""
    mean = result.totals.interval("target_error_mean")
    return "" if mean is None else f", {number(mean, 100.0, 3)} % from their targets on average"


def measures_table(result: ResultLike, every: bool = False) -> Grid:
    """Everything that is measured of the queues; a column for each queue, or each group."""
    many = len(result.queues) > groups.MOST and not every
    queues: Sequence[Member] = (
        groups.groups(result, lambda r: r.queues, _KIND[1]) if many else result.queues
    )
    rows = []
    for title, key in _MEASURES:
        unit = measurements.find("queue", key).unit
        values = [queue.interval(key) for queue in queues]
        largest = max((abs(v.mean) for v in values if v is not None), default=None)
        if largest is not None:
            scale, name = unit_of(unit, largest)
            rows.append(
                [
                    f"{title} [{name}]" if name else title,
                    *("-" if v is None else number(v, scale) for v in values),
                ]
            )
    return Grid("Measures of queues", ["measure", *(queue.name for queue in queues)], rows)


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


def summary_line(result: ResultLike) -> str:
    """One line about the run itself."""
    json = result.json
    done = {"kernel": "on real kernels", "linux": "on user-mode Linux, in virtual time"}.get(
        str(json.get("on")), "simulated"
    )
    parts = [f"{time_text(json['duration_s'])} {done}" if "duration_s" in json else ""]
    if json.get("wall_s") is not None:
        parts.append(f"in {time_text(float(json['wall_s']))}")
    runs = json.get("runs") or [json]
    parts.append(f"{len(runs)} replications" if len(runs) > 1 else "")
    parts += [f"fingerprint {result.fingerprint}", "" if result.valid else "NOT VALID"]
    return " · ".join(part for part in parts if part)
