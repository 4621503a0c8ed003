"""Yosys, as a library of Python, in a process of its own: a design that breaks it takes nothing
else down."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from ...errors import ScenarioError
from ..tools import YOSYS

_RUNNER = """
import sys
from pyosys import libyosys
design = libyosys.Design()
for command in sys.stdin.read().splitlines():
    libyosys.run_pass(command, design)
"""


def run(commands: Iterable[str], cwd: Path) -> str:
    """Runs commands of Yosys one after another on one design, and returns what it printed.

    `ScenarioError` with the tool's own line if it refuses; `EnvironmentLacks` if it is not here.
    """
    YOSYS.need()
    done = subprocess.run(
        [sys.executable, "-P", "-c", _RUNNER],
        input="\n".join(commands),
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=900,
    )
    printed = done.stdout + done.stderr
    if done.returncode != 0:
        errors = [line for line in printed.splitlines() if "ERROR" in line]
        raise ScenarioError(f"yosys failed: {errors[0] if errors else printed.strip()[-500:]}")
    return printed
