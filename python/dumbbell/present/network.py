"""A plan's network as text and as Graphviz: hosts, routers, links, queues, and each flow's
round-trip time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ..models import codepoints
from . import groups
from .units import rate_about, seconds, time_text

Plan = dict[str, Any]


_FEW = 8
"""Processors that a table of links shows: those of two flows of a short form."""


def for_people(plan: Plan) -> Plan:
    """The plan with one flow in the place of each group: the first one, with the group's names
    (`web.1 … web.1978`) and, in `group`, all of them. A session is a group; of more than
    `groups.MOST` flows, so is a template, or else a congestion control."""
    flows = plan["flows"]
    keys = _groups(flows)
    members: dict[Key, list[dict[str, Any]]] = {}
    for key, flow in zip(keys, flows, strict=True):
        members.setdefault(key, []).append(flow)
    if len(members) == len(flows):
        return plan
    kept = []
    for group in members.values():
        first, last = group[0], group[-1]
        name = first["name"] if first is last else f"{first['name']} … {last['name']}"
        spread = {} if len(group) == 1 or "session" in first else {"group": _spread(plan, group)}
        kept.append({**first, "name": name, **spread})
    used = {i for flow in kept for i in (*flow["forward"], *flow["back"])}
    dropped = {i for flow in flows for i in (*flow["forward"], *flow["back"])} - used
    links = [i for i in range(len(plan["links"])) if i not in dropped]
    place = {old: new for new, old in enumerate(links)}
    moved = [
        {**flow, **{way: [place[i] for i in flow[way]] for way in ("forward", "back")}}
        for flow in kept
    ]
    places = {flow["name"].partition(" … ")[0]: new for new, flow in enumerate(kept)}
    numbers = {
        old: places[flow["name"]] for old, flow in enumerate(flows) if flow["name"] in places
    }
    return {
        **plan,
        "links": [_renumbered(plan["links"][i], numbers) for i in links],
        "flows": moved,
    }


Key = tuple[str, ...]
"""What the flows of a group have in common."""


def _groups(flows: Sequence[dict[str, Any]]) -> list[Key]:
    """The group of each flow."""
    alone: list[Key] = [
        (flow.get("session", ""), flow["name"] * ("session" not in flow)) for flow in flows
    ]
    if len(set(alone)) <= groups.MOST:
        return alone
    by_name: list[Key] = [
        (flow.get("session", ""), groups.template(flow["name"]), _cc(flow)) for flow in flows
    ]
    if len(set(by_name)) <= groups.MOST:
        return by_name
    return [(flow.get("session", ""), _cc(flow)) for flow in flows]


def _spread(plan: Plan, group: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The number of flows of a group, and the ends of their starts and round-trip times [s]."""
    starts = [seconds(flow["start"]) for flow in group]
    rtts = [base_rtt(plan, flow) for flow in group]
    return {
        "flows": len(group),
        "start": (min(starts), max(starts)),
        "rtt": (min(rtts), max(rtts)),
    }


def _cc(flow: dict[str, Any]) -> str:
    """The congestion control of a flow, or `udp`."""
    transport = flow["transport"]
    return str(transport["cc"]["kind"]) if transport["protocol"] == "tcp" else "udp"


def _renumbered(link: dict[str, Any], numbers: dict[int, int]) -> dict[str, Any]:
    """A link whose rules name flows by their new numbers; those that are not shown are left out."""
    rules = link.get("conditioner")
    if not rules:
        return link

    def renumbered(rule: dict[str, Any]) -> dict[str, Any]:
        named = rule.get("flows")
        return (
            rule
            if named is None
            else {**rule, "flows": [numbers[i] for i in named if i in numbers]}
        )

    return {**link, "conditioner": [renumbered(rule) for rule in rules]}


def drawing(plan: Plan, most: int | None = None, width: int | None = None) -> str:
    """A dumbbell as a picture, if it is not wider than `width`; any other network as one line for
    each pair of neighbors, at most `most` of them."""
    routers = [i for i, node in enumerate(plan["nodes"]) if node["kind"] == "router"]
    between = [link for link in plan["links"] if link["from"] in routers and link["to"] in routers]
    if len(routers) == 2 and between:
        picture = _dumbbell(plan, *_downstream(plan, routers, between))
        if width is None or max(map(len, picture.splitlines())) <= width:
            return picture
    pairs = [_pair(plan, link) for link in _one_way(_wires(plan))]
    more = [f"  and {len(pairs) - most} more"] if most is not None and len(pairs) > most else []
    return "\n".join([*pairs[:most], *more])


def _wires(plan: Plan) -> list[dict[str, Any]]:
    """The links of the network, without the processors of hosts."""
    return [link for link in plan["links"] if "host" not in link]


def base_rtt(plan: Plan, flow: dict[str, Any]) -> float:
    """Smallest round-trip time of a flow in seconds, without queues and transmission."""
    return sum(seconds(plan["links"][i]["delay"]) for i in [*flow["forward"], *flow["back"]])


def queue_text(link: dict[str, Any]) -> str:
    """A link's queue: `red, 36 pkt`."""
    return f"{link['aqm']['kind']}, {capacity_text(link['capacity'])}"


def rate_text(link: dict[str, Any]) -> str:
    """A link's rate: `10 Mbps`, or a service and its mean rate."""
    service = link.get("service")
    if service is None:
        return str(link["rate"])
    return f"{service['kind']}, {rate_about(link['rate'])}"


def edge_text(plan: Plan, link: dict[str, Any]) -> str:
    """The conditioner before a link's queue: `token_bucket per flow, IN af11, OUT af12`; empty
    without rules."""
    return codepoints.edge(link.get("conditioner"), plan["flows"])


def capacity_text(capacity: Any) -> str:
    """A queue's capacity as counted: packets, bytes, or buffers of one size."""
    if isinstance(capacity, dict):
        ((unit, amount),) = capacity.items()
        if unit == "buffers":
            return f"{amount['count']} x {amount['size']} B"
        return f"{amount} {'pkt' if unit == 'packets' else 'B'}"
    return str(capacity)


def path(plan: Plan, flow: dict[str, Any]) -> list[str]:
    """The names of the nodes that a flow's data passes."""
    links = [link for i in flow["forward"] if "host" not in (link := plan["links"][i])]
    return [plan["nodes"][n]["name"] for n in [flow["from"], *(link["to"] for link in links)]]


def dot(plan: Plan) -> str:
    """The network for Graphviz."""
    lines = [
        "digraph dumbbell {",
        "  rankdir=LR; node [fontname=Helvetica]; edge [fontname=Helvetica, fontsize=10];",
    ]
    for node in plan["nodes"]:
        shape = "box" if node["kind"] == "router" else "ellipse"
        lines.append(f'  "{node["name"]}" [shape={shape}];')
    for link in _wires(plan):
        ends = f'"{plan["nodes"][link["from"]]["name"]}" -> "{plan["nodes"][link["to"]]["name"]}"'
        label = f"{rate_text(link)}, {link['delay']}" + (
            f"\\n{queue_text(link)}" if link["report"] else ""
        )
        label += f"\\nedge: {edge}" if (edge := edge_text(plan, link)) else ""
        lines.append(f'  {ends} [label="{label}"{", penwidth=2" if link["report"] else ""}];')
    return "\n".join([*lines, "}"])


def _downstream(
    plan: Plan, routers: Sequence[int], between: Sequence[dict[str, Any]]
) -> tuple[int, int]:
    """The two routers in the direction in which most flows send."""
    across = {
        link_id: link["from"] for link_id, link in enumerate(plan["links"]) if link in between
    }
    starts = [across[i] for flow in plan["flows"] for i in flow["forward"] if i in across]
    left = max(routers, key=starts.count)
    return left, next(r for r in routers if r != left)


def _dumbbell(plan: Plan, left: int, right: int) -> str:
    names = [node["name"] for node in plan["nodes"]]
    hosts: dict[int, list[str]] = defaultdict(list)
    for link in plan["links"]:
        if link["to"] in (left, right) and link["from"] not in (left, right):
            hosts[link["to"]].append(
                f"{names[link['from']]} ─ {rate_text(link)}, {link['delay']} ─"
            )
    neck = next(link for link in plan["links"] if (link["from"], link["to"]) == (left, right))
    senders = hosts[left]
    receivers = [" ".join(reversed(_swap(text))) for text in hosts[right]]
    rows = max(len(senders), len(receivers), 1)
    middle = (rows - 1) // 2
    trunk = f" {names[left]} ══ {rate_text(neck)}, {neck['delay']} ══ {names[right]} "
    under = f"queue at {names[left]}: {queue_text(neck)}"
    under += f"\n  edge at {names[left]}: {edge}" if (edge := edge_text(plan, neck)) else ""
    width = max(map(len, senders), default=0)
    lines = []
    for row in range(rows):
        begin = senders[row] if row < len(senders) else ""
        end = receivers[row] if row < len(receivers) else ""
        inner = trunk if row == middle else " " * len(trunk)
        west = _joint(row, len(senders), middle, "left")
        east = _joint(row, len(receivers), middle, "right")
        lines.append(f"  {begin:>{width}}{west}{inner}{east}{end}")
    return "\n".join([*(line.rstrip() for line in lines), "", f"  {under}"])


def _swap(text: str) -> list[str]:
    """The parts of a host's line, for the mirror image on the right."""
    host, wire, _ = text.split(" ─", 2)
    return [host, f"─{wire} ─"]


def _joint(row: int, rows: int, middle: int, side: str) -> str:
    """The character where a host's line meets the others."""
    if row >= rows and row != middle:
        return " " if row > max(rows - 1, middle) else "│"
    up, down = row > 0, row < rows - 1 or row < middle
    host, trunk = row < rows, row == middle
    west, east = (host, trunk) if side == "left" else (trunk, host)
    shapes = {
        (True, True, True, True): "┼", (True, True, True, False): "┤",
        (True, True, False, True): "├", (True, False, True, True): "┴",
        (False, True, True, True): "┬", (True, False, True, False): "┘",
        (False, True, True, False): "┐", (True, False, False, True): "└",
        (False, True, False, True): "┌", (True, True, False, False): "│",
    }  # fmt: skip
    return shapes.get((up, down, west, east), "─")


def _one_way(links: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One link of each pair of opposite directions: the one that is reported, or the first."""
    chosen: dict[frozenset[int], dict[str, Any]] = {}
    for link in links:
        pair = frozenset((link["from"], link["to"]))
        if pair not in chosen or (link["report"] and not chosen[pair]["report"]):
            chosen[pair] = link
    return list(chosen.values())


def _pair(plan: Plan, link: dict[str, Any]) -> str:
    names = [node["name"] for node in plan["nodes"]]
    queue = f"   queue at {names[link['from']]}: {queue_text(link)}" if link["report"] else ""
    queue += f"   edge: {edge}" if (edge := edge_text(plan, link)) else ""
    return (
        f"  {names[link['from']]} ── {rate_text(link)}, {link['delay']} ── "
        f"{names[link['to']]}{queue}"
    )


FLOWS = ("flow", "path", "cc", "source", "start", "base RTT")
"""The heads of `flow_rows`."""


def flow_rows(plan: Plan) -> list[list[str]]:
    """Name, path, congestion control, source, start and base RTT of each flow; of a group, the ends
    of its starts and RTTs."""
    rows = []
    for flow in plan["flows"]:
        start, rtt = seconds(flow["start"]), base_rtt(plan, flow)
        group = flow.get("group", {"start": (start, start), "rtt": (rtt, rtt)})
        rows.append(
            [
                flow["name"],
                " → ".join(path(plan, flow)),
                _cc(flow),
                flow["source"]["kind"],
                _ends(*group["start"]),
                _ends(*group["rtt"]),
            ]
        )
    return rows


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
        for link in (plan["links"] if few else _wires(plan))
        if link["report"] or link["impairments"] or link.get("conditioner") or link.get("service")
    ]
    if every or len(rows) <= groups.MOST:
        return rows
    alike: dict[Key, list[str]] = {}
    for name, *rest in rows:
        alike.setdefault(tuple(rest), []).append(name)
    return [
        [names[0] if len(names) == 1 else f"{names[0]} … {names[-1]} ({len(names)})", *rest]
        for rest, names in alike.items()
    ]
