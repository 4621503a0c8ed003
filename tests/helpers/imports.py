"""Which file of the product imports which, read from the sources: Rust modules and the Python
package."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

Graph = dict[Path, set[Path]]

_USE = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", re.MULTILINE)
_PATH = re.compile(r"(?<![\w:$])(?:crate|super)(?:::\w+)+")
_NOISE = re.compile(r'//[^\n]*|"(?:[^"\\]|\\.)*"', re.DOTALL)


def _leaves(tree: str) -> Iterator[list[str]]:
    """The paths of a `use` tree: `a::{b, c as d}` gives [a, b] and [a, c]."""
    head, brace, rest = tree.partition("{")
    start = [part.strip() for part in head.split("::") if part.strip()]
    if not brace:
        yield [part.split(" as ")[0].strip() for part in start]
        return
    depth, one = 0, ""
    for letter in rest[: rest.rindex("}")] + ",":
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            if one.strip():
                yield from ([*start, *leaf] for leaf in _leaves(one.strip()))
            one = ""
        else:
            one += letter


def _without_tests(text: str) -> str:
    return re.split(r"#\[cfg\(test\)\]\s*(?:pub\(\w+\)\s+)?mod tests?\b", text)[0]


def rust(source: Path) -> Graph:
    """The imports between the files of a crate. `source`: its `src`. A module and its parent may
    use each other."""
    files = {}
    for path in sorted(source.rglob("*.rs")):
        parts = path.relative_to(source).with_suffix("").parts
        if "tests" not in parts:
            files[() if parts == ("lib",) else parts] = path
    graph: Graph = {path: set() for path in files.values()}
    for module, path in files.items():
        text = _NOISE.sub("", _without_tests(path.read_text(encoding="utf-8")))
        found = [leaf for use in _USE.findall(text) for leaf in _leaves(use)]
        found += [name.split("::") for name in _PATH.findall(_USE.sub("", text))]
        for name in found:
            if name[0] == "crate":
                target = tuple(name[1:])
            elif name[0] == "super":
                up = next((n for n, part in enumerate(name) if part != "super"), len(name))
                target = (*module[: len(module) - up], *name[up:])
            elif (*module, name[0]) in files:
                target = (*module, *name)
            else:
                continue
            while target and target not in files:
                target = target[:-1]
            family = target[: len(module)] == module or module[: len(target)] == target
            if target in files and not family:
                graph[path].add(files[target])
    return graph


def python(package: Path) -> Graph:
    """The imports between the modules of a package, those within functions and for type checkers,
    too."""
    files = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        files[parts[:-1] if parts[-1] == "__init__" else parts] = path
    graph: Graph = {path: set() for path in files.values()}
    for module, path in files.items():
        base = module if path.name == "__init__.py" else module[:-1]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not node.level:
                continue
            start = (*base[: len(base) - node.level + 1], *(node.module or "").split("."))
            start = tuple(part for part in start if part)
            for name in node.names:
                target = files.get((*start, name.name)) or files.get(start)
                if (
                    target
                    and target != path
                    and not (path.name == "__init__.py" and path.parent in target.parents)
                ):
                    graph[path].add(target)
    return graph


def circles(graph: Graph) -> list[list[Path]]:
    """Groups of files that import each other (Tarjan's strongly connected components with more than
    one file)."""
    index: dict[Path, int] = {}
    low: dict[Path, int] = {}
    stack: list[Path] = []
    found: list[list[Path]] = []

    def visit(at: Path) -> None:
        index[at] = low[at] = len(index)
        stack.append(at)
        for to in sorted(graph[at]):
            if to not in index:
                visit(to)
                low[at] = min(low[at], low[to])
            elif to in stack:
                low[at] = min(low[at], index[to])
        if low[at] == index[at]:
            group = []
            while not group or group[-1] != at:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    for path in graph:
        if path not in index:
            visit(path)
    return found


def by_folder(graph: Graph, source: Path) -> Graph:
    """The same arrows between the rooms of a crate or package: its top folders, each with its face
    (`name.rs`)."""

    def room(path: Path) -> Path:
        first = path.relative_to(source).parts[0]
        return source / Path(first).stem

    folders: Graph = {}
    for path, targets in graph.items():
        here = folders.setdefault(room(path), set())
        here |= {room(target) for target in targets} - {room(path)}
    return folders
