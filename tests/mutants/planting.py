"""Faults of cargo-mutants as choices that are made when a program runs, all in one copy.

One build then serves them all (mutant schemata: Untch, Offutt, Harrold, ISSTA 1993). The fault that
is on is that whose number is in the environment. Without a number, what tests reach is noted.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CORE = "crates/dumbbell-core/src"
VARIABLE, NOTES = "DUMBBELL_FAULT", "DUMBBELL_FAULT_NOTES"
SWITCH = f"""//! Which fault is on, and which tests reach which.
use std::cell::RefCell;
use std::io::Write;
use std::sync::OnceLock;

static CHOSEN: OnceLock<Option<u32>> = OnceLock::new();
thread_local! {{
    static SEEN: RefCell<Vec<bool>> = const {{ RefCell::new(Vec::new()) }};
}}

/// Whether fault `k` is on.
#[inline]
pub fn on(k: u32) -> bool {{
    match *CHOSEN.get_or_init(|| std::env::var("{VARIABLE}").ok().and_then(|k| k.parse().ok())) {{
        Some(chosen) => chosen == k,
        None => note(k),
    }}
}}

#[cold]
#[inline(never)]
fn note(k: u32) -> bool {{
    let seen = |seen: &RefCell<Vec<bool>>| {{
        let (mut seen, k) = (seen.borrow_mut(), k as usize);
        if seen.len() <= k {{
            seen.resize(k + 1, false);
        }}
        std::mem::replace(&mut seen[k], true)
    }};
    if !SEEN.try_with(seen).unwrap_or(false)
        && let Ok(file) = std::env::var("{NOTES}")
    {{
        let thread = std::thread::current();
        let line = format!("{{k}}\\t{{}}\\n", thread.name().unwrap_or(""));
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(file).unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }}
    false
}}
"""

Span = tuple[int, int]
"""Offsets in a text, in characters; the end is exclusive."""


class NotPlantable(Exception):
    """A fault that cannot be a choice at run time, and why."""


@dataclass
class Fault:
    """One of cargo-mutants' faults. number: from 0, its place in their list."""

    number: int
    file: str
    genre: str
    name: str
    replacement: str
    start: tuple[int, int]
    end: tuple[int, int]
    function: tuple[int, int] | None
    """Where the function around it begins."""
    returns: str
    """What that returns."""

    @classmethod
    def of(cls, number: int, entry: dict[str, Any]) -> Fault:
        """From an entry of `cargo mutants --list --json`."""

        def at(position: dict[str, int]) -> tuple[int, int]:
            return position["line"], position["column"]

        span, function = entry["span"], entry.get("function")
        return cls(
            number,
            entry["file"],
            entry["genre"],
            entry["name"],
            entry["replacement"],
            at(span["start"]),
            at(span["end"]),
            at(function["span"]["start"]) if function else None,
            function["return_type"] if function else "",
        )

    @property
    def crate(self) -> str:
        """The name of its package."""
        return self.file.split("/")[1]

    @property
    def switch(self) -> str:
        """The expression that is true when it is on."""
        crate = "crate" if self.file.startswith(CORE) else "dumbbell_core"
        return f"{crate}::fault::on({self.number})"


@dataclass
class Node:
    """A part of a text that becomes a choice: `whole` is replaced, or text inserted if it is empty.

    parts: further spans within it, by kind."""

    kind: str
    whole: Span
    parts: list[Span] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


class Text:
    """A file with its places: those that tests/mutants/extents prints, by kind and first span."""

    def __init__(self, text: str, places: Iterable[str]) -> None:
        self.text = text
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._places: dict[tuple[str, int], list[Span]] = {}
        for place in places:
            kind, *ends = place.split("\t")
            points = [self.offset(*map(int, end.split(":"))) for end in ends]
            spans = list(zip(points[::2], points[1::2], strict=True))
            self._places[kind, spans[0][0]] = spans

    def offset(self, line: int, column: int) -> int:
        """The offset of a position; both count from 1."""
        return self._starts[line - 1] + column - 1

    def node(self, fault: Fault) -> Node:
        """Where the fault goes. `NotPlantable` if it is in what the compiler evaluates."""
        if fault.function is None:
            raise NotPlantable("a constant")
        start, end = self.offset(*fault.start), self.offset(*fault.end)
        head = self.text[self.offset(*fault.function) : start].partition("{")[0]
        if re.search(r"\bconst\s+(unsafe\s+)?fn\b", head):
            raise NotPlantable("a const function")
        match fault.genre:
            case "FnValue" if "impl " in fault.returns:
                raise NotPlantable("a value of a type without a name")
            case "FnValue":
                return Node("body", (start, start))
            case "MatchArmGuard":
                return Node("guard", (start, end))
            case "BinaryOperator" if ("chain", start) in self._places:
                raise NotPlantable(CHAIN)
            case "BinaryOperator":
                operator, whole = self._at("binary", start)
                return Node("operator", whole, [operator])
            case "UnaryOperator":
                operator, whole = self._at("unary", start)
                return Node("operator", whole, [operator])
            case "MatchArm":
                _, pattern, *guard = self._at("arm", start)
                return Node("if", guard[0]) if guard else Node("arm", (pattern[1], pattern[1]))
            case "StructField":
                _, value, *parts = self._at("field", start)
                return Node("field", value, parts)
        raise NotPlantable(f"the genre {fault.genre}")

    def _at(self, kind: str, start: int) -> list[Span]:
        try:
            return self._places[kind, start]
        except KeyError:
            raise NotPlantable(f"no {kind} begins there") from None

    def planted(self, faults: Iterable[Fault]) -> str:
        """The text with all of these faults as choices; lines keep their numbers."""
        nodes: dict[tuple[str, Span, tuple[Span, ...]], Node] = {}
        for fault in faults:
            node = self.node(fault)
            same = nodes.setdefault((node.kind, node.whole, tuple(node.parts)), node)
            same.faults.append(fault)
        return self._render(0, len(self.text), _sorted(nodes.values()))

    def _render(self, start: int, end: int, nodes: list[Node]) -> str:
        made, nodes = [], list(nodes)
        while nodes:
            node = nodes.pop(0)
            made.append(self.text[start : node.whole[0]])
            inner = [n for n in nodes if _within(n.whole, node.whole)]
            nodes = [n for n in nodes if not _within(n.whole, node.whole)]
            made.append(self._choice(node, inner))
            start = node.whole[1]
        return "".join([*made, self.text[start:end]])

    def _choice(self, node: Node, inner: list[Node]) -> str:
        start, end = node.whole
        plain = self._render(start, end, inner)
        if node.kind == "body":
            return "".join(f"if {f.switch} {{ return {f.replacement}; }} " for f in node.faults)
        off = " && ".join(f"!{f.switch}" for f in node.faults)
        if node.kind == "arm":
            return f" if {off}"
        if node.kind == "if":
            return f"{off} && {plain}" if "let " in plain else f"{off} && ({plain})"
        operator = self.text[slice(*node.parts[0])] if node.kind == "operator" else ""
        assigns = operator.endswith("=") and operator not in COMPARISONS
        # At the start of a block `if ... {} else {} == 0` would be two statements.
        chosen = f"({plain})" if operator and not assigns else plain
        for fault in reversed(node.faults):
            wrong = _one_line(self._wrong(node, fault, inner))
            chosen = f"if {fault.switch} {{ {wrong} }} else {{ {chosen} }}"
        if assigns:
            return f"{{ {chosen} }}"
        if node.kind == "field" and self._field(node) == plain:
            return f"{plain}: ({chosen})"
        return f"({chosen})"

    def _field(self, node: Node) -> str:
        """The name before a field's value, or the value if it is the name, too."""
        before = re.search(r"(\w+)\s*:\s*$", self.text[: node.whole[0]])
        return before[1] if before else self.text[slice(*node.whole)]

    def _wrong(self, node: Node, fault: Fault, inner: list[Node]) -> str:
        start, end = node.whole
        if node.kind == "guard":
            return fault.replacement
        if node.kind == "field":
            name = self._field(node)
            path, rest = (self.text[slice(*part)] for part in node.parts)
            return f"{path} {{ ..{rest} }}.{name}"
        (first, last), *_ = node.parts
        left = self._render(start, first, [n for n in inner if _within(n.whole, (start, first))])
        right = self._render(last, end, [n for n in inner if _within(n.whole, (last, end))])
        if fault.replacement.startswith("<") and re.search(r"\bas\s+\w+\s*$", left):
            left = f"({left})"  # Else `<` would begin arguments of the type.
        wrong = f"{left}{fault.replacement}{right}"
        operator = self.text[first:last]
        assigns = operator.endswith("=") and operator not in COMPARISONS
        return wrong if assigns else f"({wrong})"


CHAIN = "a chain with `let`"
"""In which no other operator compiles."""
COMPARISONS = ("==", "!=", "<=", ">=")


def _within(inner: Span, outer: Span) -> bool:
    if inner[0] == inner[1]:
        return outer[0] < inner[0] < outer[1]
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _one_line(text: str) -> str:
    """Rust without its ends of lines, nor comments before them."""
    return " ".join(re.sub(r"(^|\s)//.*", "", line).strip() for line in text.split("\n"))


def _sorted(nodes: Iterable[Node]) -> list[Node]:
    """Outer ones before those within them, and insertions before what follows them."""
    ranks = {"if": 0, "guard": 1}
    return sorted(
        nodes,
        key=lambda n: (
            n.whole[0],
            n.whole[0] != n.whole[1],
            -n.whole[1],
            ranks.get(n.kind, 2),
        ),
    )


def texts(tree: Path, files: Iterable[str], extents: Path) -> dict[str, Text]:
    """The files with their places, as the program `extents` finds them."""
    files = sorted(set(files))
    done = subprocess.run([extents, *files], cwd=tree, check=True, capture_output=True, text=True)
    places: dict[str, list[str]] = defaultdict(list)
    for line in done.stdout.splitlines():
        file, _, place = line.partition("\t")
        places[file].append(place)
    return {file: Text((tree / file).read_text(), places[file]) for file in files}


def plant(tree: Path, sources: dict[str, Text], faults: Iterable[Fault]) -> None:
    """Writes the files of the tree with these faults in them, and the switch."""
    by_file: dict[str, list[Fault]] = defaultdict(list)
    for fault in faults:
        by_file[fault.file].append(fault)
    for file, source in sources.items():
        text = source.planted(by_file[file])
        if file == f"{CORE}/lib.rs":
            text += MODULE
        if (tree / file).read_text() != text:
            (tree / file).write_text(text)
    (tree / CORE / "fault.rs").write_text(SWITCH)
    for file, old, new in (
        (f"{CORE}/lib.rs", "", MODULE),
        ("Cargo.toml", LINTS, f'{LINTS}unused_parens = "allow"\nunreachable_code = "allow"\n'),
    ):
        text = (tree / file).read_text()
        if new not in text:
            (tree / file).write_text(text.replace(old, new) if old else text + new)


LINTS = "[workspace.lints.rust]\n"
MODULE = "\n/// The faults.\npub mod fault;\n"
