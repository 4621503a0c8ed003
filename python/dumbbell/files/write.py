"""Every file that this package writes: whole or not at all, on the disk when the call returns, text
as UTF-8.

A file that cannot be written is a `DumbbellError` that names it; the older file of that name is
still there then. Missing folders are made. No other module of the package writes files
(tests/api/test_files.py).
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from .. import api
from ..errors import DumbbellError

_SCRATCH = "dumbbell-scratch-"
"""Prefix of the names of temporary folders."""
_NAME = re.compile(re.escape(_SCRATCH) + "[a-z0-9_]{8}")


def write_bytes(file: str | Path, data: bytes) -> None:
    """Replaces a file."""
    api.write_file(file, data)


def write_text(file: str | Path, text: str) -> None:
    """Replaces a file of text."""
    api.write_file(file, _encoded(text))


def write_new(file: str | Path, text: str) -> None:
    """Writes a file of text that must not be there yet."""
    api.write_file(file, _encoded(text), new=True)


def write_json(file: str | Path, document: Any) -> None:
    """Replaces a file with a JSON document."""
    write_text(file, json.dumps(document, indent=1, allow_nan=False) + "\n")


@contextmanager
def writing(file: str | Path) -> Iterator[BinaryIO]:
    """A binary file to write to, for libraries. It replaces `file` at the end, unless there was an
    exception."""
    out = io.BytesIO()
    yield out
    write_bytes(file, out.getvalue())


def append_line(file: Path, line: str) -> None:
    """Adds a line, which is on the disk when this returns. A line before it that was cut short is
    ended first."""
    try:
        if not file.exists():
            write_text(file, "")  # Makes the name durable, too.
        with file.open("rb+", buffering=0) as out:
            size = out.seek(0, os.SEEK_END)
            if size and os.pread(out.fileno(), 1, size - 1) != b"\n":
                line = f"\n{line}"
            left = memoryview(_encoded(f"{line}\n"))
            while left:  # One call may take less than all, on a disk that is nearly full.
                left = left[out.write(left) :]
            os.fsync(out.fileno())
    except OSError as error:
        raise DumbbellError(f"{file} cannot be written: {error.strerror}") from None


def _encoded(text: str) -> bytes:
    # A name that is not UTF-8 has surrogates.
    return text.encode("utf-8", "replace")


class Scratch(tempfile.TemporaryDirectory[str]):
    """A temporary folder that goes with its owner. What killed processes left is removed when the
    next one is made.

    The lock of the folder `name` tells a living owner: the kernel drops it with the process. Files
    go into `path`, a folder in it, because who writes results locks the folder that they go to.
    """

    def __init__(self) -> None:
        _clear_away()
        super().__init__(prefix=_SCRATCH)
        while not self._locked():  # Another process took it for a dead one's.
            self.cleanup()
            super().__init__(prefix=_SCRATCH)
        self.path = Path(self.name) / "files"
        self.path.mkdir()

    def _locked(self) -> bool:
        """Locks the folder; False if it is gone."""
        with suppress(FileNotFoundError):
            lock = os.open(self.name, os.O_RDONLY | os.O_DIRECTORY)
            weakref.finalize(self, os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX)
            return os.path.samestat(os.fstat(lock), os.stat(self.name))  # noqa: PTH116 (as fstat's)
        return False


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A temporary folder for the time of a block."""
    folder = Scratch()
    with folder:
        yield folder.path


def _clear_away() -> None:
    named = (
        one for one in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*") if _NAME.fullmatch(one.name)
    )
    for found in named:
        with suppress(OSError):  # It is another user's, or another process removes it.
            there = os.open(found, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if os.fstat(there).st_uid == os.getuid():
                    fcntl.flock(there, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(found, ignore_errors=True)
            finally:
                os.close(there)
