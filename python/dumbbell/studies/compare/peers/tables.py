"""Comparisons as tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....present.grids import Grid
from ....present.stats import Interval
from ....present.units import prefix, significant
from .ratios import Row
from .results.packet_trace import Followed
from .results.work import Result

_COLUMNS = (
    "against",
    "flows",
    "rate",
    "time",
    "queue",
    "goodput, Mbps",
    "drops, %",
    "ns per hop",
    "kB per flow",
    "times as fast",
    "times as small",
)
_RANKS = (0, 0, 4, 7, 0, 2, 3, 6, 5, 0, 1)
_PERCENT = ("utilization", "drop_rate", "share_first", "share_last")
_VERDICTS = {"tolerance": "agrees", "interval": "agrees (interval)", "differs": "DIFFERS"}


def ratio_table(rows: Sequence[Row]) -> Grid:
    """A line for each row; two figures are ours and the peer's."""
    return Grid("Ours / theirs", _COLUMNS, [_row(row) for row in rows], ranks=_RANKS)


def _row(row: Row) -> list[str]:
    w, v = row.workload, row.verdict
    scale, unit = prefix(w.rate_bps)
    return [
        w.against,
        str(w.flows),
        f"{significant(w.rate_bps / scale)} {unit}bps",
        f"{significant(w.duration)} s",
        w.queue,
        _both(v.ours.goodput_bps / 1e6, v.theirs.goodput_bps / 1e6),
        _both(100 * v.ours.drop_rate, 100 * v.theirs.drop_rate, 3),
        _both(row.ours.ns_per_hop, row.theirs.ns_per_hop, 3),
        _both(row.ours.bytes_per_flow / 1000, row.theirs.bytes_per_flow / 1000, 3),
        "not comparable" if row.faster is None else significant(row.faster, 3),
        "" if row.smaller is None else significant(row.smaller, 3),
    ]


def _both(a: float, b: float, digits: int = 4) -> str:
    return f"{significant(a, digits)} / {significant(b, digits)}"


def reasons(rows: Iterable[Row]) -> list[str]:
    """Reasons why rows are not comparisons."""
    return [
        f"{r.workload.against}, {r.workload.flows} flows, {r.workload.queue}: not comparable: "
        f"{r.verdict.why}"
        for r in rows
        if not r.verdict.alike
    ]


def result_table(results: Sequence[Result]) -> Grid:
    """A line for each quantity of each scenario."""
    rows = [
        [
            r.scenario.name,
            q.quantity,
            _value(q.quantity, q.ours),
            _value(q.quantity, q.theirs),
            _VERDICTS[q.how],
        ]
        for r in results
        for q in r.quantities
    ]
    return Grid(
        "Results, mean ± 95 %",
        ["scenario", "quantity", "ours", "ns-2", "verdict"],
        rows,
        text_columns=2,
    )


def follow_table(flows: Sequence[Followed]) -> Grid:
    """A line for each flow that was followed."""
    rows = [
        [f.cc, str(f.buffer), str(f.ours), str(f.theirs), str(f.same_order), str(f.same_time)]
        for f in flows
    ]
    columns = [
        "one flow",
        "buffer, pkt",
        "sent by ours",
        "by ns-2",
        "first in the same order",
        "and at the same µs",
    ]
    return Grid("Packet by packet", columns, rows)


def _value(quantity: str, value: Interval) -> str:
    scale, unit = (100, " %") if quantity in _PERCENT else (1, " pkt")
    return (
        f"{significant(scale * value.mean)} ± {significant(scale * (value.half or 0.0), 1)}{unit}"
    )
