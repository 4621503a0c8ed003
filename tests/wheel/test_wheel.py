"""A wheel as a user has it: installed without a checkout, and run in an empty folder.

`make test-wheel` builds the wheel and requires these tests; they skip otherwise.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST = 12_000_000
"""Bytes of a wheel."""

pytestmark = pytest.mark.skipif(
    "wheel" not in os.environ.get("DUMBBELL_REQUIRE", ""), reason="`make test-wheel` runs it"
)

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The newest wheel of this checkout."""
    found = sorted((ROOT / "target" / "wheels").glob("*.whl"), key=lambda one: one.stat().st_mtime)
    assert found, "`make wheel` builds one"
    return found[-1]


@pytest.fixture(scope="session")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel and what pip brings with it, and nothing else."""
    where = tmp_path_factory.mktemp("venv") / "bare"
    subprocess.run([sys.executable, "-m", "venv", where], check=True)
    subprocess.run([where / "bin" / "pip", "install", "--quiet", wheel], check=True)
    return where


@pytest.fixture
def command(bare: Path, tmp_path: Path) -> Command:
    """Runs a program of the environment in an empty folder, where nothing leads to the checkout."""
    empty = tmp_path / "empty"
    empty.mkdir()
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}

    def run(program: str, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [bare / "bin" / program, *words],
            cwd=empty,
            env=kept | {"LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


def test_it_is_small_and_has_its_licenses_and_its_bill_of_materials(wheel: Path) -> None:
    assert wheel.stat().st_size <= MOST
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        (bill,) = (name for name in names if name.endswith(".cyclonedx.json"))
        known = {one["name"] for one in json.loads(packed.read(bill))["components"]}
        (notices,) = (name for name in names if name.endswith("/THIRD-PARTY-NOTICES"))
        assert {"parquet", "pyo3", "serde"} <= known
        assert all(f"\n{name} " in packed.read(notices).decode() for name in ("parquet", "pyo3"))
    assert not [name for name in names if "__pycache__" in name]
    # Exercises have a notebook each; those of the documentation stay in the checkout.
    notebooks = {name.rpartition("/")[0] for name in names if name.endswith(".ipynb")}
    assert notebooks == {"dumbbell/shipped/classroom"}


def test_every_file_that_ships_is_in_it_once(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "papers", "rtl", "scenarios"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    assert len(names) == len(set(names))
    missing = {f"dumbbell/shipped/{name}" for name in listed.stdout.splitlines()} - set(names)
    assert not {name for name in missing if not Path(name).name.startswith(".")}


def test_demo_writes_a_page_within_a_minute(command: Command, tmp_path: Path) -> None:
    began = time.monotonic()
    said = command("dumbbell", "demo").stdout
    assert time.monotonic() - began < 60
    page = tmp_path / "empty" / "dumbbell-demo" / "demo.html"
    assert "dumbbell-demo/demo.html" in said
    assert page.stat().st_size > 100_000
    assert "drop_tail" in page.read_text(encoding="utf-8")


def test_a_scenario_that_ships_runs_by_its_name(command: Command) -> None:
    shown = command("dumbbell", "run", "first", "-s", "duration=15 s").stdout
    assert "near.1" in shown and "fingerprint" in shown
    names = json.loads(command("dumbbell", "list", "--json").stdout)
    assert {"first", "bufferbloat"} <= set(names["scenario"])
    assert "red-on-netfpga" in names["paper"]


def test_a_paper_is_reproduced(command: Command, tmp_path: Path) -> None:
    said = command("dumbbell", "reproduce", "red-on-netfpga", "--quick", "--out", "report").stdout
    assert "reproduce" in said
    assert list((tmp_path / "empty" / "report").glob("*.html"))


def test_hardware_finds_its_sources(command: Command) -> None:
    place = "from dumbbell.rtl import sources; print(sources.folder())"
    found = command("python", "-c", place).stdout
    assert "site-packages/dumbbell/shipped/rtl/red" in found
    if shutil.which("verilator"):
        command("dumbbell", "rtl", "red", "--check", "--packets", "1000")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_real_kernels_run_it(command: Command) -> None:
    shown = command("dumbbell", "run", "first", "--on", "kernel", "-s", "duration=12 s").stdout
    assert "near.1" in shown


def test_manual_and_completions_are_where_shells_look(bare: Path) -> None:
    share = bare / "share"
    assert (share / "man" / "man1" / "dumbbell.1").stat().st_size > 10_000
    assert (share / "bash-completion" / "completions" / "dumbbell").is_file()


def test_the_exercises_are_there_without_their_answers(command: Command, bare: Path) -> None:
    told = command("dumbbell", "classroom", "new", "sawtooth").stdout
    assert told.split() == ["sawtooth.ipynb", "sawtooth.toml"]
    assert (
        "0 of 5 are right"
        in command("dumbbell", "classroom", "check", "sawtooth.toml", code=3).stdout
    )
    (shipped,) = bare.glob("lib/python*/site-packages/dumbbell/shipped/classroom")
    assert not (shipped / "answers").exists()
