"""The command line as a process, or within this one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from dumbbell.cli import main
from helpers.results import conforming


def dumbbell(
    *words: object, stdin: str | None = None, timeout_s: float = 60, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dumbbell", *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, input=stdin, timeout=timeout_s, cwd=cwd
    )


def document(*words: object, code: int = 0, timeout_s: float = 60) -> dict:
    """The one JSON document on stdout."""
    done = dumbbell(*words, "--json", timeout_s=timeout_s)
    assert done.returncode == code, done.stderr
    printed = json.loads(done.stdout)
    result = words[0] in ("run", "sweep") and ("flows" in printed or "points" in printed)
    return conforming(printed) if result else printed


def exit_code(*words: object) -> int:
    """The exit code of a command within this process, where a test may stand in for its parts."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return int(ended.value.code or 0)
