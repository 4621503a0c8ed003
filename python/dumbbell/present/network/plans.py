"""A plan with one flow in the place of many that are alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import groups
from ..units import seconds
from .words import Plan, base_rtt, cc


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
        (flow.get("session", ""), groups.template(flow["name"]), cc(flow)) for flow in flows
    ]
    if len(set(by_name)) <= groups.MOST:
        return by_name
    return [(flow.get("session", ""), cc(flow)) for flow in flows]


def _spread(plan: Plan, group: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The number of flows of a group, and the ends of their starts and round-trip times [s]."""
    starts = [seconds(flow["start"]) for flow in group]
    rtts = [base_rtt(plan, flow) for flow in group]
    return {
        "flows": len(group),
        "start": (min(starts), max(starts)),
        "rtt": (min(rtts), max(rtts)),
    }


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
