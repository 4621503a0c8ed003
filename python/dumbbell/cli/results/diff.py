"""`diff`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ...errors import ScenarioError
from ..options import Json, Overrides, Use, emit, show

PARTED = 3


def diff(
    a: Annotated[
        Path,
        Parameter(help="A result directory (`dumbbell run FILE --out DIR`), or a scenario file."),
    ],
    b: Annotated[
        Path | None,
        Parameter(
            help="The result or scenario to compare it with. Default: the same scenario with "
            "`--set`."
        ),
    ] = None,
    /,
    *,
    set: Overrides = [],  # noqa: B006 (cyclopts reads it)
    point: Annotated[
        int | None, Parameter(help="The point of a sweep, in both results, counted from 1.")
    ] = None,
    seed: Annotated[
        int | None,
        Parameter(help="The seed of the replication, in both results. Default: the first."),
    ] = None,
    on: Annotated[
        str | None,
        Parameter(
            help="`sim,linux`: run the scenario A in the simulator and on a Linux kernel in "
            "virtual time, and show the first data packet on which they diverge "
            "(docs/how-to/linux.md)."
        ),
    ] = None,
    use: Use = [],  # noqa: B006 (cyclopts reads it)
    json: Json = False,
) -> int:
    """Show the first packet on which two runs differ, and what each queue saw and decided there.

    A scenario file is run with every packet recorded; `--set` applies to the second run. If a
    result lacks records of packets, its run is repeated in a temporary directory and must be the
    same, packet for packet. The exit code is 0 if the runs are equal, else 3.

    Example: `dumbbell diff first.toml -s queue.max_p=0.2`
    """
    if on is not None:
        if sorted(on.replace(" ", "").split(",")) != ["linux", "sim"]:
            raise ScenarioError(f"--on {on}: write --on sim,linux")
        if b is not None or point is not None:
            raise ScenarioError("--on sim,linux runs one scenario file: leave out B and --point")
        return _places(a, set, seed, use, json)
    from ...explain import diff as differences
    from ...explain.diff.narrative import tables

    if b is None and not set:
        raise ScenarioError(
            "name what to compare A with: a second result or scenario, or a change (-s KEY=VALUE)"
        )
    compared = differences.compare(a, b, overrides=set, point=point, seed=seed, use=use)
    for label, side in (("A", compared.a), ("B", compared.b)):
        if side.repeated:
            print(
                f"note: not all packets of {label} were recorded: the run was repeated",
                file=sys.stderr,
            )
    text = differences.told(compared)
    if json:
        emit({**compared.as_dict(), "text": text})
    else:
        show(text, *(part for table in tables(compared) for part in ("", table)))
    return 0 if compared.alike else PARTED


def _places(a: Path, set: Overrides, seed: int | None, use: Use, json: bool) -> int:
    """The scenario in the simulator and on a kernel."""
    from ...explain.diff import place_narrative, places

    compared = places.compare(a, overrides=set, seed=seed, use=use)
    text = place_narrative.told(compared)
    if json:
        emit({**compared.as_dict(), "text": text})
    else:
        table = place_narrative.table(compared)
        show(text, *(() if table is None else ("", table)))
    return 0 if compared.alike else PARTED
