"""One live run at a time: the lock, the wait for it, and folders that others can write to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from dumbbell import EnvironmentLacks, ScenarioError
from dumbbell.files import private
from dumbbell.testbed import lock


@pytest.fixture(autouse=True)
def own_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock of the test's own: real live runs are not waited for."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


HOLD = """
import sys
from dumbbell.testbed import lock
with lock.alone(), lock.alone():
    print("mine", flush=True)
    sys.stdin.read()
"""


def holding() -> subprocess.Popen[str]:
    """A process that makes live runs until its input ends."""
    return subprocess.Popen([sys.executable, "-c", HOLD], text=True, stdin=-1, stdout=-1, stderr=-1)


def test_live_runs_of_another_process_are_waited_for_unless_one_is_within_them() -> None:
    with holding() as holder:
        assert holder.stdout.readline() == "mine\n"
        with holding() as impatient, holding() as patient:
            said = f"Waiting for another live run (PID {holder.pid}). Ctrl-C to cancel.\n"
            assert impatient.stderr.readline() == said
            assert patient.stderr.readline() == said
            impatient.send_signal(signal.SIGINT)
            out, err = impatient.communicate(timeout=60)
            assert (out, "KeyboardInterrupt" in err) == ("", True)
            holder.kill()  # The lock goes with its process, however that ends.
            assert patient.stdout.readline() == "mine\n"
            assert patient.communicate(timeout=60)[1] == ""
    with (
        lock.alone(),
        holding() as inner,
    ):  # As a program of `dumbbell shell`, which would wait for its own end.
        said = inner.communicate(timeout=60)
        assert said[0] == "mine\n"
        assert f"within the live run of process {os.getpid()}" in said[1]


def test_the_wait_for_another_live_run_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    with holding() as holder:
        assert holder.stdout.readline() == "mine\n"
        monkeypatch.setenv("DUMBBELL_LIVE_WAIT", "0 s")
        with (
            pytest.raises(
                EnvironmentLacks, match=rf"PID {holder.pid}\) of this user is still running"
            ),
            lock.alone(),
        ):
            pass
        monkeypatch.setenv("DUMBBELL_LIVE_WAIT", "soon")
        with (
            pytest.raises(ScenarioError, match="DUMBBELL_LIVE_WAIT=soon: this is not a time"),
            lock.alone(),
        ):
            pass
        holder.communicate(timeout=60)


@pytest.mark.parametrize(
    "plant", [os.mkfifo, lambda path: path.symlink_to("/etc/passwd"), lambda path: path.mkdir()]
)
def test_a_planted_lock_is_noticed_and_blocks_nobody(
    plant: Any, tmp_path: Path, capsys: Any
) -> None:
    (tmp_path / "dumbbell").mkdir()
    plant(tmp_path / "dumbbell" / "live.lock")
    with lock.alone():
        assert "other live runs cannot be detected" in capsys.readouterr().err


def test_a_folder_of_others_is_not_used_for_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(open_to_all))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert private.runtime().parent != open_to_all
    assert list(open_to_all.iterdir()) == []
    monkeypatch.setattr(
        private.os, "geteuid", lambda: 12345
    )  # As if another user owned all that is there.
    with pytest.raises(EnvironmentLacks, match="belongs to another user"):
        private.folder(tmp_path)


def test_live_runs_of_another_user_are_said(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    with holding() as other:
        assert other.stdout.readline() == "mine\n"
        assert Path(f"/proc/{other.pid}/comm").read_text(encoding="utf-8") == f"{lock.NAME}\n"
        assert not [note for note in lock._others() if str(other.pid) in note]
        monkeypatch.setattr(
            lock.os, "geteuid", lambda: 12345
        )  # As if this process were another user's.
        assert [note for note in lock._others() if str(other.pid) in note]
        other.communicate(timeout=60)
