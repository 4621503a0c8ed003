"""The seeded faults fit the source as it is, and the committed table is about them.

That the validation suite finds them is `make faults`, which builds a copy of the source.
"""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import pytest
import table
from dumbbell.validate import report
from schemata import FILE, Fault, Wrong, plant, read

ROOT = Path(__file__).parents[2]
FAULTS = read(ROOT / FILE)
PAGE = (ROOT / table.PAGE).read_text(encoding="utf-8")


def test_there_are_enough_faults_in_every_part() -> None:
    assert len(FAULTS) >= 22
    parts = {fault.id.partition(".")[0] for fault in FAULTS}
    assert parts >= {"red", "queue", "link", "loss", "source", "tcp", "rto", "cubic"}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_each_fault_fits_the_source_once(fault: Fault) -> None:
    source = (ROOT / fault.file).read_text(encoding="utf-8")
    assert fault.line(source) > 0
    assert fault.new != fault.part and fault.part in fault.text
    assert "mod tests {" not in source[: source.index(fault.text)], "the fault lies in a test"


def test_all_faults_fit_together(tmp_path: Path) -> None:
    for file in {fault.file for fault in FAULTS} | {
        "crates/dumbbell-core/src/lib.rs",
        "Cargo.toml",
    }:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text((ROOT / file).read_text(encoding="utf-8"), encoding="utf-8")
    plant(FAULTS, tmp_path)
    for fault in FAULTS:
        planted = (tmp_path / fault.file).read_text(encoding="utf-8")
        assert planted.count(f"::fault::on({fault.number})") == 1
        assert fault.new in planted and fault.part in planted
    assert "pub fn on(k: u32)" in (tmp_path / "crates/dumbbell-core/src/fault.rs").read_text()


def test_each_fault_expects_lines_that_the_quick_passport_has() -> None:
    known = [check.id for check in report.checks() if check.quick]
    for fault in FAULTS:
        assert fault.turns
        for pattern in fault.turns:
            assert fnmatch.filter(known, pattern), f"{fault.id}: no quick line is called {pattern}"


def test_the_table_has_every_fault_with_the_lines_that_found_it() -> None:
    rows = {found[1]: found[0] for found in re.finditer(r"^\| `([^`]+)` .*\|$", PAGE, re.MULTILINE)}
    assert list(rows) == [fault.id for fault in FAULTS], f"{table.PAGE} is behind: make faults"
    for fault in FAULTS:
        cells = [cell.strip() for cell in rows[fault.id].split(" | ")]
        lines = re.findall(r"`([^`]+)`", cells[-1])
        assert lines and all(
            any(fnmatch.fnmatchcase(line, p) for p in fault.turns) for line in lines
        ), fault.id
        expected = table.rows([fault], {fault.id: lines}, PAGE)[0]
        assert expected.rpartition(" | ")[0] == rows[fault.id].rpartition(" | ")[0], (
            f"{fault.id}: make faults"
        )


def test_faults_that_were_not_tried_again_keep_their_rows() -> None:
    first, second = FAULTS[:2]
    page = "\n".join(table.rows([first, second], {first.id: ["a"], second.id: ["b"]}, ""))
    again = table.rows([first, second], {second.id: []}, page)
    assert [row.rpartition(" | ")[2] for row in again] == ["`a` |", "**none** |"]
    assert table.rows([first, second], {second.id: ["c"]}, "")[0].startswith(f"| `{second.id}`")


@pytest.mark.parametrize(
    ("old", "new", "choice"),
    [
        ("let x = «a + b»;", "a - b", "let x = (if crate::fault::on(7) { a - b } else { a + b });"),
        ("a + b", "a", "(if crate::fault::on(7) { a } else { a + b })"),
        ("x();\n«y();»", "z();", "x();\nif crate::fault::on(7) { z(); } else { y(); }"),
    ],
)
def test_a_fault_becomes_a_choice(old: str, new: str, choice: str) -> None:
    assert Fault(7, "f", "", "f.rs", old, new, ()).choice("crate") == choice


def test_a_text_that_moved_is_told() -> None:
    fault = Fault(1, "moved", "", "f.rs", "let «a» = 1;", "b", ())
    assert fault.line("fn f() {\nlet a = 1;\n}") == 2
    for source in ("nothing", "let a = 1; let a = 1;"):
        with pytest.raises(Wrong, match="moved"):
            fault.line(source)


def test_a_table_that_is_wrong_is_told(tmp_path: Path) -> None:
    file = tmp_path / "faults.toml"
    entry = '[[fault]]\nid = "a"\nwhat = "w"\nfile = "f"\nold = "o"\nnew = "n"\nturns = ["x"]\n'
    for text in (entry + entry, entry.replace("what", "whot"), "[[fault"):
        file.write_text(text)
        with pytest.raises(Wrong):
            read(file)
