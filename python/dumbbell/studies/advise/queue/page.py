"""Advice on a queue as a page, and for a terminal: the same rows of words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import RenderableType

from ....present.grids import cell, headed, minus, scaled, titled, unit_of
from ....present.units import significant, time_text
from ...compare.queues.document import measured
from ...compare.queues.metrics import DELAY
from ...frame import pages
from ...frame.publish import Shown, parameters_text
from .document import Document
from .judge import JAIN, LOSS, MEDIAN, USED

_SHOWN = (
    (DELAY, "p99 delay", "s"),
    (MEDIAN, "median delay", "s"),
    (USED, "utilization", "1"),
    (LOSS, "loss", "1"),
    (JAIN, "Jain's index", ""),
)
_HEAD = ["candidate", "p99 delay", "utilization", "loss", "Jain's index", "power"]
Row = list[str]


def html(
    document: Document, failures: Sequence[Mapping[str, object]], drawn: Sequence[Shown]
) -> str:
    """The page; `failures` are those of the runs."""
    advice = document["advice"]
    return pages.render(
        Path(__file__).with_name("page.html.j2"),
        "Which queue?",
        drawn,
        d=document,
        known=advice is not None,
        expected=[[minus(text) for text in row] for row in expected(document)[1:]],
        points=points(document),
        ranked=ranked(document),
        parameters=parameters_text(advice["parameters"]) if advice else "",
        failures=failures,
    )


def lines(document: Document) -> Iterable[RenderableType]:
    """For a terminal: what to expect, the candidates, where it fails."""
    yield headed(expected(document), ranks=[0, 3, 2, 0, 1])
    yield (
        "Means over the seeds ± half their 95 % interval, at the best, the typical (median) and "
        "the worst point of each measurement."
    )
    yield ""
    yield headed([_HEAD, *ranked(document)], ranks=[0, 0, 1, 4, 3, 2])
    yield (
        "The worst of all points. * = recommended; - = rejected by the rule, for its utilization "
        "or its delay."
    )
    yield ""
    yield "Where another candidate is better, and the limits of this advice:"
    for one in document["fails"]["beaten"]:
        yield f"  {one['text']}"
    for text in document["fails"]["limits"]:
        yield f"  {text}"


def expected(document: Document) -> list[Row]:
    """A row for each measurement at the recommended candidate's best, typical and worst point."""
    rows = [["", "best", "typical", "worst", "worst at"]]
    labels = {point["point"]: point["label"] for point in document["simulated"]["points"]}
    for key, title, unit in _SHOWN:
        of = document.get("expected", {}).get(key)
        if of is not None:
            each = (of["best"], of["typical"], of["worst"])
            scale, name = unit_of(unit, max(abs(at["mean"]) for at in each))
            cells = [cell(at, scale, digits=3) for at in each]
            rows.append([titled(title, name), *cells, labels[of["worst"]["point"]]])
    return rows


def ranked(document: Document) -> list[Row]:
    """A row for each candidate: its worst values, and its power relative to the best at each
    point."""
    rows = []
    for one in document["candidates"]:
        name = one["name"] + (" *" if one["chosen"] else "" if one["qualified"] else " -")
        w = one["worst"]
        if w is None:
            rows.append([name, "no result", "", "", "", ""])
            continue
        numbers = [
            scaled(w["p99_sojourn_s"], "s"),
            scaled(w["utilization"], "1"),
            scaled(w["loss_share"], "1"),
            "" if w["jain"] is None else significant(w["jain"], 3),
        ]
        rows.append([name, *numbers, significant(one["relative_power"] or 0.0, 2)])
    return rows


def points(document: Document) -> list[Row]:
    """A row for each point: what it is, how long it was run, and what the recommended candidate has
    there."""
    name = document["advice"]["name"] if document["advice"] else None
    own = {row["condition"]: row for row in document.get("rows", []) if row["scheme"] == name}
    found = []
    for point in document["simulated"]["points"]:
        row = own.get(point["point"])
        cells = []
        for key, _, unit in _SHOWN:
            block = measured(row, key) if row else None
            scale, word = unit_of(unit, abs(block["mean"]) if block else 0.0)
            text = cell(block, scale, digits=3)
            cells.append(f"{text} {word}" if block and word else text)
        found.append(
            [
                f"{point['point']}: {point['label']}",
                significant(point["share_packets_per_rtt"], 3),
                time_text(point["duration_s"] - point["warmup_s"]),
                *cells,
            ]
        )
    return found
