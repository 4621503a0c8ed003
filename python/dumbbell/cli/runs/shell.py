"""`shell`: any program on an emulated network."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ... import api
from ...errors import DumbbellError, ScenarioError
from .. import live as watching
from ..live import Live
from ..options import Json, Overrides, RequiredClass, command_line, emit

DIRECTORY = Path("results") / "shell"
"""Without `--out` each call writes to a numbered directory here."""


def shell(
    *program: Annotated[
        str,
        Parameter(
            help=(
                "The program and its arguments, after `--`; {server} and {client} stand for "
                "addresses."
            )
        ),
    ],
    on: Annotated[
        Literal["kernel", "linux"],
        Parameter(
            help="The programs' kernel: `kernel`, this machine's, in real time; or `linux`, a "
            "user-mode kernel in virtual time (docs/how-to/linux.md)."
        ),
    ] = "kernel",
    rate: Annotated[
        str | None,
        Parameter(
            help="Rate in each direction, such as 12Mbps. Default: 1Gbps, or what this machine can "
            "forward."
        ),
    ] = None,
    up: Annotated[
        str | None, Parameter(help="Rate from the program to the server. Default: --rate.")
    ] = None,
    down: Annotated[
        str | None, Parameter(help="Rate from the server to the program. Default: --rate.")
    ] = None,
    trace: Annotated[
        str | None, Parameter(help="A trace of Mahimahi instead of a rate, in each direction.")
    ] = None,
    delay: Annotated[
        str, Parameter(help="One-way delay in each direction: a round trip takes twice as long.")
    ] = "0ms",
    loss: Annotated[
        str | None,
        Parameter(
            help="Share of packets lost at random in each direction: 1%% or 0.01.".replace(
                "%%", "%"
            )
        ),
    ] = None,
    queue: Annotated[
        str,
        Parameter(
            help="Queue in each direction: a name of the catalogue, such as red or "
            "red:min_th=5pkt,max_th=15pkt."
        ),
    ] = "drop_tail",
    limit: Annotated[
        str | None,
        Parameter(
            help=(
                "The queue's limit, such as 50pkt or 20ms. Default: one round-trip time, at "
                "least 100 "
                "packets."
            )
        ),
    ] = None,
    mtu: Annotated[str | None, Parameter(help="Largest IP packet, bytes. Default: 1500.")] = None,
    ecn: Annotated[bool, Parameter(help="Hosts use ECN, and the queue marks if it can.")] = False,
    only: Annotated[
        Literal["up", "down"] | None, Parameter(help="Shape only this direction.")
    ] = None,
    server: Annotated[
        str | None,
        Parameter(
            help=(
                "A program to start first, on the server, such as 'iperf3 -s -1'; it ends with the "
                "main program."
            )
        ),
    ] = None,
    required: RequiredClass = None,
    loose: Annotated[bool, Parameter(help="The same as --class loose.")] = False,
    time: Annotated[
        str | None, Parameter(help="End the program after this time. Default: 24h.")
    ] = None,
    seed: Annotated[int, Parameter(help="Seed of random losses and random queues.")] = 1,
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
                "Write a pcapng file with the packets of both hosts: those sent, and those that "
                "leave the queues."
            )
        ),
    ] = None,
    live: Live = False,
    json: Json = False,
) -> int:
    """Run any program on an emulated network, and report what happened to its packets.

    The program runs on the host `client`, joined by one link to the host `server`. The exit code is
    the program's own, or 5 if the program ended well but this machine could not emulate the network
    as requested.

    With --on linux the programs run in a user-mode kernel, in virtual time: without privileges, and
    with the same result each time. They get no input, and see this machine's files without being
    able to change them.

    Example: `dumbbell shell --rate 12Mbps --delay 20ms -- ping -c 5 {server}`
    """
    from ...testbed import rootless
    from ...testbed import shell as work

    if on == work.LINUX and live:
        raise ScenarioError("--live shows programs of --on kernel, not of --on linux")
    if on == work.KERNEL:
        rootless.enter()
    request = work.Options(
        program=program,
        on=on,
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
            f"--pcap {pcap}: the directory {pcap.parent} does not exist\nhelp: create it, or name "
            "another file"
        )
    wanted = work.request(request, out or DIRECTORY)
    if on == work.KERNEL:
        api.need_testbed("shell")
    if request.unshaped:
        print(f"note: without --rate, the link has {work.unshaped_rate(on)}", file=sys.stderr)
    try:
        with ExitStack() as stack:
            watched = stack.enter_context(watching.of_run(work.plain(wanted), live))
            real = _in_real_time() if on == work.KERNEL else nullcontext()
            with real, _aside(json), _directory(out) as there:
                data = watched.shell(wanted | {"out": str(there)})
            watched.end(partial(_last, there))
            return _told(data, there, pcap, json)
    except ScenarioError as error:
        raise work.spelled(error, request) from None


def _last(there: Path, page: Path) -> None:
    """The page at the end of a live one."""
    from ...view import page as time_page
    from ...view.results import Which

    time_page.write([str(there)], page, Which(), command_line())


def _told(data: api.JSON, there: Path, pcap: Path | None, json: bool) -> int:
    """Draws and exports what is wanted, says what the packets met, and returns the exit code."""
    from ...testbed import shell as work

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
def _in_real_time() -> Iterator[None]:
    """The only live run of the user, whose program hears signals itself."""
    from ...testbed import lock

    with lock.alone(), _left_to_the_program():
        yield


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
