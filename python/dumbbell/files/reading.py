"""Reads files that a scenario or a person names: regular files only, up to a size.

Opening a pipe waits for its other end, and a device may have no end. The Rust module
`files/regular.rs` of the lab follows the same rule.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path

LONGEST = 16 << 20
"""Bytes of a scenario, a script or a file with algorithms."""


def whole(path: str | Path, longest: int = LONGEST) -> bytes:
    """The bytes of a regular file. `OSError` if it cannot be read, is anything else, or has more
    than `longest`."""
    _regular(os.stat(path).st_mode)  # noqa: PTH116 (as the file descriptor below)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:  # noqa: PTH123 (a file descriptor)
        _regular(os.fstat(descriptor).st_mode)
        data = file.read(longest + 1)
    if len(data) > longest:
        raise OSError(errno.EFBIG, f"it is larger than {longest >> 20} MiB")
    return data


def text(path: str | Path, longest: int = LONGEST) -> str:
    """The text of such a file, in UTF-8. `UnicodeDecodeError` if it is none."""
    return io.TextIOWrapper(io.BytesIO(whole(path, longest)), encoding="utf-8").read()


def _regular(mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    kinds = ((stat.S_ISDIR, "a directory"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    what = next((name for test, name in kinds if test(mode)), "a device")
    raise OSError(errno.EINVAL, f"it is {what}, and only regular files are read")
