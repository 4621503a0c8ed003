"""What a drawing of a network shows, as text and as SVG: nodes, one cable for each pair of
neighbors, and where flows enter and leave."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .words import Plan, cc, edge_text, queue_text, rate_text, wires


@dataclass(frozen=True, slots=True)
class Cable:
    """The links of two neighbors, by one of them: the one that is reported, or the first."""

    tail: int
    head: int
    """The nodes, by their places in `Scene.names`; the link goes from the tail to the head."""
    rate: str
    delay: str
    queue: str = ""
    """The queue at the tail; empty if results do not report it."""
    edge: str = ""
    """The conditioner before that queue; empty without rules."""

    @property
    def ends(self) -> frozenset[int]:
        """Both nodes."""
        return frozenset((self.tail, self.head))

    def at(self, name: str) -> list[str]:
        """What stands at the tail, whose name is given: a line for the queue, one for the edge."""
        queue = [f"queue at {name}: {self.queue}"] if self.queue else []
        return queue + ([f"edge at {name}: {self.edge}"] if self.edge else [])


@dataclass(frozen=True, slots=True)
class Traffic:
    """Flows from one node to another, with the nodes between them."""

    stops: tuple[int, ...]
    """The nodes that the data pass."""
    sort: str
    """Congestion control or `udp`."""
    flows: int = 1


@dataclass(frozen=True, slots=True)
class Scene:
    """A network as it is drawn."""

    name: str
    names: Sequence[str]
    routers: frozenset[int]
    cables: Sequence[Cable]
    traffic: Sequence[Traffic]
    neck: tuple[int, int] | None
    """Of a network of two neighboring routers these, in the direction of most flows."""

    def beside(self, router: int) -> list[Cable]:
        """The cables of a router of the neck, without the neck."""
        neck = frozenset(self.neck or ())
        return [c for c in self.cables if router in c.ends and c.ends != neck]

    def across(self) -> Cable:
        """The cable of the neck."""
        return next(c for c in self.cables if (c.tail, c.head) == self.neck)


def scene(plan: Plan) -> Scene:
    """The network of a plan."""
    nodes = plan["nodes"]
    routers = frozenset(i for i, node in enumerate(nodes) if node["kind"] == "router")
    links = wires(plan)
    traffic = [_traffic(plan, flow) for flow in plan["flows"]]
    neck = _neck(routers, links, traffic)
    return Scene(
        str(plan["name"]),
        [str(node["name"]) for node in nodes],
        routers,
        [_cable(plan, link) for link in _one_way(links, neck)],
        traffic,
        neck,
    )


def layered(shown: Scene, most: int) -> Scene:
    """A network of more than `most` cables with all nodes as one whose names differ in numbers
    alone: a fabric as its layers. Any other network, and one with cables within a layer, is
    unchanged."""
    templates = [template(name) for name in shown.names]
    members: dict[str, list[int]] = {}
    for node, name in enumerate(templates):
        members.setdefault(name, []).append(node)
    layers = {node: i for i, nodes in enumerate(members.values()) for node in nodes}
    several = any(len(nodes) > 1 and nodes[0] in shown.routers for nodes in members.values())
    mixed = any(
        0 < sum(n in shown.routers for n in nodes) < len(nodes) for nodes in members.values()
    )
    within = any(layers[cable.tail] == layers[cable.head] for cable in shown.cables)
    if shown.neck or len(shown.cables) <= most or not several or mixed or within:
        return shown
    return Scene(
        shown.name,
        [
            shown.names[nodes[0]] if len(nodes) == 1 else f"{len(nodes)} × {name}"
            for name, nodes in members.items()
        ],
        frozenset(layers[node] for node in shown.routers),
        list(
            dict.fromkeys(
                replace(cable, tail=layers[cable.tail], head=layers[cable.head])
                for cable in shown.cables
            )
        ),
        [replace(one, stops=tuple(layers[node] for node in one.stops)) for one in shown.traffic],
        None,
    )


def template(name: str) -> str:
    """A name with `*` for its numbers."""
    return re.sub(r"\d+", "*", name)


def _cable(plan: Plan, link: dict[str, Any]) -> Cable:
    return Cable(
        link["from"],
        link["to"],
        rate_text(link),
        str(link["delay"]),
        queue_text(link) if link["report"] else "",
        edge_text(plan, link),
    )


def _traffic(plan: Plan, flow: dict[str, Any]) -> Traffic:
    links = [link for i in flow["forward"] if "host" not in (link := plan["links"][i])]
    count = flow.get("group", {}).get("flows", 1)
    return Traffic((flow["from"], *(link["to"] for link in links)), cc(flow), count)


def _neck(
    routers: frozenset[int], links: Sequence[dict[str, Any]], traffic: Sequence[Traffic]
) -> tuple[int, int] | None:
    ways = {(link["from"], link["to"]) for link in links}
    across = sorted(way for way in ways if routers.issuperset(way))
    if len(routers) != 2 or not across:
        return None
    used = Counter(hop for one in traffic for hop in zip(one.stops, one.stops[1:], strict=False))
    return max(across, key=lambda way: used[way])


def _one_way(links: Sequence[dict[str, Any]], neck: tuple[int, int] | None) -> list[dict[str, Any]]:
    """One link of each pair of opposite directions: of the neck the one in its direction, else the
    one that is reported, or the first."""
    chosen: dict[frozenset[int], dict[str, Any]] = {}
    for link in links:
        way = (link["from"], link["to"])
        pair = frozenset(way)
        better = link["report"] and not chosen[pair]["report"] if pair in chosen else True
        if way == neck or (better and (neck is None or pair != frozenset(neck))):
            chosen[pair] = link
    return list(chosen.values())
