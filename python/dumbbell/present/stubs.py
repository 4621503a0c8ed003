"""Writes `algorithms.pyi` and `data/measured.pyi`, so that editors know every algorithm's
parameters and every measurement of a result: `python -m dumbbell.present.stubs`.

`make build` runs it after each build of the extension; the files are never written by hand.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import api, catalogue
from ..algorithms import class_name, docstring, python_name
from ..data import measurements
from ..files.write import write_text
from ..language.keys import alternatives

HEAD = '''"""Written by `python -m dumbbell.present.stubs` from the catalogue and the scenario \
schema; do not edit."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, Required, TypedDict

from .catalogue import Algorithm
from .plugins.base import Own

__all__ = [{names}]

class Spec:
    """An algorithm with its parameters, as written in a scenario."""

    kind: str
    parameters: dict[str, Any]
    def as_dict(self) -> dict[str, Any]: ...

def class_name(name: str) -> str: ...
def python_name(parameter: str) -> str: ...
def docstring(algorithm: Algorithm) -> str: ...
def build() -> dict[str, type[Spec]]: ...

class KnownKeyAndValue:
    """What a checker names instead of the type of a literal with a wrong key or value."""

class Dynamic(Protocol):
    """A table made while the program runs: its values are `Any`, as in `dict[str, Any]`. The values
    of a literal are not, so that it must fit its `TypedDict`."""

    def __getitem__(self, key: str, /) -> KnownKeyAndValue: ...
    def __iter__(self) -> Iterator[str]: ...
'''


def text() -> str:
    """The whole stub."""
    seen: set[str] = set()
    blocks: list[str] = []
    for algorithm in catalogue.algorithms():
        name = class_name(algorithm.name)
        if name not in seen:
            seen.add(name)
            blocks.append(_class(name, algorithm))
    names = ", ".join(map(repr, ["Spec", *sorted(seen)]))
    return "\n".join([HEAD.replace("{names}", names), *blocks, *_tables()])


ROWS = ("acks", "flow", "host", "marker", "media", "queue", "session", "shared_buffer", "totals")
"""Sorts of rows that have a class in `data.rows`."""


def measured_text() -> str:
    """The stub of the measurements of rows."""
    head = '''"""Written by `python -m dumbbell.present.stubs` from the schema of results; do not \
edit."""

from ..present.stats import Interval

Number = float | Interval
'''
    return "\n".join([head, *(_row(name) for name in ROWS)])


def _row(name: str) -> str:
    lines = [f"class {class_name(name)}Numbers:"]
    for one in measurements.of(name).values():
        if one.annotation and one.name != "name":  # `Row` has the name.
            said = f"{one.doc} ({one.when})" if one.when else one.doc
            lines.append(f"    {one.name}: {one.annotation}\n{_doc(said, 1)}")
    return "\n".join(lines) + "\n"


CHOICES = {
    name: f"Any{class_name(name)}"
    for name in ("queue", "Aqm", "cc", "source", "impairment", "rule", "service")
}
"""Definitions that stand for an algorithm (its name, its class or its table), with the name of the
union."""


def _tables() -> list[str]:
    """The tables of a scenario as `TypedDict`, and the unions of the algorithms' tables."""
    schema = api.schema()
    defs = schema["$defs"]
    blocks = [
        _keys(_title(name), rule, defs) for name, rule in defs.items() if "properties" in rule
    ]
    unions = [
        f"{union} = str | Spec | Own | {_tables_of(defs[name], defs)}"
        for name, union in CHOICES.items()
    ]
    # The name is a parameter of `Scenario` itself.
    whole = {key: rule for key, rule in schema["properties"].items() if key != "name"}
    top = {"properties": whole, "description": schema["description"]}
    return ["\n".join(unions) + "\n", *blocks, _keys("ScenarioKeys", top, defs)]


def _tables_of(choice: dict[str, Any], defs: dict[str, Any]) -> str:
    """The tables of a choice of algorithms, without the list of their names."""
    tables = [option for option in alternatives(choice) if "$ref" in option]
    return _type({"anyOf": tables}, defs)


def _title(name: str) -> str:
    return f"{class_name(name.replace('.', '_'))}Keys"


def _keys(title: str, table: dict[str, Any], defs: dict[str, Any]) -> str:
    """A table's keys. Those that Python cannot write as an attribute come from a base in the
    functional form."""
    types = {key: _field(key, rule, defs) for key, rule in table["properties"].items()}
    apart = {key: text for key, text in types.items() if keyword.iskeyword(key)}
    base = f"_{title}" if apart else "TypedDict"
    fields = ", ".join(f'"{key}": {text}' for key, text in apart.items())
    lines = [f'{base} = TypedDict("{base}", {{{fields}}}, total=False)\n'] if apart else []
    lines.append(f"class {title}({base}, total=False):\n{_doc(table.get('description', title), 1)}")
    for key, text in types.items():
        if key not in apart:
            lines.append(
                f"    {key}: {text}\n{_doc(table['properties'][key].get('description', key), 1)}"
            )
    return "\n".join(lines) + "\n"


_UNNAMED = "drop_tail"
"""The queue of a table without `kind`."""


def _field(key: str, rule: dict[str, Any], defs: dict[str, Any]) -> str:
    """The type of a key. A checker tells the tables of algorithms apart by their `kind`."""
    text = _type(rule, defs)
    if key == "kind" and "const" in rule and rule["const"] != _UNNAMED:
        return f"Required[{text}]"
    return f"{text} | None" if rule.get("default", "") is None else text


def _doc(text: str, depth: int) -> str:
    quoted = text.replace("\\", "\\\\").replace('"""', "'''")
    quoted = quoted + " " if quoted.endswith('"') else quoted
    return "    " * depth + '"""' + quoted.replace("\n", "\n" + "    " * depth) + '"""'


def _type(rule: dict[str, Any], defs: dict[str, Any]) -> str:
    """The allowed values, as an annotation."""
    return " | ".join(dict.fromkeys(_types(rule, defs)))


def _types(rule: dict[str, Any], defs: dict[str, Any]) -> Iterator[str]:
    """The types of a value, one after the other."""
    if "$ref" in rule:
        name = rule["$ref"].removeprefix("#/$defs/")
        if name in CHOICES:
            yield CHOICES[name]
        elif "properties" in defs[name]:
            yield from (_title(name), "Dynamic")
        else:
            yield from _types(defs[name], defs)
    elif options := alternatives(rule):
        for option in options:
            yield from _types(option, defs)
    elif "const" in rule or "enum" in rule:
        words = rule.get("enum", [rule.get("const")])
        yield f"Literal[{', '.join(map(repr, words))}]"
    else:
        yield _plain(rule.get("type", "object"), rule, defs)


def _plain(kind: str, rule: dict[str, Any], defs: dict[str, Any]) -> str:
    if kind == "array":
        return f"Sequence[{_type(rule['items'], defs) if 'items' in rule else 'Any'}]"
    plain = {
        "string": "str",
        "integer": "int",
        "number": "float",
        "boolean": "bool",
        "null": "None",
    }
    return plain.get(kind, "Mapping[str, Any]")


def _class(name: str, algorithm: catalogue.Algorithm) -> str:
    fields = ", ".join(
        f"{python_name(p.name)}: {p.annotation} = {p.default!r}"
        for p in catalogue.keywords(algorithm)
    )
    doc = (
        docstring(algorithm)
        .replace("\\", "\\\\")
        .replace('"""', "'''")
        .replace("\n", "\n    ")
        .replace("    \n", "\n")
    )
    head = f"self, *, {fields}" if fields else "self"
    return f'class {name}(Spec):\n    """{doc}\n    """\n\n    def __init__({head}) -> None: ...\n'


if __name__ == "__main__":
    package = Path(__file__).parents[1]
    write_text(package / "algorithms.pyi", text())
    write_text(package / "data" / "measured.pyi", measured_text())
