"""Lint: every module through the parsers of three tools, and a rule book of style.

Verilator says what looks wrong (widths, latches, what nobody drives), Icarus Verilog whether it
elaborates with the features that it has, Verible what it looks like
(`rtl/red/.rules.verible_lint`). A remark of any of them is a finding.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ...files.write import temporary_folder
from .. import tools

RULES = ".rules.verible_lint"
CORE = "red_core"

Parameters = Mapping[str, int]

SHAPES: tuple[Parameters, ...] = (
    {},
    {"PAPER": 1},
    {"PAPER": 1, "CONSTANT": 1},
    {"CONSTANT": 1, "GAP": 1},
    {"GAP": 1},
    {"IDLE": 1},
    {"IDLE": 1, "PAPER": 1},
    {"CLASSES": 4},
    {"ADAPT": 1},
    {"SPACED": 1},
    {"SPACED": 1, "PAPER": 1},
    {"NQ": 1},
    {"NQ": 5},
    {"W": 2},
    {"W": 12},
    {"GAP": 1, "IDLE": 1, "CLASSES": 4, "ADAPT": 1},
    {"NQ": 1, "GAP": 1, "IDLE": 1, "CLASSES": 4, "ADAPT": 1, "PAPER": 1},
)
"""Parameters of the core that are looked at: each option alone, the ends of the ranges, and all
together."""


NUMBERS = ("NQ", "W", "CLASSES")
"""Parameters that are integers; the others are single bits."""
LIMITS = (
    # Icarus Verilog waits for all bits of a signal where some would do: slower, and the same.
    "sorry: constant selects in always_* processes are not currently supported (all bits will be "
    "included)",
    # Verilator ends with this line after warnings that were findings already.
    "%Error: Exiting due to",
)
"""Remarks of tools on themselves, not on the source."""


@dataclass(frozen=True)
class Finding:
    """A remark of a tool."""

    tool: str
    top: str
    parameters: Parameters = field(hash=False)
    text: str


@dataclass(frozen=True)
class Look:
    """One call of a tool: what it looks at, and its words."""

    tool: tools.Tool
    top: str
    parameters: Parameters = field(hash=False)
    words: Sequence[str]


def modules(files: Iterable[Path]) -> list[str]:
    """The names of the modules in some files, in their order."""
    found = (
        re.findall(r"^\s*module\s+(\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
        for file in files
    )
    return [name for names in found for name in names]


def looks(files: Sequence[Path], rules: Path) -> Iterator[Look]:
    """Every call that there is to make: each module as a top with its defaults, and the core in all
    its shapes."""
    paths = [str(file) for file in files]
    for top in modules(files):
        for shape in SHAPES if top == CORE else ({},):
            # Verilator takes the width of a parameter's value as seriously as any other.
            sets = [
                f"-G{name}={value if name in NUMBERS else bits(value)}"
                for name, value in shape.items()
            ]
            words = ("--lint-only", "-Wall", "--top-module", top, *sets, *paths)
            yield Look(tools.VERILATOR, top, shape, words)
            sets = [f"-P{top}.{name}={value}" for name, value in shape.items()]
            yield Look(
                tools.ICARUS,
                top,
                shape,
                ("-g2012", "-Wall", "-t", "null", "-s", top, *sets, *paths),
            )
    yield Look(tools.VERIBLE, "", {}, (f"--rules_config={rules}", *paths))


def lint(files: Sequence[Path], rules: Path) -> dict[str, Any]:
    """The findings of every tool that is here:
    `{"findings", "looks", "not_run": [{"tool", "why"}]}`."""
    every = list(looks(files, rules))
    missing = {look.tool.name: look.tool for look in every if look.tool.find() is None}
    run = [look for look in every if look.tool.name not in missing]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        findings = [finding for found in threads.map(examine, run) for finding in found]
    return {
        "looks": len(run),
        "findings": [asdict(finding) for finding in findings],
        "not_run": [
            {"tool": tool.name, "why": f"it is not installed: {tool.install}"}
            for tool in missing.values()
        ],
    }


def examine(look: Look) -> list[Finding]:
    """Findings of a tool: each remark a finding, and a failure without a remark one, too."""
    with temporary_folder() as scratch:
        done = subprocess.run(
            [look.tool.need(), *look.words],
            cwd=scratch,
            capture_output=True,
            text=True,
            timeout=300,
        )
    said = [line.strip() for line in (done.stdout + done.stderr).splitlines() if remark(line)]
    if done.returncode != 0 and not said:
        said = [f"it ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}"]
    return [Finding(look.tool.name, look.top, look.parameters, line) for line in said]


def bits(value: int) -> str:
    """A parameter of one bit, as Verilog writes it."""
    return f"1'b{value}"


def remark(line: str) -> bool:
    """True if a line of a tool's output is a remark on the source, and not the text that follows
    one."""
    return bool(re.search(r"^%(Warning|Error)|^\S+?:\d+[:-]", line)) and not any(
        limit in line for limit in LIMITS
    )
