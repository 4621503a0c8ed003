"""Live runs without being root: the command runs itself again, in a user namespace where its networks are its own."""

from __future__ import annotations

import os
import sys


def enter() -> None:
    """What follows may make hosts. Where this process is not root, it starts the same command inside a user namespace,
    and ends with that one's exit code; the interpreter has threads by now, and the kernel lets only a process of one
    thread move."""
    if os.geteuid() == 0:
        return
    from .. import door

    # `-P`: modules come from where packages are installed, never from the current folder.
    raise SystemExit(door.enclose([sys.executable, "-P", "-m", "dumbbell", *sys.argv[1:]]))
