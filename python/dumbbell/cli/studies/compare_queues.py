"""`compare SCHEME...`: queues against queues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ...errors import ScenarioError
from .. import completers
from .. import live as watching
from ..options import (
    NoStore,
    Overrides,
    SharedStore,
    Threads,
    Use,
    Workers,
    command_line,
    notes,
    progress,
    show,
    source,
)
from .answers import answered, measuring

if TYPE_CHECKING:
    from ...studies.compare.queues.document import Document


@Parameter(name="*")
@dataclass(kw_only=True)
class SchemeOptions:
    """What schemes are compared in, and where that is kept."""

    cc: Annotated[
        list[str],
        Parameter(
            consume_multiple=True,
            help="Congestion controls of all TCP flows, each a condition. Default: the scenario's.",
            completer=completers.controls,
        ),
    ] = field(default_factory=list)
    file: Annotated[
        str | None,
        Parameter(
            name=["--file", "-f"],
            allow_leading_hyphen=True,
            help=(
                "The scenario (TOML); `-` reads it from stdin. Default: eight flows, half of "
                "them near, on 20 Mbit/s."
            ),
        ),
    ] = None
    over: Annotated[
        list[str],
        Parameter(
            name=["--over", "-o"],
            help="A further axis: KEY=VALUE,VALUE,... such as rate=10Mbps,50Mbps. KEY is a path as "
            "in -s, or one of rate, delay, rtt, limit, flows. May be repeated.",
        ),
    ] = field(default_factory=list)
    set: Overrides = field(default_factory=list)
    use: Use = field(default_factory=list)
    baseline: Annotated[
        str | None,
        Parameter(help="The scheme that the others are compared with. Default: the first."),
    ] = None
    seed: Annotated[
        int | None, Parameter(help="Seed of the first replication. Default: the scenario's.")
    ] = None
    out: Annotated[
        Path | None, Parameter(help="Directory for the page. Default: results/compare-SCENARIO.")
    ] = None
    threads: Threads = None
    store: SharedStore = None
    no_store: NoStore = False
    workers: Workers = None

    def given(self) -> str | None:
        """The first option that was given."""
        return next(
            (f"--{f.name.replace('_', '-')}" for f in fields(self) if getattr(self, f.name)), None
        )


def run(
    schemes: Sequence[str],
    seeds: int | None,
    queue: str | None,
    options: SchemeOptions,
    *,
    on: str = "sim",
    live: bool,
    json: bool,
) -> int:
    """Compares, and prints what came out. on: `sim`, or `linux` for a kernel in virtual time."""
    from ...studies.compare.queues.work import Options, compare

    if on != "sim" and (live or options.workers):
        what = "--live" if live else "--workers"
        raise ScenarioError(f"{what} is for the simulator: leave it out, or --on linux")

    measure, kept = measuring(options.store, options.no_store, options.workers, options.threads)
    with watching.of_study(live, f"Comparison of {', '.join(schemes)}") as watched:
        request = Options(
            schemes=schemes,
            ccs=options.cc,
            over=options.over,
            source=None if options.file is None else dict(source(options.file)),
            sets=options.set,
            use=options.use,
            queue=queue,
            baseline=options.baseline,
            seeds=seeds,
            seed=options.seed,
            options=kept,
        )
        with progress("comparing") as bar:

            def measured(wanted: Mapping[str, Any]) -> Mapping[str, Any]:
                return measure({**wanted, "on": on} if on != "sim" else wanted, bar, watched)

            document = compare(request, options.out, measured, command_line())
        watched.end_with(Path(document["page"]))
        return answered(document, json, lambda: _told(document))


def refuse_others(**others: Any) -> None:
    """Refuses options of the comparison with ns-2 and ns-3, each with what to write instead."""
    instead = {
        "flows": "write --over flows={0}",
        "rate": "write --over rate={0}",
        "time": 'write -s duration="{0}"',
        "scenario": "write -f FILE",
        "against": "leave out the schemes: it compares with ns-2 and ns-3",
        "results": "leave out the schemes: it compares with ns-2",
    }
    from ...language.arguments import refused

    for name, value in others.items():
        if value:
            shown = value[0] if isinstance(value, list) else value
            word = "" if value is True else f" {shown}"
            cause = "this does not apply to comparing schemes"
            raise refused(
                f"--{name}{word}", word.strip() or f"--{name}", cause, instead[name].format(shown)
            )


def one_queue(names: list[str]) -> str | None:
    """The queue to compare."""
    if len(names) > 1:
        raise ScenarioError(
            f"--queue {' --queue '.join(names)}: schemes are compared at one queue; name one"
        )
    return names[0] if names else None


def _told(document: Document) -> tuple[()]:
    from ...studies.compare.queues.page import lines

    notes(document["notes"])
    show(*document["finding"], "", *lines(document), "")
    return ()
