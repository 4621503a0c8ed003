"""An exception of a user's algorithm as a line and a traceback that begins in the user's file."""

from __future__ import annotations

import traceback
from pathlib import Path

_HERE = str(Path(__file__).parent)


def told(error: BaseException) -> tuple[str, str]:
    """The cause with the file and the line where it is, and the whole traceback."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(_HERE)]
    frames = [f for f in frames if not f.filename.startswith("<frozen")]
    what = "".join(traceback.format_exception_only(error)).strip()
    if isinstance(error, SyntaxError):
        file = Path(error.filename or "?").name
        return f"{error.msg} ({file}, line {error.lineno})", f"{what}\n"
    last = what.splitlines()[-1]
    if not frames:
        return last, ""
    trace = "Traceback (most recent call last):\n" + "".join(traceback.format_list(frames)) + what + "\n"
    where = frames[-1]
    return f"{last} ({Path(where.filename).name}, line {where.lineno}, in {where.name})", trace
