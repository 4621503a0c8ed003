"""One live run at a time on a machine: two would keep each other waiting, and neither would be worth anything.

Whoever makes live runs holds a lock of the kernel (flock(2)) on a file that all users can open. It goes with the
process, however that ends; the file stays, is empty, and blocks nobody.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE = Path("/tmp/dumbbell-live.lock")
"""Not in a user's own runtime directory: it is the machine that is shared."""

_within = threading.RLock()
_depth = 0


@contextmanager
def alone() -> Iterator[None]:
    """Waits until no other process makes live runs, and says for whom; Ctrl-C ends the wait. Within itself it is
    free."""
    global _depth
    with _within:
        lock = _taken() if _depth == 0 else None
        _depth += 1
        try:
            yield
        finally:
            _depth -= 1
            if lock is not None:
                os.close(lock)


def _taken() -> int | None:
    """The descriptor that holds the lock; None, with a note, where there is nothing to wait for."""
    import fcntl  # Not on every system; where it is not, there is no testbed either.

    try:
        lock = _opened()
    except OSError as error:
        _say(f"note: {FILE}: {error.strerror}; live runs of others at the same time would not be noticed")
        return None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(lock)
            if holder in _ancestors():  # A program of `dumbbell shell`: waiting for it would never end.
                _say(f"note: this is within the live run of process {holder}, which it may disturb")
            else:
                who = "another process" if holder is None else f"process {holder}"
                _say(f"{who} makes live runs on this machine: waiting until it has ended (Ctrl-C: not any longer)")
                fcntl.flock(lock, fcntl.LOCK_EX)
    except BaseException:
        os.close(lock)
        raise
    return lock


def _opened() -> int:
    """Read only, and created only if it is not there: of a file of another user the kernel permits no more
    (fs.protected_regular, proc_sys_fs(5))."""
    plain = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(FILE, plain)
    except FileNotFoundError:
        try:
            return os.open(FILE, plain | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:  # Another one was faster.
            return os.open(FILE, plain)


def _holder(lock: int) -> int | None:
    """The process that has it, by /proc/locks; None if that does not say."""
    inode = os.fstat(lock).st_ino
    try:
        known = Path("/proc/locks").read_text(encoding="utf-8")
    except OSError:
        return None
    found = re.search(rf"^\d+: FLOCK +ADVISORY +WRITE +([1-9]\d*) \S+:{inode} ", known, re.MULTILINE)
    return int(found[1]) if found else None


def _ancestors() -> list[int]:
    """The processes that this one was started by, the nearest first."""
    found: list[int] = []
    process = os.getppid()
    while process > 0 and process not in found:
        found.append(process)
        try:
            # The name, in parentheses, may hold anything.
            process = int(Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            break
    return found


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
