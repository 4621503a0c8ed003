"""`make faults`: every seeded fault must turn a line of `dumbbell validate --quick` red.

Copies the source, plants the faults of faults.toml in the copy, builds it once, runs the lines that
each fault is expected to turn red (`--whole`: the whole quick validation suite), and writes the
table docs/reference/validation-faults.md. Exit codes: 0 every fault was found, 2 the table of
faults is wrong, 3 a fault was not found, or a line is red without one, 4 a tool is missing.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import table
from schemata import FILE, VARIABLE, Fault, Wrong, plant, read

ROOT = Path(__file__).resolve().parent.parent
COPIED = (
    "Cargo.toml",
    "Cargo.lock",
    "clippy.toml",
    "pyproject.toml",
    "README.md",
    ".cargo",
    "crates",
    "python",
    "rtl",
    "scripts",
)
"""What a build needs; the licenses and the rest are not."""
LONGEST_S = 600
"""Of one run of the validation suite. A fault may make a line endless: then it is not the line to
find it by."""


def main() -> int:
    """See the module's page."""
    arguments = _arguments()
    try:
        faults = _chosen(read(ROOT / FILE), arguments.only)
        tree = ROOT / "build" / "faults"
        if not arguments.no_build:
            _copy(tree)
            plant(read(ROOT / FILE), tree)
            _build(tree)
        _copy_tree(ROOT / "python", tree / "python")
        red, seconds = _passport(
            tree, 0, [] if arguments.whole else sorted({p for f in faults for p in f.turns})
        )
        if red:
            raise Wrong(f"without a fault these lines are red: {', '.join(red)}")
    except Wrong as wrong:
        print(wrong, file=sys.stderr)
        return 3 if "without a fault" in str(wrong) else 2
    except FileNotFoundError as missing:
        print(f"{missing.filename} is missing: `make setup`, and install Rust", file=sys.stderr)
        return 4
    print(f"without a fault: every line is green, in {seconds:.0f} s", flush=True)
    found: dict[str, list[str]] = {}
    holes = []
    for fault in faults:
        found[fault.id], seconds = _passport(
            tree, fault.number, [] if arguments.whole else list(fault.turns)
        )
        missed = [p for p in fault.turns if not fnmatch.filter(found[fault.id], p)]
        holes += [fault.id] if missed or not found[fault.id] else []
        said = ", ".join(found[fault.id]) or "NOT FOUND"
        late = f"; green: {', '.join(missed)}" if missed and found[fault.id] else ""
        print(f"{fault.id}: {said}{late} ({seconds:.0f} s)", flush=True)
    table.write(ROOT, read(ROOT / FILE), found)
    print(
        f"{len(faults) - len(holes)} of {len(faults)} faults were found as expected",
        file=sys.stderr,
    )
    return 3 if holes else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Check that the validation suite finds seeded faults."
    )
    parser.add_argument(
        "--only", nargs="*", default=[], help="patterns of faults; others keep their rows"
    )
    parser.add_argument(
        "--whole", action="store_true", help="the whole quick validation suite for each fault"
    )
    parser.add_argument(
        "--no-build", action="store_true", help="the last build; the Python is as it is now"
    )
    return parser.parse_args()


def _chosen(faults: list[Fault], only: list[str]) -> list[Fault]:
    for pattern in only:
        if not any(fnmatch.fnmatchcase(fault.id, pattern) for fault in faults):
            raise Wrong(f"no fault is called {pattern}")
    return [f for f in faults if not only or any(fnmatch.fnmatchcase(f.id, p) for p in only)]


def _copy(tree: Path) -> None:
    """The source as it is in the working tree, without what was built from it."""
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            _copy_tree(source, tree / name)
        else:
            shutil.copy2(source, tree / name)


def _copy_tree(source: Path, target: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "*.so", "target")
    shutil.copytree(source, target, ignore=ignored, dirs_exist_ok=True)


def _build(tree: Path) -> None:
    """One wheel, whose module goes into the copy. The crates of others are those that the product's
    build made."""
    maturin = [
        str(ROOT / ".venv/bin/maturin"),
        "build",
        "--release",
        "--quiet",
        "--out",
        str(tree / "wheels"),
    ]
    environment = {
        **os.environ,
        "CARGO_TARGET_DIR": str(ROOT / "target"),
        "VIRTUAL_ENV": str(ROOT / ".venv"),
    }
    done = subprocess.run(
        [*maturin, "--interpreter", sys.executable], cwd=tree, env=environment, check=False
    )
    if done.returncode:
        raise Wrong("the copy with the faults does not build: the messages above name the file")
    (wheel,) = (tree / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        (module,) = (name for name in packed.namelist() if name.endswith(".so"))
        (tree / "python" / module).write_bytes(packed.read(module))


def _passport(tree: Path, fault: int, only: list[str]) -> tuple[list[str], float]:
    """The lines that are red with fault number `fault` on (0: none), and how long it took."""
    command = [sys.executable, "-m", "dumbbell", "validate", "--quick", "--json"]
    for pattern in only:
        command += ["--only", pattern]
    environment = {**os.environ, "PYTHONPATH": str(tree / "python"), VARIABLE: str(fault)}
    try:
        done = subprocess.run(
            command,
            cwd=tree,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST_S,
        )
    except subprocess.TimeoutExpired:
        raise Wrong(
            f"fault {fault}: {' '.join(only)} takes more than {LONGEST_S} s: expect lines that end"
        ) from None
    if done.returncode not in (0, 3):
        raise Wrong(f"validate ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
    document: dict[str, Any] = json.loads(done.stdout)
    return [str(line["id"]) for line in document["checks"] if line["verdict"] != "pass"], document[
        "seconds"
    ]


if __name__ == "__main__":
    sys.exit(main())
