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
        float | None, Parameter(help="Its cycles for a packet, whatever the length.")
    ] = None
    cycles_per_byte: Annotated[float | None, Parameter(help="Its cycles for each byte.")] = None


@app.command(name="mtu")
def mtu(
    *,
    rate: Annotated[str, Parameter(help="The link's rate, as 10Gbps.", allow_leading_hyphen=True)],
    rtt: Annotated[
        str,
        Parameter(help="The round-trip time without queues, as 40ms.", allow_leading_hyphen=True),
    ],
    loss: Annotated[
        str,
        Parameter(
            help="The lost share of 1500-byte packets, as 1e-5 or 0.001%.",
            allow_leading_hyphen=True,
        ),
    ],
    loss_kind: Annotated[
        str,
        Parameter(help="packet: all sizes lose as many; bit: larger ones more. Default: packet."),
    ] = "packet",
    cc: Annotated[
        str,
        Parameter(
            help="The flow's congestion control. Default: cubic.",
            completer=completers.controls,
        ),
    ] = "cubic",
    profile: Annotated[
        str, Parameter(help="Its TCP: ns2, rfc or linux. Default: linux.")
    ] = "linux",
    mtu: Annotated[
        list[int],
        Parameter(
            consume_multiple=True,
            help="MTUs to try, in bytes. Default: see docs/how-to/advise-mtu.md.",
        ),
    ] = [],  # noqa: B006 (cyclopts reads it)
    most_wait: Annotated[
        str | None, Parameter(help="How long one frame may take, for its neighbors. Default: 1ms.")
    ] = None,
    datagram: Annotated[
        str | None, Parameter(help="UDP datagrams that are cut. Default: 8192B, as NFS has.")
    ] = None,
    dev: Annotated[
        str, Parameter(help="The network device of the lines to paste. Default: eth0.")
    ] = "eth0",
    cpu: HostOptions | None = None,
    options: MtuOptions | None = None,
    json: Json = False,
) -> int:
    """Say which MTU suits a path: throughput, losses, neighbors, host and check sequence over the
    size of packets.

    One flow is simulated at each size, alone and beside a call and a TCP with standard frames. What
    is finished is kept in a store.
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
