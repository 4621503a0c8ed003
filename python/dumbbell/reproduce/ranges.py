"""Entries of `paper.toml` that stand for many: what is written once becomes an entry each.

- **Shared keys.** The tables of `entries` have their own keys and those of the entry around them.
- **Axes.** An entry is repeated along every axis that its id names (`red-{buffer}`), a whole block
  of `entries` along the axes of `each`. An item of a list, or a key of a table, is repeated along
  the axes that it names beside them. A place fills in its value, and what else it has: an axis of
  tables, or of a CSV file, has further columns.
- **Groups of overrides.** Where overrides are listed, a name of `[overrides]` stands for its list.
- **Printed numbers.** A cell's `published` may be the text of the print, which has its decimals.

Axes are nested in the order of `[axes]`, the last one innermost. All of this is text in place of
text: names are looked up, and nothing is evaluated.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ScenarioError
from ..files import declared, table
from ..files.declared import Wrong, cut, filled, places
from ..files.filename import component
from .paper_file import ENTRIES, Place, Ranges, Value

MOST = 20_000
"""The most points of a paper, and the most entries of any other kind."""
_LARGEST = 8 << 20
"""Characters of all entries, and values."""
_DEEPEST = 6
"""Levels of tables and lists in an entry."""
_OVERRIDES = {
    "point": ("overrides",),
    "reading": ("changes", "scheme_changes", "tagged"),
    "variant": ("changes",),
}
_PRINTED = re.compile(r"-?\d{1,15}(?:\.(\d{1,15}))?")

Values = Mapping[str, Value]
"""What fills the places of a text."""


def written_out(folder: Path, raw: dict[str, Any]) -> tuple[dict[str, Any], Callable[[str], str]]:
    """The document with an entry each, and where the file has what a path of it names. `Wrong` for
    an axis, a group or an entry that says something else. folder: where CSV files are."""
    own = {key: raw[key] for key in ("axes", "overrides") if key in raw}
    said = declared.convert(own, Ranges)
    sources: dict[str, dict[str, str]] = {}
    axes = {name: _axis(folder, name, of, sources) for name, of in said.axes.items()}
    writer = _Writer(axes, said.overrides, sources)
    out = {key: value for key, value in raw.items() if key not in own} | {"axes": axes}
    origins: dict[str, list[_Origin]] = {}
    for kind in ENTRIES:
        if isinstance(raw.get(kind), list):
            pairs = list(itertools.islice(writer.entries(kind, raw[kind]), MOST + 1))
            if len(pairs) > MOST:
                raise Wrong(kind, f"these are more than {MOST} entries")
            out[kind] = [entry for entry, _ in pairs]
            origins[kind] = [origin for _, origin in pairs]
    if isinstance(raw.get("derived"), dict):
        out["derived"] = writer.derived(raw["derived"])
    return out, lambda path: _in_file(path, origins)


def along(axis: str, places: Iterable[Mapping[str, Value]]) -> tuple[int | float, ...]:
    """The values of an axis, which are numbers."""
    values = [_number(place[axis]) for place in places]
    numbers = tuple(value for value in values if value is not None)
    if len(numbers) < len(values):
        raise ScenarioError(
            f"axis `{axis}`: a number is taken `over` it, so its values must be numbers"
        )
    return numbers


def _number(value: Value) -> int | float | None:
    """A number, or the one that a text is; None for any other text."""
    if not isinstance(value, str):
        return value
    match = _PRINTED.fullmatch(value)
    return None if match is None else float(value) if match[1] else int(value)


def _axis(
    folder: Path,
    name: str,
    said: tuple[Place, ...] | str,
    sources: dict[str, dict[str, str]],
) -> list[dict[str, Any]]:
    """The places of an axis, each with its value and further columns; those of a file with their
    lines in `sources`."""
    where = f"axes.{name}"
    if not isinstance(said, str):
        places = [place if isinstance(place, dict) else {name: place} for place in said]
    elif component(said) != said:
        raise Wrong(where, f"`{cut(said, 80)}` is not the name of a file beside paper.toml")
    else:
        try:
            rows = table.rows(folder / said)
        except ScenarioError as error:
            raise Wrong(where, str(error)) from None
        places = [dict(row) for _, row in rows]
        sources[name] = {row.get(name, ""): f"{said}, line {line}" for line, row in rows}
    if any(name not in place for place in places):
        what = "the header of the file" if isinstance(said, str) else "a value that is a table"
        raise Wrong(where, f"{what} has no `{name}`")
    return places


@dataclass(frozen=True)
class _Origin:
    """Where the file has an entry: its table, its row of `entries` if it has one, and the keys
    there."""

    table: str
    row: str
    own: frozenset[str]


def _in_file(path: str, origins: Mapping[str, list[_Origin]]) -> str:
    """`cell[40].unit` as the file has it: `cell[2].unit`, or `cell[2].entries[1].unit`."""
    match = re.match(r"(\w+)\[(\d+)\](?=\.(\w+)|)", path)
    if match is None or match[1] not in origins:
        return path
    origin = origins[match[1]][int(match[2])]
    shared = match[3] is not None and match[3] not in origin.own
    return (origin.table if shared else origin.row) + path[match.end() :]


class _Writer:
    """Writes entries out; `left` is how much they may still have."""

    def __init__(
        self,
        axes: Mapping[str, list[dict[str, Any]]],
        groups: Mapping[str, Any],
        sources: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.axes = axes
        self.groups = groups
        self.sources = sources
        self.left = _LARGEST

    def entries(self, kind: str, said: list[Any]) -> Iterator[tuple[Any, _Origin]]:
        """Every entry of a kind, and where the file has it."""
        for i, entry in enumerate(said):
            where = f"{kind}[{i}]"
            if not isinstance(entry, dict):
                yield entry, _Origin(where, where, frozenset())
                continue
            each, rows = entry.get("each", []), entry.get("entries", [{}])
            if not _list_of(str, each):
                raise Wrong(f"{where}.each", "this must be a list of axes")
            if not _list_of(dict, rows):
                raise Wrong(f"{where}.entries", "this must be a list of tables")
            shared = {key: value for key, value in entry.items() if key not in _BLOCK}
            for j, (here, row) in self._rows(each, rows, where):
                at = f"{where}.entries[{j}]" if "entries" in entry else where
                origin = _Origin(where, at, frozenset(row))
                try:
                    yield from ((one, origin) for one in self._entry(kind, shared | row, here))
                except ScenarioError as error:
                    raise Wrong(at, str(error)) from None

    def _rows(
        self, each: list[str], rows: list[Any], where: str
    ) -> Iterator[tuple[int, tuple[Values, Any]]]:
        """The rows of a block at every combination of its axes."""
        for name in each:
            if name not in self.axes:
                raise Wrong(f"{where}.each", self._no_axis(name))
        try:
            for here in self._combined(set(each)):
                yield from ((j, (here, row)) for j, row in enumerate(rows))
        except ScenarioError as error:
            raise Wrong(f"{where}.each", str(error)) from None

    def _entry(self, kind: str, entry: dict[str, Any], here: Values) -> Iterator[dict[str, Any]]:
        """An entry along the axes that its id names."""
        for at in self._free(entry.get("id"), here):
            values = {**here, **at}
            out = {}
            for key, value in entry.items():
                if key in _OVERRIDES.get(kind, ()):
                    out[key] = self._overrides(value, values)
                elif key == "point":  # The place of `over` is filled later, along its axis.
                    axis = entry.get("over")
                    later = {axis: f"{{{axis}}}"} if isinstance(axis, str) else {}
                    out[key] = self.fill(value, {**values, **later})
                else:
                    out[key] = self.fill(value, values)
            yield self._printed(out, values) if kind == "cell" else out

    def _printed(self, cell: dict[str, Any], here: Values) -> dict[str, Any]:
        """A cell whose `published` is a number, with the decimals that its text has."""
        text = cell.get("published")
        if not isinstance(text, str):
            return cell
        match = _PRINTED.fullmatch(text)
        if match is None:
            rows = [self.sources[axis][str(here[axis])] for axis in self.sources if axis in here]
            place = f" ({', '.join(rows)})" if rows else ""
            raise ScenarioError(
                f"`{cut(text, 80)}`{place} is not a printed number (digits and a point)"
            )
        return {"decimals": len(match[1] or ""), **cell, "published": _number(text)}

    def derived(self, said: dict[str, Any]) -> dict[str, Any]:
        """`[derived]`, with a number each; a table in it is a block for the axis of its name."""
        out: dict[str, Any] = {}
        for key, value in said.items():
            where = f"derived.{key}"
            if isinstance(value, dict) and key not in self.axes:
                raise Wrong(where, self._no_axis(key))
            block = value if isinstance(value, dict) else {key: value}
            try:
                for here in self._combined({key} if isinstance(value, dict) else set()):
                    self._table(block, here, 0, out)
            except ScenarioError as error:
                raise Wrong(where, str(error)) from None
        return out

    def fill(self, value: Any, here: Values, depth: int = 0) -> Any:
        """A value of an entry with every place in its texts filled."""
        if isinstance(value, str):
            return self._text(value, here)
        self._charge(1)
        if depth == _DEEPEST:
            return value
        if isinstance(value, list):
            return [each for item in value for each in self._filled(item, here, depth + 1)]
        if isinstance(value, dict):
            return self._table(value, here, depth + 1, {})
        return value

    def _filled(self, item: Any, here: Values, depth: int) -> Iterator[Any]:
        """An item of a list, along the axes that it names."""
        if not isinstance(item, (str, list, dict)):  # It names none; lists of numbers are long.
            self._charge(1)
            yield item
            return
        for at in self._free(item, here):
            yield self.fill(item, {**here, **at}, depth)

    def _table(
        self, value: dict[str, Any], here: Values, depth: int, out: dict[str, Any]
    ) -> dict[str, Any]:
        for key, inner in value.items():
            for at in self._free([key, inner if isinstance(inner, str) else ""], here):
                name = self._text(key, {**here, **at})
                if name in out:
                    raise ScenarioError(f"`{cut(name, 80)}` appears twice")
                out[name] = self.fill(inner, {**here, **at}, depth)
        return out

    def _overrides(self, value: Any, here: Values) -> Any:
        """A list of overrides with those of its groups, or a table of such lists."""
        if isinstance(value, dict):
            return {
                self._text(key, {**here, **at}): self._with_groups(inner, {**here, **at})
                for key, inner in value.items()
                for at in self._free(key, here)
            }
        return self._with_groups(value, here)

    def _with_groups(self, value: Any, here: Values) -> Any:
        if not _list_of(str, value):
            return value
        out: list[str] = []
        for text in self.fill(value, here):
            if "=" in text:
                out.append(text)
            elif text in self.groups:
                out += self.fill(list(self.groups[text]), here)
            else:
                raise ScenarioError(
                    f"`{cut(text, 80)}` is neither an override, KEY=VALUE, nor a group of "
                    f"[overrides]; its groups are {cut(', '.join(self.groups), 200) or 'none'}"
                )
        return out

    def _text(self, text: str, here: Values) -> str:
        for name in places(text) - here.keys():
            if name in self.axes:
                raise ScenarioError(
                    f"`{cut(text, 80)}`: the entry does not vary along the axis `{name}`: use it "
                    "in the id or in `each`"
                )
            raise ScenarioError(f"`{cut(text, 80)}`: {self._no_axis(name)}")
        out = filled(text, here)
        self._charge(len(out) + 1)
        return out

    def _charge(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise ScenarioError(f"the entries exceed {_LARGEST >> 20} MiB of text")

    def _no_axis(self, name: str) -> str:
        return (
            f"there is no axis `{cut(name, 80)}`; there are "
            f"{cut(', '.join(self.axes), 200) or 'none'}"
        )

    def _free(self, value: Any, here: Values) -> Iterator[Values]:
        """Every combination of the axes that a value names and that have no place yet."""
        named = {name for text in _texts(value, 0) for name in places(text)}
        return self._combined(named - here.keys())

    def _combined(self, named: set[str]) -> Iterator[Values]:
        used = [self.axes[name] for name in self.axes if name in named]
        if math.prod(map(len, used)) > MOST:
            raise ScenarioError(f"its axes have more than {MOST} combinations")
        for combination in itertools.product(*used):
            yield {name: value for place in combination for name, value in place.items()}


_BLOCK = {"each", "entries"}


def _list_of(kind: type, value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)


def _texts(value: Any, depth: int) -> Iterator[str]:
    """Every text in a value."""
    if isinstance(value, str):
        yield value
    elif depth < _DEEPEST and isinstance(value, (list, dict)):
        inner = value if isinstance(value, list) else [*value, *value.values()]
        for item in inner:
            yield from _texts(item, depth + 1)
