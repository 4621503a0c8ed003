"""Folders that belong to the user alone: for locks, programs and files that this user's processes
trust."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from ..errors import EnvironmentLacks

_OTHERS_WRITE = 0o022


def folder(path: Path) -> Path:
    """`path`, made with mode 0700 if need be.

    A folder of this user that others may write to is closed to them. `EnvironmentLacks` if another
    user owns it, if it is no folder, or if it cannot be made.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = path.stat()
        if about.st_uid != os.geteuid():
            raise EnvironmentLacks(
                f"{path} belongs to another user: remove it, or let this one own it"
            )
        if about.st_mode & _OTHERS_WRITE:
            path.chmod(0o700)
    except OSError as error:
        raise EnvironmentLacks(f"{path} cannot be used as a folder: {error.strerror}") from None
    return path


def is_own_file(path: Path) -> bool:
    """True if `path` is a regular file of this user that nobody else can write to. A link is
    none."""
    try:
        about = path.lstat()
    except OSError:
        return False
    return (
        stat.S_ISREG(about.st_mode)
        and about.st_uid == os.geteuid()
        and not about.st_mode & _OTHERS_WRITE
    )


def runtime() -> Path:
    """The user's folder for what lives as long as its processes: `dumbbell` in `$XDG_RUNTIME_DIR`,
    in `/run/user/UID` or, for root, in `/run`; where there is none of these, `run/HOST` in the
    user's cache folder."""
    uid = os.geteuid()
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    named = [Path(given)] if given.startswith("/") else []
    usual = [*named, Path(f"/run/user/{_outside(uid)}"), *([Path("/run")] if uid == 0 else [])]
    for base in usual:
        try:
            about = base.stat()
        except OSError:
            continue
        if (
            stat.S_ISDIR(about.st_mode)
            and about.st_uid == uid
            and not about.st_mode & _OTHERS_WRITE
        ):
            return folder(base / "dumbbell")
    return folder(cache() / "run" / os.uname().nodename)


def cache() -> Path:
    """The user's cache folder for Dumbbell."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path("~/.cache").expanduser()) / "dumbbell"


def _outside(uid: int) -> int:
    """The name of a user outside this process's user namespace: live runs have one of their own, in
    which the user is root."""
    with suppress(OSError):
        for line in Path("/proc/self/uid_map").read_text(encoding="utf-8").splitlines():
            inside, outside, count = map(int, line.split())
            if inside <= uid < inside + count:
                return outside + uid - inside
    return uid
