"""`why`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ...errors import ScenarioError
from ...present.units import instant
from ..options import Json, Point, Seed, Use, emit, show

Time = Annotated[str | None, Parameter(help='An instant of the run, with its unit: "12.4 s".')]


def why(
    result: Annotated[Path, Parameter(help="A result directory (`dumbbell run FILE --out DIR`).")],
    /,
    *,
    flow: Annotated[
        str | None,
        Parameter(help="The flow: its name, or its number from 1. Default: the only one."),
    ] = None,
    time: Time = None,
    packet: Annotated[
        int | None,
        Parameter(help="Explain this packet; numbers count from 1 in the order of sending."),
    ] = None,
    seq: Annotated[
        int | None, Parameter(help="Explain the packet with this byte of the stream.")
    ] = None,
    cwnd: Annotated[
        bool,
        Parameter(
            help="Explain the congestion window's last change before `--time`, and the next one."
        ),
    ] = False,
    receiver: Annotated[
        bool, Parameter(help="`--packet` is one of the receiver's: an acknowledgment.")
    ] = False,
    within: Annotated[
        str | None,
        Parameter(
            help=(
                "How far the event may be from `--time`. Default: four round trips, at least 50 ms."
            )
        ),
    ] = None,
    point: Point = None,
    seed: Seed = None,
    use: Use = [],  # noqa: B006 (cyclopts reads it)
    json: Json = False,
) -> int:
    """Explain what happened to a flow around an instant: what the queue saw and decided, and what
    the sender did about it.

    If the result lacks records of packets, its run is repeated in a temporary directory and must be
    the same, packet for packet.

    Example: `dumbbell why results/first --flow far --time "12.4 s"`
    """
    from ...explain import runs
    from ...explain import why as answers
    from ...explain.why import record
    from ...explain.why.tables import tables

    _one_question(time, packet, seq, cwnd, receiver, within)
    at, reach = instant("--time", time), instant("--within", within)
    run = runs.locate(result, point, seed)
    if flow is None and len(run.flows) != 1:
        runs.flow_named(run, "")
    records = record.load(run, runs.flow_named(run, flow or run.flows[0]), use)
    finding = answers.of_record(
        records, time_s=at, packet=packet, seq=seq, cwnd=cwnd, sender=not receiver, within_s=reach
    )
    text = answers.told(finding)
    if records.again:
        print(
            "note: packets were not recorded, so the run was repeated (fingerprint "
            f"{run.fingerprint}, unchanged)",
            file=sys.stderr,
        )
    if json:
        emit(
            {
                "result": str(run.result),
                "point": run.point,
                "seed": run.seed,
                "fingerprint": run.fingerprint,
                "repeated": records.again,
                "text": text,
                **finding.as_dict(),
            }
        )
    else:
        where = [f"point {run.point}"] if run.point is not None else []
        where += [f"seed {run.seed}"] if run.seeds > 1 or where else []
        show(
            *([f"{run.name}, {', '.join(where)}:", ""] if where else []),
            text,
            "",
            *tables(finding),
        )
    return 0


def _one_question(
    time: str | None,
    packet: int | None,
    seq: int | None,
    cwnd: bool,
    receiver: bool,
    within: str | None,
) -> None:
    if packet is not None and seq is not None:
        raise ScenarioError("--packet and --seq exclude each other: use one")
    single = packet is not None or seq is not None
    if single and (cwnd or time is not None):
        raise ScenarioError(
            f"{'--packet' if packet is not None else '--seq'} selects the packet: leave out "
            "--time and --cwnd"
        )
    if not single and time is None:
        raise ScenarioError(
            "give a time (--time 12.4s), a packet (--packet 7) or a byte of the stream (--seq 1449)"
        )
    if receiver and packet is None:
        raise ScenarioError("--receiver needs --packet")
    if within is not None and (single or cwnd):
        raise ScenarioError("--within needs --time: it limits the distance of the nearest event")
