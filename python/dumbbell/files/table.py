"""CSV files of others: a header of names, and a row of texts on each line below it.

A line that begins with `#` is a remark, and an empty line is nothing; a value does not span lines.
What is wrong with a file is one `ScenarioError`: the file, the line, and what belongs there.
"""

from __future__ import annotations

import csv
from pathlib import Path

from ..errors import ScenarioError
from . import declared
from .declared import cut


def rows(file: Path) -> list[tuple[int, dict[str, str]]]:
    """The rows with their lines, each by the names of the header, without the spaces around a
    value."""
    found: list[tuple[int, dict[str, str]]] = []
    header: list[str] = []
    for number, line in enumerate(declared.text(file).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        where = f"{file}, line {number}"
        try:
            (values,) = csv.reader([line], strict=True)
        except csv.Error as error:
            raise ScenarioError(f"{where}: {error}") from None
        values = [value.strip() for value in values]
        if not header:
            header = _checked(values, where)
        elif len(values) != len(header):
            raise ScenarioError(
                f"{where}: the line has {len(values)} values instead of {len(header)} "
                f"({cut(', '.join(header), 80)}): put a value with a comma in double quotes"
            )
        else:
            found.append((number, dict(zip(header, values, strict=True))))
    if not found:
        raise ScenarioError(f"{file} has no rows: write a line of names, then lines of values")
    return found


def _checked(names: list[str], where: str) -> list[str]:
    """The header, whose names can stand in braces."""
    for name in names:
        if not name.isidentifier():
            raise ScenarioError(
                f"{where}: `{cut(name, 80)}` is not a column name: write letters, digits and `_`"
            )
        if names.count(name) > 1:
            raise ScenarioError(f"{where}: two columns have the name `{cut(name, 80)}`")
    return names
