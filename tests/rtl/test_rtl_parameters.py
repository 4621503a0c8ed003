"""Parameters of the hardware: those that break a module stop elaboration with a sentence, and the
ends of the ranges elaborate."""

from __future__ import annotations

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from dumbbell.errors import ScenarioError
from dumbbell.rtl import sources, tools
from dumbbell.rtl.synthesis import yosys
from helpers.rtl import RTL, needs

Case = tuple[str, str, dict[str, int], str]
"""List of sources, module, parameters, and what is said of them."""

WIDTHS = {
    **dict.fromkeys(("PAPER", "CONSTANT", "REGS", "MULTICAST"), 1),
    **dict.fromkeys(("SEED", "DEF_SLOPE"), 21),
    "DEF_MAX": 22,
    **dict.fromkeys(("DEF_IDLE_PERIOD", "DEF_ADAPT_PERIOD"), 32),
}
"""Bits of parameters that are no integers: Verilator wants them said."""

WRONG: list[Case] = [
    ("core", "red_core", {"NQ": 0}, "NQ must be 1 to 8"),
    ("core", "red_core", {"NQ": 9}, "NQ must be 1 to 8"),
    ("core", "red_core", {"W": 0}, "W must be 1 to 16, with PAPER 1 to 10"),
    ("core", "red_core", {"W": 17}, "W must be 1 to 16, with PAPER 1 to 10"),
    ("core", "red_core", {"W": 11, "PAPER": 1}, "W must be 1 to 16, with PAPER 1 to 10"),
    ("core", "red_core", {"CLASSES": 2}, "CLASSES must be 1 or 4"),
    ("core", "red_core", {"CLASSES": 3}, "CLASSES must be 1 or 4"),
    ("core", "red_core", {"SEED": 0}, "SEED must not be 0"),
    ("core", "red_core", {"DEF_MAX": 6144}, "DEF_MAX must be above DEF_MIN by less than 2^18"),
    ("core", "red_core", {"DEF_MAX": 268288}, "DEF_MAX must be above DEF_MIN by less than 2^18"),
    ("core", "red_core", {"DEF_SLOPE": 262144}, "DEF_SLOPE must have 18 bits, with CONSTANT 21"),
    ("core", "red_lfsr", {"SEED": 0}, "SEED must not be 0"),
    ("core", "red_lfsr", {"Delay": 1}, "Delay must be at least 2"),
    ("core", "red_table", {"Address": 0}, "Bits and Address must be at least 1"),
    ("core", "red_delay", {"Clocks": 0}, "Clocks must be 1 to 3"),
    ("core", "red_delay", {"Clocks": 4}, "Clocks must be 1 to 3"),
    ("core", "red_avg", {"W": 17}, "W must be 1 to 16, with PAPER 1 to 10"),
    ("core", "red_cfg", {"Queue": 4}, "Queue must be 1 to 3"),
    ("core", "red_cfg", {"Class": 1}, "Class must be 0 or 2"),
    ("module", "red_pkt_fifo", {"DEPTH": 24}, "DEPTH must be a power of two, at least 4"),
    ("module", "red_pkt_fifo", {"SLACK": 16}, "SLACK must be 0 to DEPTH - 1"),
    ("module", "red_pkt_fifo", {"WIDTH": 0}, "WIDTH must be at least 1"),
    ("module", "red_verdicts", {"DEPTH": 12}, "DEPTH must be a power of two, at least 4"),
    ("module", "red_hdr_parser", {"CLASSES": 2}, "CLASSES must be 1 or 4"),
    ("module", "red_nf_path", {"DEPTH": 8}, "DEPTH must be a power of two, at least 16"),
    ("module", "red_nf1g", {"DEPTH": 24}, "DEPTH must be a power of two, at least 16"),
    ("module", "red_nf1g", {"SEED": 0}, "SEED must not be 0"),
    ("module", "red_nf1g", {"ADDRESS_BITS": 9}, "ADDRESS_BITS must be at least 10"),
    (
        "module",
        "red_nf1g",
        {"DEF_IDLE_PERIOD": 0},
        "DEF_IDLE_PERIOD and DEF_ADAPT_PERIOD must not be 0",
    ),
    ("module", "red_regs", {"CLASSES": 5}, "CLASSES must be 1 or 4"),
    ("module", "red_regs", {"ADDRESS_BITS": 8}, "ADDRESS_BITS must be at least 10"),
    (
        "module",
        "red_regs",
        {"DEF_ADAPT_PERIOD": 0},
        "DEF_IDLE_PERIOD and DEF_ADAPT_PERIOD must not be 0",
    ),
    ("axis", "red_axis", {"DEPTH": 24}, "DEPTH must be a power of two, at least 8"),
    ("axis", "red_axis", {"DEPTH": 4}, "DEPTH must be a power of two, at least 8"),
    ("axis", "red_axis", {"DATA_WIDTH": 12}, "DATA_WIDTH must be a multiple of 8"),
    ("axis", "red_axis", {"DST_POS": 121}, "DST_POS + 8 must be at most USER_WIDTH"),
    ("axis", "red_axis", {"W": 17}, "W must be 1 to 16, with PAPER 1 to 10"),
    ("pipeline", "red_output_queues", {"WORDS": 500}, "WORDS must be a power of two, at least 4"),
    ("pipeline", "red_output_queues", {"LIMIT": 256}, "LIMIT must be 1 to 255"),
]

RIGHT: list[Case] = [
    ("core", "red_core", {"NQ": 1, "W": 1}, ""),
    ("core", "red_core", {"W": 16, "SEED": 0x1FFFFF}, ""),
    ("core", "red_core", {"W": 10, "PAPER": 1, "CLASSES": 4}, ""),
    ("core", "red_core", {"DEF_MAX": 6145}, ""),
    ("core", "red_core", {"DEF_MAX": 268287, "DEF_SLOPE": 262143}, ""),
    ("core", "red_core", {"CONSTANT": 1, "DEF_SLOPE": 0x1FFFFF}, ""),
    ("core", "red_delay", {"Clocks": 1}, ""),
    ("core", "red_delay", {"Clocks": 3}, ""),
    ("module", "red_pkt_fifo", {"DEPTH": 4, "SLACK": 3}, ""),
    ("module", "red_nf1g", {"DEPTH": 1024, "MULTICAST": 0}, ""),
    ("module", "red_nf1g", {"REGS": 1, "ADDRESS_BITS": 10}, ""),
    ("axis", "red_axis", {"DATA_WIDTH": 8, "USER_WIDTH": 8, "DST_POS": 0, "DEPTH": 8}, ""),
    ("axis", "red_axis", {"DATA_WIDTH": 1024, "DST_POS": 120, "DEPTH": 64}, ""),
    ("pipeline", "red_output_queues", {"WORDS": 4, "LIMIT": 255}, ""),
]


def run(words: list[str], there: Path) -> tuple[int, str]:
    """Code and all that a program prints."""
    done = subprocess.run(words, cwd=there, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def verilator(case: Case, there: Path) -> tuple[int, str]:
    """What Verilator says of a module with these parameters."""
    what, top, parameters, _ = case
    sized = {
        name: f"{WIDTHS[name]}'d{value}" if name in WIDTHS else value
        for name, value in parameters.items()
    }
    sets = [f"-G{name}={value}" for name, value in sized.items()]
    files = map(str, sources.sources(what))
    return run(
        [tools.VERILATOR.need(), "--lint-only", "-Wall", "--top-module", top, *sets, *files], there
    )


def icarus(case: Case, there: Path) -> tuple[int, str]:
    """What Icarus Verilog says, and the simulation up to time 0."""
    what, top, parameters, _ = case
    sets = [f"-P{top}.{name}={value}" for name, value in parameters.items()]
    program = str(there / "-".join([top, *(word[len(top) + 3 :] for word in sets)]))
    files = map(str, sources.sources(what))
    code, said = run(
        [tools.ICARUS.need(), "-g2012", "-s", top, *sets, "-o", program, *files], there
    )
    return (code, said) if code else run(["vvp", "-n", program], there)


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sources of this checkout."""
    monkeypatch.setenv("DUMBBELL_RTL", str(RTL))


@pytest.mark.parametrize(("tool", "look"), [(tools.VERILATOR, verilator), (tools.ICARUS, icarus)])
def test_what_breaks_a_module_stops_with_a_sentence(
    tool: tools.Tool, look: object, tmp_path: Path
) -> None:
    needs(tool)
    assert callable(look)
    with ThreadPoolExecutor() as threads:
        for case, (code, said) in zip(
            WRONG, threads.map(lambda case: look(case, tmp_path), WRONG), strict=True
        ):
            assert code != 0, case
            # A slice that cannot be is an error of the tool's own, which may come first.
            assert case[3] in said or "during elaboration" in said, (case, said)


@pytest.mark.parametrize(("tool", "look"), [(tools.VERILATOR, verilator), (tools.ICARUS, icarus)])
def test_the_ends_of_the_ranges_elaborate(tool: tools.Tool, look: object, tmp_path: Path) -> None:
    needs(tool)
    assert callable(look)
    with ThreadPoolExecutor() as threads:
        for case, (code, said) in zip(
            RIGHT, threads.map(lambda case: look(case, tmp_path), RIGHT), strict=True
        ):
            assert code == 0, (case, said)


@pytest.mark.parametrize(("name", "value"), [("DEPTH", "24"), ("SEED", "0"), ("CLASSES", "2")])
def test_synthesis_stops_with_the_same_sentence(name: str, value: str, tmp_path: Path) -> None:
    needs(tools.YOSYS)
    what, top = ("axis", "red_axis") if name == "DEPTH" else ("core", "red_core")
    says = {"DEPTH": "DEPTH must be a power of two, at least 8", "SEED": "SEED must not be 0"}
    files = " ".join(str(file) for file in sources.sources(what))
    with pytest.raises(ScenarioError, match=says.get(name, "CLASSES must be 1 or 4")):
        yosys.run(
            [
                f"read_verilog -sv -defer {files}",
                f"hierarchy -check -top {top} -chparam {name} {value}",
            ],
            tmp_path,
        )


def test_every_rule_is_tried() -> None:
    rules = {
        says
        for file in RTL.glob("*/*.sv")
        for says in re.findall(r'SAYS\("\w+: ([^"]+)"\)', file.read_text())
    }
    assert rules == {says for _, _, _, says in WRONG}
