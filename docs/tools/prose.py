"""Checks the prose of pages, of `--help`, of the catalogue with its equations, of the schemas, of
the laws that `validate` checks and of the messages that the package prints against the style in
prose.toml: banned words and turns, American spelling, long sentences and long paragraphs.

    python docs/tools/prose.py [NAME...]   # findings in these texts; default: in all not pending
    python docs/tools/prose.py --shrink    # takes texts that pass off the list in prose.toml

Vale would do the same, but its package downloads the program from elsewhere when it first runs.
Code, quoted blocks, and generated parts are passed over: the source of a generated part is checked
where it comes from.
"""

from __future__ import annotations

import functools
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import commands
import messages
import pages
from cyclopts import App
from dumbbell import api, catalogue
from dumbbell.files.write import write_text
from dumbbell.validate import report
from markdown_it import MarkdownIt
from markdown_it.token import Token

STYLE = Path(__file__).with_name("prose.toml")
FIXED = re.compile(r"papers/[^/]+/(rules|testbed)\.md")
"""Pages that were fixed before the runs that they judge, and stay as they are."""
_GENERATED = re.compile(r"^<!-- generated: .*?^<!-- end -->", re.DOTALL | re.MULTILINE)
_END = re.compile(r"(?<=[.!?])[\"')\]*_]*\s+(?=[\"'(\[*_]*[A-Z0-9`])")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|al|vs|cf|Fig|fig|No|no|St|Dr|eq)|\b[A-Z])\.$")
_MARKDOWN = MarkdownIt("commonmark").enable("table")


@dataclass(frozen=True)
class Paragraph:
    """Text without markup, in which `x` stands for code; its line, and whether it is running text
    (else a heading, or a cell of a table)."""

    line: int
    text: str
    running: bool = True


@dataclass(frozen=True)
class Finding:
    """What is wrong, and in which line."""

    line: int
    message: str


@functools.cache
def style() -> dict[str, Any]:
    """The settings."""
    return tomllib.loads(STYLE.read_text(encoding="utf-8"))


@functools.cache
def _banned() -> list[tuple[re.Pattern[str], str]]:
    return [
        (re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE), better)
        for pattern, better in style()["banned"].items()
    ]


@functools.cache
def texts() -> dict[str, str]:
    """Every text as Markdown, by its name: the path of a page, `help: COMMAND`,
    `algorithm: NAME`, `tcp`, `schema`, `laws` or `messages: ROOM`."""
    found = {
        str(page.relative_to(pages.ROOT)): page.read_text(encoding="utf-8")
        for page in (*pages.pages(), *(pages.ROOT / name for name in pages.HISTORY))
    }
    found = {name: text for name, text in found.items() if not FIXED.fullmatch(name)}
    found |= {f"help: {name}": text for name, text in _help(commands.grammar())}
    for a in catalogue.algorithms():
        parts = (a.title, a.idea, a.rule, a.needs, *(p.doc for p in a.parameters))
        found[f"algorithm: {a.name}"] = "\n\n".join(
            [_paragraphs(parts), *messages.prose(a.equations)]
        )
    found["tcp"] = _paragraphs(field.doc for field in catalogue.tcp_fields("rfc"))
    found["schema"] = _paragraphs(
        [*_descriptions(api.schema()), *_descriptions(api.result_schema())]
    )
    found["laws"] = _paragraphs(check.law for check in report.checks())
    found |= {f"messages: {room}": text for room, text in messages.rooms().items()}
    return found


def _paragraphs(parts: Any) -> str:
    return "\n\n".join(dict.fromkeys(" ".join(part.split()) for part in parts if part))


def _help(command: App, path: str = "dumbbell") -> Iterator[tuple[str, str]]:
    """The help of a command and of those below it."""
    parts = [command.help]
    if command.default_command is not None:
        arguments = command.assemble_argument_collection()
        parts += [argument.parameter.help for argument in arguments if argument.show]
    yield path, "\n\n".join(part for part in parts if part)
    for name in command:
        if not name.startswith("-"):
            yield from _help(command[name], f"{path} {name}")


def _descriptions(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(text := schema.get("description"), str):
            yield text
        for value in schema.values():
            yield from _descriptions(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _descriptions(value)


def paragraphs(text: str) -> Iterator[Paragraph]:
    """The paragraphs, items, headings and cells of a page."""
    blank = _GENERATED.sub(lambda match: "\n" * match[0].count("\n"), text)
    tokens = _MARKDOWN.parse(blank)
    line = 1
    for before, token in zip([None, *tokens], tokens, strict=False):
        line = token.map[0] + 1 if token.map else line
        if token.type == "inline":
            running = before is not None and before.type == "paragraph_open"
            yield Paragraph(line, _plain(token), running)


def _plain(token: Token) -> str:
    """The text of an inline token in one line."""
    parts = []
    for child in token.children or ():
        if child.type == "code_inline":
            parts.append("`x`")
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "text":
            parts.append(child.content)
    return " ".join("".join(parts).split())


def sentences(text: str) -> Iterator[str]:
    """The sentences of a paragraph."""
    begin = 0
    for end in _END.finditer(text):
        if not _ABBREVIATION.search(text[begin : end.start()]):
            yield text[begin : end.start()]
            begin = end.end()
    yield text[begin:]


def findings(name: str, text: str) -> list[Finding]:
    """What is wrong with a text."""
    limits = style()["limits"]
    longest = limits["readme_sentence" if name == "README.md" else "sentence"]
    found = []
    for paragraph in paragraphs(text):
        for pattern, better in _banned():
            for match in pattern.finditer(paragraph.text):
                found.append(Finding(paragraph.line, f'"{match[0].strip()}": {better}'))
        if paragraph.running and (count := _words(paragraph.text)) > limits["paragraph"]:
            found.append(Finding(paragraph.line, f"a paragraph of {count} words"))
        for sentence in sentences(paragraph.text):
            if (count := _words(sentence)) > longest:
                start = " ".join(sentence.split()[:6])
                found.append(Finding(paragraph.line, f'a sentence of {count} words: "{start} ..."'))
    return found


def _words(text: str) -> int:
    return len(re.findall(r"[\w'`./-]*\w[\w'`./-]*", text))


def pending() -> list[str]:
    """The names of the texts that may fail."""
    return list(style()["pending"]["texts"])


def shrink() -> None:
    """Takes off the list what passes or is gone."""
    known = texts()
    kept = [name for name in pending() if name in known and findings(name, known[name])]
    head, mark, _ = STYLE.read_text(encoding="utf-8").partition("texts = [")
    write_text(STYLE, head + mark + "".join(f'\n  "{name}",' for name in kept) + "\n]\n")


def main() -> int:
    """Prints what is wrong."""
    if sys.argv[1:] == ["--shrink"]:
        shrink()
        return 0
    known = texts()
    wanted = sys.argv[1:] or [name for name in known if name not in pending()]
    if unknown := [name for name in wanted if name not in known]:
        raise SystemExit(f"no such text: {', '.join(unknown)}")
    count = 0
    for name in wanted:
        for finding in findings(name, known[name]):
            count += 1
            print(f"{name}:{finding.line}: {finding.message}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
