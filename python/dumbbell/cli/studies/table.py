"""`table`: congestion controls side by side, a table for each question: `table rtt-fairness`,
`table friendliness`, `table coexistence`, `table loss-tolerance`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from ...errors import ScenarioError
from .. import completers
from ..options import (
    Json,
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
)
from ..usage_errors import DEFAULTS
from .answers import answered, measuring

app = App(
    name="table",
    help="Compare congestion controls; a table for each question.",
    default_parameter=DEFAULTS,
    help_flags=["--help", "-h"],
    version_flags=[],
)

_CONTROLS = "Congestion controls, such as cubic or cubic:beta=0.8."
Controls = Annotated[
    list[str],
    Parameter(
        consume_multiple=True,
        help=f"{_CONTROLS} Default: the catalogue's (docs/how-to/tables.md).",
        completer=completers.controls,
    ),
]
Rate = Annotated[str | None, Parameter(help="The link's rate. Default: 20Mbps.")]
Buffer = Annotated[
    str | None,
    Parameter(help='Capacity of the queue, such as "1 BDP" or "100 pkt". Default: 1 BDP.'),
]
Rates = Annotated[
    list[str],
    Parameter(consume_multiple=True, help="The link's rates. Default: 5Mbps 20Mbps 80Mbps."),
]
Buffers = Annotated[
    list[str],
    Parameter(
        consume_multiple=True,
        help='Capacity of the queue, in BDP, or with a unit, such as "100 pkt"; several values.',
    ),
]


@Parameter(name="*")
@dataclass(kw_only=True)
class TableOptions:
    """What all tables may be asked, and where their runs and pages go."""

    rtt: Annotated[
        str | None,
        Parameter(help="Round-trip time without queues. Default: 40ms (near flows: 20ms)."),
    ] = None
    queue: Annotated[
        str,
        Parameter(
            help="The queue, such as red or red:max_p=0.02. Default: drop_tail.",
            completer=completers.queues,
        ),
    ] = "drop_tail"
    flows: Annotated[
        int | None, Parameter(help="Flows of each side. Default: 1; of rtt-fairness 2.")
    ] = None
    time: Annotated[
        str | None,
        Parameter(
            help='How long a run lasts, such as "60s". Default: 40 sawtooth '
            "periods of Reno, within limits (docs/how-to/tables.md)."
        ),
    ] = None
    seeds: Annotated[
        int | None, Parameter(help="Runs of each point. Default: 5; with --quick 4.")
    ] = None
    seed: Annotated[int | None, Parameter(help="Seed of the first replication. Default: 1.")] = None
    quick: Annotated[
        bool, Parameter(help="Run fewer conditions and fewer seeds, for a shorter time.")
    ] = False
    set: Overrides = field(default_factory=list)
    use: Use = field(default_factory=list)
    out: Annotated[
        Path | None, Parameter(help="Directory for the page. Default: results/table-NAME.")
    ] = None
    html: Annotated[Path | None, Parameter(help="Write only the page, to this file.")] = None
    threads: Threads = None
    store: SharedStore = None
    no_store: NoStore = False
    workers: Workers = None


@app.command(name="rtt-fairness")
def rtt_fairness(
    *,
    cc: Controls = [],  # noqa: B006 (cyclopts reads it)
    rate: Rate = None,
    buffer: Buffer = None,
    ratio: Annotated[
        list[float],
        Parameter(
            consume_multiple=True,
            help="Round-trip times of the far flows over the near ones'. Default: 1 2 4 8.",
        ),
    ] = [],  # noqa: B006
    options: TableOptions | None = None,
    json: Json = False,
) -> int:
    """Measure how flows of one congestion control share a link if their round-trip times differ:
    near / far ~ (RTT far / RTT near)^a.

    The table has the exponent a of each congestion control with its 95 % interval: 0 is fair.

    Example: `dumbbell table rtt-fairness --cc sack cubic --ratio 1 4`
    """
    return _made(
        "rtt-fairness", options, json, ccs=cc, rate=_one(rate), buffer=_one(buffer), ratios=ratio
    )


@app.command(name="friendliness")
def friendliness(
    *,
    cc: Controls = [],  # noqa: B006
    against: Annotated[
        str | None, Parameter(help="The standard to compete with. Default: sack.")
    ] = None,
    rate: Rates = [],  # noqa: B006
    buffer: Buffers = [],  # noqa: B006
    options: TableOptions | None = None,
    json: Json = False,
) -> int:
    """Measure what each congestion control takes from a standard TCP flow on the same link, over
    buffers and rates: its share of the goodput, and the harm to the standard flow.

    Example: `dumbbell table friendliness --cc cubic --against sack --rate 20Mbps`
    """
    return _made("friendliness", options, json, ccs=cc, against=against, rate=rate, buffer=buffer)


@app.command(name="coexistence")
def coexistence(
    *,
    cc: Annotated[
        list[str],
        Parameter(
            consume_multiple=True,
            help=f"{_CONTROLS} Default: bbr and bbr3, if the catalogue has them.",
        ),
    ] = [],  # noqa: B006
    against: Annotated[
        str | None, Parameter(help="The congestion control to compete with. Default: cubic.")
    ] = None,
    rate: Rate = None,
    buffer: Buffers = [],  # noqa: B006
    options: TableOptions | None = None,
    json: Json = False,
) -> int:
    """Run one congestion control against another, such as BBR against CUBIC, over a range of
    buffers: shares, utilization, queueing delay.

    Example: `dumbbell table coexistence --cc bbr --against cubic --buffer 0.5 1 4`
    """
    return _made(
        "coexistence", options, json, ccs=cc, against=against, rate=_one(rate), buffer=buffer
    )


@app.command(name="loss-tolerance")
def loss_tolerance(
    *,
    cc: Controls = [],  # noqa: B006
    rate: Rate = None,
    buffer: Buffer = None,
    loss: Annotated[
        list[float],
        Parameter(
            consume_multiple=True,
            help="Probabilities that a packet is lost. Default: eight from 1e-5 to 5e-2.",
        ),
    ] = [],  # noqa: B006
    options: TableOptions | None = None,
    json: Json = False,
) -> int:
    """Measure the goodput of one flow on a link with random losses, next to the laws of Mathis and
    of Padhye.

    Example: `dumbbell table loss-tolerance --cc sack cubic --loss 1e-4 1e-2`
    """
    return _made(
        "loss-tolerance", options, json, ccs=cc, rate=_one(rate), buffer=_one(buffer), losses=loss
    )


def _one(value: str | None) -> list[str]:
    return [] if value is None else [value]


def _made(name: str, options: TableOptions | None, json: bool, **asked: Any) -> int:
    """Makes a table, and prints what came out."""
    from ...studies.tables import Options, survey
    from ...studies.tables.page import lines

    given = options or TableOptions()
    if given.html is not None and given.out is not None:
        raise ScenarioError("--html and --out exclude each other: --html writes the page alone")
    measure, store_options = measuring(given.store, given.no_store, given.workers, given.threads)
    same = {
        key: getattr(given, key)
        for key in ("rtt", "queue", "flows", "time", "seeds", "seed", "quick")
    }
    request = Options(**same, sets=given.set, use=given.use, options=store_options, **asked)
    with progress(name) as heard:
        document = survey(
            name,
            request,
            given.out,
            lambda wanted: measure(wanted, heard),
            command_line(),
            given.html,
        )

    def told() -> tuple[()]:
        notes(document["notes"])
        show(*document["finding"], "", *lines(document), "")
        return ()

    return answered(document, json, told)
