"""Interrupts of code of a user's: it ends, and the command's document is whole."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from dumbbell import api
from dumbbell.process.interrupt import Work
from helpers.command import exit_code
from helpers.plugins import ARRIVE, HALF_FULL, RUNAWAY, USES, body

ENDLESS = body(
    "name = 'half_full'\n" + ARRIVE + "    print('here', flush=True)\n    while True:\n        pass"
)


def interrupted(signals: list[signal.Signals], *words: str, cwd: Path) -> tuple[int, str, str]:
    """The exit code and the output of a command that is sent signals once the user's code has said
    that it runs."""
    command = [sys.executable, "-m", "dumbbell", *words]
    process = subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == "here\n"
        for one in signals:
            process.send_signal(one)
            time.sleep(0.1)
        stdout, stderr = process.communicate(timeout=20)
    finally:
        process.kill()
    return process.returncode, stdout, stderr


@pytest.mark.parametrize(
    "signals", [[signal.SIGINT], [signal.SIGTERM], [signal.SIGINT] * 2], ids=["int", "term", "2"]
)
@pytest.mark.parametrize("words", ["run s.toml --use mine.py --replications 3", "test mine.py"])
def test_an_endless_decision_can_be_interrupted(
    tmp_path: Path, words: str, signals: list[signal.Signals]
) -> None:
    (tmp_path / "mine.py").write_text(ENDLESS)
    (tmp_path / "s.toml").write_text(USES)
    code, stdout, stderr = interrupted(signals, *words.split(), "--json", cwd=tmp_path)
    assert code == 130, stderr
    assert json.loads(stdout)["error"]["code"] == 130
    assert "Traceback" not in stderr
    assert "interrupted" in stderr


def test_a_decision_that_no_exception_reaches_ends_when_asked_again(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        ENDLESS.replace("while True:\n            pass", "__import__('time').sleep(1000)")
    )
    (tmp_path / "s.toml").write_text(USES)
    code, stdout, stderr = interrupted(
        [signal.SIGINT] * 4, "run", "s.toml", "--use", "mine.py", "--json", cwd=tmp_path
    )
    assert (code, stderr) == (130, "interrupted\n")
    assert json.loads(stdout)["error"]["code"] == 130


LATE = """
import os, sys
from dumbbell.process import user_stdout

user_stdout.to_stderr()
put_back = os.dup2


def hit(*_):
    os.dup2 = put_back
    raise KeyboardInterrupt


try:
    with user_stdout.aside():
        os.dup2 = hit
except KeyboardInterrupt:
    user_stdout.back()
    print("document")
"""


def test_an_interrupt_while_output_is_put_back_does_not_lose_it() -> None:
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (0, "document\n", "")


def test_nothing_is_imported_while_output_is_put_back() -> None:
    """An import is no line of ours, so an interrupt for code of a user's would hit it."""
    text = LATE.split("put_back")[0] + (
        "with user_stdout.aside():\n    before = set(sys.modules)\n"
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=20)
    assert (done.stdout, done.stderr) == ("[]\n", "")


TWICE = """
import os, signal, threading, time
from dumbbell.process.interrupt import Work

signal.signal(signal.SIGTERM, signal.default_int_handler)


def twice():
    for one in (signal.SIGINT, signal.SIGTERM):
        os.kill(os.getpid(), one)


def call(work):
    threading.Timer(0.01, twice).start()
    while not work.stop:
        time.sleep(0.001)


for _ in range(20):
    try:
        Work(call).result(lambda: None)
    except KeyboardInterrupt:
        print("ended")
"""


def test_two_signals_in_succession_are_an_interrupt() -> None:
    done = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n" * 20, "")


def test_an_interrupt_at_its_start_ends_a_call_before_its_first_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Under load, a thread that is started runs later than an interrupt arrives."""
    held: list[Callable[[], None]] = []
    called: list[Work[None]] = []

    def late(function: Callable[[], None], arguments: tuple[()]) -> int:
        held.append(function)
        raise KeyboardInterrupt

    monkeypatch.setattr("_thread.start_new_thread", late)
    with pytest.raises(KeyboardInterrupt):
        Work(called.append).result(lambda: None)
    held[0]()
    assert not called


@pytest.mark.parametrize("failure", [OSError(39, "Directory not empty"), RuntimeError("a lock")])
def test_what_fails_because_of_an_interrupt_is_interrupted(
    failure: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise failure

    monkeypatch.setattr("dumbbell.api.run", interrupted)
    assert exit_code("run", "scenarios/first.toml") == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_an_interrupted_decision_is_no_failure_in_the_store(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(ENDLESS)
    (tmp_path / "s.toml").write_text(USES)
    words = (
        "sweep",
        "s.toml",
        "--use",
        "mine.py",
        "-o",
        "queue.limit=10 pkt,20 pkt",
        "--store",
        "kept",
    )
    assert interrupted([signal.SIGINT], *words, cwd=tmp_path)[0] == 130
    assert api.call("store", {"do": "list", "dir": str(tmp_path / "kept")})["runs"] == []


@pytest.mark.parametrize(
    "words", ["check s.toml --use mine.py", "list --use mine.py", "test mine.py"]
)
def test_an_endless_import_can_be_interrupted(tmp_path: Path, words: str) -> None:
    (tmp_path / "mine.py").write_text("print('here', flush=True)\nwhile True:\n    pass\n")
    (tmp_path / "s.toml").write_text(USES)
    code, stdout, stderr = interrupted([signal.SIGINT], *words.split(), cwd=tmp_path)
    assert (code, stdout, stderr) == (130, "", "interrupted\n")


def test_a_recursion_that_goes_on_can_be_interrupted(tmp_path: Path) -> None:
    again = RUNAWAY.replace(
        "return deeper(n + 1)",
        "try:\n        return deeper(n + 1)\n    except RecursionError:\n        return deeper(n)",
    )
    decision = "        print('here', flush=True)\n        deeper(0)\n        if queue"
    (tmp_path / "mine.py").write_text(again + HALF_FULL.replace("        if queue", decision))
    (tmp_path / "s.toml").write_text(USES)
    code, stdout, stderr = interrupted(
        [signal.SIGINT], "run", "s.toml", "--use", "mine.py", "--json", cwd=tmp_path
    )
    assert code == 130, stderr
    assert json.loads(stdout)["error"]["code"] == 130
