"""DiffServ codepoints by name, and what the edge of a network does to them, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import dscp

_COLORS = ("green", "yellow", "red")


def name(codepoint: int) -> str:
    """The name of the RFCs (`af11`, `ef`, `cs6`), or the number."""
    return dscp.names().get(codepoint, str(codepoint))


def color(color: str | None) -> str:
    """A color in the words of the assured service: green is IN, yellow and red are OUT."""
    return {None: "-", "green": "IN", "yellow": "OUT"}.get(color, f"OUT ({color})")


def edge(rules: Sequence[Mapping[str, Any]] | None, flows: Sequence[Mapping[str, Any]]) -> str:
    """The rules of an edge, as a plan has them, in a line:
    `data_buffer per flow, IN af11, OUT af12`."""
    return "; ".join(_rule(rule, flows) for rule in rules or ())


def rule_of(
    rules: Sequence[Mapping[str, Any]] | None, flow: int, codepoint: int | None = None
) -> Mapping[str, Any] | None:
    """The first rule that takes the data of a flow (its number in the plan) with a codepoint (None:
    with any)."""
    for rule in rules or ():
        mine = rule.get("flows") is None or flow in rule["flows"]
        if mine and (
            codepoint is None or rule.get("codepoints") is None or codepoint in rule["codepoints"]
        ):
            return rule
    return None


def _rule(rule: Mapping[str, Any], flows: Sequence[Mapping[str, Any]]) -> str:
    each = " per flow" if rule.get("per_flow") else ""
    named = [flows[i]["name"] for i in rule.get("flows") or () if i < len(flows)]
    whose = "" if rule.get("flows") is None else f" of {_few(named)}"
    those = (
        ""
        if rule.get("codepoints") is None
        else f" with {_few([name(c) for c in rule['codepoints']])}"
    )
    return f"{rule['kind']}{each}{whose}{those}, {_actions(rule.get('colours') or ())}"


def _actions(colors: Sequence[Any]) -> str:
    """The effect of each color; yellow and red together where it is the same, or nothing is said of
    red."""
    texts = [_action(action) for action in colors]
    if not texts:
        return "no marks"
    if len(texts) < len(_COLORS) or texts[1] == texts[2] or texts == ["af11", "af12", "af13"]:
        return f"IN {texts[0]}, OUT {texts[min(1, len(texts) - 1)]}"
    return ", ".join(f"{color} {text}" for color, text in zip(_COLORS, texts, strict=True))


def _action(action: Any) -> str:
    return name(int(action["mark"])) if isinstance(action, dict) else str(action)


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (", …" if len(names) > 4 else "")


__all__ = ["color", "edge", "name", "rule_of"]
