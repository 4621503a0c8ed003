"""`shell`: any program on an emulated network."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ... import api
from ...errors import DumbbellError, ScenarioError
from ..options import Json, Overrides, RequiredClass, emit

DIRECTORY = Path("results") / "shell"
"""Without `--out` each call writes to a numbered directory here."""


def shell(
    *program: Annotated[
        str,
        Parameter(
            help=(
                "The program and its arguments, behind `--`; {server} and {client} stand for "
                "addresses."
            )
        ),
    ],
    rate: Annotated[
        str | None,
        Parameter(
            help="Rate each way, as 12Mbps. Default: 1Gbps, or what this machine can forward."
        ),
    ] = None,
    up: Annotated[
        str | None, Parameter(help="Rate from the program to the server. Default: --rate.")
    ] = None,
    down: Annotated[
        str | None, Parameter(help="Rate from the server to the program. Default: --rate.")
    ] = None,
    trace: Annotated[
        str | None, Parameter(help="A trace of Mahimahi instead of a rate, each way.")
    ] = None,
    delay: Annotated[
        str, Parameter(help="Delay one way, each way: a round trip takes twice as long.")
    ] = "0ms",
    loss: Annotated[
        str | None,
        Parameter(
            help="Share of packets lost by chance, each way: 1%% or 0.01.".replace("%%", "%")
        ),
    ] = None,
    queue: Annotated[
        str,
        Parameter(
            help="Queue each way: a name of the catalogue, as red or red:min_th=5pkt,max_th=15pkt."
        ),
    ] = "drop_tail",
    limit: Annotated[
        str | None,
        Parameter(
            help=(
                "The queue's limit, as 50pkt or 20ms. Default: a round trip, and 100 packets "
                "at least."
            )
        ),
    ] = None,
    mtu: Annotated[str | None, Parameter(help="Largest IP packet, bytes. Default: 1500.")] = None,
    ecn: Annotated[
        bool, Parameter(help="Hosts ask for ECN, and the queue marks where it can.")
    ] = False,
    only: Annotated[
        Literal["up", "down"] | None, Parameter(help="Shape only this direction.")
    ] = None,
    server: Annotated[
        str | None,
        Parameter(
            help=(
                "A program to start on the server first, as 'iperf3 -s -1'; it ends with the other."
            )
        ),
    ] = None,
    required: RequiredClass = None,
    loose: Annotated[bool, Parameter(help="The same as --class loose.")] = False,
    time: Annotated[
        str | None, Parameter(help="End the program after this time. Default: 24h.")
    ] = None,
    seed: Annotated[int, Parameter(help="Seed of losses and of queues that draw.")] = 1,
    record_every: Annotated[str, Parameter(help="Period of the queue's record.")] = "20ms",
    set: Overrides = [],  # noqa: B006 (cyclopts reads it)
    out: Annotated[
        Path | None,
        Parameter(
            help=(
                "Directory of the records and the figure. Default: the next free number in "
                "results/shell."
            )
        ),
    ] = None,
    pcap: Annotated[
        Path | None,
        Parameter(
            help=(
                "Write a pcapng file with the packets of both hosts: what they sent, and "
                "what the queues let out."
            )
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Run a program on an emulated network, and say what its packets met.

    The program runs on the host `client`, joined by one link to the host `server`. It ends with the
    program's own exit code; with 5 if the program ended well but this machine could not keep what
    was asked for.
    """
    from ...testbed import lock, rootless
    from ...testbed import shell as work

    rootless.enter()
    request = work.Options(
        program=program,
        server=server,
        rate=rate,
        up=up,
        down=down,
        trace=trace,
        delay=delay,
        loss=loss,
        queue=queue,
        limit=limit,
        mtu=mtu,
        ecn=ecn,
        only=only,
        required="loose" if loose else required,
        time=time,
        seed=seed,
        record_every=record_every,
        sets=set,
        capture=pcap is not None,
    )
    if pcap is not None and not pcap.absolute().parent.is_dir():
        raise ScenarioError(
            f"--pcap {pcap}: there is no directory {pcap.parent}\nhelp: make it, or name another "
            f"file"
        )
    wanted = work.request(request, out or DIRECTORY)
    api.need_testbed("shell")
    if request.unshaped:
        print(
            "note: no --rate is given: the link has 1 Gbps, or what this machine can forward",
            file=sys.stderr,
        )
    try:
        with lock.alone(), _aside(json), _left_to_the_program(), _directory(out) as there:
            data = api.shell(wanted | {"out": str(there)})
    except ScenarioError as error:
        raise work.spelled(error, request) from None
    figure = _draw(there)
    captured = _capture(there, pcap)
    if json:
        emit(
            data
            | {
                "figure": None if figure is None else str(figure),
                "pcap": None if pcap is None else str(pcap),
            }
        )
    else:
        wrote = [f"figure: {figure}"] if figure else []
        for line in [*work.said(data), *wrote, *captured, f"records: {there}"]:
            print(line, file=sys.stderr)
    return work.exit_code(data)


@contextmanager
def _directory(out: Path | None) -> Iterator[Path]:
    """Where the records go; a directory that was made for them goes again if nothing came into
    it."""
    from ...testbed import shell as work

    if out is not None:
        yield out
        return
    folder = work.fresh(DIRECTORY)
    try:
        yield folder
    finally:
        if not any(folder.iterdir()):
            folder.rmdir()


def _capture(run: Path, file: Path | None) -> list[str]:
    """Writes the packets of a run to `file`, and says so."""
    if file is None:
        return []
    done = api.call("export", {"format": "pcapng", "result": str(run), "out": str(file)})
    return [f"packets: {file} ({done['packets']})", *(f"note: {note}" for note in done["notes"])]


@contextmanager
def _left_to_the_program() -> Iterator[None]:
    """Ctrl-C is the program's business, which hears it from the terminal; being ended ends it,
    too."""
    interrupt = signal.signal(
        signal.SIGINT, lambda *_: None
    )  # A handler, and not SIG_IGN: that would be inherited.
    end = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, interrupt)
        signal.signal(signal.SIGTERM, end)


@contextmanager
def _aside(wanted: bool) -> Iterator[None]:
    """With --json standard output has one document, so that the program's goes to standard
    error."""
    if not wanted:
        yield
        return
    sys.stdout.flush()
    stdout = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)


def _draw(out: Path) -> Path | None:
    """The queue over time with what was dropped and marked; None where it cannot be drawn, which is
    said."""
    try:
        from ...testbed.queue_figure import queue_and_drops

        return queue_and_drops(out, {"up_reverse": "down"})
    except DumbbellError as error:
        print(f"note: no figure: {error.rendered.splitlines()[0]}", file=sys.stderr)
        return None
