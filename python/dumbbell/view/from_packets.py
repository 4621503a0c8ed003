"""The panels of a live run whose series were not recorded, from its packets: a run on real kernels
cannot be repeated with more records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..data.captures import Direction
from ..figures import crowd
from . import captures
from .contents import Contents
from .shown import Shown, pen

if TYPE_CHECKING:
    import polars

_S = 1e-12


def draw(contents: Contents, shown: Shown) -> dict[str, float]:
    """Draws what packets tell of queues and of flows that have no series. Returns the bytes in a
    packet of each TCP flow that it draws."""
    packets, hops = shown.source.find("packets"), shown.source.find("hops")
    if hops is not None and shown.source.find("queues") is None:
        _queues(contents, shown, hops)
    if packets is None or shown.source.find("flows") is not None:
        return {}
    found = {name: _direction(packets, name) for name in shown.run.flows}
    carried = {name: one for name, one in found.items() if one.acked}
    named = set(shown.flows) or set(list(carried)[: crowd.MOST])
    flows = [one for name, one in carried.items() if name in named]
    captures.draw(contents, shown, flows, shown.run.duration_s)
    return {
        one.name: float(max(end - start for _, start, end, _ in one.segments or ()))
        for one in flows
    }


def _direction(packets: polars.DataFrame, name: str) -> Direction:
    """The data of a flow as a capture at its sender has them."""
    import polars as pl

    mine = packets.filter((pl.col("flow") == name) & pl.col("flags").is_not_null())
    takes = pl.col("flags").str.contains("S|F").cast(pl.UInt64)
    sent = mine.filter((pl.col("from") == "sender") & pl.col("seq").is_not_null()).select(
        pl.col("sent_ps").alias("ps"),
        pl.lit(1).alias("order"),
        pl.col("seq").alias("byte"),
        pl.max_horizontal("payload_bytes", takes).alias("length"),
    )
    heard = mine.filter(
        (pl.col("from") == "receiver") & pl.col("delivered_ps").is_not_null()
    ).select(
        pl.col("delivered_ps").alias("ps"),
        pl.lit(0).alias("order"),
        pl.col("ack").alias("byte"),
        pl.lit(0, pl.UInt64).alias("length"),
    )
    found = Direction(name, segments=[])
    for ps, is_data, byte, length in pl.concat([sent, heard]).sort("ps", "order").iter_rows():
        if not is_data:
            found.acknowledge(ps * _S, byte)
        elif length:
            found.data(ps * _S, byte, length)
    return found


def _queues(contents: Contents, shown: Shown, hops: polars.DataFrame) -> None:
    """The length that packets found at the queues that results report."""
    panel = contents.panel("queue", "Queue", "packets")
    reported = [str(link["name"]) for link in shown.plan["links"] if link["report"]]
    for place, name in enumerate(reported[: crowd.MOST]):
        rows = hops.filter(hops["link"] == name).sort("arrived_ps")
        mine = pen(contents, shown, "queue", crowd.Member(name, (name,), place), "")
        table = contents.given(
            shown.name("queues", name),
            {
                "time_s": (rows["arrived_ps"] * _S).to_list(),
                "queue_packets": rows["backlog_packets"].to_list(),
            },
        )
        mine.line(panel, name, table, "queue_packets", shape="step")
