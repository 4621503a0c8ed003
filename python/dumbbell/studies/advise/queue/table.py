"""The numbers of advice as rows of words, for the terminal and the page alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ....present.grids import number, plain, scaled, unit_of
from ....present.stats import Interval
from ....present.units import significant, time_text
from ...compare.queues.metrics import DELAY
from .judge import JAIN, LOSS, MEDIAN, USED

_SHOWN = (
    (DELAY, "p99 delay", "s"),
    (MEDIAN, "median delay", "s"),
    (USED, "utilisation", "1"),
    (LOSS, "loss", "1"),
    (JAIN, "Jain's index", ""),
)
Row = list[str]


def lines(document: Mapping[str, Any]) -> Iterable[str]:
    """For a terminal: what to expect, the candidates, where it fails."""
    yield plain(expected(document))
    yield (
        "Each is the mean over the seeds ± half its 95 % interval, at its own best, typical "
        "and worst point."
    )
    yield ""
    yield plain([list(_HEAD), *ranked(document)])
    yield (
        "Worst values over all points; * is the recommended one, - has too little "
        "utilisation to be."
    )
    yield ""
    yield "Where this advice fails:"
    for one in document["fails"]["beaten"]:
        yield f"  {one['text']}"
    for text in document["fails"]["limits"]:
        yield f"  {text}"


def expected(document: Mapping[str, Any]) -> list[Row]:
    """A row for each measurement at the recommended candidate's best, typical and worst point."""
    rows = [["", "best", "typical", "worst", "worst at"]]
    labels = {point["point"]: point["label"] for point in document["simulated"]["points"]}
    for key, title, unit in _SHOWN:
        of = document["expected"][key]
        if of is None:
            continue
        scale, name = unit_of(
            unit, max(abs(of[word]["mean"]) for word in ("best", "typical", "worst"))
        )
        cells = [_cell(of[word], scale) for word in ("best", "typical", "worst")]
        rows.append(
            [f"{title}{f' [{name}]' if name else ''}", *cells, labels[of["worst"]["point"]]]
        )
    return rows


def _cell(block: Mapping[str, Any], scale: float) -> str:
    low, high = block["ci95"] or (None, None)
    return number(Interval(block["mean"], low, high, block["n"]), scale, digits=3)


_HEAD = ("candidate", "p99 delay", "utilisation", "loss", "Jain's index", "power")


def ranked(document: Mapping[str, Any]) -> list[Row]:
    """A row for each candidate: its worst values, and its power relative to the best at each
    point."""
    rows = []
    for one in document["candidates"]:
        name = one["name"] + (" *" if one["chosen"] else "" if one["qualified"] else " -")
        w = one["worst"]
        if w is None:
            rows.append([name, "no result", "", "", "", ""])
            continue
        fair = "" if w["jain"] is None else significant(w["jain"], 3)
        delay, used, loss = (
            scaled(w["p99_sojourn_s"], "s"),
            scaled(w["utilization"], "1"),
            scaled(w["loss_share"], "1"),
        )
        rows.append([name, delay, used, loss, fair, significant(one["relative_power"], 2)])
    return rows


def points(document: Mapping[str, Any]) -> list[Row]:
    """A row for each point: what it is, how long it was run, and what the recommended candidate has
    there."""
    name = document["advice"]["name"] if document["advice"] else None
    own = {row["condition"]: row for row in document.get("rows", []) if row["scheme"] == name}
    found = []
    for point in document["simulated"]["points"]:
        row = own.get(point["point"], {})
        cells = []
        for key, _, unit in _SHOWN:
            block = row.get(key)
            if block is None:
                cells.append("–")
                continue
            scale, unit_name = unit_of(unit, abs(block["mean"]))
            cells.append(f"{_cell(block, scale)}{f' {unit_name}' if unit_name else ''}")
        share = significant(point["share_packets_per_rtt"], 3)
        found.append(
            [
                f"{point['point']}: {point['label']}",
                share,
                time_text(point["duration_s"] - point["warmup_s"]),
                *cells,
            ]
        )
    return found
