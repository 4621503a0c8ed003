"""The hardware through the command: lint, two million packets of model and RTL side by side, every
proof."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from dumbbell.rtl import sources, tools
from dumbbell.rtl.verify import coverage, formal, lint
from helpers.rtl import RTL, document, needs, red

PACKETS = 2_000_000
LEAST_SHARE = 0.1
"""Of the decisions of a mode, in each region."""
LEAST_BACK_TO_BACK = 0.2
LEAST_EVENTS = 0.009
"""Resets and reconfigurations."""


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    needs(
        tools.VERILATOR,
        tools.COMPILER,
        tools.ICARUS,
        tools.YOSYS,
        tools.SMTBMC,
        tools.YICES,
        tools.VERIBLE,
    )
    there = tmp_path_factory.mktemp("rtl")
    return document(
        red("--check", "--json", "--packets", PACKETS, "--seed", 2, "--out", there, seconds=600),
        (0, 3),
    )


def test_model_and_rtl_agree_in_every_bit(checked: dict[str, Any]) -> None:
    assert checked["mismatches"] == 0, checked["lockstep"]
    assert checked["packets"] >= PACKETS


def test_the_stimulus_reaches_everything(checked: dict[str, Any]) -> None:
    modes = checked["lockstep"]["modes"]
    assert {mode["parameters"]["PAPER"] for mode in modes} == {"1'b0", "1'b1"}
    for mode in modes:
        assert min(mode["shares"].values()) >= LEAST_SHARE, mode["mode"]
        assert (
            mode["back_to_back_share"] >= LEAST_BACK_TO_BACK
            or mode["parameters"]["SPACED"] == "1'b1"
        ), mode["mode"]
        assert mode["event_share"] >= LEAST_EVENTS, mode["mode"]
        assert all(mode["queues"][: int(mode["parameters"]["NQ"])]), mode["mode"]


def test_coverage_passes_its_gate() -> None:
    needs(tools.VERILATOR, tools.COMPILER)
    found = coverage.measure(400_000, quick=True)
    assert found["ok"], coverage.lines(found)
    assert found["kinds"]["line"]["hit"] == found["kinds"]["line"]["points"]


def test_every_property_is_proved(checked: dict[str, Any]) -> None:
    named = {one.name for one in formal.read(RTL / "formal" / "properties.toml")}
    verdicts = {proof["property"]: proof["verdict"] for proof in checked["proofs"]}
    assert set(verdicts) == named
    assert {name: verdict for name, verdict in verdicts.items() if verdict != "proved"} == {}


def test_the_sources_are_lint_clean(checked: dict[str, Any]) -> None:
    assert checked["lint"] == {"looks": checked["lint"]["looks"], "findings": [], "not_run": []}
    assert checked["lint"]["looks"] > 40


def test_nothing_is_missing_from_what_was_checked(checked: dict[str, Any]) -> None:
    assert checked["ok"] is True
    assert all(checked["tools"][tool.name] for tool in tools.TOOLS if tool is not tools.NEXTPNR)


def test_every_file_is_in_a_list() -> None:
    listed = {
        file.resolve()
        for what in ("core", "module", "axis", "pipeline")
        for file in sources.sources(what)
    }
    folders = [RTL / name for name in ("core", "netfpga", "axis", "pipeline")]
    assert {file.resolve() for folder in folders for file in folder.glob("*.sv")} == listed


def test_each_file_of_properties_is_read_by_its_module() -> None:
    for file in (RTL / "formal").glob("*_props.svh"):
        module = file.name.removesuffix("_props.svh")
        (source,) = RTL.glob(f"*/{module}.sv")
        assert f'`include "{file.name}"' in source.read_text()


def test_every_assertion_is_in_a_property() -> None:
    entries = tomllib.loads((RTL / "formal" / "properties.toml").read_text())["property"]
    labels = {
        label
        for entry in entries
        for key in ("asserts", "lemmas", "covers")
        for label in entry.get(key, [])
    }
    for file in (RTL / "formal").glob("*_props.svh"):
        for label in re.findall(r"^\s*(\w+):\s*(?:assert|cover)\b", file.read_text(), re.MULTILINE):
            assert any(re.fullmatch(known.replace("*", ".*"), label) for known in labels), (
                f"{file.name}: {label}"
            )


def test_people_with_symbiyosys_get_the_same_properties() -> None:
    """Each `.sby` names files that there are."""
    scripts = list((RTL / "formal").glob("*.sby"))
    assert scripts
    for script in scripts:
        named = re.search(r"\[files\]\n(.*)", script.read_text(), re.DOTALL).group(1).split()
        assert named
        assert all((script.parent / name).exists() for name in named), script.name


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("assign b = a;\n  logic c;\n  assign c = a;", tools.VERILATOR),
        ("assign b = a +;", tools.ICARUS),
        ("assign b = a;" + " " * 150 + "// far", tools.VERIBLE),
    ],
)
def test_lint_finds(text: str, tool: tools.Tool, tmp_path: Path) -> None:
    needs(tool)
    file = tmp_path / "odd.sv"
    file.write_text(
        f"`default_nettype none\nmodule odd (input wire logic a, output logic b);\n  "
        f"{text}\nendmodule\n"
    )
    found = lint.lint([file], RTL / lint.RULES)
    assert tool.name in {finding["tool"] for finding in found["findings"]}
