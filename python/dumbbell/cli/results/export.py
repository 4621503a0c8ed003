"""`export` and `read`."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ... import api
from ...data import series
from ...errors import DumbbellError, ScenarioError
from ...explain import on_demand, runs
from ..options import Json, Use, emit, notes
from ..options import show as print_out
from . import sweep_folder

_BINARY = ("pcapng", "pcap", "flent", "perfetto")
_COUNTED = ("packets", "lines", "rows", "series", "opportunities", "events")


def export(
    format: Annotated[
        str,
        Parameter(
            help="`csv`, `pcapng`, `pcap`, `perfetto`, `qlog`, `ns2`, `mahimahi` or `flent`."
        ),
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
        str | None, Parameter(help="Write only this flow. Default: all that were recorded.")
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
        bool,
        Parameter(
            help="For a link: export the packets that leave it, instead of those that arrive."
        ),
    ] = False,
    snaplen: Annotated[
        int | None, Parameter(help="Bytes kept of each packet. Default: everything.")
    ] = None,
    table: Annotated[
        str | None,
        Parameter(
            help="Table of csv: `summary_flows` (default), `summary_queues`, `summary_markers`, "
            "`flows`, `queues`, `signals`, `reactions`, `packets`, `hops`, `acks`, "
            "`completions`, `markers` or `delays`."
        ),
    ] = None,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="The file. Default: stdout.")
    ] = None,
    use: Use = [],  # noqa: B006 (cyclopts reads it)
    json: Json = False,
) -> int:
    """Write a result in a format of other programs.

    If the result lacks the record that a format needs, the run is repeated with it in a temporary
    directory. The repetition must have the fingerprint of the result, else the exit code is 5.

    Example: `dumbbell export pcapng results/first --at sender -o first.pcapng`
    """
    if snaplen is not None and snaplen < 1:
        raise ScenarioError(f"--snaplen {snaplen}: at least one byte of a packet is kept")
    if output is None and json:
        raise ScenarioError(
            "--json prints its document on stdout: name a file for the export with -o"
        )
    if output is None and format in _BINARY and sys.stdout.isatty():
        raise ScenarioError(
            f"{format} cannot be shown in a terminal: name a file with -o, or use a pipe"
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
    "pcapng": ("packets",),
    "pcap": ("packets",),
    "ns2": ("hops",),
    "mahimahi": ("hops",),
    "flent": ("flows",),
    "perfetto": ("flows", "packets"),
    "qlog": ("flows", "packets"),
}


def _wanted(
    result: Path, format: str, table: str | None, use: list[str]
) -> on_demand.Wanted | None:
    """The record that an export needs and a result does not have; None if it has it, or if the run
    cannot be told: the export then says what is wrong."""
    needed = _NEEDS.get(format, (str(table),) if format == "csv" else ())
    if not set(needed) & set(series.NAMES) or not on_demand.is_result(result):
        return None
    run = runs.locate(result)
    if run.seeds > 1 and run.directory != result:
        return None
    if run.live and format in ("pcapng", "pcap") and (result / "run.log").is_file():
        return None
    if format == "perfetto":
        if run.live:
            return None  # The trace has what was recorded.
        if not on_demand.few_packets(run):
            needed = ("flows", "signals")
    missing = [name for name in needed if not api.check_file(run.directory / f"{name}.parquet")]
    return on_demand.Wanted(run, str(result), missing, use=use) if missing else None


def read(
    file: Annotated[str, Parameter(help="A capture or a trace, from any program.")],
    /,
    *,
    json: Json = False,
) -> int:
    """Summarize a capture (pcapng, pcap) or a trace of ns-2: packets, bytes, retransmissions,
    round-trip times and losses of each TCP connection.

    Example: `dumbbell read first.pcapng`
    """
    from ...present import captures

    found = api.call("read_capture", {"file": file})
    if json:
        emit(found)
    else:
        print_out(*captures.tables(found))
    damage = found["damage"]
    if damage is None:
        return 0
    if json:
        print(damage["text"], file=sys.stderr)
        return int(found["code"])
    raise DumbbellError(damage["text"])
