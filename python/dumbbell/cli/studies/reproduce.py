"""`reproduce`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from cyclopts import Parameter

from ...errors import InvalidRun, ScenarioError
from ...present.units import significant
from ...process import interrupt
from .. import completers
from ..options import ON, STORE, Json, Overrides, RequiredClass, Threads, emit, progress, show, tell

if TYPE_CHECKING:
    from ...present.grids import Grid
    from ...present.progress import Progress
    from ...reproduce.document import CellRow, PowerReport, ReadingRow, Report


def reproduce(
    paper: Annotated[
        str,
        Parameter(
            help=(
                "Name of the paper, as in `dumbbell list`, or the path of its folder, with a slash."
            ),
            completer=completers.papers,
        ),
    ],
    /,
    *,
    set: Overrides = [],  # noqa: B006 (cyclopts reads it)
    quick: Annotated[
        bool,
        Parameter(
            help="Make fewer and shorter runs: less than a minute; with --on kernel about 3 "
            "minutes."
        ),
    ] = False,
    power: Annotated[
        bool,
        Parameter(
            help="Say what each verdict would have noticed: make the runs of --quick, and again "
            "with each error that the paper declares, such as a round-trip time 10 % longer."
        ),
    ] = False,
    on: Annotated[str, Parameter(help=ON)] = "sim",
    required: RequiredClass = None,
    grid: Annotated[
        bool, Parameter(help="With --on kernel: run a grid of round-trip times instead.")
    ] = False,
    again: Annotated[
        bool,
        Parameter(
            help="With --on kernel: repeat live runs that were not valid; valid ones are kept."
        ),
    ] = False,
    cell: Annotated[
        list[str],
        Parameter(help="Run only this cell. May be repeated."),
    ] = [],  # noqa: B006
    seed: Annotated[
        int | None, Parameter(help="Seed of the first replication. Default: the paper's.")
    ] = None,
    replications: Annotated[
        int | None, Parameter(help="Number of runs, each with its own seed. Default: the paper's.")
    ] = None,
    threads: Threads = None,
    store: Annotated[
        Path | None,
        Parameter(help=f"{STORE} Default: none."),
    ] = None,
    out: Annotated[
        Path | None, Parameter(help="Directory for the report. Default: results/PAPER.")
    ] = None,
    json: Json = False,
) -> int:
    """Reproduce a paper: give a verdict on each printed number and each claim, and write a report
    (HTML and JSON).

    With --on kernel, the paper's experiment runs on the testbed, with schemes interleaved in time,
    for at most 70 minutes (--quick: 3). Finished runs are kept, so an interrupted command resumes.
    With --on linux, the paper's points run on a Linux kernel in virtual time, and verdicts stand
    beside the simulator's. For jumbo-frames, --on kernel measures what a gigabyte costs two hosts
    at an MTU of 1500 and 9000, for at most 5 minutes.

    Example: `dumbbell reproduce ea-red --quick`
    """
    if power and on != "sim":
        raise ScenarioError("--power\n^^^^^^^ this is only for --on sim\nhelp: leave out --on")
    if on == "kernel":
        from ...testbed import lock, rootless

        rootless.enter()
        wanted = Live(
            set, required, quick, grid, again, cell, seed, replications, threads, store, out
        )
        with lock.alone():
            return _on_kernels(paper, wanted, json)
    refused = "--cell" if on == "linux" and cell else ""
    if refused:
        raise ScenarioError(f"{refused} is for --on sim: on Linux all points run")
    if grid or again or required:
        name = "--grid" if grid else "--again" if again else "--class"
        raise ScenarioError(
            f"{name}\n{'^' * len(name)} this is only for --on kernel\nhelp: add --on kernel"
        )
    if on == "linux":
        return _on_linux(
            paper,
            Live(set, None, quick, False, False, [], seed, replications, threads, store, out),
            json,
        )
    from ...reproduce.work import reproduce as work

    with progress(f"reproducing {paper}") as bar:
        summary = work(
            paper,
            overrides=set,
            quick=quick,
            power=power,
            cells=cell,
            on=on,
            seed=seed,
            replications=replications,
            threads=threads,
            store=store,
            out=out,
            progress=bar,
        )
    with interrupt.held():
        if json:
            emit(summary)
        else:
            _print(cast("Report", summary))
    if not summary["valid"]:
        print("a run is not valid: its conservation laws do not hold", file=sys.stderr)
        return InvalidRun.code
    return 0


@dataclass(frozen=True, slots=True)
class Live:
    """The words of a campaign on real kernels."""

    set: list[str]
    required: str | None
    quick: bool
    grid: bool
    again: bool
    cell: list[str]
    seed: int | None
    replications: int | None
    threads: int | None
    store: Path | None
    out: Path | None


def _on_kernels(paper: str, wanted: Live, json: bool) -> int:
    from ...reproduce.cpu_cost import schedule
    from ...reproduce.testbed import narrative, work

    if wanted.cell:
        raise ScenarioError(
            "--cell needs --on sim: on real kernels all points run, interleaved in time"
        )
    if schedule.has(paper):
        return _gigabyte(paper, wanted, json)
    with progress(f"{paper} on real kernels") as bar:
        more: dict[str, Any] = {
            "required": wanted.required,
            "grid": wanted.grid,
            "again": wanted.again,
        }
        summary = work.reproduce(paper, work.How(**_how(wanted, bar), **more))
    return _say(summary, narrative.findings(summary), narrative.printed(summary), json)


def _on_linux(paper: str, wanted: Live, json: bool) -> int:
    from ...reproduce.on_linux import narrative, work

    with progress(f"{paper} on Linux") as bar:
        summary = work.reproduce(paper, work.How(**_how(wanted, bar)))
    return _say(summary, summary["finding"], narrative.printed_tables(summary), json)


def _how(wanted: Live, bar: Progress) -> dict[str, Any]:
    """The options of both kinds of kernel."""
    from ..runs.sweep import default_store

    return {
        "overrides": wanted.set,
        "quick": wanted.quick,
        "seed": wanted.seed,
        "replications": wanted.replications,
        "threads": wanted.threads,
        "store": wanted.store or default_store(),
        "out": wanted.out,
        "progress": bar,
        "tell": tell,
    }


def _say(
    summary: Mapping[str, Any], finding: Iterable[str], tables: Iterable[Any], json: bool
) -> int:
    """Prints a summary. Returns the exit code."""
    if json:
        emit(summary)
    else:
        if summary["altered"]:
            show(f"ALTERED: {'  '.join(summary['altered'])}", "")
        show(*finding, "", *tables)
        show(f"report: {summary['report']}")
    return 0 if summary["valid"] else InvalidRun.code


def _gigabyte(paper: str, wanted: Live, json: bool) -> int:
    """A paper whose measurement on real hosts is what a gigabyte costs."""
    from ...reproduce.cpu_cost import narrative, work

    refused = {
        "--set": wanted.set,
        "--class": wanted.required,
        "--grid": wanted.grid,
        "--again": wanted.again,
        "--seed": wanted.seed is not None,
        "--threads": wanted.threads is not None,
        "--store": wanted.store,
    }
    if named := [name for name, given in refused.items() if given]:
        raise ScenarioError(
            f"{', '.join(named)}: this does not apply to two hosts and a wire\nhelp: {paper} on "
            "real kernels takes --quick, --replications and --out"
        )
    with progress(f"{paper} on real kernels") as bar:
        how = work.How(
            quick=wanted.quick,
            replications=wanted.replications,
            out=wanted.out,
            progress=bar,
            tell=tell,
        )
        summary = work.reproduce(paper, how)
    if json:
        emit(summary)
    else:
        show(*narrative.findings(summary), "", *narrative.printed(summary))
        show(f"report: {summary['report']}")
    return 0 if summary["valid"] else InvalidRun.code


def _print(summary: Report) -> None:
    from ...present.grids import Grid
    from ...present.templates import MARKS

    first = [f"ALTERED: {'  '.join(summary['altered'])}"] if summary["altered"] else []
    first += summary["finding"]
    if summary["quick"]:
        first.append(
            "These are fewer and shorter runs than those of the full reproduction, whose verdicts "
            "may differ."
        )
    rows = [
        [c["id"], *_numbers(c), c["unit"], f"{MARKS[c['verdict']]} {c['verdict'] or 'fitted'}"]
        for c in summary["cells"]
    ]
    show(
        *([*first, ""] if first else []),
        Grid(
            summary["title"],
            ["cell", "printed", "ours", "95 % of new runs", "unit", "verdict"],
            rows,
            ranks=[0, 1, 0, 3, 2, 0],
        ),
    )
    if summary["claims"]:
        claims = [
            [c["id"], f"{MARKS[c['verdict']]} {c['verdict']}", c["text"]] for c in summary["claims"]
        ]
        show(Grid("Claims", ["claim", "verdict", "text"], claims, text_columns=3))
    if summary["readings"]:
        show(_readings(summary["readings"]))
    if power := summary.get("power"):
        show(*_power(power))
    tally = Counter(c["verdict"] or "fitted" for c in summary["cells"])
    show(
        "cells: "
        + ", ".join(f"{n} {verdict}" for verdict, n in tally.items())
        + f" · {summary['wall_s']:.1f} s"
    )
    show(
        f"report: {summary['report']}",
        *(["figures: in the folder figures next to it"] if summary["claims"] else []),
    )


def _power(report: PowerReport) -> list[Grid | str]:
    """What each reproduced verdict would have noticed."""
    from ...present.grids import Grid
    from ...reproduce.power import said

    rows = [
        [row["id"], row["power"] or "", said(row, report["perturbations"])]
        for row in report["rows"]
        if row["power"]
    ]
    columns = ["reproduced", "power", "what it would have noticed"]
    grid = Grid("Power", columns, rows, text_columns=3)
    return [grid, *report["conclusion"]] if rows else [*report["conclusion"]]


def _readings(rows: list[ReadingRow]) -> str:
    """How many readings keep the claim's sign everywhere, and which choices reverse it."""
    base, *others = rows
    whole = sum(row["holds"] == row["of"] for row in others)
    reversed_by = (
        ", ".join(dict.fromkeys(row["choice"] for row in others if row["sign_changes"]))
        or "no choice"
    )
    moved = sum(row["verdict_changes"] for row in others)
    return (
        f"readings: {base['about']} holds at every point in {whole} of {len(others)}, its sign is "
        f"reversed at some point by {reversed_by}; its verdict changes in {moved}"
    )


def _numbers(cell: CellRow) -> list[str]:
    from ...present.templates import printed

    if cell["value"] is None:
        return [printed(cell), "-", "-"]
    band = "-" if cell["pi95"] is None else " to ".join(significant(x) for x in cell["pi95"])
    return [printed(cell), significant(cell["value"]), band]
