"""The columns of the tables of a result: which measurements each shows, and which give way first.

Heads and units are the registry's (`data.measurements`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from ..data import measurements
from .grids import number, titled, unit_of
from .stats import Interval

Shown = Mapping[str, int]
"""The measurements of a table in their order, each with its rank: where the width is too small, the
column with the highest rank is left out first. Rank 0 is always shown."""

FLOW: Shown = {
    "goodput_bps": 0,
    "share": 4,
    "sent_packets": 7,
    "lost_packets": 2,
    "retransmits": 8,
    "rtos": 3,
    "marks": 5,
    "srtt_mean_s": 1,
    "cwnd_mean_packets": 6,
    "completion_s": 1,
}
MEDIA: Shown = {
    "target_bps": 1,
    "qdelay_p95_s": 3,
    "rtp_queue_p95_s": 5,
    "frame_delay_p95_s": 2,
    "frames": 4,
    "frames_late": 6,
    "frames_lost": 7,
    "missed": 0,
}
SESSION: Shown = {
    "flows": 5,
    "finished": 4,
    "arrived_bps": 3,
    "mean_bytes": 6,
    "mean_completion_s": 0,
    "p50_completion_s": 2,
    "p95_completion_s": 7,
    "p99_completion_s": 1,
    "mean_slowdown": 8,
    "p99_slowdown": 9,
}
QUEUE: Shown = {
    "mean_packets": 0,
    "max_packets": 5,
    "mean_sojourn_s": 2,
    "p99_sojourn_s": 1,
    "utilization": 1,
    "marks": 4,
    "lock_out": 6,
}
ACKS: Shown = {
    "sent": 5,
    "lost": 0,
    "duplicates": 6,
    "mean_newly_acked_bytes": 1,
    "p50_spacing_receiver_s": 3,
    "p50_spacing_sender_s": 2,
    "compressed_share": 4,
    "stretched_share": 7,
}
MARKER: Shown = {
    "in_rate_bps": 0,
    "out_rate_bps": 1,
    "dropped_packets": 2,
    "tokens_lost_share": 3,
    "tokens_mean_bytes": 6,
    "tokens_mean_packets": 7,
    "held_mean_packets": 5,
    "holding_mean_s": 8,
    "holding_p99_s": 4,
}
HOST: Shown = {
    "packets": 3,
    "interrupts": 5,
    "cycles_per_packet": 2,
    "cycles_per_bit": 4,
    "utilization": 0,
    "dropped_packets": 1,
}
SHARED_BUFFER: Shown = {
    "size_bytes": 3,
    "alpha": 4,
    "mean_bytes": 1,
    "max_bytes": 0,
    "threshold_drops": 2,
    "full_drops": 5,
}
PROFILE: Shown = {
    "reserved_bps": 2,
    "target_bps": 1,
    "in_throughput_bps": 0,
    "out_throughput_bps": 0,
    "in_sent_packets": 5,
    "in_lost_packets": 3,
    "out_sent_packets": 6,
    "out_lost_packets": 4,
}
ETHERNET: Shown = {
    "collisions": 0,
    "late_collisions": 2,
    "excessive_collisions": 1,
    "broken_frames": 3,
}
RARE = ("marks", "rtos", "lock_out", "dropped_packets", "held_mean_packets")
"""Left out where they never occurred."""


class Member(Protocol):
    """A row of a result, or a group of rows."""

    @property
    def name(self) -> str: ...  # noqa: D102
    def interval(self, key: str, /) -> Interval | None: ...  # noqa: D102


class Column(NamedTuple):
    """A column of measurements: its head, its unit in the JSON, its rank, whether it is left out if
    all are 0, the measurement of a row, and a name that columns of one scale share."""

    head: str
    unit: str
    rank: int
    rare: bool
    of: Callable[[Any], Interval | None]
    scale: str = ""


class Block(NamedTuple):
    """Columns with their cells: a list for each row."""

    heads: list[str]
    ranks: list[int]
    rows: list[list[str]]


def of(row: str, shown: Shown) -> list[Column]:
    """The columns of these measurements of a sort of row (`flow`, `queue`, ...)."""
    found = measurements.of(row)
    return [
        Column(found[key].head, found[key].unit, rank, key in RARE, _measured(key))
        for key, rank in shown.items()
    ]


def _measured(key: str) -> Callable[[Any], Interval | None]:
    return lambda member: member.interval(key)


def block(members: Sequence[Member], wanted: Sequence[Column]) -> Block:
    """The columns that some row has, each in the unit in which its largest number reads best."""
    heads, ranks, cells = [], [], []
    found = [(column, [column.of(member) for member in members]) for column in wanted]
    for column, values in found:
        largest = _largest(values)
        if largest is None or (column.rare and largest == 0):
            continue
        alike = [v for other, v in found if column.scale and other.scale == column.scale]
        scale, name = unit_of(column.unit, max([largest, *(_largest(v) or 0.0 for v in alike)]))
        heads.append(titled(column.head, name))
        ranks.append(column.rank)
        cells.append(["-" if v is None else number(v, scale) for v in values])
    return Block(heads, ranks, [[column[i] for column in cells] for i in range(len(members))])


def _largest(values: Sequence[Interval | None]) -> float | None:
    return max((abs(v.mean) for v in values if v is not None), default=None)
