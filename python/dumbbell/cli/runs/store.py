"""`store`: the results that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ... import api
from ...errors import of_code
from ...files.declared import cut
from ...language.overrides import literal
from ...present.units import time_text
from ..options import Json, emit, notes, show

Action = Annotated[
    Literal["check", "list", "repair", "gc"],
    Parameter(
        help="check: verify every row and every file of series. list: print a line for each run. "
        "repair: move damaged rows and runs aside. gc: merge the files of rows into one and "
        "drop rows of older results."
    ),
]


def store(
    action: Action,
    directory: Annotated[
        Path | None,
        Parameter(help="Directory of the store. Default: $DUMBBELL_STORE, else .dumbbell/store."),
    ] = None,
    /,
    *,
    json: Json = False,
) -> int:
    """Manage a store of finished runs: check it, list it, repair it, or merge its files.

    Example: `dumbbell store check`
    """
    from .sweep import default_store

    answer = api.call("store", {"do": action, "dir": str(directory or default_store())})
    if json:
        emit(answer)
    else:
        {"check": _check, "list": _list, "repair": _repair, "gc": _gc}[action](answer)
    if answer.get("bad_rows"):
        notes(
            [
                f"{_many(answer['bad_rows'], 'row')} cannot be read: "
                f"`dumbbell store check {answer['store']}` shows which"
            ]
        )
    if answer.get("problems"):
        if json:
            return int(answer["code"])
        raise of_code(
            answer["code"],
            "\n".join(f"{_place(p)}{p['cause']}\n  {p['fix']}" for p in answer["problems"]),
        )
    return 0


def _place(problem: dict[str, Any]) -> str:
    line = problem["line"]
    return (
        f"{problem['file']}, line {line}: " if line is not None else ""
    )  # Else the cause names the file.


def _many(number: int, what: str) -> str:
    """`1 run`, `2 runs`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _check(answer: dict[str, Any]) -> None:
    torn = (
        f", {_many(answer['torn'], 'row')} cut off by an interruption (ignored)"
        if answer["torn"]
        else ""
    )
    lost = (
        f", {_many(answer['records_lost'], 'run')} whose series are damaged or missing"
        if answer["records_lost"]
        else ""
    )
    unverified = (
        f", {_many(answer['unverified'], 'run')} of an earlier release whose series have no "
        "digests (only sizes were checked)"
        if answer["unverified"]
        else ""
    )
    failed = f", {answer['failed']} that failed" if answer["failed"] else ""
    state = "ok" if answer["ok"] else _many(len(answer["problems"]), "problem")
    show(
        f"{answer['store']}: {state} - {_many(answer['runs'], 'run')}{failed} in "
        f"{_many(answer['segments'], 'file')}{torn}{lost}{unverified}"
    )


def _list(answer: dict[str, Any]) -> None:
    from ...present.grids import Grid

    runs = answer["runs"]
    if runs:
        heads, ranks = zip(*_LISTED.items(), strict=True)
        show(Grid("", heads, [_row(run) for run in runs], len(heads), ranks), "")
    show(f"{_many(len(runs), 'run')} in {answer['store']}")


_LISTED = {"key": 0, "scenario": 2, "seed": 0, "took": 4, "fingerprint": 3, "changes": 0}
"""The columns, each with its rank (`present.columns.Shown`)."""


def _row(run: dict[str, Any]) -> list[str]:
    """A run in a line: its changes as `-s` takes them, and of one that failed the error in the
    fingerprint's place."""
    changes = " ".join(f"{key}={literal(value)}" for key, value in (run["overrides"] or {}).items())
    failed = f"failed: {run['error']['message']}" if run["error"] else None
    took = "-" if run["wall_s"] is None else time_text(run["wall_s"])
    shown = (failed or run["fingerprint"] or "-", changes or "-")
    return [
        run["key"][:12],
        run["name"] or "-",
        str(run["seed"]),
        took,
        *(cut(text, _WIDE) for text in shown),
    ]


_WIDE = 60
"""Characters of a cell."""


def _repair(answer: dict[str, Any]) -> None:
    series = (
        f" ({answer['series_moved']} because of their series)" if answer["series_moved"] else ""
    )
    show(
        f"{answer['store']}: {_many(answer['moved'], 'damaged row')} moved aside{series}, "
        f"{answer['kept']} kept",
        *answer["files"],
    )
    if answer["newer"]:
        show(
            f"{_many(answer['newer'], 'row')} of a newer format kept: "
            "use a newer release of dumbbell"
        )


def _gc(answer: dict[str, Any]) -> None:
    busy = f" ({answer['busy']} are being written)" if answer["busy"] else ""
    dropped = answer["records_dropped"]
    series = "1 directory" if dropped == 1 else f"{dropped} directories"
    show(
        f"{answer['store']}: {_many(answer['kept'], 'row')} kept, {answer['dropped']} dropped; "
        f"{_many(answer['segments_before'], 'file')} of rows before, "
        f"{answer['segments']} now{busy}; "
        f"{series} of series dropped"
    )
