"""What tests of the hardware share: they are skipped where a tool is missing, unless
DUMBBELL_REQUIRE has `rtl`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from dumbbell.rtl import tools

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl" / "red"


def required(environment: Any = os.environ) -> bool:
    """Whether a missing tool is a failure here: a word of a list, as for Rust's tests."""
    return "rtl" in environment.get("DUMBBELL_REQUIRE", "").replace(",", " ").split()


def needs(*wanted: tools.Tool) -> None:
    """Skips the module that asks, or fails, if one of these tools is not here."""
    lacking = [f"{tool.name}: {tool.install}" for tool in wanted if tool.find() is None]
    if lacking:
        why = "missing " + "; ".join(lacking)
        if required():
            pytest.fail(why)
        pytest.skip(why)


def red(*words: object, path: str | None = None, seconds: float = 300) -> tuple[int, str, str]:
    """`dumbbell rtl red` with these words: code, output, complaints. path: instead of PATH."""
    environment = os.environ | ({"PATH": path} if path is not None else {})
    command = [sys.executable, "-m", "dumbbell", "rtl", "red", *map(str, words)]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=seconds
    )
    return done.returncode, done.stdout, done.stderr


def document(said: tuple[int, str, str], codes: Sequence[int] = (0,)) -> dict[str, Any]:
    """The one document of a command that ended with one of these codes."""
    code, out, err = said
    assert code in codes, f"{code}\n{out[-3000:]}\n{err[-3000:]}"
    found: dict[str, Any] = json.loads(out)
    return found
