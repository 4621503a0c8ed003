"""Lockstep: random packets into the RTL and into its model, and each decision compared in every
bit."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ... import api

PACKETS = 1_000_000
"""Default number of packets, over all modes."""


def run(
    packets: int = PACKETS,
    seed: int = 1,
    modes: Sequence[str] | None = None,
    dut: Sequence[str | os.PathLike[str]] | None = None,
    *,
    include: Sequence[str | os.PathLike[str]] = (),
    coverage: str | os.PathLike[str] | None = None,
    patience: int | None = None,
    threads: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """The outcome: `packets`, `mismatches`, `shares` of the regions, `clocks`, `seconds`, a row for
    each of the `modes`, and `first_mismatch` with the packets before it and the shortest stimulus
    that still fails. The first mismatch ends it.

    modes: `sound` or `paper` with options behind `+`: gap, constant, idle, wred, adapt, spaced,
    nq=1..8, w=1..10,
        seed=N. None: eight of them, which have every option, as far as a core of the user's has
        their parameters (`skipped`). dut: files with a module `red_core` in place of ours; what it
        uses beside them is found. include: further directories. coverage: a directory for `*.dat`
        files, which `verilator_coverage` reads. patience: clocks without an answer after which a
        core hangs; default 4096. progress: told some ten times a second which share is done.

    `ScenarioError` for RTL that does not elaborate or lacks a port, with the tool's line;
    `EnvironmentLacks` where Verilator or a C++ compiler is missing.
    """
    asked: dict[str, Any] = {
        "packets": packets,
        "seed": seed,
        "modes": list(modes or ()),
        "dut": [os.fspath(Path(file)) for file in dut or ()],
        "include": [os.fspath(Path(place)) for place in include],
        "coverage": None if coverage is None else os.fspath(Path(coverage)),
        "patience": patience,
        "threads": threads,
    }

    def report(_finished: int, _runs: int, fraction: float) -> None:
        if progress is not None:
            progress(fraction)

    return api.call(
        "rtl_lockstep",
        {key: value for key, value in asked.items() if value is not None},
        progress=report,
    )


def summary(found: dict[str, Any]) -> list[str]:
    """The outcome in lines for people: the mismatch with what led to it, or what was compared."""
    shares = ", ".join(f"{name} {100 * share:.1f} %" for name, share in found["shares"].items())
    packets, clocks = (f"{found[what]:_}".replace("_", " ") for what in ("packets", "clocks"))
    head = f"lockstep: {packets} packets in {clocks} clocks, seed {found['seed']} ({shares})"
    said = [head, *(f"  short of: {what}" for what in found["short_of"])]
    said += [f"  left out: {one['mode']}, {one['why']}" for one in found["skipped"]]
    first = found["first_mismatch"]
    if first is None:
        return [*said, "  all decisions are bit-identical"]
    said.append(
        f"  DIFFERS in mode {first['mode']} at packet {first['packet']}, clock {first['clock']}: "
        f"{first['what']}"
    )
    if first["shrunk"] is None:
        return [
            *said,
            "  the failure did not recur: does the core have state that reset does not clear?",
        ]
    from . import counterexample

    return said + [f"  {line}" for line in counterexample.lines(first["shrunk"])]
