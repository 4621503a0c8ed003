"""`reproduce`."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..errors import InvalidRun
from ..units import significant
from .options import Json, Overrides, emit, progress, show


def reproduce(
    paper: Annotated[str, Parameter(help="The paper; `dumbbell list` has the names.")],
    /,
    *,
    set: Overrides = [],  # noqa: B006 (cyclopts reads it)
    quick: Annotated[bool, Parameter(help="Fewer and shorter runs: less than a minute.")] = False,
    on: Annotated[str, Parameter(help="Where it runs: `sim` or `kernel`.")] = "sim",
    cell: Annotated[list[str], Parameter(help="Only this cell. May be repeated.")] = [],  # noqa: B006
    seed: Annotated[int | None, Parameter(help="Seed of the first replication. Default: the paper's.")] = None,
    replications: Annotated[int | None, Parameter(help="Runs of each point. Default: the paper's.")] = None,
    threads: Annotated[int | None, Parameter(help="Runs at the same time. Default: all cores.")] = None,
    store: Annotated[
        Path | None, Parameter(help="Keep finished runs here, and take from here what is here already.")
    ] = None,
    out: Annotated[Path | None, Parameter(help="Directory of the report. Default: results/PAPER.")] = None,
    json: Json = False,
) -> int:
    """Reproduce a paper: a verdict on each printed number and each claim, and a report (HTML and JSON)."""
    from ..reproduce.work import reproduce as work

    with progress(f"reproducing {paper}") as bar:
        summary = work(
            paper,
            overrides=set,
            quick=quick,
            cells=cell,
            on=on,
            seed=seed,
            replications=replications,
            threads=threads,
            store=store,
            out=out,
            progress=bar,
        )
    if json:
        emit(summary)
    else:
        _print(summary)
    if not summary["valid"]:
        print("a run is not valid: its conservation laws do not hold", file=sys.stderr)
        return InvalidRun.code
    return 0


def _print(summary: dict[str, Any]) -> None:
    from ..reproduce.report import MARKS
    from ..tables import grid

    if summary["altered"]:
        show(f"ALTERED: {'  '.join(summary['altered'])}", "")
    rows = [
        [c["id"], *_numbers(c), c["unit"], f"{MARKS[c['verdict']]} {c['verdict'] or 'fitted'}"]
        for c in summary["cells"]
    ]
    show(grid(summary["title"], ["cell", "printed", "ours", "95 % of new runs", "unit", "verdict"], rows))
    if summary["claims"]:
        claims = [[c["id"], f"{MARKS[c['verdict']]} {c['verdict']}", c["text"]] for c in summary["claims"]]
        show(grid("Claims", ["claim", "verdict", "text"], claims, text_columns=3))
    if summary["readings"]:
        show(_readings(summary["readings"]))
    tally = Counter(c["verdict"] or "fitted" for c in summary["cells"])
    show("cells: " + ", ".join(f"{n} {verdict}" for verdict, n in tally.items()) + f" · {summary['wall_s']:.1f} s")
    show(f"report: {summary['report']}", *(["figures: in figures beside it"] if summary["claims"] else []))


def _readings(rows: list[dict[str, Any]]) -> str:
    """How many readings keep the claim's sign everywhere, and which choices reverse it."""
    base, *others = rows
    whole = sum(row["holds"] == row["of"] for row in others)
    reversed_by = ", ".join(dict.fromkeys(row["choice"] for row in others if row["sign_changes"])) or "no choice"
    moved = sum(row["verdict_changes"] for row in others)
    return (
        f"readings: {base['about']} holds at every point in {whole} of {len(others)}, "
        f"its sign is reversed somewhere by {reversed_by}; its verdict changes in {moved}"
    )


def _numbers(cell: dict[str, Any]) -> list[str]:
    from ..reproduce.report import printed

    if cell["value"] is None:
        return [printed(cell), "-", "-"]
    band = "-" if cell["pi95"] is None else " to ".join(significant(x) for x in cell["pi95"])
    return [printed(cell), significant(cell["value"]), band]
