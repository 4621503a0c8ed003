"""The options of every command: how wide it prints, and how much."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from dumbbell import ScenarioError, api
from dumbbell.cli import output
from helpers.command import dumbbell
from helpers.scenarios import SCENARIO


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "three.toml"
    path.write_text(SCENARIO)
    return path


@pytest.mark.parametrize(
    ("words", "rest", "wide", "quiet"),
    [
        (["run", "a", "--wide"], ["run", "a"], True, False),
        (["--quiet", "run", "a"], ["run", "a"], False, True),
        (["run", "-q", "a", "--wide"], ["run", "a"], True, True),
        (["run", "--", "--wide"], ["run", "--", "--wide"], False, False),
        (["shell", "iperf3", "--quiet"], ["shell", "iperf3", "--quiet"], False, False),
        (["shell", "--quiet", "ping", "-q"], ["shell", "ping", "-q"], False, True),
    ],
)
def test_they_are_taken_wherever_they_stand(
    words: list[str], rest: list[str], wide: bool, quiet: bool
) -> None:
    try:
        assert output.taken(words) == rest
        assert (output.OUTPUT.wide, output.OUTPUT.quiet) == (wide, quiet)
    finally:
        output.taken([])


def test_the_width_is_that_of_columns_or_of_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (output.columns(), output.message_columns()) == (140, 100)
    for given, width in (("80", 80), ("0", None), ("wide", None), ("", None)):
        monkeypatch.setenv("COLUMNS", given)
        assert (output.columns(), output.message_columns()) == (width or 140, width or 100)


def test_wide_shows_every_column(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    words = ("run", file, "--replications", 2)
    assert "not shown at 60 columns" in dumbbell(*words).stdout
    wide = dumbbell(*words, "--wide").stdout
    assert "not shown" not in wide
    assert "retransmits" in wide


UNKNOWN = ("-s", "queue.kind=unknown")
"""An override whose error lists the names of all queues."""


def test_an_error_is_wrapped_where_it_is_printed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(*words: str) -> list[str]:
        return dumbbell("check", file, *UNKNOWN, *words).stderr.splitlines()

    assert 90 < max(map(len, said())) <= 100
    monkeypatch.setenv("COLUMNS", "40")
    assert max(map(len, said())) <= 40
    (known,) = (line for line in said("--wide") if "known are" in line)
    assert len(known) > 200
    document = json.loads(dumbbell("check", file, *UNKNOWN, "--json").stdout)
    assert known in document["error"]["text"].splitlines()


@pytest.mark.parametrize("words", ["plann x", "explain flow.nope", "run -s", "export-tc"])
def test_a_message_of_python_s_is_wrapped_where_there_is_a_width(
    words: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = [file, "--link", "nope"] if words == "export-tc" else []
    (first, *_) = dumbbell(*words.split(), *more).stderr.splitlines()
    monkeypatch.setenv("COLUMNS", "50")
    lines = dumbbell(*words.split(), *more).stderr.splitlines()
    assert max(map(len, lines)) <= 50
    assert " ".join(line.strip() for line in lines).startswith(first), "the same words"


def test_a_note_is_wrapped_where_there_is_a_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    note, *_ = dumbbell("check", "leaf-spine").stderr.splitlines()
    assert note.startswith("note: there is no file leaf-spine here") and len(note) <= 60


def test_an_exception_has_each_cause_and_each_fix_in_a_line() -> None:
    with pytest.raises(ScenarioError) as wrong:
        api.plan(api.request({"text": SCENARIO}, [UNKNOWN[1]]))
    (cause, fix) = (line for line in str(wrong.value).splitlines() if line[2:3] in "×h")
    assert cause == "  × there is no queue named `unknown`"
    assert fix.startswith("  help: known are ") and fix.endswith(", wfq")


def test_quiet_prints_no_notes(file: Path) -> None:
    words = ("run", file, "-s", "queue=drop_tail")
    assert "note: " in dumbbell(*words).stderr
    quiet = dumbbell(*words, "--quiet")
    assert quiet.stderr == ""
    assert "Flows" in quiet.stdout


def test_help_and_version() -> None:
    assert dumbbell("help").stdout == dumbbell("--help").stdout
    help_of_run = dumbbell("help", "run").stdout
    assert help_of_run == dumbbell("run", "--help").stdout
    assert "--wide" in help_of_run and "--quiet" in help_of_run
    assert dumbbell("-V").stdout == dumbbell("--version").stdout
    unknown = dumbbell("help", "rnu")
    assert unknown.returncode == 2 and "`run`" in unknown.stderr


def test_a_terminal_s_width_is_used(file: Path) -> None:
    """In a pseudo-terminal of 80 columns no line is wider, also of warnings (what they quote
    is as it is written), and no word is split."""
    script = (
        "import fcntl, os, pty, struct, sys, termios\n"
        "pid, fd = pty.fork()\n"
        "if pid == 0:\n"
        "    os.environ.pop('COLUMNS', None)\n"
        f"    os.execv(sys.executable, [sys.executable, '-m', 'dumbbell', 'run', {str(file)!r}])\n"
        "fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))\n"
        "text = b''\n"
        "while True:\n"
        "    try: part = os.read(fd, 4096)\n"
        "    except OSError: break\n"
        "    if not part: break\n"
        "    text += part\n"
        "os.waitpid(pid, 0)\n"
        "sys.stdout.buffer.write(text)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    lines = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in done.stdout.splitlines()]
    quoted = re.compile(r" +(\d+ │|[·╭])")
    assert any(quoted.match(line) for line in lines)
    assert max(len(line) for line in lines if not quoted.match(line)) <= 80
    words = {word for line in lines for word in line.split()}
    assert {"goodput", "utilization", "retransmits", "bottleneck"} <= words
