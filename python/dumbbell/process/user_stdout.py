"""Output of plugins: in a command it goes to standard error, because programs read the command's
own output."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

_STDOUT, _STDERR = 1, 2


class _Command:
    """The standard output of a process that is a command: Python's and the file descriptor, for C
    and for programs that are started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth = 0
        self._stdout: TextIO | None = None
        self._kept: int | None = None

    def enter(self) -> None:
        # Imported here: an interrupt may hit the thread in the import, and `_back` must not end.
        import ctypes

        with self._lock:
            self._depth += 1
            if self._depth > 1:
                return
            self._flush_c = ctypes.CDLL(None).fflush
            self._stdout = sys.stdout
            self._stdout.flush()
            sys.stdout = sys.stderr
            with suppress(OSError):  # One of them is closed.
                self._kept = os.dup(_STDOUT)
                os.dup2(_STDERR, _STDOUT)

    def leave(self) -> None:
        with self._lock:
            self._depth = max(self._depth - 1, 0)
            if self._depth == 0:
                self._back()

    def force(self) -> None:
        """Output is the command's again, whatever code of a user is still running, and if an
        interrupt ended `leave` halfway."""
        with self._lock:
            self._depth = 0
            self._back()

    def _back(self) -> None:
        """May be called again, whatever line an interrupt ended it at."""
        if self._stdout is not None:
            sys.stdout, self._stdout = self._stdout, None
        if self._kept is not None:
            self._flush_c(None)  # What C has not written yet.
            os.dup2(self._kept, _STDOUT)
            kept, self._kept = self._kept, None
            os.close(kept)


_command: list[_Command] = []


@contextmanager
def aside() -> Iterator[None]:
    """While this lasts, code of a user may run."""
    where = _command[-1] if _command else None
    if where is None:
        yield
        return
    where.enter()
    try:
        yield
    finally:
        where.leave()


def to_stderr() -> None:
    """From now on, what such code prints goes to standard error. For a process that is a command: a
    notebook shows it where it is."""
    _command[:] = [_Command()]


def is_command() -> bool:
    """True if this process is a command."""
    return bool(_command)


def back() -> None:
    """Standard output is the command's again."""
    for where in _command:
        where.force()


leave = os._exit
"""Ends the process at once, whatever runs. An algorithm cannot (`own.ending`)."""
