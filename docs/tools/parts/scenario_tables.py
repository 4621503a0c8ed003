"""The keys of the scenario language, from the JSON Schema: the generated parts of
reference/scenario.md, networks.md and flows.md."""

from __future__ import annotations

from typing import Any

from dumbbell import api
from dumbbell.language.keys import alternatives

from .markdown_table import code, table


def keys(name: str) -> str:
    """The keys of one table of the scenario language; `Scenario` is the file itself."""
    schema = api.schema()
    rules = schema if name == "Scenario" else schema["$defs"][name]
    rows = []
    for key, rule in rules["properties"].items():
        rows.append([f"`{key}`", _value(rule), _default(rule), rule["description"]])
    return table(["key", "value", "default", "meaning"], rows)


def _default(rule: dict[str, Any]) -> str:
    """A plain default; others are in the meaning, and a key without any is required."""
    default = rule.get("default")
    if isinstance(default, str | bool | int | float):
        return code(default)
    return "–" if "default" in rule else "required"


def _value(rule: dict[str, Any]) -> str:
    """What may be written, in words."""
    defs = api.schema()["$defs"]
    first, *others = alternatives(rule) or [rule]
    if others:  # A distribution: its quantity, or a table.
        return f"{_value(first)}, or a [distribution](traffic.md#distributions)"
    if "$ref" in first:
        name = first["$ref"].removeprefix("#/$defs/")
        target = defs[name]
        if "x-unit" in target:
            return f"{target['x-unit']}, as {code(target['examples'][0])}"
        if name == "cpu":
            return "a [processor](hosts.md)"
        if "oneOf" in target:
            return ", ".join(code(o["const"]) for o in target["oneOf"])
        if (options := alternatives(target)) and all("type" in option for option in options):
            return " or ".join(map(_value, options))
        if name == "stop":
            return 'a rule, as `"ci95 < 2%"`, or a table with `rule` and `most`'
        if name == "framing":
            return '`"ethernet"`, `"vlan"`, `"pppoe"`, `"none"` or a size'
        return f"a [{name}]({_PLACES[name]})"
    if "enum" in first:
        return ", ".join(code(value) for value in first["enum"])
    kind = first["type"]
    if kind == "array":
        return f"list of {_value(first['items']).removeprefix('a ')}"
    return {
        "integer": "whole number",
        "boolean": "true or false",
        "object": "table",
        "string": "text",
    }.get(kind, kind)


_PLACES = {
    "Dumbbell": "networks.md#dumbbell",
    "Wire": "networks.md#a-bottleneck",
    "Access": "networks.md#access-links",
    "Reverse": "networks.md#the-other-direction",
    "ParkingLot": "networks.md#parking-lot",
    "Star": "networks.md#star",
    "LeafSpine": "networks.md#leaf-spine",
    "FatTree": "networks.md#fat-tree",
    "Wan": "networks.md#wide-area-networks",
    "WanLink": "networks.md#wide-area-networks",
    "Cable": "networks.md#links-of-a-fabric",
    "LinkChange": "networks.md#changes-of-single-links",
    "DownTime": "networks.md#links-that-fail",
    "SharedBuffer": "networks.md#shared-buffers",
    "Routing": "networks.md#routing",
    "Pattern": "traffic.md#patterns",
    "Station": "networks.md#explicit-networks",
    "Link": "networks.md#explicit-networks",
    "LinkReverse": "networks.md#explicit-networks",
    "Flow": "flows.md#a-flow",
    "Word": "flows.md#what-hosts-know",
    "Radio": "flows.md#what-hosts-know",
    "Session": "flows.md#sessions",
    "Reassembly": "networks.md#fragments",
    "Testbed": "scenario.md#real-hosts",
    "Record": "scenario.md#records",
    "Sweep": "scenario.md#sweeps",
    "queue": "networks.md#queues",
    "cc": "scenario.md#algorithms",
    "source": "scenario.md#algorithms",
    "impairment": "scenario.md#algorithms",
    "conditioner": "networks.md#edges",
    "service": "networks.md#services",
    "quic": "quic.md",
    "scream": "scream.md",
    "tcp": "flows.md#tcp",
    "stop": "scenario.md#replications",
}
"""Where the pages describe a table or a kind of algorithm."""
