"""Checks what pages say in code spans against the product, and that every block is executed, parsed
or marked.

    python docs/tools/claims.py    # what is wrong, page by page

In prose (docs/tools/pages.py) a span may be a command line, an option, a name of the Python
package, or a path:

- `dumbbell COMMAND ...`, `make ...`, `cargo ...`, `python FILE`: commands, options, targets and
  files exist; values may be placeholders.
- `--option`: some command has it.
- `dumbbell.NAME.ATTRIBUTE` and `CLASS.ATTRIBUTE` of the package's classes: they exist, and take the
  keywords shown.
- `folder/file`, `file.ext`: the repository has it, a block of the page writes it, or the source
  names it.
- `snake_case` and `Type::name`: the words occur in the source, or in a block of the page.

Links inside the repository lead to a file, and their anchors to a heading.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import commands
import dumbbell
import pages
from pages import ROOT, Block

CHECKED = ("sh",)
"""Languages whose blocks are parsed line by line and not executed."""
EXECUTED = ("console", "python")
"""Languages whose blocks docs/tools/examples.py executes."""
OPTIONS_OF_OTHERS = frozenset(("--json-stream", "--one-off"))
"""Options of other programs that pages name alone: iperf3's."""
NAMES_OF_OTHERS = frozenset(
    (
        *("gso_max_segs", "rto_min", "tcp_comp_sack_nr", "tcp_htcp"),
        *("qdelay_norm_hist", "loss_event_rate", "target_bitrate_last_max"),
    )
)
"""Names of Linux and of RFC 8298, which our source does not contain."""
INSTANCES = {"result": dumbbell.Result, "scenario": dumbbell.Scenario}
"""What pages call an object of these classes."""
_PATH = re.compile(r"[\w.-]+(?:/[\w.*-]+)*/?")
_SUFFIXES = (
    *(
        ".md",
        ".py",
        ".rs",
        ".toml",
        ".sv",
        ".json",
        ".png",
        ".svg",
        ".csv",
        ".tcl",
        ".ipynb",
        ".f",
        ".sh",
        ".trace",
    ),
    *(".html", ".parquet", ".v", ".pcapng", ".pyi", ".xdc"),
)


def block_mistakes(page: Path) -> Iterator[str]:
    """Blocks that no test executes or parses and that no comment excuses, and wrong command
    lines."""
    text = page.read_text(encoding="utf-8")
    found = pages.blocks(text)
    files = {block.file for block in found if block.file}
    base = False
    for block in found:
        line = text.count("\n", 0, block.start) + 1
        for shown in _lines(block):
            if block.kind in CHECKED or block.not_run:
                wrongs = commands.mistakes(shown, files | set(block.given.split()))
                yield from (f"line {line}: {shown}\n    {wrong}" for wrong in wrongs)
            files |= commands.written(shown)
        base = base or (block.kind == "toml" and block.file is not None)
        if not block.not_run and (why := _unchecked(block, base)):
            yield f"line {line}: {why}"


def _lines(block: Block) -> Iterator[str]:
    """The command lines of a block."""
    if block.kind == "console":
        yield from re.findall(r"^\$ (.*)$", block.body, re.MULTILINE)
    elif block.kind in CHECKED:
        whole = block.body.replace("\\\n", " ")
        yield from (
            line
            for line in whole.splitlines()
            if line.strip() and not line.lstrip().startswith("#")
        )


def _unchecked(block: Block, base: bool) -> str | None:
    """Why no test looks at a block; None: one does."""
    if block.file or block.kind in (*CHECKED, *EXECUTED):
        return None
    if block.kind == "toml":
        return (
            None
            if base or block.over
            else "no file of this page is there for this part of a scenario to extend"
        )
    if block.kind == "text":
        shell = re.search(r"^(?:\$ |make |dumbbell |cargo )", block.body, re.MULTILINE)
        return "commands in a block of text: write `sh` or `console`" if shell else None
    return f"nothing executes a block of `{block.kind}`"


def span_mistakes(page: Path) -> Iterator[str]:
    """What is wrong with the code spans of a page."""
    text = pages.text_of(page)
    here = {block.file for block in pages.blocks(text) if block.file}
    code = "\n".join(block.body for block in pages.blocks(text))
    for span in dict.fromkeys(pages.spans(text)):
        for wrong in _span_mistakes(span, page, here, code):
            yield f"`{span}`: {wrong}"


def _span_mistakes(span: str, page: Path, here: set[str], code: str) -> Iterator[str]:
    first = span.split()[0]
    if first == "dumbbell" and " " in span:
        try:
            words = next(commands.commands(span.replace("[", "").replace("]", "")))
        except ValueError as error:
            yield str(error)
            return
        yield from commands.named(words[1:])
    elif first in ("make", "cargo", "python", "sh") and " " in span:
        yield from commands.mistakes(span.replace(" FILE", ""), here)
    elif re.match(r"--[a-z]", span):
        for option in re.findall(r"(?:^|\s)(--[a-z][\w-]*)", span):
            if option not in commands.every_option() | OPTIONS_OF_OTHERS:
                yield f"no command has the option {option}"
    elif re.match(r"(?:dumbbell|result|scenario)\.|[A-Z]\w+\.\w", span) and not _is_file(
        span, page, here, code
    ):
        yield from _name_mistakes(span)
    elif _looks_like_a_path(span):
        if not _is_file(span, page, here, code):
            yield "there is no such file"
    else:
        yield from (
            f"the source has no {word}"
            for word in _identifiers(span)
            if not _known_word(word, code)
        )


def _identifiers(span: str) -> Iterator[str]:
    """Words that can only be names of the source."""
    yield from re.findall(r"(?<![\w/.$-])[a-z]+(?:_[a-z0-9]+)+(?![\w/-])", span)
    for path in re.findall(r"\w+(?:::\w+)+", span):
        yield from path.split("::")


def _known_word(word: str, code: str) -> bool:
    """Whether the source has it; results put `cc_` before a gauge's name."""
    known = _words() | NAMES_OF_OTHERS
    return word in known or word.removeprefix("cc_") in known or word in re.findall(r"\w+", code)


@functools.cache
def _words() -> frozenset[str]:
    """The words of the source, and the names of types as scenarios write them."""
    suffixes, apart = (
        (".rs", ".py", ".toml", ".sv", ".cc", ".tcl"),
        ("docs/", "tests/docs/test_docs"),
    )
    names = (
        name for name in pages.tracked() if name.endswith(suffixes) and not name.startswith(apart)
    )
    words = frozenset(re.findall(r"\w+", "\n".join((ROOT / name).read_text() for name in names)))
    return words | {
        re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", word).lower() for word in words if word[0].isupper()
    }


def _looks_like_a_path(span: str) -> bool:
    if not _PATH.fullmatch(span) or span[0].isdigit():
        return False
    if span.endswith(_SUFFIXES):
        return not span.startswith(".")
    return "/" in span and span.split("/")[0] in _top()


@functools.cache
def _top() -> frozenset[str]:
    return frozenset(name.split("/")[0] for name in pages.tracked() if "/" in name)


@functools.cache
def _endings() -> frozenset[str]:
    """Every tracked file and folder by every ending of its path."""
    found = set()
    for name in pages.tracked():
        parts = name.split("/")
        for end in range(1, len(parts) + 1):
            found |= {"/".join(parts[start:end]) for start in range(end)}
    return frozenset(found)


@functools.cache
def _source() -> str:
    """The product's source, in which files that it writes are named."""
    names = (
        n
        for n in pages.tracked()
        if n.startswith(("crates/", "python/", "papers/")) and n.endswith((".rs", ".py"))
    )
    return "\n".join((ROOT / name).read_text() for name in names)


def _is_file(span: str, page: Path, here: set[str], code: str) -> bool:
    path = span.rstrip("/")
    if path in _endings() or path in here or (page.parent / path).exists():
        return True
    parts = path.split("/")
    if upper := next((i for i, part in enumerate(parts) if part.isupper()), 0):  # A placeholder.
        return "/".join(parts[:upper]) in _endings()
    if "*" in path:
        return any(Path(name).match(path) for name in pages.tracked())
    if parts[0] in ("results", "DIR", "NAME", "target", "build"):  # What commands write.
        return True
    return path in code or f'"{path}"' in _source()


def _name_mistakes(span: str) -> Iterator[str]:
    """Wrong names in an expression such as `dumbbell.Scenario.load(FILE)`."""
    try:
        tree = ast.parse(span, mode="eval")
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (wrong := _keyword_mistake(node)):
            yield wrong
    outer = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        chain = _chain(node)
        if chain is not None and id(node) not in outer and (wrong := _unresolved(chain)):
            yield wrong


def _chain(node: ast.AST) -> list[str] | None:
    """`a.b.c` as its names; None for anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return [node.id, *names] if isinstance(node, ast.Name) and names else None


def resolve(chain: list[str]) -> Any:
    """The object of the package that `dumbbell.a.b`, `Class.b` or `result.b` names.
    `AttributeError`: there is none."""
    there = (
        dumbbell
        if chain[0] == "dumbbell"
        else INSTANCES.get(chain[0]) or getattr(dumbbell, chain[0])
    )
    for depth, name in enumerate(chain[1:], start=2):
        try:
            there = getattr(there, name)
        except AttributeError:
            if inspect.isclass(there) and _of_instances(there, name):
                return None
            if not inspect.ismodule(there):
                raise
            try:
                there = importlib.import_module(".".join(chain[:depth]))
            except ModuleNotFoundError:
                raise AttributeError(name) from None
    return there


def _of_instances(kind: type, name: str) -> bool:
    """Whether instances have an attribute that the class itself lacks."""
    return name in kind.__annotations__ or f"self.{name} =" in inspect.getsource(kind)


def _unresolved(chain: list[str]) -> str | None:
    if chain[0] != "dumbbell" and chain[0] not in INSTANCES and not hasattr(dumbbell, chain[0]):
        return None  # A class that is not the package's.
    try:
        resolve(chain)
    except AttributeError:
        return f"the package has no {'.'.join(chain)}"
    return None


def _keyword_mistake(call: ast.Call) -> str | None:
    chain = _chain(call.func)
    if chain is None:
        return None
    try:
        parameters = inspect.signature(resolve(chain)).parameters
    except (AttributeError, TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return None
    unknown = [k.arg for k in call.keywords if k.arg and k.arg not in parameters]
    return f"{'.'.join(chain)} takes no {unknown[0]}" if unknown else None


def link_mistakes(page: Path) -> Iterator[str]:
    """Links of a page that lead nowhere."""
    text = pages.text_of(page)
    for target, anchor in pages.links(text):
        there = page.parent / target if target else page
        if not there.exists():
            yield f"there is no {target}"
        elif anchor and anchor not in anchors(there):
            yield f"{target or 'this page'} has no heading #{anchor}"


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", pages.text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def mistakes(page: Path) -> list[str]:
    """Everything that is wrong with a page or a notebook."""
    blocks = (
        block_mistakes(page) if page.suffix == ".md" else ()
    )  # tests/docs/test_notebooks.py executes notebooks.
    return [*blocks, *span_mistakes(page), *link_mistakes(page)]


def main() -> int:
    """Says what is wrong with every page."""
    count = 0
    for page in (*pages.pages(), *pages.notebooks()):
        wrong = mistakes(page)
        count += len(wrong)
        print("".join(f"{page.relative_to(ROOT)}: {text}\n" for text in wrong), end="")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
