"""The tables of a plan: its flows, and the links that do more than forward."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import groups
from ..units import seconds, time_text
from .words import Plan, base_rtt, cc, edge_text, path, queue_text, rate_text, wires

_FEW = 8
"""Processors that a table of links shows: those of two flows of a short form."""

FLOWS = ("flow", "path", "cc", "source", "start", "base RTT")
"""The heads of `flow_rows`."""


def flow_rows(plan: Plan, equal: Mapping[str, int] | None = None) -> list[list[str]]:
    """Name, path, congestion control, source, start and base RTT of each flow; of a group, the path
    of its first, and the ends of its starts and RTTs. equal: by the names of flows, the number of
    paths of equal cost that each could take."""
    rows = []
    for flow in plan["flows"]:
        start, rtt = seconds(flow["start"]), base_rtt(plan, flow)
        group = flow.get("group", {"start": (start, start), "rtt": (rtt, rtt)})
        rows.append(
            [
                flow["name"],
                " → ".join(path(plan, flow)) + _choice(flow, equal or {}),
                cc(flow),
                flow["source"]["kind"],
                _ends(*group["start"]),
                _ends(*group["rtt"]),
            ]
        )
    return rows


def _choice(flow: dict[str, Any], equal: Mapping[str, int]) -> str:
    """What joins a path that is one of several of equal cost."""
    paths = equal.get(flow["name"].partition(" … ")[0], 1)
    return f" (1 of {paths})" if paths > 1 else ""


def _ends(low: float, high: float) -> str:
    return time_text(low) if low == high else f"{time_text(low)} to {time_text(high)}"


LINKS = ("link", "rate", "delay", "queue", "MTU", "conditioner", "impairments")
"""The heads of `link_rows`."""


def link_rows(plan: Plan, every: bool = False) -> list[list[str]]:
    """Each link that is reported, or that does more than forward; processors of hosts if they are
    few. Of more than `groups.MOST`, those that are alike are one row, unless `every`."""
    few = every or sum("host" in link for link in plan["links"]) <= _FEW
    rows = [
        [
            link["name"],
            rate_text(link),
            link["delay"],
            queue_text(link),
            f"{link['mtu']} B",
            edge_text(plan, link) or "none",
            ", ".join(i["kind"] for i in link["impairments"]) or "none",
        ]
        for link in (plan["links"] if few else wires(plan))
        if link["report"] or link["impairments"] or link.get("conditioner") or link.get("service")
    ]
    if every or len(rows) <= groups.MOST:
        return rows
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, *rest in rows:
        alike.setdefault(tuple(rest), []).append(name)
    return [
        [names[0] if len(names) == 1 else f"{names[0]} … {names[-1]} ({len(names)})", *rest]
        for rest, names in alike.items()
    ]
