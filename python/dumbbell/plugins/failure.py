"""An exception of a user's algorithm as a line and a traceback that begins in the user's file."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import TracebackType

_HERE = str(Path(__file__).parent)
_SHOWN = 50
"""Calls at each end of a traceback."""


def told(error: BaseException) -> tuple[str, str]:
    """The cause with the file and the line where it is, and the whole traceback."""
    begin, more, end = _ends(error.__traceback__)
    begin, end = (
        [f for f in part if not f.filename.startswith((_HERE, "<frozen"))] for part in (begin, end)
    )
    what = "".join(traceback.format_exception_only(error)).strip()
    if isinstance(error, SyntaxError):
        # Some have no place, as a byte 0 in the file.
        place = [Path(error.filename).name] if error.filename else []
        place += [f"line {error.lineno}"] if error.lineno else []
        return f"{error.msg} ({', '.join(place)})" if place else str(error.msg), f"{what}\n"
    last = what.splitlines()[-1]
    if not begin:
        return last, ""
    between = [f"  [{more} more calls]\n"] if more else []
    calls = [*traceback.format_list(begin), *between, *traceback.format_list(end)]
    trace = "Traceback (most recent call last):\n" + "".join(calls) + what + "\n"
    where = [*begin, *end][-1]
    return f"{last} ({Path(where.filename).name}, line {where.lineno}, in {where.name})", trace


def _ends(
    first: TracebackType | None,
) -> tuple[list[traceback.FrameSummary], int, list[traceback.FrameSummary]]:
    """The first calls, how many more there are, and the last: a recursion has very many."""
    begin, rest = traceback.extract_tb(first, limit=_SHOWN), first
    for _ in begin:
        rest = rest and rest.tb_next
    end = traceback.extract_tb(rest, limit=-_SHOWN)
    return begin, sum(1 for _ in traceback.walk_tb(rest)) - len(end), end
