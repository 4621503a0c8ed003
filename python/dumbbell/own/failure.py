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
        # Some have no place, as a byte 0 in the file.
        place = [Path(error.filename).name] if error.filename else []
        place += [f"line {error.lineno}"] if error.lineno else []
        return f"{error.msg} ({', '.join(place)})" if place else str(error.msg), f"{what}\n"
    last = what.splitlines()[-1]
    if not frames:
        return last, ""
    trace = "Traceback (most recent call last):\n" + "".join(traceback.format_list(frames)) + what + "\n"
    where = frames[-1]
    return f"{last} ({Path(where.filename).name}, line {where.lineno}, in {where.name})", trace
