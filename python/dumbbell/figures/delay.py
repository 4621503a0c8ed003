"""Delays of packets: distributions of one-way and of queueing delay, for each flow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ScenarioError
from ..present.units import plain_rate
from . import style
from .recorded_run import Source, View
from .style import Figure, lettering, palette

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars

    Array = npt.NDArray[np.float64]

_PS = 1e-12
_DOTTED = (0, (1.2, 1.2))


@dataclass(frozen=True, slots=True)
class Delays:
    """Delays of the data packets of a flow, or of a group of flows, that arrived, sorted, in
    seconds."""

    flow: str
    place: int
    one_way_s: Array
    queueing_s: Array
    """Waiting in all queues on the way: from arrival to the start of transmission."""


def delays(source: Source, view: View) -> list[Delays]:
    """The delays of each flow in view (of more than eight flows, of each group), of the packets
    sent in view."""
    packets = source.need("packets", ("sent_ps", "delivered_ps", "ip_len_bytes"))
    packets = packets.filter((packets["from"] == "sender") & packets["delivered_ps"].is_not_null())
    packets = view.cut(packets, "sent_ps", _PS)
    waited = _waited(source)
    found = []
    for member in source.members(packets, view):
        rows = member.rows(packets, "flow").join(waited, on=["flow", "packet"], how="left")
        one_way = (rows["delivered_ps"] - rows["sent_ps"]).to_numpy().astype(np.float64) * _PS
        queueing = rows["waited_ps"].to_numpy().astype(np.float64) * _PS
        found.append(Delays(member.label, member.place, np.sort(one_way), np.sort(queueing)))
    if not found:
        raise ScenarioError(f"{source}: no packet arrived in this part of the run")
    return found


def pooled(source: Source, view: View) -> Array:
    """The one-way delays of the data packets of all flows in view together, sorted, in seconds."""
    import polars as pl

    packets = source.need("packets", ("sent_ps", "delivered_ps"))
    arrived = (pl.col("from") == "sender") & pl.col("delivered_ps").is_not_null()
    rows = view.cut(packets.filter(arrived), "sent_ps", _PS)
    if view.flows:
        source.names(rows, view)
        rows = rows.filter(pl.col("flow").is_in(view.flows))
    taken: Array = (rows["delivered_ps"] - rows["sent_ps"]).to_numpy().astype(np.float64) * _PS
    return np.sort(taken)


def _waited(source: Source) -> polars.DataFrame:
    """Picoseconds that each data packet waited, over all its links."""
    import polars as pl

    hops = source.need("hops", ("link", "arrived_ps", "departed_ps"))
    hops = hops.filter((hops["from"] == "sender") & hops["departed_ps"].is_not_null())
    sizes = (
        source.need("packets")
        .filter(pl.col("from") == "sender")
        .select("flow", "packet", "ip_len_bytes")
    )
    links = (source.plan or {}).get("links", [])
    ps_per_byte = {
        k["name"]: 8e12 / r for k in links if (r := plain_rate(k.get("rate"))) and _constant(k)
    }
    framing = {k["name"]: k["framing"] if isinstance(k.get("framing"), int) else 0 for k in links}
    least = [float(k.get("least", 0)) for k in links]
    rates = pl.DataFrame(
        {
            "link": list(framing),
            "ps_per_byte": [ps_per_byte.get(name, 0.0) for name in framing],
            "framing": [float(bytes_) for bytes_ in framing.values()],
            "least": least,
        },
        schema={
            "link": pl.String,
            "ps_per_byte": pl.Float64,
            "framing": pl.Float64,
            "least": pl.Float64,
        },
    )
    rows = hops.join(sizes, on=["flow", "packet"]).join(rates, on="link", how="left")
    frame = pl.max_horizontal(
        pl.col("ip_len_bytes") + pl.col("framing").fill_null(0), pl.col("least").fill_null(0)
    )
    wire = frame * pl.col("ps_per_byte").fill_null(0)
    waited = (pl.col("departed_ps") - pl.col("arrived_ps")).cast(pl.Float64) - wire
    # A transmitter carries its rounding from packet to packet: up to a picosecond.
    rows = rows.with_columns(waited_ps=pl.when(waited > 1.5).then(waited).otherwise(0.0))
    return rows.group_by("flow", "packet").agg(pl.col("waited_ps").sum())


def _constant(link: dict[str, Any]) -> bool:
    return link.get("service") is None or link["service"].get("kind") == "constant"


def delay(source: Source, view: View) -> Figure:
    """Left the distribution (CDF), right its tail (CCDF, logarithmic): one-way delay, and dotted
    the queueing in it."""
    found = delays(source, view)
    figure, (whole, tail) = style.new(1, 2, size=(9.2, 3.8))
    alone = len(found) == 1
    for d in found:
        look = palette.nth(d.place)
        label = lettering.short(d.flow) + (", one way" if alone else "")
        for values, dash in ((d.one_way_s, "-"), (d.queueing_s, _DOTTED)):
            line: dict[str, Any] = {"color": look.color, "linestyle": dash, "linewidth": 1.5}
            ms, share = values * 1e3, np.arange(1, len(values) + 1) / len(values)
            whole.plot(ms, share, drawstyle="steps-post", label=label, **line)
            tail.plot(ms, 1 - share + 1 / len(ms), drawstyle="steps-pre", **line)
            label = "_"
    color = palette.nth(found[0].place).color if alone else palette.GREY
    whole.plot([], [], color=color, linestyle=_DOTTED, label="queueing in it")
    whole.set(xlabel="delay [ms]", ylabel="share of packets, at most", ylim=(0, 1.01))
    tail.set(xlabel="delay [ms]", ylabel="share of packets, at least")
    tail.set_yscale("log")
    tail.set_ylim(top=1.1)
    for axes in (whole, tail):
        axes.set_xlim(left=0)
    lettering.legend(whole)
    return figure
