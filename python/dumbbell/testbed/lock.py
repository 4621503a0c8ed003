"""One live run at a time: two on one machine would disturb each other, and neither would be valid.

Live runs of one user wait for each other by a lock of the kernel (flock(2)) on a file in the user's
runtime folder. The lock goes with the process, however that ends; the file stays, and is empty.

Users share no lock, because each could then block all others. A process that makes live runs has
the name `dumbbell-live` while it does. A process that finds one of another user reports it and
continues.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import re
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import DumbbellError, EnvironmentLacks, ScenarioError
from ..files import private
from ..present.units import seconds

NAME = "dumbbell-live"
"""Name of a process that makes live runs, in /proc/PID/comm."""
WAIT = "120 min"
"""Longest wait for another live run of the user, unless `DUMBBELL_LIVE_WAIT` says otherwise. The
longest campaign takes 70 minutes."""

_BEAT_S = 0.2
_COMM = Path("/proc/self/comm")

_within = threading.RLock()
_depth = 0


@contextmanager
def alone() -> Iterator[None]:
    """Waits until no other process of this user makes live runs. Within itself it is free.

    `EnvironmentLacks` if another one still does after `DUMBBELL_LIVE_WAIT`, a time such as "10
    min".
    """
    global _depth
    with _within:
        lock = _taken() if _depth == 0 else None
        named = _renamed(NAME) if lock is not None else None
        _depth += 1
        try:
            yield
        finally:
            _depth -= 1
            if named is not None:
                _renamed(named)
            if lock is not None:
                os.close(lock)


def _taken() -> int | None:
    """The descriptor that holds the lock; None, with a note, where there is nothing to wait for."""
    patience = _patience()
    try:
        lock = _opened(private.runtime() / "live.lock")
    except (DumbbellError, OSError) as error:
        _say(f"note: {error}; other live runs cannot be detected")
        return None
    try:
        if not _locked(lock):
            holder = _holder(lock)
            if (
                holder in _ancestors()
            ):  # A program of `dumbbell shell`: waiting for it would never end.
                _say(f"note: this runs within the live run of process {holder} and may disturb it")
            else:
                _wait(lock, holder, patience)
    except BaseException:
        os.close(lock)
        raise
    for note in _others():
        _say(note)
    return lock


def _opened(file: Path) -> int:
    lock = os.open(
        file, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600
    )
    about = os.fstat(lock)
    if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid():
        os.close(lock)
        raise EnvironmentLacks(f"{file} is not a regular file of this user: remove it")
    return lock


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _patience() -> float:
    text = os.environ.get("DUMBBELL_LIVE_WAIT", WAIT)
    with suppress(ValueError):
        return seconds(text)
    raise ScenarioError(
        f"DUMBBELL_LIVE_WAIT={text}: this is not a time; write it with its unit, as in 10min"
    )


def _wait(lock: int, holder: int | None, patience: float) -> None:
    """Takes the lock as soon as it is free, within `patience` seconds."""
    whom = "another live run" + (f" (PID {holder})" if holder is not None else "")
    if patience > 0:
        _say(f"Waiting for {whom}. Ctrl-C to cancel.")
    end = time.monotonic() + patience
    while not _locked(lock):
        if time.monotonic() >= end:
            raise EnvironmentLacks(
                f"{whom} of this user is still running: wait for it, end it, or set "
                "DUMBBELL_LIVE_WAIT to a longer time"
            )
        time.sleep(_BEAT_S)


def _renamed(name: str) -> str | None:
    """Gives this process a name; the one it had, or None if it cannot have another."""
    with suppress(OSError):
        before = _COMM.read_text(encoding="utf-8").rstrip("\n")
        _COMM.write_text(name, encoding="utf-8")
        return before
    return None


def _others() -> list[str]:
    """Notes about live runs of other users: one for each user."""
    seen: dict[int, list[str]] = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # It has ended, or is hidden from this user.
            user = process.stat().st_uid
            if user != os.geteuid() and (process / "comm").read_text().rstrip("\n") == NAME:
                seen.setdefault(user, []).append(process.name)
    return [
        f"note: {_user(user)} also makes live runs on this machine (PID {', '.join(processes)}): "
        "they may disturb each other"
        for user, processes in seen.items()
    ]


def _user(uid: int) -> str:
    try:
        return f"the user {pwd.getpwuid(uid).pw_name}"
    except KeyError:
        return f"the user {uid}"


def _holder(lock: int) -> int | None:
    """The process that has it, by /proc/locks; None if that does not say."""
    inode = os.fstat(lock).st_ino
    try:
        known = Path("/proc/locks").read_text(encoding="utf-8")
    except OSError:
        return None
    found = re.search(
        rf"^\d+: FLOCK +ADVISORY +WRITE +([1-9]\d*) \S+:{inode} ", known, re.MULTILINE
    )
    return int(found[1]) if found else None


def _ancestors() -> list[int]:
    """The processes that this one was started by, the nearest first."""
    found: list[int] = []
    process = os.getppid()
    while process > 0 and process not in found:
        found.append(process)
        try:
            # The name, in parentheses, may hold anything.
            process = int(
                Path(f"/proc/{process}/stat")
                .read_text(encoding="utf-8")
                .rpartition(")")[2]
                .split()[1]
            )
        except (OSError, ValueError, IndexError):
            break
    return found


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
