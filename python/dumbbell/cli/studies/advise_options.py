"""What the commands of `advise` share: options, and how advice is asked for and printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from cyclopts import App, Parameter

from ...errors import ScenarioError
from ..options import NoStore, SharedStore, Threads, command_line, progress
from ..usage_errors import DEFAULTS

if TYPE_CHECKING:
    from ...studies.frame.runs import Measure

app = App(
    name="advise",
    help="Recommend settings by simulation.",
    default_parameter=DEFAULTS,
    help_flags=["--help", "-h"],
    version_flags=[],
)


@Parameter(name="*")
@dataclass(kw_only=True)
class KeptOptions:
    """Where runs are kept and how many go at a time: the same for whatever is advised on."""

    threads: Threads = None
    store: SharedStore = None
    no_store: NoStore = False
    out: Annotated[
        Path | None, Parameter(name=["--out", "-o"], help="Directory for the page. Default: none.")
    ] = None

    def request(self) -> dict[str, object]:
        """Options of the request."""
        from ..runs.sweep import default_store

        if self.no_store and self.store:
            raise ScenarioError("--no-store and --store exclude each other: leave one of them out")
        store = None if self.no_store else str(self.store or default_store())
        return {"store": store, "threads": self.threads}


@Parameter(name="*")
@dataclass(kw_only=True)
class GridOptions(KeptOptions):
    """How a grid is simulated, and where that is kept."""

    seeds: Annotated[
        int | None, Parameter(help="Runs of each candidate at each point. Default: 5.")
    ] = None
    time: Annotated[
        str | None,
        Parameter(
            help='How long a run lasts, such as "60s". Default: depends on the congestion control.'
        ),
    ] = None
    most_rate: Annotated[
        str,
        Parameter(
            help="A faster link is simulated at this rate, with fewer flows. Default: 200Mbps."
        ),
    ] = "200Mbps"


@Parameter(name="*")
@dataclass(kw_only=True)
class MarkerOptions(KeptOptions):
    """How the networks are simulated, and where that is kept."""

    seeds: Annotated[
        int | None, Parameter(help="Runs of each marker in each network. Default: 5.")
    ] = None
    time: Annotated[
        str | None,
        Parameter(
            help=(
                'How long a run lasts, such as "60s". Default: 200 cycles from loss to '
                "loss, within "
                "the budget."
            )
        ),
    ] = None
    budget: Annotated[
        str,
        Parameter(
            help=(
                "Approximate CPU time of all runs; a network too large for it is simulated "
                "smaller. Default: 30s."
            )
        ),
    ] = "30s"


@Parameter(name="*")
@dataclass(kw_only=True)
class MtuOptions(KeptOptions):
    """How the path is simulated, and where that is kept."""

    seeds: Annotated[int | None, Parameter(help="Runs of each size. Default: 5.")] = None
    time: Annotated[
        str | None,
        Parameter(
            help=(
                'How long a run lasts, such as "60s". Default: 60 cycles from loss to loss, within '
                "the budget."
            )
        ),
    ] = None
    budget: Annotated[
        str,
        Parameter(
            help=(
                "Approximate CPU time of all runs; a path too fast for it is simulated slower. "
                "Default: 60s."
            )
        ),
    ] = "60s"


Document = TypeVar("Document")


def asked(ask: Callable[[Measure, str], Document]) -> Document:
    """Asks with a progress bar, and with the command line for the page."""
    from ... import api

    with progress("simulating") as heard:
        return ask(lambda wanted: api.run(wanted, heard), command_line())
