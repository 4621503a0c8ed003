"""At most 100 characters a line, in code and in prose.

Tables, addresses and printed output may be wider.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

WIDTH = 100


def tracked(suffix: str) -> list[Path]:
    """The files with this suffix that git knows; without git, those that are there."""
    done = subprocess.run(
        ["git", "ls-files", f"*{suffix}"], cwd=ROOT, capture_output=True, text=True
    )
    return [ROOT / name for name in done.stdout.splitlines() if (ROOT / name).exists()]


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a Markdown page outside code blocks, tables and generated parts."""
    fence = generated = False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*(```|~~~)", line):
            fence = not fence
        elif line.startswith("<!-- generated:"):
            generated = True
        elif line.startswith("<!-- end"):
            generated = False
        elif not fence and not generated and not line.lstrip().startswith(("|", "<", "![", "#")):
            yield number, line


def test_lines_of_code_are_at_most_100_wide() -> None:
    wide = []
    for path in [*tracked(".rs"), *tracked(".py"), *tracked(".pyi")]:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            table = re.match(r"\s*//[!/]? \|", line) or "noqa: E501" in line
            if len(line) > WIDTH and not table and "http" not in line:
                wide.append(f"{path.relative_to(ROOT)}:{number}")
    assert not wide


def test_lines_of_prose_are_at_most_100_wide() -> None:
    wide = []
    for path in tracked(".md"):
        name = str(path.relative_to(ROOT))
        if name.startswith("papers/"):
            continue
        for number, line in prose(path.read_text(encoding="utf-8")):
            if len(line) > WIDTH and len(line.split()) > 2 and "](" not in line:
                wide.append(f"{name}:{number}")
    assert not wide
