"""The first lines of an algorithm: in a checkout a Rust file, its line in the registry and a test
that fails."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from .. import catalogue
from ..errors import DumbbellError, ScenarioError
from ..files.write import write_new, write_text

REGISTRY = {"aqm": "crates/dumbbell-algos/src/aqm.rs", "cc": "crates/dumbbell-algos/src/cc.rs"}
"""The registry of each kind; its algorithms are in the folder beside it."""


_RUST = """
abstract as async await become box break const continue crate do dyn else enum extern false final fn
for gen if impl in let loop macro match mod move mut override priv pub ref return self static struct
super trait true try type typeof unsafe unsized use virtual where while yield
"""
"""Keywords of Rust, those that are reserved too (The Rust Reference, "Keywords"): no module has
such a name."""


@dataclass(frozen=True)
class Done:
    """The files that were written, and the next step."""

    written: list[Path]
    then: str


def write_python(kind: str, name: str, here: Path = Path()) -> Done:
    """Writes NAME.py with a class that passes the suite. Nothing is overwritten."""
    _refuse_name(kind, name, "Python", (*keyword.kwlist, *keyword.softkwlist))
    file = here / f"{name}.py"
    _write(file, _text(f"{kind}.py", name))
    then = f"write its rule, then `dumbbell test {file}`; see docs/how-to/your-own.md"
    return Done([file], then)


def write_rust(kind: str, name: str, here: Path = Path()) -> Done:
    """Writes the file, the line and the test in the checkout around `here`. Nothing is
    overwritten."""
    _refuse_name(kind, name, "Rust", _RUST.split())
    root = checkout(here)
    registry = root / REGISTRY[kind]
    source = registry.read_text(encoding="utf-8")
    folder = registry.with_suffix("")
    file = folder / f"{name}.rs"
    if re.search(rf"\b{name}::", source):
        raise DumbbellError(f"{registry} already has a line for `{name}`: nothing was written")
    changed = with_line(source, f"{name}::{class_name(name)}")
    _write(file, _text(f"{kind}.rs", name))
    write_text(registry, changed)
    run = f"cargo test --release --config .cargo/checked.toml -p dumbbell-algos --lib {name}"
    return Done(
        [file.relative_to(root), registry.relative_to(root)],
        f"`{run}`: one test fails, and says what to write",
    )


def with_line(source: str, line: str) -> str:
    """A registry's source with one algorithm more, after the others."""
    found = re.search(r"registry!\s*\{\s*\w+ \w+, suite \w+\s*\{(.*?)\}\s*\}", source, re.DOTALL)
    if found is None:
        raise DumbbellError("this file has no `registry!`: is the checkout complete?")
    members = [member.strip() for member in found[1].split(",") if member.strip()]
    lines = "".join(f"    {member},\n" for member in [*members, line])
    return f"{source[: found.start(1)]}\n{lines}{source[found.end(1) :]}"


def checkout(here: Path) -> Path:
    """The checkout of Dumbbell around a directory."""
    start = here.resolve()
    for folder in (start, *start.parents):
        if all((folder / registry).is_file() for registry in REGISTRY.values()):
            return folder
    raise DumbbellError(
        f"{start} is not in a checkout of Dumbbell, which a Rust algorithm needs: change to one, "
        "or write the algorithm in Python with --python"
    )


def class_name(name: str) -> str:
    """The class of an algorithm: `my_red` is `MyRed`."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def _refuse_name(kind: str, name: str, language: str, keywords: Collection[str]) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ScenarioError(
            f"`{name}` is not a name for an algorithm: write small letters, digits and _, as in "
            f"my_red"
        )
    if name in keywords:
        raise ScenarioError(f"`{name}` is a keyword of {language}: use another name, as my_{name}")
    if name in catalogue.kinds().get(kind, []):
        raise ScenarioError(f"the catalogue already has `{name}`: use another name")


def _write(file: Path, text: str) -> None:
    if file.exists():
        raise DumbbellError(f"{file} already exists: nothing was written")
    write_new(file, text)


def _text(template: str, name: str) -> str:
    text = (files(__package__) / "templates" / f"{template}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(name=name, Name=class_name(name))
