"""`diff`."""

from __future__ import annotations

import sys
import textwrap
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
        Path | None, Parameter(help="The other one. Default: the same scenario with `--set`.")
    ] = None,
    /,
    *,
    set: Overrides = [],  # noqa: B006 (cyclopts reads it)
    point: Annotated[int | None, Parameter(help="Of sweeps: which point of both, from 1.")] = None,
    seed: Annotated[int | None, Parameter(help="Which seed of both. Default: the first.")] = None,
    use: Use = [],  # noqa: B006 (cyclopts reads it)
    json: Json = False,
) -> int:
    """Show the first packet on which two runs part, and what both saw of it. Ends with 0 if they
    are alike, else 3.

    A scenario file is run with every packet recorded; `--set` applies to B. A result whose
    packets were not all recorded is run again in a temporary directory, and must be the same,
    packet for packet.
    """
    from ...explain import diff as differences
    from ...explain.diff.narrative import tables

    if b is None and not set:
        raise ScenarioError(
            "say what A is compared with: a second result or scenario, or a change: -s KEY=VALUE"
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
        wrapped = textwrap.wrap(text, 110, break_on_hyphens=False, break_long_words=False)
        show(*wrapped, *(part for table in tables(compared) for part in ("", table)))
    return 0 if compared.alike else PARTED
