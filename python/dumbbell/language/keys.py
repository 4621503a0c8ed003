"""Keys of the scenario language, as the JSON Schema describes them: `flow.rtt`, `queue.limit`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from .. import api
from ..errors import ScenarioError
from .overrides import toml

Rule = dict[str, Any]
"""A part of the JSON Schema: what a value may be."""
_PLAIN = {"string": "text", "boolean": "true or false", "integer": "whole number"}


@dataclass(frozen=True)
class Key:
    """A key at one place."""

    path: str
    """Its path, without the numbers of lists: `flow.rtt`."""
    rule: Rule
    forms: tuple[Rule, ...]
    """What its value may be: references and alternatives are resolved, elements of a list taken."""
    kinds: tuple[str, ...]
    """The algorithms whose table has it; empty if its table is no algorithm's."""
    headers: tuple[str, ...]
    """The header of its table in TOML, such as `[queue]`, after the lines that it needs above it,
    such as `[[link]]`."""

    @property
    def name(self) -> str:
        """The last word of its path."""
        return self.path.rpartition(".")[2]

    @property
    def is_list(self) -> bool:
        """True if its value is a list."""
        return _is_list(self.rule)

    @property
    def meaning(self) -> str:
        """Its description in one line."""
        said = (rule.get("description", "") for rule in (self.rule, *self.forms))
        return " ".join(next((text for text in said if text), "").split())

    @property
    def default(self) -> Any:
        """Its default; None if it has none of its own."""
        return self.rule.get("default", self.rule.get("x-default"))

    @property
    def source(self) -> str:
        """Where its default comes from."""
        return str(self.rule.get("x-source", ""))

    @property
    def choices(self) -> dict[str, str]:
        """The words it may have, each with its meaning."""
        words = {str(word): "" for form in self.forms for word in form.get("enum", ())}
        const = {str(f["const"]): f.get("description", "") for f in self.forms if "const" in f}
        return {word: " ".join(text.split()) for word, text in (words | const).items()}

    @property
    def unit(self) -> str:
        """What its values are: a quantity with a unit, a number, a table."""
        return " or ".join(dict.fromkeys(filter(None, map(_unit, self.forms))))

    @property
    def range(self) -> str:
        """The bounds of a number."""
        rules = (self.rule, *self.forms)
        least = next((r["minimum"] for r in rules if "minimum" in r), None)
        above = next((r["exclusiveMinimum"] for r in rules if "exclusiveMinimum" in r), None)
        most = next((r["maximum"] for r in rules if "maximum" in r), None)
        below = next((r["exclusiveMaximum"] for r in rules if "exclusiveMaximum" in r), None)
        bounds = {"at least": least, "above": above, "at most": most, "below": below}
        return ", ".join(f"{word} {value:g}" for word, value in bounds.items() if value is not None)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its table: those that all alternatives have. Empty if it has no table."""
        tables = [list(form["properties"]) for form in self.forms if form.get("properties")]
        return tuple(key for key in tables[0] if all(key in t for t in tables)) if tables else ()

    def example(self) -> str:
        """Lines of TOML with this key. Empty if the schema gives no value for it."""
        value = self._value()
        if value is None:
            return ""
        if _is_list(self.rule) and self.default in (None, []):
            value = f"[{', '.join([value] * self.rule.get('minItems', 1))}]"
        kind = [f'kind = "{self.kinds[0]}"'] if self.kinds and self.name != "kind" else []
        return "\n".join([*self.headers, *kind, f"{self.name} = {value}"])

    def _value(self) -> str | None:
        if self.default is not None and not isinstance(self.default, dict | list):
            return toml(self.default)
        for form in self.forms:
            for known in (*form.get("examples", ()), *form.get("enum", ())):
                return toml(known)
            if "const" in form:
                return toml(form["const"])
            if form.get("type") == "boolean":
                return "true"
        return None


def _unit(form: Rule) -> str:
    if unit := form.get("x-unit"):
        return f'{unit}, as in "{form["examples"][0]}"'
    if "const" in form or "enum" in form:
        return "word"
    kinds = form.get("type", "")
    kind = next((k for k in kinds if k != "null"), "") if isinstance(kinds, list) else kinds
    return {**_PLAIN, "number": "number", "object": "table", "array": "list"}.get(kind, "")


def find(path: str, *uses: str) -> list[Key]:
    """The keys at a path; several if the tables of algorithms have the key with other rules. A
    single word names a key at every place, with the places of equal rules together.

    uses: files with algorithms of the user's own. `ScenarioError` if the language lacks the path,
    with the nearest one.
    """
    words = [word for word in path.split(".") if not word.isdigit()]
    wanted, known = ".".join(words), every(*uses)
    found = [key for key in known if key.path == wanted]
    if not found and len(words) == 1:
        found = [key for key in known if key.name == wanted]
        found = list({_identity(key): key for key in reversed(found)}.values())[::-1]
    if found:
        return found
    near = _near(words, known)
    hint = (
        f"did you mean `{near}`?" if near else "`dumbbell explain scenario` lists those at its top"
    )
    raise ScenarioError(
        f"a scenario has no key `{path}`: {hint}",
        {"name": path, "nearest": [near] if near else []},
    )


def names(*uses: str) -> set[str]:
    """The last words of all paths."""
    return {key.name for key in every(*uses)}


def top(*uses: str) -> list[Key]:
    """The keys at the top of a scenario."""
    return [key for key in every(*uses) if "." not in key.path]


def places(key: Key, *uses: str) -> list[str]:
    """Every path at which the same key may stand, itself first."""
    same = [k.path for k in every(*uses) if _identity(k) == _identity(key)]
    return list(dict.fromkeys([key.path, *same]))


def _identity(key: Key) -> tuple[str, str]:
    return key.name, str(key.rule)


def _near(words: list[str], known: tuple[Key, ...]) -> str | None:
    """The path of the nearest key in the longest part of a path that the language has, or None."""
    for n in range(len(words) - 1, -1, -1):
        table = ".".join(words[:n])
        names = [k.name for k in known if k.path.rpartition(".")[0] == table]
        if names and (near := api.nearest(words[n], dict.fromkeys(names))):
            return f"{table}.{near}" if table else near
        if names and n:
            return None
    return None


@cache
def every(*uses: str) -> tuple[Key, ...]:
    """Every key of the language. A table within a table of its own sort is not entered again."""
    schema = api.schema(*uses)
    return tuple(_below(schema, schema["$defs"], "", (), ()))


def _below(
    table: Rule, defs: dict[str, Rule], path: str, headers: tuple[str, ...], seen: tuple[str, ...]
) -> Iterator[Key]:
    """The keys of a table, and of the tables in it."""
    kind = table.get("properties", {}).get("kind", {}).get("const")
    for name, rule in table.get("properties", {}).items():
        below = f"{path}.{name}" if path else name
        refs: list[str] = []
        forms = tuple(_forms(rule, defs, refs))
        if set(refs) & set(seen):
            forms = tuple(form for form in forms if not form.get("properties"))
        yield Key(below, rule, forms, (kind,) if kind else (), headers)
        own = (*_above(headers, kind), f"[[{below}]]" if _is_list(rule) else f"[{below}]")
        found: dict[tuple[str, str], Key] = {}
        for form in forms:
            for key in _below(form, defs, below, own, (*seen, *refs)):
                first = found.get((key.path, str(key.rule)))
                found[key.path, str(key.rule)] = key if first is None else _together(first, key)
        yield from found.values()


def _together(first: Key, second: Key) -> Key:
    """One key of the tables of several algorithms."""
    kinds = tuple(dict.fromkeys((*first.kinds, *second.kinds)))
    return Key(first.path, first.rule, first.forms, kinds, first.headers)


def _above(headers: tuple[str, ...], kind: str | None) -> tuple[str, ...]:
    """The lines that the header of a table within another table needs above it."""
    if kind:
        return (*headers, f'kind = "{kind}"')
    return headers if headers and headers[-1].startswith("[[") else headers[:-1]


def _is_list(rule: Rule) -> bool:
    return rule.get("type") == "array" or (
        isinstance(rule.get("type"), list) and "array" in rule["type"]
    )


def alternatives(rule: Rule) -> list[Rule]:
    """What a value may be instead, without the `true` that stands beside conditions on it."""
    return [option for option in rule.get("anyOf", rule.get("oneOf")) or () if option is not True]


def _forms(rule: Rule, defs: dict[str, Rule], refs: list[str]) -> Iterator[Rule]:
    """A rule without references and alternatives. refs: collects the names of definitions, except
    those of one algorithm's table, which several places share."""
    if "$ref" in rule:
        name = rule["$ref"].removeprefix("#/$defs/")
        if "." not in name:
            refs.append(name)
        yield from _forms(defs[name], defs, refs)
    elif options := alternatives(rule):
        for option in options:
            yield from _forms(option, defs, refs)
    elif _is_list(rule) and "items" in rule:
        yield from _forms(rule["items"], defs, refs)
    else:
        yield rule
