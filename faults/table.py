"""docs/reference/validation-faults.md: which fault turned which lines red."""

from __future__ import annotations

from pathlib import Path

from schemata import Fault

PAGE = "docs/reference/validation-faults.md"
SHOWN = 4
HEAD = """# Faults that the validation suite finds

`dumbbell validate` would be worth nothing if it could not fail. Each row below is a fault that
somebody could really make. `make faults` plants them all in a copy of the source, as choices that
an environment variable makes (one build), and checks that with each fault on lines of the quick
validation suite turn red, and that none is red without one. It runs the lines that a fault is
expected to turn red, of which `faults/faults.toml` has the names beside each fault; other lines may
notice it as well. This table is written by `make faults` and not by hand.

A new law in the validation suite deserves a fault that it finds, and a fault that no line finds
deserves a law.

| fault | what is wrong | where | lines that turn red |
|---|---|---|---|
"""


def rows(faults: list[Fault], found: dict[str, list[str]], sources: dict[str, str]) -> list[str]:
    """A row for each fault. `sources`: the text of each file."""
    return [
        f"| `{fault.id}` | {fault.what} | `{fault.file}`: `{_short(fault)}` | "
        f"{_lines(found[fault.id])} |"
        for fault in faults
        if fault.line(sources[fault.file])
    ]


def _short(fault: Fault) -> str:
    """What varies, on one line, and what stands there instead."""
    old, new = (" ".join(text.split()).replace("|", "\\|") for text in (fault.part, fault.new))
    return f"{old}` → `{new}"


def _lines(red: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in red[:SHOWN])
    more = f" and {len(red) - SHOWN} more" if len(red) > SHOWN else ""
    return (shown + more) or "**none**"


def write(root: Path, faults: list[Fault], found: dict[str, list[str]]) -> None:
    """Writes the page."""
    sources = {fault.file: (root / fault.file).read_text(encoding="utf-8") for fault in faults}
    text = HEAD + "\n".join(rows(faults, found, sources)) + "\n"
    (root / PAGE).write_text(text, encoding="utf-8")
