"""A run as a list of steps, and the first step of two runs that the other has not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..why.journeys import PS

if TYPE_CHECKING:
    import polars

    from .recorded_run import Side

KINDS = ("sent", "arrived", "marked", "dropped", "departed", "delivered")
"""Kinds of events of a packet, in their order at one instant."""
KEY = ["time_ps", "kind", "flow", "from", "packet", "link", "detail"]
_SENT = (
    "flags",
    "seq",
    "ack",
    "payload_bytes",
    "ip_len_bytes",
    "retransmit",
    "ecn",
    "window_bytes",
    "options",
)


def steps(side: Side, end_ps: int) -> polars.DataFrame:
    """Every step up to `end_ps` in the order of time: `time_ps`, `kind` (its place in KINDS), whose
    packet, where, and what else there is to say of it as text."""
    import polars as pl

    def of(
        frame: polars.DataFrame, kind: str, time: str, link: str | None, detail: polars.Expr
    ) -> polars.DataFrame:
        return frame.filter(pl.col(time).is_not_null() & (pl.col(time) <= end_ps)).select(
            pl.col(time).cast(pl.Int64).alias("time_ps"),
            pl.lit(KINDS.index(kind), dtype=pl.Int8).alias("kind"),
            "flow",
            "from",
            "packet",
            (pl.lit("") if link is None else pl.col(link)).alias("link"),
            detail.cast(pl.String).fill_null("").alias("detail"),
        )

    packets, hops = side.packets, side.hops
    marks = side.signals.filter(pl.col("marked")).with_columns(
        time_ps=(pl.col("time_s") * PS).round().cast(pl.Int64)
    )
    what = pl.concat_str(
        [pl.col(name).cast(pl.String).fill_null("-") for name in _SENT], separator=" "
    )
    parts = [
        of(packets, "sent", "sent_ps", None, what),
        of(hops, "arrived", "arrived_ps", "link", pl.col("backlog_packets")),
        of(marks, "marked", "time_ps", "queue", pl.col("reason")),
        of(hops, "dropped", "dropped_ps", "link", pl.col("reason")),
        of(hops, "departed", "departed_ps", "link", pl.lit("")),
        of(packets, "delivered", "delivered_ps", None, pl.col("ce_on_arrival")),
    ]
    return pl.concat(parts).sort(KEY, maintain_order=True)


def first(a: polars.DataFrame, b: polars.DataFrame) -> tuple[dict[str, Any], str] | None:
    """The earliest step that only one of two runs has, and which one (`a` or `b`); None if there is
    none."""
    import polars as pl

    only = [
        x.join(y, on=KEY, how="anti").bottom_k(1, by=KEY).with_columns(run=pl.lit(n))
        for x, y, n in ((a, b, "a"), (b, a, "b"))
    ]
    alone = pl.concat(only).sort(KEY)
    if not alone.height:
        return None
    step = alone.row(0, named=True)
    return step, str(step.pop("run"))


def common(
    a: polars.DataFrame, b: polars.DataFrame, step: dict[str, Any], most: int
) -> list[dict[str, Any]]:
    """The last steps before `step` that both runs have, at most so many, in the order of time."""
    import polars as pl

    earlier = a.filter(
        (pl.col("time_ps") < step["time_ps"])
        | ((pl.col("time_ps") == step["time_ps"]) & (pl.col("kind") < step["kind"]))
    )
    return earlier.tail(10 * most).join(b, on=KEY, how="semi").sort(KEY).tail(most).to_dicts()
