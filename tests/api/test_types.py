"""The package and a user's program under `mypy --strict`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import dumbbell
import pytest
from dumbbell.result import Flow, Marker, Queue
from helpers.scenarios import MARKED, build

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


@pytest.mark.parametrize("kind", [Flow, Queue, Marker])
def test_the_types_of_rows_name_what_the_json_has(
    kind: type[Flow] | type[Queue] | type[Marker],
) -> None:
    """Names that only some results have are there in one that has them."""
    result = dumbbell.Scenario({**MARKED, "record": {"every": "100 ms", "delays": True}}).run()
    assert isinstance(result, dumbbell.Result)
    row = {Flow: result.flows[0], Queue: result.queues[0], Marker: result.markers[0]}[kind]
    shown = row.as_dict()
    if kind is Queue:
        ethernet = (
            dumbbell.Scenario.from_file(ROOT / "scenarios" / "duplex-mismatch.toml")
            .with_({"duration": "2 s"})
            .run()
        )
        assert isinstance(ethernet, dumbbell.Result)
        shown = {**ethernet.queues[0].as_dict(), **shown}
    typed = {"name", *kind.__annotations__} | ({"drops"} if kind is Queue else set())
    typed -= {f"tokens_{what}_packets" for what in ("made", "lost", "mean")}
    assert typed == set(shown)
    plain = build().run()
    assert isinstance(plain, dumbbell.Result)
    assert (
        set((plain.queues[0] if kind is Queue else plain.flows[0]).as_dict()) <= typed
        or kind is Marker
    )
    sure = [name for name in typed if "None" not in str(kind.__annotations__.get(name, ""))]
    assert len(sure) >= 10 and all(shown[name] is not None for name in sure)
