"""A reproduction on user-mode Linux in sentences and tables, for the page and the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import RenderableType

from ...present.grids import Grid
from ...present.templates import MARKS, printed
from ...present.units import significant
from ..document import CellRow, EvidenceRow
from .document import LinuxReport

_FITTED = "fitted"


def findings(report: LinuxReport) -> list[str]:
    """What agrees with the paper on Linux, and in the simulator; what the kernel does not run."""
    lines = []
    if report["cells"]:
        simulated = [row["simulated"] for row in report["cells"]]
        lines.append(
            f"Of {len(report['cells'])} printed numbers, Linux gives "
            f"{_tally(row['verdict'] for row in report['cells'])}; the simulator gives "
            f"{_tally(row['verdict'] for row in simulated if row)}."
        )
    if report["claims"]:
        lines.append(
            f"Of {len(report['claims'])} claims, Linux gives "
            f"{_tally(row['verdict'] for row in report['claims'])}; the simulator gives "
            f"{_tally(row['simulated']['verdict'] for row in report['claims'])}."
        )
    lines += [
        f"The kernel did not run {_some(one['points'])}: {one['reason']}."
        for one in report["not_run"]
    ]
    return lines


def _tally(verdicts: Iterable[str | None]) -> str:
    found = Counter(verdict or _FITTED for verdict in verdicts)
    return ", ".join(f"{n} {verdict}" for verdict, n in found.items()) or "none"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more points"


def verdict(row: CellRow | None) -> str:
    """A verdict with its mark."""
    if row is None:
        return "-"
    return f"{MARKS[row['verdict']]} {row['verdict'] or _FITTED}"


def value(row: CellRow | None) -> str:
    """The value of a cell."""
    return "-" if row is None or row["value"] is None else significant(row["value"])


def printed_tables(report: LinuxReport) -> list[RenderableType]:
    """For a terminal."""
    parts: list[RenderableType] = []
    if report["cells"]:
        rows = [
            [
                row["id"],
                printed(row),
                value(row["simulated"]),
                value(row),
                row["unit"],
                verdict(row["simulated"]),
                verdict(row),
            ]
            for row in report["cells"]
        ]
        head = ["cell", "printed", "simulator", "Linux", "unit", "simulator", "Linux"]
        parts.append(Grid(report["title"], head, rows, ranks=[0, 1, 2, 0, 3, 2, 0]))
    if report["claims"]:
        rows = [
            [
                claim["id"],
                f"{MARKS[claim['simulated']['verdict']]} {claim['simulated']['verdict']}",
                f"{MARKS[claim['verdict']]} {claim['verdict']}",
                claim["text"],
            ]
            for claim in report["claims"]
        ]
        parts.append(Grid("Claims", ["claim", "simulator", "Linux", "text"], rows, text_columns=4))
    if not report["cells"]:
        parts.append(_numbers(report))
    return parts


def _numbers(report: LinuxReport) -> Grid:
    """The numbers of the claims, where no cell can be judged."""
    rows = [
        [
            number["id"],
            "" if ours.get("at") is None else significant(ours["at"]),
            _mean(ours),
            _mean(theirs),
        ]
        for number in report["numbers"]
        for ours, theirs in zip(number["simulated"], number["linux"], strict=True)
    ]
    return Grid("Numbers", ["number", "at", "simulator", "Linux"], rows)


def _mean(row: EvidenceRow) -> str:
    """A mean ± half its interval."""
    if row["mean"] is None:
        return "-"
    half = "" if row["ci95"] is None else f" ± {significant((row['ci95'][1] - row['ci95'][0]) / 2)}"
    return f"{significant(row['mean'])}{half}"
