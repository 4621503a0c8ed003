"""One flow followed packet by packet: every segment that its sender sends, here and in ns-2."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypedDict

from .....files.write import temporary_folder, write_text
from ....frame.paired import picked
from .. import ours
from ..network import Flow, Network
from ..simulators import ns2
from ..simulators.installed import failed

TOLERANCE = 1e-6
"""s: ns-2 writes six digits of a time."""

BUFFERS = (20, 24, 30, 40, 50)
"""Even ones. ns-2 keeps ssthresh in whole packets, we in bytes: half of an odd flight differs by
half a packet."""


class FollowedRow(TypedDict):
    """A flow that was followed, for `--json`."""

    cc: str
    buffer: int
    ours: int
    theirs: int
    same_order: int
    same_time: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Followed:
    """Agreement of two senders: segments sent here and there, how many from the first on have the
    same sequence number, and how many of these the same time as well (to a microsecond)."""

    cc: str
    buffer: int
    ours: int
    theirs: int
    same_order: int
    same_time: int

    @property
    def whole(self) -> bool:
        """True if every segment was the same, in order; the last one may be beyond the end of one
        of the runs."""
        return self.same_order == min(self.ours, self.theirs) >= max(self.ours, self.theirs) - 1

    def document(self) -> FollowedRow:
        """For `--json`."""
        return picked(FollowedRow, {**asdict(self), "whole": self.whole})


def network(cc: str, buffer: int, duration: float = 60.0) -> Network:
    """A flow over Drop Tail at 10 Mbit/s. Its first slow start ends before it loses anything."""
    return Network(10e6, buffer, (Flow(0.0, cc=cc),), duration, initial_ssthresh=20)


def follow(cc: str, buffer: int) -> Followed:
    """Runs the flow on both sides."""
    here = network(cc, buffer)
    with temporary_folder() as directory:
        trace = Path(directory) / "ns2.tr"
        ns2.run(here, sends=trace)
        theirs = sends(trace.read_text(encoding="utf-8").splitlines())
        mine = sends(_exported(here, Path(directory)))
    return followed(cc, buffer, mine, theirs)


def followed(
    cc: str, buffer: int, mine: list[tuple[float, int]], theirs: list[tuple[float, int]]
) -> Followed:
    """Compares two lists of (time, segment)."""
    order = timed = 0
    for (t, n), (u, m) in zip(mine, theirs, strict=False):
        if n != m:
            break
        if timed == order and abs(t - u) <= TOLERANCE:
            timed += 1
        order += 1
    return Followed(cc, buffer, len(mine), len(theirs), order, timed)


def sends(lines: Iterable[str]) -> list[tuple[float, int]]:
    """(time, segment) of each data packet that came to a link, from ns-2's trace lines."""
    fields = (line.split() for line in lines)
    return [(float(f[1]), int(f[10])) for f in fields if f[0] == "+" and f[4] == "tcp"]


def _exported(here: Network, directory: Path) -> list[str]:
    scenario = directory / "scenario.json"
    words = {**ours.scenario(here), "record": {"packets": True}}
    write_text(scenario, json.dumps(words))
    code = (
        "import json, sys, dumbbell; "
        "dumbbell.Scenario(json.load(open(sys.argv[1]))).run(out=sys.argv[2])"
    )
    run = directory / "run"
    _python("-c", code, str(scenario), str(run))
    _python(
        "-m",
        "dumbbell",
        "export",
        "ns2",
        str(run),
        "--at",
        "f0/sender->left",
        "-o",
        str(directory / "ours.tr"),
    )
    return (directory / "ours.tr").read_text(encoding="utf-8").splitlines()


def _python(*words: str) -> None:
    done = subprocess.run([sys.executable, "-P", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise failed(ours.NAME, done)
