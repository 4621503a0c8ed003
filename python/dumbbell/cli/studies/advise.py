"""`advise`: what to set, by simulated grids. A thing to advise on is a command of its own:
`advise queue`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from .. import completers
from ..options import Json
from . import advise_marker as _marker  # noqa: F401 (`advise marker` joins the app)
from . import advise_mtu as _mtu  # noqa: F401 (and `advise mtu`)
from .advise_options import GridOptions, app, asked
from .answers import answered

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...studies.advise.queue.document import Document


@app.command(name="queue")
def queue(
    *,
    rate: Annotated[
        str, Parameter(help="The link's rate, such as 50Mbps; or a range, 10..50Mbps.")
    ],
    rtt: Annotated[
        str, Parameter(help="Round-trip times without queues, such as 10..120ms; or one.")
    ],
    flows: Annotated[
        str, Parameter(help="Number of flows that share the link, such as 1..40; or one number.")
    ],
    cc: Annotated[
        str,
        Parameter(
            help="The congestion control of all flows. Default: cubic, on the profile linux.",
            completer=completers.controls,
        ),
    ] = "cubic",
    ecn: Annotated[bool, Parameter(help="The flows are ECN-capable, and the queues mark.")] = False,
    delay_target: Annotated[
        str | None,
        Parameter(
            help="The highest acceptable 99th percentile of the queueing delay, such as 20ms."
        ),
    ] = None,
    objective: Annotated[
        str,
        Parameter(
            help="balanced, delay or throughput (rules: docs/how-to/advise.md). Default: balanced."
        ),
    ] = "balanced",
    candidates: Annotated[
        list[str],
        Parameter(
            consume_multiple=True,
            help="Queues to try, such as codel or red:min_th=5pkt. Default: see "
            "docs/how-to/advise.md.",
            completer=completers.queues,
        ),
    ] = [],  # noqa: B006 (cyclopts reads it)
    dev: Annotated[
        str, Parameter(help="The network device of the tc lines. Default: eth0.")
    ] = "eth0",
    options: GridOptions | None = None,
    json: Json = False,
) -> int:
    """Recommend a queue for a link: discipline, parameters and buffer, the results to expect, the
    conditions in which it fails, and the line for tc.

    The command simulates candidates at the corners and in the middle of the ranges. A store keeps
    finished runs, so a second call answers at once.

    Example: `dumbbell advise queue --rate 50Mbps --rtt 10..120ms --flows 1..40`
    """
    from ...studies.advise.queue import grid, question
    from ...studies.advise.queue.work import SEEDS, Options
    from ...studies.advise.queue.work import queue as advise
    from ...studies.advise.words import seeds_of

    options = options or GridOptions()
    request = Options(
        question=question.read(rate, rtt, flows, cc, ecn, objective, delay_target),
        words=candidates,
        seeds=seeds_of(options.seeds, SEEDS),
        times=grid.check_length(options.time),
        most_rate=question.one_rate("--most-rate", options.most_rate),
        dev=dev,
        options=options.request(),
    )
    document = asked(lambda measure, command: advise(request, options.out, measure, command))
    return answered(document, json, lambda: _told(document))


def _told(document: Document) -> list[RenderableType] | None:
    from ...present.grids import verbatim
    from ...studies.advise.queue.page import lines

    if document["advice"] is None:
        return None
    tc = document["tc"]
    said: list[RenderableType] = [document["advice"]["sentence"], ""]
    said += [*(verbatim([tc["line"]]) if tc["line"] else [f"no line for tc: {tc['why_not']}"]), ""]
    if tc["shaped"]:
        shaped = verbatim(f"  {line}" for line in tc["shaped"])
        said += [f"{tc['place']} With a shaper:", *shaped, ""]
    return [*said, document["rule"], "", *lines(document), ""]
