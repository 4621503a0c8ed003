"""Standard streams that are closed, full or pipes: what a command says, and its exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.command import dumbbell
from helpers.scenarios import SCENARIO


def test_a_reader_that_goes_away_is_no_error() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "dumbbell", "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(timeout=10) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [("--help",), ("list", "--json"), ("schema",)])
def test_a_stdout_that_takes_nothing_is_said_in_a_line(
    words: tuple[str, ...], unbuffered: str
) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dumbbell", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            timeout=60,
        )
    assert done.returncode == 1
    assert done.stderr == "cannot write to standard output: No space left on device\n"


def test_a_stdout_that_is_closed_is_said_in_a_line() -> None:
    words = [sys.executable, "-m", "dumbbell", "list"]
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *words], stderr=subprocess.PIPE, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (1, "cannot write to standard output: it is closed\n")


def redirected(how: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A command whose streams the shell redirects."""
    command = ["sh", "-c", f'"$@" {how}', "sh", sys.executable, "-m", "dumbbell", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("words", ["run - --json", "check -", "import-tc -", "export-tc -"])
def test_a_stdin_that_is_closed_is_said_in_a_line(words: str) -> None:
    done = redirected("<&-", *words.split())
    assert done.returncode == 2
    assert done.stderr.startswith("standard input is closed\nhelp: ")
    if "--json" in words:
        assert json.loads(done.stdout)["error"]["code"] == 2


@pytest.mark.parametrize("words", ["help run", "sweep --help", "help advise queue"])
def test_help_may_go_to_a_reader_that_goes_away(words: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "dumbbell", *words.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (0, b"")


CLOSED_OR_FULL = ["2>&-"] + (["2>/dev/full"] if Path("/dev/full").exists() else [])


@pytest.mark.parametrize("how", CLOSED_OR_FULL)
def test_a_stderr_that_takes_nothing_changes_no_document_and_no_code(
    how: str, tmp_path: Path
) -> None:
    refused = redirected(how, "run", str(tmp_path / "nope.toml"), "--json")
    assert refused.returncode == 2
    assert json.loads(refused.stdout)["error"]["code"] == 2
    usage = redirected(how, "run", "--nope")
    assert (usage.returncode, usage.stdout) == (2, "")
    (tmp_path / "three.toml").write_text(SCENARIO)
    ran = redirected(how, "run", str(tmp_path / "three.toml"), "--json")
    assert ran.returncode == 0
    assert "flows" in json.loads(ran.stdout)


@pytest.mark.parametrize("command", ["check", "run", "export-tc"])
def test_a_pipe_in_the_place_of_a_file_is_said_to_be_one(command: str, tmp_path: Path) -> None:
    """The second is what a shell passes for `<(...)`."""
    os.mkfifo(tmp_path / "pipe")
    named = dumbbell(command, tmp_path / "pipe")
    reading, writing = os.pipe()
    try:
        passed = subprocess.run(
            [sys.executable, "-m", "dumbbell", command, f"/dev/fd/{reading}"],
            pass_fds=[reading],
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        os.close(reading)
        os.close(writing)
    for done in (named, passed):
        assert done.returncode == 2
        assert " cannot be read: it is a pipe\nhelp: write `-` and pass " in done.stderr
