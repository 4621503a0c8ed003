"""The texts that the Python package prints, room by room: string literals, templates of pages, and
comments of the scenarios that it brings along; and the sentences of the conformance suite.

A text counts from four words on; `x` stands for what a placeholder puts in. Docstrings are not
printed (help is checked as such), patterns and source code are not prose.
"""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterator

import pages

PACKAGE = pages.ROOT / "python" / "dumbbell"
SUITE = pages.ROOT / "crates" / "dumbbell-algos" / "src" / "suite"
"""The conformance suite, whose sentences `dumbbell test` prints."""
TOP = "top level"
"""The room of the modules that are in no folder."""
_FEWEST = 4
_X = "`x`"
_WORD = re.compile(r"(?<![\w`])[A-Za-z][A-Za-z'-]*(?![\w`(=])")
_CODE = re.compile(r"\\|^\^|\(\?|[{}] *$|^(?:import|from|class|def|module|assign|input|output) ")
_JINJA = re.compile(r"\{#.*?#\}|\{%.*?%\}", re.DOTALL)
_FIELD = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_BLOCK = re.compile(r"</?(?:p|h\d|li|td|th|dt|dd|small|summary|caption|title|br)\b[^>]*>")
_TAG = re.compile(r"<[^>]*>")


def rooms() -> dict[str, str]:
    """The texts of each room as Markdown, a paragraph for each."""
    found: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*")):
        read = _READERS.get(path.suffix)
        if read is not None:
            inside = path.relative_to(PACKAGE)
            room = inside.parts[0] if len(inside.parts) > 1 else TOP
            found.setdefault(room, []).extend(read(path.read_text(encoding="utf-8")))
    found["suite"] = [
        text for path in sorted(SUITE.glob("*.rs")) for text in rust(path.read_text("utf-8"))
    ]
    return {room: "\n\n".join(dict.fromkeys(texts)) for room, texts in found.items() if texts}


def literals(source: str) -> Iterator[str]:
    """The texts of a module."""
    tree = ast.parse(source)
    unprinted = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for text in _literals(tree, unprinted):
        yield from prose(text)


def _literals(node: ast.AST, unprinted: set[int]) -> Iterator[str]:
    if isinstance(node, ast.expr) and id(node) not in unprinted:
        text = _joined(node)
        if text is not None:
            yield text
            # A placeholder may choose between literals.
            for part in ast.walk(node):
                if isinstance(part, ast.FormattedValue):
                    yield from _literals(part.value, unprinted)
            return
    for child in ast.iter_child_nodes(node):
        yield from _literals(child, unprinted)


def _joined(node: ast.expr) -> str | None:
    """The text of a literal, of an f-string, or of a sum of them."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(_joined(part) or _X for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [_joined(node.left), _joined(node.right)]
        return None if parts == [None, None] else "".join(part or _X for part in parts)
    return None


def prose(text: str) -> Iterator[str]:
    """The lines of a text that are prose."""
    for line in text.split("\n"):
        plain = " ".join(line.split())
        if len(_WORD.findall(plain)) >= _FEWEST and not _CODE.search(plain):
            yield plain.replace(f"`{_X}`", _X).replace("<", "&lt;")


_RUST = re.compile(r'//[^\n]*|"((?:[^"\\]|\\.)*)"', re.DOTALL)
_FORMAT = re.compile(r"\{[^{}]*\}")


def rust(source: str) -> Iterator[str]:
    """The texts of string literals of a Rust file, without its unit tests."""
    for match in _RUST.finditer(source.partition("#[cfg(test)]")[0]):
        text = re.sub(r"\\\n\s*", "", match[1] or "")
        yield from prose(_FORMAT.sub(_X, text.replace("\\n", "\n")))


def template(source: str) -> Iterator[str]:
    """The texts of a Jinja template."""
    plain = _FIELD.sub(_X, _JINJA.sub("", source))
    for part in _BLOCK.split(plain):
        yield from prose(html.unescape(_TAG.sub("", part)).replace("\n", " "))


def comments(source: str) -> Iterator[str]:
    """The comments of a TOML file, line by line."""
    for line in source.splitlines():
        yield from prose(line.partition("# ")[2])


_READERS = {".py": literals, ".j2": template, ".toml": comments}
