"""The package and a user's program under `mypy --strict`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from dumbbell.data.rows import Acks, Flow, Host, Marker, Queue, Session, Totals
from dumbbell.present import stubs

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tests" / "typed" / "program.py"


def mypy(*what: str, cwd: Path = ROOT) -> str:
    """What mypy says, in full; its cache is the repository's."""
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--cache-dir",
        str(ROOT / ".mypy_cache"),
        *what,
    ]
    environment = {key: value for key, value in os.environ.items() if key != "MYPYPATH"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def test_the_package_is_strict() -> None:
    assert mypy("python/dumbbell").startswith("Success:")


def test_a_users_program_passes_and_its_mistakes_are_found(tmp_path: Path) -> None:
    # Elsewhere than the repository: the package is found as it is installed, by its `py.typed`.
    shutil.copy(PROGRAM, tmp_path)
    said = mypy("program.py", cwd=tmp_path)
    found = {
        (int(line), code)
        for line, code in re.findall(r"^program\.py:(\d+): error: .* \[([\w-]+)\]$", said, re.M)
    }
    lines = enumerate(PROGRAM.read_text().splitlines(), 1)
    expected = {(i, m[1]) for i, line in lines if (m := re.search(r"# error: ([\w-]+)$", line))}
    assert len(expected) >= 12
    assert found == expected, said


def test_the_stub_names_what_the_schema_has() -> None:
    """A checker knows each measurement of a row by the type that the schema gives it."""
    written = (ROOT / "python" / "dumbbell" / "data" / "measured.pyi").read_text()
    assert written == stubs.measured_text()
    assert "    goodput_bps: Number\n" in written
    assert "    completion_s: Number | None\n" in written
    assert "    cc: str | None\n" in written
    for kind in (Acks, Flow, Host, Marker, Queue, Session, Totals):
        assert f"class {kind.__name__}Numbers:\n" in written
