"""The packets of flows: time-sequence graphs, and packets on their way through the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .contents import Contents
from .shown import Shown

if TYPE_CHECKING:
    import polars

_S = 1e-12
_MOST_IN_SPACE = 10_000
"""Hops of the packet view, at most."""


def draw(contents: Contents, shown: Shown, flows: dict[str, float]) -> None:
    """Adds what is about single packets, as far as they were recorded."""
    packets = shown.source.find("packets")
    if packets is None:
        return
    for name in flows:
        _sequence(contents, shown, name, packets.filter(packets["flow"] == name))
    if shown.window is not None:
        return  # The first drop, which the packet view surrounds, is elsewhere.
    hops = shown.source.find("hops")
    if hops is not None and hops.height:
        _space(contents, shown, packets, hops)


def _sequence(contents: Contents, shown: Shown, name: str, rows: polars.DataFrame) -> None:
    """The segments of a flow and the acknowledgments that reached its sender."""
    import polars as pl

    data = rows.filter(
        (pl.col("from") == "sender") & pl.col("seq").is_not_null() & (pl.col("payload_bytes") > 0)
    ).sort("sent_ps")
    if not data.height:
        return
    kind = (
        pl.when(pl.col("dropped_ps").is_not_null())
        .then(pl.lit("lost"))
        .when("retransmit")
        .then(pl.lit("again"))
        .otherwise(pl.lit("data"))
    )
    data = data.select(
        (pl.col("sent_ps") * _S).alias("time_s"),
        "seq",
        (pl.col("seq") + pl.col("payload_bytes")).alias("end"),
        kind.alias("kind"),
    )
    acks = (
        rows.filter(
            (pl.col("from") == "receiver")
            & pl.col("delivered_ps").is_not_null()
            & pl.col("ack").is_not_null()
        )
        .sort("delivered_ps")
        .select((pl.col("delivered_ps") * _S).alias("time_s"), pl.col("ack").cum_max().alias("ack"))
    )
    contents.timeseq.append(
        {
            "run": shown.number,
            "flow": name,
            "sent": contents.given(shown.name("sent", name), _columns(data)),
            "acks": contents.given(shown.name("acks", name), _columns(acks)),
        }
    )


def _columns(frame: polars.DataFrame) -> dict[str, list[object]]:
    return {name: frame[name].to_list() for name in frame.columns}


def _space(
    contents: Contents, shown: Shown, packets: polars.DataFrame, hops: polars.DataFrame
) -> None:
    """The packets around the first drop: where each was, and when."""
    import polars as pl

    drops = hops["dropped_ps"].drop_nulls()
    middle = int(drops.min() if len(drops) else hops["arrived_ps"].min())  # type: ignore[arg-type]
    hops = hops.sort("arrived_ps")
    center = int(hops["arrived_ps"].search_sorted(middle))
    first = max(0, center - _MOST_IN_SPACE // 2)
    part = hops.slice(first, _MOST_IN_SPACE)
    nodes = [str(node["name"]) for node in shown.plan["nodes"]]
    ends = {str(link["name"]): (link["from"], link["to"]) for link in shown.plan["links"]}
    seen = {n for link in part["link"].unique() for n in ends[link]}
    order = _from_the_left(shown, seen)
    places = {node: place for place, node in enumerate(order)}
    size = packets.select("flow", "from", "packet", "ip_len_bytes", "payload_bytes")
    part = part.join(size, on=["flow", "from", "packet"], how="left")
    rows = {
        "flow": part["flow"].to_list(),
        "packet": part["packet"].to_list(),
        "ack": ["ack" if n == 0 else "data" for n in part["payload_bytes"].to_list()],
        "from": [places[ends[link][0]] for link in part["link"]],
        "to": [places[ends[link][1]] for link in part["link"]],
        "arrived_s": (part["arrived_ps"] * _S).to_list(),
        "departed_s": part.select(pl.col("departed_ps") * _S)["departed_ps"].to_list(),
        "far_s": part.select(pl.col("far_end_ps") * _S)["far_end_ps"].to_list(),
        "size": part["ip_len_bytes"].to_list(),
    }
    contents.space.append(
        {
            "run": shown.number,
            "from_s": rows["arrived_s"][0],
            "to_s": rows["arrived_s"][-1],
            "nodes": [{"id": str(node), "label": nodes[node]} for node in order],
            "table": contents.given(shown.name("hops"), rows),
        }
    )


def _from_the_left(shown: Shown, nodes: set[int]) -> list[int]:
    """Nodes by the number of links between them and the senders, along the paths of the flows."""
    links = shown.plan["links"]
    distance: dict[int, int] = {}
    for flow in shown.plan["flows"]:
        path = [flow["from"], *(links[link]["to"] for link in flow["forward"])]
        for steps, node in enumerate(path):
            distance[node] = max(steps, distance.get(node, 0))
    return sorted(nodes, key=lambda node: (distance.get(node, len(links)), node))
