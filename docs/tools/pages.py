"""The pages of the repository: which there are, their blocks of code, and their code spans.

Comments on the lines before a block say what tests do with it:

- `<!-- file: NAME -->`: it is written to NAME in the page's scratch folder.
- `<!-- not run: REASON -->`: it is not executed. Its commands are still parsed.
- `<!-- over: NAME -->`: this part of a scenario extends a file of the repository, not the page's
  last file.
- `<!-- given: NAME... -->`: files that the block names and the reader brings.
"""

from __future__ import annotations

import functools
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HISTORY = ("CHANGELOG.md",)
"""Pages that describe earlier versions."""

_BLOCK = re.compile(
    r"(?P<notes>(?:<!-- [^\n]* -->\n)*)```(?P<kind>\w*)\n(?P<body>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_NOTE = re.compile(r"<!-- (file|not run|over|given): (.+?) -->")
_SPAN = re.compile(r"(`+)([^\n]+?)\1(?!`)")
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, text and position, and what the comments before it say."""

    kind: str
    body: str
    start: int
    body_start: int
    end: int
    file: str | None = None
    not_run: str | None = None
    over: str | None = None
    given: str = ""

    @property
    def body_end(self) -> int:
        """Where its text ends."""
        return self.body_start + len(self.body)


@functools.cache
def tracked() -> tuple[str, ...]:
    """Every file under version control, and new ones that are not ignored."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return tuple(name for name in listed if (ROOT / name).exists())


@functools.cache
def pages() -> tuple[Path, ...]:
    """Every page of Markdown."""
    return tuple(ROOT / name for name in tracked() if name.endswith(".md") and name not in HISTORY)


@functools.cache
def notebooks() -> tuple[Path, ...]:
    """Every notebook."""
    return tuple(ROOT / name for name in tracked() if name.endswith(".ipynb"))


def text_of(page: Path) -> str:
    """A page's text; of a notebook its cells of prose."""
    text = page.read_text(encoding="utf-8")
    if page.suffix != ".ipynb":
        return text
    cells = (cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")
    return "\n\n".join("".join(cell["source"]) for cell in cells)


def blocks(text: str) -> list[Block]:
    """The fenced blocks, in the order of the page."""
    found = []
    for match in _BLOCK.finditer(text):
        notes = {name.replace(" ", "_"): text for name, text in _NOTE.findall(match["notes"])}
        where = (match.start(), match.start("body"), match.end())
        found.append(Block(match["kind"], match["body"], *where, **notes))
    return found


def prose(text: str) -> str:
    """The page without its blocks."""
    return _BLOCK.sub("", text)


def spans(text: str) -> Iterator[str]:
    """What stands in backticks outside of blocks."""
    for match in _SPAN.finditer(prose(text)):
        yield match[2].strip().replace("\\|", "|")


def links(text: str) -> Iterator[tuple[str, str]]:
    """Targets inside the repository, as a path (empty: the page itself) and an anchor (empty:
    none)."""
    for match in _LINK.finditer(prose(text)):
        yield match[1], match[2] or ""
