"""Options that commands share, and how each prints."""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from .. import api
from ..errors import ScenarioError
from ..files.reading import LONGEST
from ..present.progress import said
from . import completers, encoding, output

_HINT = " (--wide shows every column)"

Json = Annotated[bool, Parameter(name="--json", help="Print exactly one JSON document on stdout.")]
Every = Annotated[
    bool,
    Parameter(name="--all", help="Print every row: more than 20 are summarized in groups."),
]
Overrides = Annotated[
    list[str],
    Parameter(
        name=["--set", "-s"],
        help="Replace a value of the scenario: KEY=VALUE, as in queue.max_p=0.1. May be repeated.",
        completer=completers.overrides,
    ),
]
Use = Annotated[
    list[str],
    Parameter(
        help="A Python file with algorithms of your own (docs/how-to/your-own.md). May be repeated."
    ),
]
On = Annotated[
    Literal["sim", "kernel"],
    Parameter(
        help=(
            "Where it runs: `sim`, the simulator, or `kernel`, real TCP of this machine "
            "(docs/how-to/testbed.md)."
        )
    ),
]
RequiredClass = Annotated[
    Literal["exact", "good", "loose"] | None,
    Parameter(
        name="--class",
        help="With real kernels: the class that a run must reach to be valid. Goodput and mean "
        "wait are good to 0.2 %% "
        "(exact), 1 %% (good) or 5 %% (loose). Default: the scenario's, else loose.".replace(
            "%%", "%"
        ),
    ),
]
File = Annotated[
    str,
    Parameter(
        allow_leading_hyphen=True,
        help="The scenario file (TOML); `-` reads it from stdin.",
        completer=completers.scenarios,
    ),
]


@Parameter(name="*")
@dataclass(kw_only=True)
class RunOptions:
    """How a scenario is run."""

    set: Overrides = field(default_factory=list)
    use: Use = field(default_factory=list)
    seed: Annotated[
        int | None, Parameter(help="Seed of the first replication. Default: the scenario's.")
    ] = None
    replications: Annotated[
        int | None, Parameter(help="Runs with seeds of their own. Default: the scenario's.")
    ] = None
    threads: Annotated[int | None, Parameter(help="Runs at the same time. Default: all cores.")] = (
        None
    )
    out: Annotated[
        Path | None, Parameter(help="Directory for summary.json and the recorded series.")
    ] = None
    store: Annotated[
        Path | None, Parameter(help="Keep results here, and take from here what is here already.")
    ] = None
    stop: Annotated[
        str | None,
        Parameter(
            help=(
                'Replicate each point until a rule holds, as in "ci95 < 2%%" (at most 100 times).'
            ).replace("%%", "%")
        ),
    ] = None
    most: Annotated[
        int | None, Parameter(help="The most replications that --stop may take. Default: 100.")
    ] = None
    record_every: Annotated[
        str | None, Parameter(help='Period of the series, such as "100 ms".')
    ] = None
    audit: Annotated[bool, Parameter(help="Follow each packet from end to end (slower).")] = False

    def request(self, file: str, extra: Iterable[str] = ()) -> dict[str, Any]:
        """The request for the API."""
        return api.request(
            source(file),
            [*self.set, *extra],
            seed=self.seed,
            replications=self.replications,
            threads=self.threads,
            out=None if self.out is None else str(self.out),
            store=None if self.store is None else str(self.store),
            stop=self._stop(),
            record={"every": self.record_every} if self.record_every else None,
            audit=self.audit or None,
            use=self.use or None,
        )

    def _stop(self) -> Any:
        if self.most is None:
            return self.stop
        if self.stop is None:
            raise ScenarioError("--most says how often --stop may replicate: give --stop too")
        return {"rule": self.stop, "most": self.most}


def class_override(required: str | None) -> list[str]:
    """What `--class` lays over a scenario."""
    return [] if required is None else [f"testbed.class={required}"]


def source(file: str) -> dict[str, str]:
    """Where a scenario comes from: a path, or the text on stdin."""
    if file != "-":
        return {"path": file}
    text = sys.stdin.read(LONGEST + 1)
    if len(text) > LONGEST:
        raise ScenarioError(f"the scenario on standard input is larger than {LONGEST >> 20} MiB")
    return {"text": text, "name": "stdin"}


def command_line() -> str:
    """The command line, as a shell reads it."""
    return shlex.join(["dumbbell", *sys.argv[1:]])


def emit(document: Any) -> None:
    """Prints the one JSON document of `--json`."""
    print(json.dumps(document, ensure_ascii=not encoding.is_unicode(), allow_nan=False))


def show(*renderables: Any) -> None:
    """Prints for people on stdout, as wide as `output.columns` says."""
    from ..present import grids

    width = output.columns()
    if not sys.stdout.isatty():
        print(grids.to_text(renderables, width, _HINT))
        return
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False, width=width or grids.UNBOUNDED)
    for each in renderables:
        console.print(each.drawn(width, _HINT) if isinstance(each, grids.Grid) else each)


def instant(option: str, text: str | None) -> float | None:
    """A time with its unit, in seconds, as in scenario files; None if it was not given."""
    from ..present.units import seconds

    if text is None:
        return None
    try:
        value = seconds(text)
    except ValueError:
        pass
    else:
        if not 0 <= value < math.inf:
            raise ScenarioError(
                f"{option} {text}: a time is {'not negative' if value < 0 else 'finite'}"
            )
        return value
    try:
        float(text)
    except ValueError:
        raise ScenarioError(
            f"{option} {text}: this is not a time; write it with its unit, as in {option} 12.4s"
        ) from None
    raise ScenarioError(
        f"{option} {text}: a time needs its unit: write {option} {text}s, or ms, us, ns, ps"
    )


def notes(lines: Iterable[str]) -> None:
    """Prints remarks on stderr, but not with --quiet."""
    for line in () if output.OUTPUT.quiet else lines:
        print(f"note: {line}", file=sys.stderr)


def warn(warnings: Iterable[Mapping[str, Any]]) -> None:
    """Prints the warnings of a plan or a result on stderr, but not with --quiet."""
    for warning in () if output.OUTPUT.quiet else warnings:
        print(warning["rendered"], file=sys.stderr)


def tell(line: str) -> None:
    """A line after each of some long runs, where no bar says how far it is."""
    if not sys.stderr.isatty() and not output.OUTPUT.quiet:
        print(line, file=sys.stderr, flush=True)


@contextmanager
def progress(title: str) -> Iterator[api.Progress]:
    """A progress bar on stderr, if that is a terminal; none with --quiet."""
    if output.OUTPUT.quiet or not sys.stderr.isatty():
        yield lambda finished, runs, fraction: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[runs]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(title, total=1.0, runs="")
        yield lambda finished, runs, fraction: bars.update(
            task, completed=fraction, runs=said(finished, runs, fraction)
        )
