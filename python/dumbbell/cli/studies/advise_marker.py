"""`advise marker`: how large the data buffer and the bucket of an edge marker should be, by
simulated networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from .. import completers
from ..options import Json
from .advise_options import MarkerOptions, app, asked
from .answers import answered

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...studies.advise.marker.document import Document


@app.command(name="marker")
def marker(
    *,
    rate: Annotated[
        str,
        Parameter(
            help="The rate that a customer reserves, such as 2Mbps.", allow_leading_hyphen=True
        ),
    ],
    rtt: Annotated[
        str,
        Parameter(
            help="The customer's round-trip time without queues, such as 80ms.",
            allow_leading_hyphen=True,
        ),
    ],
    packet: Annotated[
        str | None,
        Parameter(
            help="Bytes of a packet with its headers. Default: 1500B.", allow_leading_hyphen=True
        ),
    ] = None,
    link: Annotated[
        str | None,
        Parameter(
            help="The congested link's rate. Default: --flows times --rate over --reserved-share.",
            allow_leading_hyphen=True,
        ),
    ] = None,
    flows: Annotated[
        int | None,
        Parameter(
            help=(
                "Number of such customers. Default: 6, or with --link as many as reserve "
                "--reserved-share of it."
            )
        ),
    ] = None,
    background: Annotated[
        int | None, Parameter(help="Best-effort flows. Default: as many as customers.")
    ] = None,
    reserved_share: Annotated[
        float | None,
        Parameter(help="The share of the link that all customers reserve together. Default: 0.6."),
    ] = None,
    deepest_bucket: Annotated[
        float,
        Parameter(
            help=(
                "The deepest bucket that the contract allows, in rate x RTT. Default: 1, the "
                "paper's."
            )
        ),
    ] = 1.0,
    cc: Annotated[
        str,
        Parameter(
            help="The congestion control of all flows. Default: reno.",
            completer=completers.controls,
        ),
    ] = "reno",
    profile: Annotated[
        str | None,
        Parameter(help="TCP profile: ns2, rfc or linux. Default: ns2; with --cc cubic linux."),
    ] = None,
    dev: Annotated[
        str, Parameter(help="The network device of the tc lines. Default: eth0.")
    ] = "eth0",
    options: MarkerOptions | None = None,
    json: Json = False,
) -> int:
    """Recommend the data buffer and the token bucket of an Assured Service marker, with the gain
    over a bucket alone and the conditions in which it fails.

    The customer's TCP passes a token bucket with a data buffer at the edge of a link that runs RIO.
    The command simulates many sizes in that network, and the recommended ones in a dozen others. A
    store keeps finished runs, so a second call answers at once.

    Example: `dumbbell advise marker --rate 2Mbps --rtt 80ms`
    """
    from ...studies.advise.budget import SEEDS
    from ...studies.advise.marker import question
    from ...studies.advise.marker.options import Options
    from ...studies.advise.marker.work import marker as advise
    from ...studies.advise.words import read_span, seeds_of

    options = options or MarkerOptions()
    request = Options(
        question=question.read(
            rate, rtt, packet, link, flows, background, reserved_share, deepest_bucket, cc, profile
        ),
        seeds=seeds_of(options.seeds, SEEDS),
        budget_s=read_span("--budget", options.budget, "30s"),
        length_s=None if options.time is None else read_span("--time", options.time, "60s"),
        dev=dev,
        options=options.request(),
    )
    document = asked(lambda measure, command: advise(request, options.out, measure, command))
    return answered(document, json, lambda: _told(document))


def _told(document: Document) -> list[RenderableType] | None:
    from ...present.grids import verbatim
    from ...studies.advise.marker.page import lines

    if document["sentence"] is None:
        return None
    paste = document["paste"]
    return [
        document["sentence"],
        document["bucket_sentence"],
        "",
        *verbatim(paste["scenario"].rstrip().splitlines()),
        "",
        *(verbatim(paste["tc"]) or ["no line for tc: its bucket has at most 4 GB"]),
        *(f"  {text}" for text in paste["tc_notes"]),
        "",
        document["rule"],
        "",
        *lines(document),
        "",
    ]
