"""The house: ARCHITECTURE.md names every room, no room is crowded, and no files import each other
in a circle."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from helpers import imports

ROOT = imports.ROOT
PACKAGE = ROOT / "python" / "dumbbell"
CRATES = sorted(path.parent for path in (ROOT / "crates").glob("*/Cargo.toml"))

LISTS = {"aqm", "cc"}
"""Folders of the catalogue, where each file is an algorithm."""


def drawn() -> dict[str, str]:
    """The rooms that ARCHITECTURE.md draws, with what it says of each."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    tree = text.split("## Rooms")[1].split("```")[1]
    rooms: dict[str, str] = {}
    path: list[str] = []
    for line in tree.splitlines()[1:]:
        if found := re.match(r"( *)(\S+)/ *(\S.*)?$", line):
            depth = len(found[1]) // 2
            path[depth:] = [found[2]]
            if found[3]:
                rooms["/".join(path)] = found[3]
    return rooms


def folders(root: Path) -> set[Path]:
    """The folders right under `root` that have sources in them."""
    kinds = (".rs", ".py")
    return {
        child
        for child in root.iterdir()
        if child.is_dir() and any(path.suffix in kinds for path in child.rglob("*"))
    }


def test_architecture_draws_every_room_and_every_room_is_there() -> None:
    there = set(CRATES) | folders(PACKAGE) | {PACKAGE}
    for crate in CRATES:
        there |= folders(crate / "src")
    names = {str(path.relative_to(ROOT)).replace("/src", "") for path in there}
    said = {name for name in drawn() if name.startswith(("crates/", "python/"))}
    assert said == names


def test_every_room_that_architecture_draws_exists() -> None:
    for name in drawn():
        inside = re.sub(r"^(crates/[^/]+)/", r"\1/src/", name)
        assert (ROOT / name).is_dir() or (ROOT / inside).is_dir(), name


def test_no_folder_has_more_than_twenty_files() -> None:
    counted: Counter[Path] = Counter()
    for top in ("crates", "python", "tests", "rtl", "bench", "faults", "fuzz"):
        for path in (ROOT / top).rglob("*"):
            if path.suffix in {".rs", ".py", ".sv", ".v", ".sby"} and "target" not in path.parts:
                counted[path.parent] += 1
    crowded = {str(path): n for path, n in counted.items() if n > 20 and path.name not in LISTS}
    assert not crowded


def test_the_face_of_the_package_and_of_the_lab_is_small() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 8
    lab = ROOT / "crates" / "dumbbell-lab" / "src"
    assert len({path.stem for path in lab.iterdir()}) <= 10


@pytest.mark.parametrize("crate", CRATES, ids=lambda path: path.name)
def test_no_files_of_a_crate_import_each_other_in_a_circle(crate: Path) -> None:
    graph = imports.rust(crate / "src")
    assert not imports.circles(graph)
    assert not imports.circles(imports.by_folder(graph, crate / "src"))


def test_no_modules_of_the_package_import_each_other_in_a_circle() -> None:
    graph = imports.python(PACKAGE)
    assert not imports.circles(graph)


def test_a_circle_is_found(tmp_path: Path) -> None:
    """The test of the test: two modules that use each other, one through a `use` tree and one by a
    path."""
    (tmp_path / "lib.rs").write_text("mod a;\nmod b;\nmod c;\n", encoding="utf-8")
    (tmp_path / "a.rs").write_text("use crate::{b::{self, B}, c};\n", encoding="utf-8")
    (tmp_path / "b.rs").write_text("fn f() { super::a::g() }\n", encoding="utf-8")
    (tmp_path / "c.rs").write_text("// crate::a is named in a comment\n", encoding="utf-8")
    assert imports.circles(imports.rust(tmp_path)) == [[tmp_path / "a.rs", tmp_path / "b.rs"]]
