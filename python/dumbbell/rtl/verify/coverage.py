"""Coverage: which lines, branches and bits of the core a lockstep touches, and a gate.

Verilator counts points: a line or a branch that was taken, a bit of a signal that went up and down.
Those of an instance are one point whatever the mode; what some mode hits is hit.
`rtl/red/coverage.toml` has the least share that is accepted, and what is left out with the reason
why nothing can ever hit it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import DumbbellError
from ...files.write import temporary_folder
from .. import tools
from ..sources import folder

PACKETS = 2_000_000
"""That the least share is meant for."""
QUICK = 400_000
"""The gate in the few quick modes."""
SHOWN = 5
"""Missed points of a signal or block that are named."""


@dataclass(frozen=True)
class Point:
    """One thing that is counted."""

    file: str
    line: int
    column: int
    kind: str
    """`line`, `branch` or `toggle`."""
    where: str
    """The instance of the module, by its path."""
    what: str
    """The signal's bit, or the sort of block."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.where} {self.kind} {self.what}"


@dataclass(frozen=True)
class Excluded:
    """Points that do not count: nothing that the contract allows can hit them."""

    file: str
    what: str
    why: str
    where: str = ""

    def has(self, point: Point) -> bool:
        """True if a point is one of them."""
        return (
            point.file == self.file
            and re.fullmatch(self.what, point.what) is not None
            and (not self.where or re.search(self.where, point.where) is not None)
        )


def read(files: Iterable[Path]) -> dict[Point, int]:
    """The counts in Verilator's files, of all of them together."""
    counts: dict[Point, int] = {}
    for file in files:
        for line in file.read_text(errors="replace").splitlines():
            found = re.fullmatch(r"C '(.*)' (\d+)", line)
            if found is None:
                continue
            point = _point(found.group(1))
            if point is not None:
                counts[point] = counts.get(point, 0) + int(found.group(2))
    return counts


def _point(text: str) -> Point | None:
    fields = dict(part.split("\x02", 1) for part in text.split("\x01") if "\x02" in part)
    file = Path(fields.get("f", "")).name
    if not (folder() / "core" / file).is_file():
        return None  # What holds the core is not the core.
    kind = fields.get("page", "").split("/")[0].removeprefix("v_")
    where = fields.get("h", "")
    return Point(
        file, int(fields.get("l", 0)), int(fields.get("n", 0)), kind, where, fields.get("o", "")
    )


def rules() -> dict[str, Any]:
    """Accepted gaps, and lines that do not count."""
    return tomllib.loads((folder() / "coverage.toml").read_text(encoding="utf-8"))


def judge(counts: dict[Point, int], least: float) -> dict[str, Any]:
    """The share that was hit, of what can be, and whether it is enough:
    `{"ok", "least", "share", "points", ...}`."""
    excluded = [Excluded(**entry) for entry in rules().get("exclude", [])]
    left = {
        point: n for point, n in counts.items() if not any(rule.has(point) for rule in excluded)
    }
    hit = sum(n > 0 for n in left.values())
    share = hit / len(left) if left else 0.0
    wrong = [rule for rule in excluded if any(n for point, n in counts.items() if rule.has(point))]
    idle = [rule for rule in excluded if not any(rule.has(point) for point in counts)]
    return {
        "ok": share >= least and not wrong and not idle,
        "least": least,
        "share": share,
        "points": len(left),
        "hit": hit,
        "kinds": {kind: _share(left, kind) for kind in sorted({point.kind for point in left})},
        "excluded": len(counts) - len(left),
        "missed": sorted(str(point) for point, n in left.items() if n == 0),
        "wrongly_excluded": [f"{rule.file}: {rule.what}" for rule in (*wrong, *idle)],
    }


def _share(points: dict[Point, int], kind: str) -> dict[str, int]:
    counts = [n for point, n in points.items() if point.kind == kind]
    return {"points": len(counts), "hit": sum(n > 0 for n in counts)}


def measure(packets: int = PACKETS, seed: int = 1, *, quick: bool = False) -> dict[str, Any]:
    """A lockstep that counts, and what `judge` says of it. quick: in the few modes that there are
    for that."""
    from . import check, lockstep

    asked = rules()["quick"] if quick else rules()

    for tool in (tools.VERILATOR, tools.COMPILER):
        tool.need()
    with temporary_folder() as scratch:
        met = lockstep.run(
            packets=packets,
            seed=seed,
            modes=asked.get("modes"),
            dut=check.edited(),
            coverage=Path(scratch),
        )
        if met["mismatches"]:
            raise DumbbellError(
                "coverage: model and RTL differ; find out why first: rtl red --check"
            )
        found = judge(read(Path(scratch).rglob("*.dat")), asked["least"])
    return {
        **found,
        "packets": met["packets"],
        "enough": met["packets"] >= (QUICK if quick else PACKETS),
    }


def lines(found: dict[str, Any]) -> list[str]:
    """The outcome, for people."""
    kinds = ", ".join(
        f"{kind} {of['hit']} of {of['points']}" for kind, of in found["kinds"].items()
    )
    said = [
        f"{100 * found['share']:.2f} % of {found['points']} points ({kinds}); at least "
        f"{100 * found['least']:.2f} % required"
    ]
    if not found["enough"]:
        said.append(
            f"  {found['packets']} packets were run; the required share applies to {PACKETS}, the "
            "default"
        )
    if found["missed"]:
        said.append(f"  {len(found['missed'])} points missed (--json has them all):")
        said += [f"    {line}" for line in _summed(found["missed"])]
    said += [f"  excluded, but hit or absent: {rule}" for rule in found["wrongly_excluded"]]
    return [*said, "enough is covered" if found["ok"] else "FAILED: the coverage is too low"]


def _summed(missed: Iterable[str]) -> Iterator[str]:
    """Missed points by their place: how many there are, and the first few."""
    places: dict[str, list[str]] = {}
    for point in missed:
        place, _, kind, what = point.split(" ", 3)
        places.setdefault(f"{place} {kind}", []).append(what)
    for place, every in sorted(places.items(), key=lambda one: (-len(one[1]), one[0])):
        names = list(dict.fromkeys(every))
        rest = f", and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        yield f"{len(every):4}  {place}: {', '.join(names[:SHOWN])}{rest}"
