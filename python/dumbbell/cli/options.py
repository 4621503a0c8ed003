"""Options that commands share; `printing` has how each reads a scenario and prints."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from .. import api
from ..errors import ScenarioError
from ..present.progress import said
from . import completers, output
from .printing import emit as emit
from .printing import notes as notes
from .printing import show as show
from .printing import source as source
from .printing import tell as tell
from .printing import warn as warn
from .printing import warn_in_short as warn_in_short

Json = Annotated[bool, Parameter(name="--json", help="Print exactly one JSON document on stdout.")]
STORE = "Directory of the store: finished runs are kept here, and reused."
"""What `--store` is; each command adds its default."""
Threads = Annotated[
    int | None,
    Parameter(
        help="Runs at the same time, and threads of one long run. Default: all cores for several "
        "runs, the free ones for a single run."
    ),
]
NoStore = Annotated[bool, Parameter(help="Do not keep results, and do not reuse any.")]
SharedStore = Annotated[
    Path | None,
    Parameter(help=f"{STORE} Default: $DUMBBELL_STORE, else .dumbbell/store."),
]
"""The store of the commands that always keep their runs."""
Workers = Annotated[
    str | None,
    Parameter(
        help="Where runs execute: dask://HOST:PORT, ssh:HOST,HOST or slurm. Default: this "
        "machine, on all cores."
    ),
]
Point = Annotated[int | None, Parameter(help="The point of a sweep, counted from 1.")]
Seed = Annotated[
    int | None, Parameter(help="The seed of the replication that is shown. Default: the first.")
]
Every = Annotated[
    bool,
    Parameter(name="--all", help="Print every row: more than 20 are summarized in groups."),
]
Overrides = Annotated[
    list[str],
    Parameter(
        name=["--set", "-s"],
        help="Replace a value of the scenario: KEY=VALUE, such as queue.max_p=0.1. May be "
        "repeated.",
        completer=completers.overrides,
    ),
]
Use = Annotated[
    list[str],
    Parameter(
        help="A Python file with your own algorithms (docs/how-to/your-own.md). May be repeated."
    ),
]
ON = (
    "Where it runs: `sim`, the simulator; `kernel`, real TCP of this machine "
    "(docs/how-to/testbed.md); or `linux`, a Linux kernel in virtual time (docs/how-to/linux.md)."
)
"""What `--on` of a reproduction is."""
On = Annotated[
    Literal["sim", "kernel", "linux"],
    Parameter(
        help="Where it runs: `sim`, the simulator; `kernel`, real TCP of this machine "
        "(docs/how-to/testbed.md); or `linux`, the TCP of a Linux kernel in virtual time "
        "(docs/how-to/linux.md)."
    ),
]
InVirtualTime = Annotated[
    Literal["sim", "linux"],
    Parameter(
        help="Where runs execute: `sim`, the simulator, or `linux`, the TCP of a Linux kernel in "
        "virtual time (docs/how-to/linux.md)."
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
        help="The scenario file (TOML), or the name of one that `dumbbell list` shows; `-` reads "
        "it from stdin.",
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
        int | None,
        Parameter(help="Number of runs, each with its own seed. Default: the scenario's."),
    ] = None
    threads: Threads = None
    out: Annotated[
        Path | None, Parameter(help="Directory for summary.json and the recorded series.")
    ] = None
    store: Annotated[
        Path | None,
        Parameter(help=f"{STORE} Default: none; of sweep: $DUMBBELL_STORE, else .dumbbell/store."),
    ] = None
    stop: Annotated[
        str | None,
        Parameter(
            help=(
                'Replicate each point until a rule holds, such as "ci95 < 2%%" (at most 100 times).'
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
            raise ScenarioError("--most limits the replications of --stop: give --stop as well")
        return {"rule": self.stop, "most": self.most}


def class_override(required: str | None) -> list[str]:
    """What `--class` lays over a scenario."""
    return [] if required is None else [f"testbed.class={required}"]


def command_line() -> str:
    """The command line, as a shell reads it."""
    return shlex.join(["dumbbell", *sys.argv[1:]])


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
