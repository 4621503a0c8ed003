"""`store`: looking after the results that are kept."""

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
        help="check: verify every row and every file of series. list: what there is. repair: move "
        "damaged rows and "
        "runs aside. "
        "gc: one file of rows for many, without those that nothing asks for."
    ),
]


def store(
    action: Action,
    directory: Annotated[Path | None, Parameter(help="The store. Default: as for `sweep`.")] = None,
    /,
    *,
    json: Json = False,
) -> int:
    """Look after a store of results: check, list, repair, gc."""
    from .sweep import default_store

    said = api.call("store", {"do": action, "dir": str(directory or default_store())})
    if json:
        emit(said)
    else:
        {"check": _check, "list": _list, "repair": _repair, "gc": _gc}[action](said)
    if said.get("bad_rows"):
        notes(
            [
                f"{said['bad_rows']} rows cannot be read: `dumbbell store check {said['store']}` "
                f"names them"
            ]
        )
    if said.get("problems"):
        if json:
            return int(said["code"])
        raise of_code(
            said["code"],
            "\n".join(f"{_place(p)}{p['cause']}\n  {p['fix']}" for p in said["problems"]),
        )
    return 0


def _place(problem: dict[str, Any]) -> str:
    line = problem["line"]
    return (
        f"{problem['file']}, line {line}: " if line is not None else ""
    )  # Else the cause names the file.


def _check(said: dict[str, Any]) -> None:
    torn = f", {said['torn']} ends that a kill left (not read)" if said["torn"] else ""
    lost = (
        f", {said['records_lost']} runs whose series are damaged or missing"
        if said["records_lost"]
        else ""
    )
    unverified = (
        f", {said['unverified']} runs of an earlier release whose series have no digests (sizes "
        f"alone were checked)"
        if said["unverified"]
        else ""
    )
    failed = f", {said['failed']} that failed" if said["failed"] else ""
    state = "ok" if said["ok"] else f"{len(said['problems'])} problems"
    show(
        f"{said['store']}: {state} - {said['runs']} runs{failed} in {said['segments']} "
        f"files{torn}{lost}{unverified}"
    )


def _list(said: dict[str, Any]) -> None:
    from ...present.grids import plain

    if said["runs"]:
        head = ["key", "scenario", "seed", "took", "fingerprint", "changes"]
        show(plain([head, *map(_row, said["runs"])], text_columns=len(head)), "")
    show(f"{len(said['runs'])} runs in {said['store']}")


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


def _repair(said: dict[str, Any]) -> None:
    series = f" ({said['series_moved']} because of their series)" if said["series_moved"] else ""
    show(
        f"{said['store']}: {said['moved']} damaged rows moved aside{series}, {said['kept']} kept",
        *said["files"],
    )
    if said["newer"]:
        show(f"{said['newer']} rows of a newer format stay: use a newer release of dumbbell")


def _gc(said: dict[str, Any]) -> None:
    busy = f" ({said['busy']} are being written)" if said["busy"] else ""
    show(
        f"{said['store']}: {said['kept']} rows kept, {said['dropped']} dropped; "
        f"{said['segments_before']} files of rows before, {said['segments']} now{busy}; "
        f"{said['records_dropped']} directories of series dropped"
    )
