"""Runs the examples of every page, and compares what they print with what the page shows.

    python docs/tools/examples.py            # what differs
    python docs/tools/examples.py --update   # writes what was printed into the pages

Each page has a directory of its own, in which its blocks are run in order:

- ```toml after `<!-- file: NAME -->` is written to NAME; any other ```toml extends the page's last
  such file, or the repository's file in `<!-- over: NAME -->`, and is checked.
- Any other block after `<!-- file: NAME -->` is written to NAME.
- ```console: each line after `$ ` is run by a shell. Lines below it are its output, standard
  error included; without any, only its exit code is looked at. A line `…` stands for any lines.
- ```python after `<!-- file: NAME -->` is written to NAME; any other is run, and a ```text block
  right after it is its output.

Times that a run took ("in 12.3 ms") are equal to each other. A block after
`<!-- not run: REASON -->` is not run; docs/tools/claims.py parses its commands and those of ```sh
blocks, and finds blocks that nothing looks at.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pages
from pages import Block

RUNS = ("toml", "console", "python")
"""Languages of blocks that are run."""
_TOOK = re.compile(r"\bin \d+(?:\.\d+)? (?:ns|us|ms|s|min)\b")
_ANY = "…"


@dataclass(frozen=True)
class Shown:
    """What a page shows as the output of a command or a program, and where in the page."""

    source: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Outcome:
    """What came instead of it."""

    shown: Shown
    printed: str
    code: int

    @property
    def holds(self) -> bool:
        """Whether the example succeeded and printed what the page shows."""
        return self.code == 0 and (
            not self.shown.text.strip() or same(self.shown.text, self.printed)
        )


def same(shown: str, printed: str) -> bool:
    """Whether two outputs are equal but for wall times; `…` in the first stands for any lines."""
    parts = (re.escape(_plain(part)) for part in re.split(rf"^{_ANY}\n", shown, flags=re.MULTILINE))
    return re.fullmatch(r"(?:.*\n)*?".join(parts), _plain(printed)) is not None


def _plain(text: str) -> str:
    lines = (line.rstrip() for line in _TOOK.sub("in a moment", text).strip("\n").splitlines())
    return "".join(f"{line}\n" for line in lines)


def runnable(page: Path) -> bool:
    """Whether a page has a block to run."""
    return any(
        block.kind in RUNS and not block.not_run
        for block in pages.blocks(page.read_text(encoding="utf-8"))
    )


def run_page(page: Path) -> Iterator[Outcome]:
    """Runs every example of a page."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        here, base = Path(scratch), None
        blocks = pages.blocks(text)
        for i, block in enumerate(blocks):
            if block.file:
                place = here / block.file
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(block.body)
                base = place if block.kind == "toml" else base
            elif block.not_run:
                continue
            elif block.kind == "toml" and (
                below := pages.ROOT / block.over if block.over else base
            ):
                part = (base or here / "whole.toml").with_name(f"part-{i}.toml")
                part.write_text(f'extends = "{os.path.relpath(below, part.parent)}"\n{block.body}')
                yield _run(
                    Shown(block.body, "", 0, 0), [_tool("dumbbell"), "check", str(part)], here
                )
            elif block.kind == "console":
                for shown in _commands(block):
                    yield _run(shown, ["sh", "-c", shown.source], here)
            elif block.kind == "python":
                after = blocks[i + 1] if i + 1 < len(blocks) else None
                shown = Shown(block.body, "", 0, 0)
                if after and after.kind == "text" and not text[block.end : after.start].strip():
                    shown = Shown(block.body, after.body, after.body_start, after.body_end)
                yield _run(shown, [sys.executable, "-c", block.body], here)


def _commands(block: Block) -> Iterator[Shown]:
    """The commands of a console block, each with the lines below it."""
    for part in re.finditer(
        r"^\$ (?P<command>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", block.body, re.MULTILINE
    ):
        start, end = part.span("output")
        yield Shown(
            part["command"], part["output"], block.body_start + start, block.body_start + end
        )


_WARNING = re.compile(
    r"^  warning\[W\d+\].*?\n\n|^warning\[W\d+\][^\n]*\n(?:  [^\n]*\n)*", re.DOTALL | re.MULTILINE
)
"""A warning about a scenario. Examples are short on purpose, so a page shows only those that it is
about."""


def _tool(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


def _run(shown: Shown, command: list[str], here: Path) -> Outcome:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=here,
        env={key: value for key, value in os.environ.items() if key != "DUMBBELL_STORE"}
        | {"PATH": path, "COLUMNS": "100"},  # As wide as the pages.
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    printed = done.stdout if "warning[" in shown.text else _WARNING.sub("", done.stdout)
    return Outcome(shown, printed, done.returncode)


def update(page: Path) -> None:
    """Writes what was printed into the page. Shown output with `…` in it that no longer holds is
    left to people."""
    text = page.read_text(encoding="utf-8")
    for outcome in reversed(list(run_page(page))):
        shown = outcome.shown
        if outcome.code != 0:
            print(f"{page.name}: {shown.source}\n{outcome.printed}", file=sys.stderr)
        elif not outcome.holds and _ANY in shown.text:
            print(f"{page.name}: by hand: {shown.source}\n{outcome.printed}", file=sys.stderr)
        elif not outcome.holds:
            lines = [line.rstrip() for line in outcome.printed.strip("\n").splitlines()]
            text = text[: shown.start] + "".join(f"{line}\n" for line in lines) + text[shown.end :]
    page.write_text(text, encoding="utf-8")


def main() -> int:
    """Runs every page."""
    wanted = [page for page in pages.pages() if runnable(page)]
    if "--update" in sys.argv[1:]:
        for page in wanted:
            update(page)
    failed = [(page, outcome) for page in wanted for outcome in run_page(page) if not outcome.holds]
    for page, outcome in failed:
        print(f"{page.name}: {outcome.shown.source}\n(exit code {outcome.code})\n{outcome.printed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
