"""The generated parts of docs/reference/scenario.md: the language's keys, from the JSON Schema."""

from __future__ import annotations

from typing import Any

from dumbbell import api

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
    """A plain default; others are in the meaning, and what can neither be left out nor be null is
    required."""
    default = rule.get("default")
    if isinstance(default, str | bool | int | float):
        return code(default)
    nullable = "null" in rule.get("type", []) or {"type": "null"} in rule.get("anyOf", [])
    return "–" if nullable or "default" in rule else "required"


def _value(rule: dict[str, Any]) -> str:
    """What may be written, in words."""
    defs = api.schema()["$defs"]
    options = [o for o in rule.get("anyOf", [rule]) if o.get("type") != "null"]
    (first, *_) = options
    if "anyOf" in first:  # A distribution: its quantity, or a table.
        return f"{_value(first['anyOf'][0])}, or a [distribution](traffic.md#distributions)"
    if "$ref" in first:
        name = first["$ref"].removeprefix("#/$defs/")
        target = defs[name]
        if "x-unit" in target:
            return f"{target['x-unit']}, as {code(target['examples'][0])}"
        if name == "cpu":
            return "a [processor](hosts.md)"
        if "anyOf" in target and all("type" in option for option in target["anyOf"]):
            return " or ".join(_value(option) for option in target["anyOf"])
        if "oneOf" in target:
            return ", ".join(code(o["const"]) for o in target["oneOf"])
        if name == "stop":
            return 'a rule, as `"ci95 < 2%"`, or a table with `rule` and `most`'
        if name == "framing":
            return '`"ethernet"`, `"vlan"`, `"pppoe"`, `"none"` or a size'
        return f"a [{name}](#{_anchor(name)})"
    if "enum" in first:
        return ", ".join(code(value) for value in first["enum"])
    kind = next(
        t
        for t in ([first["type"]] if isinstance(first["type"], str) else first["type"])
        if t != "null"
    )
    if kind == "array":
        return f"list of {_value(first['items']).removeprefix('a ')}"
    return {
        "integer": "whole number",
        "boolean": "true or false",
        "object": "table",
        "string": "text",
    }.get(kind, kind)


_ANCHORS = {
    "Dumbbell": "dumbbell",
    "Wire": "a-bottleneck",
    "Access": "access-links",
    "Reverse": "the-other-direction",
    "ParkingLot": "parking-lot",
    "Station": "explicit-networks",
    "Link": "explicit-networks",
    "LinkReverse": "explicit-networks",
    "Flow": "flows",
    "Word": "what-hosts-know",
    "Radio": "what-hosts-know",
    "Session": "sessions",
    "Reassembly": "fragments",
    "Testbed": "real-hosts",
    "Record": "records",
    "Sweep": "sweeps",
    "queue": "queues",
    "cc": "algorithms",
    "source": "algorithms",
    "impairment": "algorithms",
    "conditioner": "algorithms",
    "service": "services",
    "tcp": "tcp",
    "stop": "replications",
}


def _anchor(name: str) -> str:
    return _ANCHORS[name]
