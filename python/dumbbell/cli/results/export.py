"""`export` and `read`."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ... import api
from ...data import series
from ...errors import DumbbellError, ScenarioError
from ...explain import runs
from ..options import Json, Use, emit, notes
from ..options import show as print_out
from . import on_demand, sweep_folder

_BINARY = ("pcapng", "pcap", "flent")
_COUNTED = ("packets", "lines", "rows", "series", "opportunities")


def export(
    format: Annotated[
        str, Parameter(help="`csv`, `pcapng`, `pcap`, `ns2`, `mahimahi` or `flent`.")
    ],
    result: Annotated[
        Path,
        Parameter(
            help="The result directory of one run (`dumbbell run FILE --out DIR`); of a sweep, csv "
            "has a row for each point, seed and entity (docs/how-to/sweeps.md)."
        ),
    ],
    /,
    *,
    flow: Annotated[
        str | None, Parameter(help="Only this flow. Default: all that were recorded.")
    ] = None,
    at: Annotated[
        str | None,
        Parameter(
            help=(
                "Where to capture: `sender` (default), `receiver`, a host or a link; of ns2 "
                "and mahimahi: a link."
            )
        ),
    ] = None,
    departed: Annotated[
        bool, Parameter(help="Of a link: what leaves it, instead of what comes to it.")
    ] = False,
    snaplen: Annotated[
        int | None, Parameter(help="Bytes kept of each packet. Default: everything.")
    ] = None,
    table: Annotated[
        str | None,
        Parameter(
            help="Of csv: `summary_flows` (default), `summary_queues`, `flows`, `queues`, "
            "`signals`, `reactions`, "
            "`packets`, `hops`, `acks` or `completions`."
        ),
    ] = None,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="The file. Default: stdout.")
    ] = None,
    use: Use = [],  # noqa: B006 (cyclopts reads it)
    json: Json = False,
) -> int:
    """Write a result in a format of other programs.

    If the result does not have the record that a format needs, the run is repeated in a temporary
    directory with it. The repetition must have the fingerprint of the result, else the exit code
    is 5.
    """
    if snaplen is not None and snaplen < 1:
        raise ScenarioError(f"--snaplen {snaplen}: at least one byte of a packet is kept")
    if output is None and json:
        raise ScenarioError(
            "--json prints its document on stdout: name a file for the export with -o"
        )
    if output is None and format in _BINARY and sys.stdout.isatty():
        raise ScenarioError(
            f"{format} is nothing for a terminal: name a file with -o, or pipe it on"
        )
    sys.stdout.flush()
    if format == "csv" and sweep_folder.is_sweep(result):
        refused = {"--flow": flow, "--at": at, "--snaplen": snaplen, "--departed": departed or None}
        for option, value in refused.items():
            if value is not None:
                raise ScenarioError(f"{option} does not apply to a sweep: leave it out")
        return sweep_folder.export_csv(result, table, output, json)
    request = {
        "flow": flow,
        "at": at,
        "departed": departed or None,
        "snaplen": snaplen,
        "table": table,
    }
    request["out"] = None if output is None else str(output)
    given = {k: v for k, v in request.items() if v is not None}
    with ExitStack() as stack:
        source = result
        if (wanted := _wanted(result, format, table, use)) is not None:
            source, said = stack.enter_context(on_demand.repeated(wanted))
            notes([said])
        done = api.call("export", {"format": format, "result": str(source), **given})
    notes(done["notes"])
    if json:
        emit(done)
    elif output is not None:
        counted = next(f"{done[name]} {name}" for name in _COUNTED if name in done)
        print_out(f"{output}: {counted}, {done['bytes']} bytes")
    return 0


_NEEDS = {
    "pcapng": "packets",
    "pcap": "packets",
    "ns2": "hops",
    "mahimahi": "hops",
    "flent": "flows",
}


def _wanted(
    result: Path, format: str, table: str | None, use: list[str]
) -> on_demand.Wanted | None:
    """The record that an export needs and a result does not have; None if it has it, or if the run
    cannot be told: the export then says what is wrong."""
    needed = _NEEDS.get(format, table if format == "csv" else None)
    if needed not in series.NAMES or not on_demand.is_result(result):
        return None
    run = runs.locate(result)
    logged = run.live and format in ("pcapng", "pcap") and (result / "run.log").is_file()
    several = run.seeds > 1 and run.directory != result
    if logged or several or api.check_file(run.directory / f"{needed}.parquet"):
        return None
    return on_demand.Wanted(str(result), [str(needed)], use=use)


def read(
    file: Annotated[str, Parameter(help="A capture or a trace, whoever wrote it.")],
    /,
    *,
    json: Json = False,
) -> int:
    """Say what is in a capture: for each TCP connection packets, bytes, repetitions, round-trip
    times, losses."""
    found = api.call("read_capture", {"file": file})
    if json:
        emit(found)
    else:
        print_out(*_tables(found))
    damage = found["damage"]
    if damage is None:
        return 0
    if json:
        print(damage["text"], file=sys.stderr)
        return int(found["code"])
    raise DumbbellError(damage["text"])


def _tables(found: dict[str, Any]) -> list[Any]:
    from ...present.grids import Grid

    if "flows" in found:
        head = ["flow", "type", "sent", "received", "bytes received", "dropped"]
        rows = [
            [str(f["fid"]), kind, *(str(f[key].get(kind, 0)) for key in _TRACED)]
            for f in found["flows"]
            for kind in sorted({kind for key in _TRACED for kind in f[key]})
        ]
        between = [str(f["fid"]) for f in found["flows"] if not f["whole_way"]]
        remark = [
            f"flows {', '.join(between)}: counted at the traced links; no end of their way is in "
            f"the trace"
        ]
        return [
            Grid("Flows", head, rows, 2),
            f"{found['lines']} lines",
            *(remark if between else []),
        ]
    head = [
        "from",
        "to",
        "packets",
        "bytes",
        "unique",
        "again",
        "lost",
        "marked",
        "RTT ms: min",
        "mean",
        "max",
        "of",
    ]
    rows = [
        row for c in found["connections"] for row in (_side(c["a"], c["b"]), _side(c["b"], c["a"]))
    ]
    other = [f"{found[key]} {what}" for key, what in _REST if found[key]]
    return [
        Grid("TCP connections", head, rows, 2),
        ", ".join([f"{found['packets']} packets", *other]),
    ]


_TRACED = ("sent_packets", "received_packets", "received_bytes", "dropped_packets")
_REST = (("other_packets", "not of TCP"), ("unreadable_packets", "without readable headers"))


def _side(side: dict[str, Any], other: dict[str, Any]) -> list[str]:
    rtt = [side[f"rtt_{name}_s"] for name in ("min", "mean", "max")]
    return [
        f"{side['address']}:{side['port']}",
        f"{other['address']}:{other['port']}",
        *(
            str(side[k])
            for k in (
                "packets",
                "payload_bytes",
                "unique_bytes",
                "retransmits",
                "lost_packets",
                "marks",
            )
        ),
        *("" if seconds is None else f"{seconds * 1e3:.3f}" for seconds in rtt),
        str(side["rtt_samples"]),
    ]
