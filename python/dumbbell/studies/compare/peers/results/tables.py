"""Results beside ns-2's as tables for people."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from .....present.grids import grid
from .....present.stats import Interval
from .....present.units import significant
from .packet_trace import Followed
from .work import Result

_PERCENT = ("utilization", "drop_rate", "share_first", "share_last")
_VERDICTS = {"tolerance": "agrees", "interval": "agrees (interval)", "differs": "DIFFERS"}


def result_table(results: Sequence[Result]) -> Table:
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
    return grid(
        "Results, mean ± 95 %",
        ["scenario", "quantity", "ours", "ns-2", "verdict"],
        rows,
        text_columns=2,
    )


def follow_table(flows: Sequence[Followed]) -> Table:
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
    return grid("Packet by packet", columns, rows)


def _value(quantity: str, value: Interval) -> str:
    scale, unit = (100, " %") if quantity in _PERCENT else (1, " pkt")
    return (
        f"{significant(scale * value.mean)} ± {significant(scale * (value.half or 0.0), 1)}{unit}"
    )
