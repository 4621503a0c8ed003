"""docs/reference/validation-faults.md: which fault turned which lines red."""

from __future__ import annotations

import re
from pathlib import Path

from schemata import Fault

PAGE = "docs/reference/validation-faults.md"
SHOWN = 4
HEAD = """# Faults that the validation suite finds

A validation suite is useful only if it can fail. Each row below is a plausible mistake, and the
lines of `dumbbell validate` that fail with it. `make faults` puts all faults into a copy of the
source, each behind an environment variable, and builds it once. It then checks that lines of the
quick suite fail with each fault, and that none fails without one.
`python/dumbbell/validate/faults.toml` has the replaced source text of each fault and the lines that
it is expected to break. Only these run, so other lines may fail as well. `make faults` writes this
table.

When you add a law to the suite, add a fault that it finds. When no line finds a fault, add a law.

| fault | what is wrong | where | lines that fail |
|---|---|---|---|
"""


def rows(faults: list[Fault], found: dict[str, list[str]], page: str) -> list[str]:
    """A row for each fault that was tried, now or for the table in `page`."""
    kept = {
        row[1]: row[2]
        for row in re.finditer(r"^\| `([^`]+)` .* \| ([^|]*) \|$", page, re.MULTILINE)
    }
    cells = kept | {name: _lines(red) for name, red in found.items()}
    return [
        f"| `{fault.id}` | {fault.what} | `{fault.file}` | {cells[fault.id]} |"
        for fault in faults
        if fault.id in cells
    ]


def _lines(red: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in red[:SHOWN])
    more = f" and {len(red) - SHOWN} more" if len(red) > SHOWN else ""
    return (shown + more) or "**none**"


def write(root: Path, faults: list[Fault], found: dict[str, list[str]]) -> None:
    """Writes the page of all `faults`; those that are not in `found` keep their rows."""
    page = root / PAGE
    text = HEAD + "\n".join(rows(faults, found, page.read_text(encoding="utf-8"))) + "\n"
    page.write_text(text, encoding="utf-8")
