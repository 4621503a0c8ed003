"""What goes wrong with hardware, and what is said then: cores that are not ours, missing tools,
sown faults."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from dumbbell.rtl import tools
from dumbbell.rtl.verify import formal, mutants
from helpers.rtl import RTL, document, needs, red, required

CORE = RTL / "core" / "red_core.sv"
CAUGHT = ("average.no-forwarding", "region.maximum-inclusive", "gap.reload", "adapt.forwarding")
"""Faults of `make rtl` that every run of the tests sows, each of another sort."""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A copy of the core's files, as one of a user's own."""
    needs(tools.VERILATOR, tools.COMPILER)
    shutil.copytree(RTL / "core", tmp_path / "core")
    return tmp_path / "core" / "red_core.sv"


def wrong(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_a_core_of_ones_own_runs_beside_the_model(own: Path) -> None:
    said = document(red("--dut", own, "--packets", 200_000, "--mode", "sound", "--json"))
    assert said["mismatches"] == 0
    assert said["packets"] >= 200_000


def test_a_missing_port_is_named(own: Path) -> None:
    wrong(own, "  output logic [20:0]      draw_o,\n", "")
    code, _, err = red("--dut", own, "--packets", 1000)
    assert code == 2
    assert "draw_o" in err


def test_what_does_not_elaborate_is_shown_by_the_tools_line(own: Path) -> None:
    wrong(own, "assign valid_o = valid_s6_q;", "assign valid_o = valid_s6_q")
    code, _, err = red("--dut", own, "--packets", 1000)
    assert code == 2
    unwrapped = " ".join(err.replace("│", " ").split())
    assert "red_core.sv:" in unwrapped
    assert "syntax error" in unwrapped


def test_a_core_that_never_answers_ends(own: Path) -> None:
    wrong(own, "assign valid_o = valid_s6_q;", "assign valid_o = valid_s6_q && 1'b0;")
    said = document(
        red("--dut", own, "--packets", 1000, "--mode", "sound", "--json", seconds=120), (3,)
    )
    assert said["mismatches"] > 0


def test_a_file_that_is_not_there() -> None:
    code, _, err = red("--dut", "nowhere.sv")
    assert code == 2
    assert "nowhere.sv" in err


@pytest.mark.parametrize(
    "words", [(), ("--check", "--wave"), ("--check", "--place"), ("--check", "--packets", "0")]
)
def test_one_thing_at_a_time(words: tuple[str, ...]) -> None:
    code, out, err = red(*words)
    assert code == 2
    assert not out
    assert "--" in err


def without(tmp_path: Path, *names: str) -> str:
    """A PATH with every program of this machine's but these."""
    there = tmp_path / "bin"
    there.mkdir()
    linked = set(names)
    for directory in filter(None, os.environ["PATH"].split(os.pathsep)):
        for file in Path(directory).glob("*"):
            if file.name not in linked:
                (there / file.name).symlink_to(file)
                linked.add(file.name)
    return str(there)


@pytest.mark.parametrize(
    ("action", "program", "package"),
    [("--check", "verilator", "verilator"), ("--check", "c++", "g++")],
)
def test_a_missing_tool_is_named_with_its_package(
    tmp_path: Path, action: str, program: str, package: str
) -> None:
    needs(tools.VERILATOR, tools.COMPILER)
    code, out, err = red(action, "--json", path=without(tmp_path, program))
    assert code == 4
    assert f"apt-get install {package}" in err
    assert f'"package": "{package}"' in out


def test_proofs_without_their_tool_are_not_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from dumbbell.rtl.verify import check

    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    proofs = check.proving(tmp_path)
    assert {proof["verdict"] for proof in proofs} == {"not run"}
    assert "requirements/rtl.txt" in proofs[0]["why"]


def test_every_property_can_fail() -> None:
    """Each, in one set of parameters at least, is broken by a fault that is sown for it."""
    broken = {one.property for one in mutants.read() if one.property}
    names = {one.name for one in formal.read(RTL / "formal" / "properties.toml")}
    assert broken <= names
    plain = {name.split("=")[0].rsplit(" ", 1)[0] if "=" in name else name for name in broken}
    for name in names:
        assert any(name.startswith(one) for one in plain), f"no fault breaks: {name}"


def test_sown_faults_fail_their_proofs(tmp_path: Path) -> None:
    from dumbbell.rtl.verify import check

    needs(tools.YOSYS, tools.SMTBMC, tools.YICES)
    for fault in mutants.read(
        ["average.no-forwarding", "processor.leaks", "draw.zero-written", "fifo.slack"]
    ):
        with mutants.sown(fault) as files:
            (tmp_path / fault.id).mkdir()
            (said,) = check.proving(tmp_path / fault.id, only=[fault.property], found=files)
        assert said["verdict"] == "failed", fault.id
        assert Path(said["trace"]).suffix == ".vcd"
        assert Path(said["trace"]).stat().st_size > 0


def test_sown_faults_part_from_the_model() -> None:
    needs(tools.VERILATOR, tools.COMPILER, tools.YOSYS, tools.SMTBMC, tools.YICES)
    found = mutants.hunt(CAUGHT)
    assert found["ok"], mutants.lines(found)
    assert all(one["found"]["lockstep"] for one in found["mutants"])


def test_every_fault_is_still_there_to_be_sown() -> None:
    every = mutants.read()
    assert len(every) >= 25
    for fault in every:
        assert (RTL / fault.file).read_text().count(fault.old) == 1, fault.id


def test_what_must_run_is_read_word_by_word() -> None:
    assert required({"DUMBBELL_REQUIRE": "netns,rtl"})
    assert required({"DUMBBELL_REQUIRE": "rtl netns"})
    assert not required({"DUMBBELL_REQUIRE": "netns"})
    assert not required({})
