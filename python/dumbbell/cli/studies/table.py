"""`table`: congestion controls side by side, a table for each question: `table rtt-fairness`,
`table friendliness`, `table coexistence`, `table loss-tolerance`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from ...errors import ScenarioError
from .. import completers
from ..options import Json, Overrides, Use, command_line, notes, progress, show
from ..usage_errors import DEFAULTS
from .answers import answered, measuring

app = App(
    name="table",
    help="Compare congestion controls; a table for each question.",
    default_parameter=DEFAULTS,
    help_flags=["--help", "-h"],
    version_flags=[],
)

_CONTROLS = "Controls, as cubic or cubic:beta=0.8."
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
    str | None, Parameter(help='What the queue holds, as "1 BDP" or "100 pkt". Default: 1 BDP.')
]
Rates = Annotated[
    list[str],
    Parameter(consume_multiple=True, help="The link's rates. Default: 5Mbps 20Mbps 80Mbps."),
]
Buffers = Annotated[
    list[str],
    Parameter(
        consume_multiple=True, help='What the queue holds, in BDP, or as "100 pkt". Several.'
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
            help="The queue, as red or red:max_p=0.02. Default: drop_tail.",
            completer=completers.queues,
        ),
    ] = "drop_tail"
    flows: Annotated[
        int | None, Parameter(help="Flows of each side. Default: 1; of rtt-fairness 2.")
    ] = None
    time: Annotated[
        str | None, Parameter(help='How long a run lasts, as "60s". Default: twenty teeth of Reno.')
    ] = None
    seeds: Annotated[
        int | None, Parameter(help="Runs of each point. Default: 5; with --quick 3.")
    ] = None
    seed: Annotated[int | None, Parameter(help="The first seed. Default: 1.")] = None
    quick: Annotated[bool, Parameter(help="Fewer conditions, fewer seeds, shorter runs.")] = False
    set: Overrides = field(default_factory=list)
    use: Use = field(default_factory=list)
    out: Annotated[
        Path | None, Parameter(help="Directory of the page. Default: results/table-NAME.")
    ] = None
    html: Annotated[
        Path | None, Parameter(help="Write the page to this file, and nothing else.")
    ] = None
    threads: Annotated[int | None, Parameter(help="Runs at the same time. Default: all cores.")] = (
        None
    )
    store: Annotated[
        Path | None, Parameter(help="Where finished runs are kept. Default: as for `sweep`.")
    ] = None
    no_store: Annotated[bool, Parameter(help="Keep nothing, and run everything again.")] = False
    workers: Annotated[
        str | None,
        Parameter(
            help="Where runs are made: dask://HOST:PORT, ssh:HOST,HOST or slurm. Default: here."
        ),
    ] = None


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
    """What flows of one control get where their round-trip times differ: near / far ~ (RTT far /
    RTT near)^a.

    The exponent a of each control with its 95 % interval: 0 is fair.
    """
    return _made(
        "rtt-fairness", options, json, ccs=cc, rate=_one(rate), buffer=_one(buffer), ratios=ratio
    )


@app.command(name="friendliness")
def friendliness(
    *,
    cc: Controls = [],  # noqa: B006
    against: Annotated[
        str | None, Parameter(help="The standard that they stand beside. Default: sack.")
    ] = None,
    rate: Rates = [],  # noqa: B006
    buffer: Buffers = [],  # noqa: B006
    options: TableOptions | None = None,
    json: Json = False,
) -> int:
    """What each control takes from a standard TCP beside it, over buffers and rates: its share, and
    its harm."""
    return _made("friendliness", options, json, ccs=cc, against=against, rate=rate, buffer=buffer)


@app.command(name="coexistence")
def coexistence(
    *,
    cc: Annotated[
        list[str],
        Parameter(
            consume_multiple=True,
            help=f"{_CONTROLS} Default: bbr and bbr3, as far as there are any.",
        ),
    ] = [],  # noqa: B006
    against: Annotated[
        str | None, Parameter(help="What they stand against. Default: cubic.")
    ] = None,
    rate: Rate = None,
    buffer: Buffers = [],  # noqa: B006
    options: TableOptions | None = None,
    json: Json = False,
) -> int:
    """One control against another over buffers, as BBR against CUBIC: shares, use of the link,
    queueing delay."""
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
    """What one flow makes of a link that loses packets by chance, beside the laws of Mathis and of
    Padhye."""
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
