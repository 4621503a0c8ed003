"""`conform`: an algorithm against the criteria of the documents by which such algorithms are
judged. A kind of algorithm is a command of its own: `conform cc`, `conform aqm`."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from ... import api, catalogue
from ...errors import ScenarioError
from .. import completers
from ..options import (
    InVirtualTime,
    Json,
    NoStore,
    SharedStore,
    Threads,
    Use,
    command_line,
    emit,
    progress,
    show,
)
from ..usage_errors import DEFAULTS

if TYPE_CHECKING:
    from ...conform.criterion import Criterion
    from ...conform.report import Report
    from ...conform.subject import Kind, Subject

CHECK_FAILED = 3
app = App(
    name="conform",
    help="Judge an algorithm by the criteria of RFC 9743, RFC 7928 and drafts.",
    default_parameter=DEFAULTS,
    help_flags=["--help", "-h"],
    version_flags=[],
)


@Parameter(name="*")
@dataclass(kw_only=True)
class ConformOptions:
    """What is judged, and how runs are made and kept."""

    quick: Annotated[bool, Parameter(help="Leave out criteria that need long runs.")] = False
    only: Annotated[
        list[str],
        Parameter(
            help="Run only criteria whose name matches a pattern, such as 'rfc9743.5.*'. May be "
            "repeated.",
            negative=(),
        ),
    ] = None  # type: ignore[assignment]
    list_: Annotated[
        bool, Parameter(name="--list", help="List the selected checks without running them.")
    ] = False
    scenario: Annotated[
        str | None,
        Parameter(help="Print the scenario of this criterion as a file for `dumbbell run`."),
    ] = None
    strict: Annotated[
        bool, Parameter(help="Exit with code 3 if a criterion fails. Default: 0, it is a result.")
    ] = False
    seeds: Annotated[int | None, Parameter(help="Runs of each scenario. Default: 5.")] = None
    on: InVirtualTime = "sim"
    use: Use = None  # type: ignore[assignment]
    threads: Threads = None
    store: SharedStore = None
    no_store: NoStore = False
    out: Annotated[
        Path | None,
        Parameter(name=["--out", "-o"], help="Directory for a page and the report. Default: none."),
    ] = None

    def request(self) -> dict[str, object]:
        """Options of the request."""
        from ..runs.sweep import default_store

        if self.no_store and self.store:
            raise ScenarioError("--no-store and --store exclude each other: leave one of them out")
        store = None if self.no_store else str(self.store or default_store())
        return {"store": store, "threads": self.threads}


@app.command(name="cc")
def cc(
    name: Annotated[
        str,
        Parameter(
            help="The congestion control: NAME, or NAME:KEY=VALUE,... with its parameters.",
            completer=completers.controls,
        ),
    ],
    /,
    *,
    options: ConformOptions | None = None,
    json: Json = False,
) -> int:
    """Judge a congestion control by RFC 9743 (BCP 133), by the basic set of
    draft-irtf-iccrg-tcpeval, and by the test cases of draft-ietf-ccwg-bbr.

    Each line has a number with its 95 % interval, the bound, and the verdict: pass, fail or not
    applicable.

    Example: `dumbbell conform cc cubic --quick --out results/cubic`
    """
    return _conform("cc", [name], options or ConformOptions(), json)


@app.command(name="aqm")
def aqm(
    name: Annotated[
        str | None,
        Parameter(
            help="The queue: NAME, or NAME:KEY=VALUE,... with its parameters.",
            completer=completers.queues,
        ),
    ] = None,
    /,
    *,
    all_: Annotated[
        bool, Parameter(name="--all", help="Judge every queue of the catalogue: one table.")
    ] = False,
    options: ConformOptions | None = None,
    json: Json = False,
) -> int:
    """Judge a queue by RFC 7928, section by section, against tail drop with a buffer of one
    bandwidth-delay product.

    Example: `dumbbell conform aqm codel --quick`
    """
    options = options or ConformOptions()
    if all_ is (name is not None):
        raise ScenarioError("name one queue, or write --all: `dumbbell conform aqm codel`")
    names = [name] if name is not None else _queues(options.use or ())
    return _conform("aqm", names, options, json)


def _queues(use: Sequence[str]) -> list[str]:
    """Every queue of the catalogue and of the user's files, tail drop first."""
    kinds = catalogue.kinds(*use)
    return [name for kind in catalogue.QUEUES for name in kinds.get(kind, [])]


def _conform(kind: Kind, names: Sequence[str], options: ConformOptions, json: bool) -> int:
    from ...conform import documents, page, report, work
    from ...conform.scenarios import SEEDS
    from ...conform.subject import Subject

    use = tuple(options.use or ())
    seeds = SEEDS if options.seeds is None else options.seeds
    subjects = [Subject.read(kind, name, use) for name in names]
    if options.scenario is not None:
        return _print_scenario(kind, subjects[0], options.scenario, seeds)
    selected = documents.select(kind, options.only or (), quick=options.quick)
    if options.list_:
        return _list(selected, json)
    if len(subjects) == 1:
        work.check(subjects[0], selected)
    started = time.perf_counter()
    jobs = [(subject, criterion) for subject in subjects for criterion in selected]
    made = work.Options(seeds=seeds, use=use, options=options.request())
    with progress("judging") as heard:
        on = {} if options.on == "sim" else {"on": options.on}
        outcomes, facts = work.conform(jobs, made, lambda wanted: api.run({**wanted, **on}, heard))
    each = len(selected)
    reports = [
        report.Report(subject, outcomes[i * each : (i + 1) * each])
        for i, subject in enumerate(subjects)
    ]
    document = report.document(
        reports,
        facts,
        quick=options.quick,
        seeds=seeds,
        command=command_line(),
        seconds=time.perf_counter() - started,
    )
    if options.out is not None:
        page.write(reports, document, options.out)
    if json:
        emit(document)
    else:
        _print(reports)
        if options.out is not None:
            print(f"page: {document['page']}")
    return CHECK_FAILED if options.strict and any(one.failed for one in reports) else 0


def _print_scenario(kind: Kind, subject: Subject, name: str, seeds: int) -> int:
    from ...conform import documents, scenarios

    id_ = name.removesuffix(scenarios.AGAINST)
    criterion = documents.find(kind, id_)
    sys.stdout.write(scenarios.text(criterion, subject, seeds, other=id_ != name))
    return 0


def _list(selected: Sequence[Criterion], json: bool) -> int:
    if json:
        rows = [
            {
                "id": one.id,
                "section": one.section,
                "runs": one.runs,
                "criterion": one.text,
                "reason": one.why,
                "quick": one.quick,
            }
            for one in selected
        ]
        emit({"criteria": rows})
        return 0
    width = max(len(one.id) for one in selected)
    for one in selected:
        print(f"{one.id:<{width}}  {one.text}")
    return 0


def _print(reports: Sequence[Report]) -> None:
    from ...conform import report

    if len(reports) > 1:
        _print_table(reports, report.columns(reports))
        return
    one = reports[0]
    width = max(len(outcome.criterion.id) for outcome in one.outcomes)
    for outcome in one.outcomes:
        bound = f"  [{outcome.criterion.bound_text}]" if outcome.criterion.bound_text else ""
        print(
            f"{outcome.verdict:<14}  {outcome.criterion.id:<{width}}  {outcome.value_text}{bound}"
        )
    print()
    show(*one.sentences)


def _print_table(reports: Sequence[Report], columns: Sequence[str]) -> None:
    from ...conform.report import cell

    rows = [
        [one.subject.text, str(one.count("pass")), str(one.count("fail"))]
        + [cell(one, column) for column in columns]
        for one in reports
    ]
    table = [["queue", "pass", "fail", *columns], *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        first, *rest = (text.rjust(width) for text, width in zip(row, widths, strict=True))
        print(f"{row[0]:<{widths[0]}}  {'  '.join(rest)}" if first else "")
