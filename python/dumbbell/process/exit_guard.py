"""Keeps a plugin from ending the command as if all were well, and from blocking Ctrl-C."""

from __future__ import annotations

import os
import sys

from . import user_stdout

DEEPEST = 50_000
"""Calls within each other. Python leaves a recursion of millions, which it needs gigabytes for,
within a minute, and hears no Ctrl-C meanwhile."""

_set_recursion_limit = sys.setrecursionlimit


def guard() -> None:
    """In a command, makes `os._exit` raise, because `os._exit(0)` would look like success without a
    result, and holds `sys.setrecursionlimit` below `DEEPEST`. In processes that the algorithm
    forks, `os._exit` works as ever."""
    command = os.getpid()
    if not user_stdout.is_command() or os._exit is not user_stdout.leave:
        return

    def exit_of_a_child(status: int) -> None:
        if os.getpid() == command:
            raise RuntimeError(f"os._exit({status}) would end the command without a result")
        user_stdout.leave(status)

    os._exit = exit_of_a_child  # type: ignore[assignment]
    sys.setrecursionlimit = lambda limit: _set_recursion_limit(min(limit, DEEPEST))
