"""Programs of the hardware tools: they end with the process that started them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from dumbbell.rtl import tools

_PARENT = """
import os, pathlib
from dumbbell.rtl import tools
tools.run_group(
    ["sh", "-c", "sleep 300 & echo $! > child; wait"],
    pathlib.Path("log"), 300, cwd=pathlib.Path(), env=dict(os.environ),
)
"""


def _until(true) -> bool:
    for _ in range(500):
        if true():
            return True
        time.sleep(0.02)
    return False


def _lives(pid: int) -> bool:
    """True if the process exists and has not ended."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
            != "Z"
        )
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_killed_process_leaves_no_program_behind(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", _PARENT], cwd=tmp_path)
    child = tmp_path / "child"
    assert _until(lambda: child.exists() and child.read_text().strip())
    pid = int(child.read_text())
    assert _lives(pid)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert _until(lambda: not _lives(pid))


def test_a_program_that_takes_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    words = ["sh", "-c", "sleep 300 & echo $! > child; wait"]
    code = tools.run_group(words, tmp_path / "log", 1, cwd=tmp_path, env=dict(os.environ))
    assert code is None
    assert _until(lambda: not _lives(int((tmp_path / "child").read_text())))


def test_the_code_of_a_program_is_passed_on(tmp_path: Path) -> None:
    words = ["sh", "-c", "echo said; exit 7"]
    assert tools.run_group(words, tmp_path / "log", 60, cwd=tmp_path, env=dict(os.environ)) == 7
    assert (tmp_path / "log").read_text() == "said\n"
