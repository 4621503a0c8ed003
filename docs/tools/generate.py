"""Writes the generated parts of README.md and docs/ from the product itself.

    python docs/tools/generate.py

A page has `<!-- generated: PART -->` and `<!-- end -->`; what stands between them is made here:
`PARTS` says by which module of the folder `parts`. A block after `<!-- file: NAME -->` is a copy of
that file if the repository has it. tests/docs/test_docs.py fails when a page is behind.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path

from parts import (
    catalogue_rows,
    catalogue_tables,
    check_tables,
    conform_tables,
    course_tables,
    hardware_tables,
    linux_tables,
    paper_tables,
    performance_tables,
    results,
    scenario_tables,
    warning_tables,
)
from parts.markdown_table import table

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
_PART = re.compile(
    r"(<!-- generated: (?P<name>[\w:-]+) -->\n).*?(?=^<!-- end -->)", re.DOTALL | re.MULTILINE
)
_COPY = re.compile(
    r"(<!-- file: (?P<name>\S+) -->\n```\w+\n).*?(?=^```$)", re.DOTALL | re.MULTILINE
)
PARTS: dict[str, Callable[[str], str]] = {
    "keys": scenario_tables.keys,
    "tcp": catalogue_tables.tcp,
    "quic": catalogue_tables.quic,
    "scream": catalogue_tables.scream,
    "catalogue": catalogue_rows.part,
    "classroom": course_tables.part,
    "checks": check_tables.sections,
    "conform": conform_tables.part,
    "provenance": catalogue_tables.provenance,
    "finding": paper_tables.finding,
    "figures": paper_tables.figures,
    "fabric-bench": performance_tables.fabrics,
    "guard": performance_tables.guard,
    "kinds": catalogue_tables.kinds,
    "on-linux": linux_tables.part,
    "ea-red": functools.partial(paper_tables.paper, "ea-red"),
    "tcp-cae": paper_tables.tcp_cae,
    "buffering": paper_tables.buffering,
    "jumbo": paper_tables.jumbo,
    "hardware": functools.partial(hardware_tables.part, table),
    "phb": catalogue_tables.behaviours,
    "results": functools.partial(results.part, table),
    "warnings": warning_tables.warnings,
}


def filled(text: str) -> str:
    """A page with its generated parts and its copies of files made anew."""

    def part(match: re.Match[str]) -> str:
        name, _, argument = match["name"].partition(":")
        return f"{match[1]}{PARTS[name](argument)}\n"

    def copy(match: re.Match[str]) -> str:
        file = ROOT / match["name"]
        return match[1] + file.read_text(encoding="utf-8") if file.is_file() else match[0]

    return _COPY.sub(copy, _PART.sub(part, text))


def main() -> None:
    """Writes every page."""
    for page in PAGES:
        page.write_text(filled(page.read_text()))


if __name__ == "__main__":
    main()
