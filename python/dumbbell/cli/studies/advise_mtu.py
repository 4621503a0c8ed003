"""`advise mtu`: which packet size suits a path, by simulation and by what follows without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from .. import completers
from ..options import Json
from .advise_options import MtuOptions, app, asked
from .answers import answered

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...studies.advise.mtu.document import Document


@Parameter(name="*")
@dataclass(kw_only=True)
class HostOptions:
    """What packets cost the host."""

    host: Annotated[
        str | None,
        Parameter(help="A host of `dumbbell explain host_cpu`. Default: header_2004, the paper's."),
    ] = None
    clock: Annotated[
        str | None, Parameter(help="The clock of the host's core. Default: the host's.")
    ] = None
    cycles_per_packet: Annotated[
        float | None, Parameter(help="Its cycles per packet, independent of the length.")
    ] = None
    cycles_per_byte: Annotated[float | None, Parameter(help="Its cycles per byte.")] = None


@app.command(name="mtu")
def mtu(
    *,
    rate: Annotated[
        str, Parameter(help="The link's rate, such as 10Gbps.", allow_leading_hyphen=True)
    ],
    rtt: Annotated[
        str,
        Parameter(
            help="The round-trip time without queues, such as 40ms.", allow_leading_hyphen=True
        ),
    ],
    loss: Annotated[
        str,
        Parameter(
            help="The lost share of 1500-byte packets, such as 1e-5 or 0.001%.",
            allow_leading_hyphen=True,
        ),
    ],
    loss_kind: Annotated[
        str,
        Parameter(
            help="packet: all sizes lose the same share; bit: larger lose more. Default: packet."
        ),
    ] = "packet",
    cc: Annotated[
        str,
        Parameter(
            help="The flow's congestion control. Default: cubic.",
            completer=completers.controls,
        ),
    ] = "cubic",
    profile: Annotated[
        str, Parameter(help="TCP profile: ns2, rfc or linux. Default: linux.")
    ] = "linux",
    mtu: Annotated[
        list[int],
        Parameter(
            consume_multiple=True,
            help="MTUs to try, in bytes. Default: see docs/how-to/advise-mtu.md.",
        ),
    ] = [],  # noqa: B006 (cyclopts reads it)
    most_wait: Annotated[
        str | None,
        Parameter(help="The longest acceptable transmission time of a frame. Default: 1ms."),
    ] = None,
    datagram: Annotated[
        str | None,
        Parameter(help="Size of UDP datagrams, which are fragmented. Default: 8192B, as in NFS."),
    ] = None,
    dev: Annotated[
        str, Parameter(help="The network device of the lines to paste. Default: eth0.")
    ] = "eth0",
    cpu: HostOptions | None = None,
    options: MtuOptions | None = None,
    json: Json = False,
) -> int:
    """Recommend the MTU of a path: throughput, losses, effects on other flows, load of the host and
    undetected errors, over the packet size.

    The command simulates one flow at each size: alone, next to a voice call, and next to a TCP flow
    with standard frames. A store keeps finished runs, so a second call answers at once.

    Example: `dumbbell advise mtu --rate 10Gbps --rtt 40ms --loss 1e-5`
    """
    from ...studies.advise.budget import SEEDS
    from ...studies.advise.mtu import host as hosts
    from ...studies.advise.mtu import question
    from ...studies.advise.mtu.options import Options
    from ...studies.advise.mtu.work import mtu as advise
    from ...studies.advise.words import read_span, seeds_of

    options, cpu = options or MtuOptions(), cpu or HostOptions()
    request = Options(
        question=question.read(
            rate,
            rtt,
            loss,
            loss_kind,
            cc,
            profile,
            mtu,
            most_wait,
            datagram,
            hosts.read(cpu.host, cpu.clock, cpu.cycles_per_packet, cpu.cycles_per_byte),
        ),
        seeds=seeds_of(options.seeds, SEEDS),
        budget_s=read_span("--budget", options.budget, "60s"),
        length_s=None if options.time is None else read_span("--time", options.time, "60s"),
        dev=dev,
        options=options.request(),
    )
    document = asked(lambda measure, command: advise(request, options.out, measure, command))
    return answered(document, json, lambda: _told(document))


def _told(document: Document) -> list[RenderableType] | None:
    from ...studies.advise.mtu.page import lines

    if document["sentence"] is None:
        return None
    head = [document["sentence"], "", *document["paste"], "", document["rule"], ""]
    return [*head, *lines(document), ""]
