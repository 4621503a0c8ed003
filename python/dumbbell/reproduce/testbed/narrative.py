"""A campaign's finding in sentences and tables, for the page and the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import RenderableType

from ...present.grids import Grid, cell, minus
from ...present.units import significant
from ..document import Sample
from .document import CampaignReport, EffectRow
from .judge import GAINS, LOSES, NOT_MEASURED, SHARE_GAINS, UNSETTLED

MARKS = {GAINS: "+", SHARE_GAINS: "(+)", LOSES: "−", UNSETTLED: "0", NOT_MEASURED: "?"}


def on_kernels(summary: CampaignReport) -> list[EffectRow]:
    """The effects that were measured on kernels."""
    return [row for row in summary["effects"] if row["where"] == "kernel"]


def findings(summary: CampaignReport) -> list[str]:
    """Share and total and queue, always together."""
    rows = on_kernels(summary)
    known = [row for row in rows if row["measures"]]
    if not known:
        return ["No result: no point has two pairs of valid runs."]
    lines = [_throughput(known), *_beside(known)]
    if len(known) < len(rows):
        lines.append(
            f"{len(rows) - len(known)} of {len(rows)} points were not measured: their runs were "
            f"not valid."
        )
    if summary["effort"]["repeats"] < 5:
        lines.append(
            f"{summary['effort']['repeats']} pairs per point: intervals are wide; the full "
            "campaign may settle effects that are not settled here."
        )
    return lines


def _throughput(rows: Sequence[EffectRow]) -> str:
    """The conditions in which the measured flow gains, and the others."""
    title = rows[0]["measures"]["mbps"]["title"].removeprefix("throughput of ")
    found = Counter(row["verdict"] for row in rows)
    words = {
        GAINS: "gains throughput under RED",
        SHARE_GAINS: "gains only in its share, as the others lose",
        LOSES: "loses throughput under RED",
        UNSETTLED: "shows no settled effect",
    }
    parts = [f"{words[v]} at {found[v]} ({_where(rows, v)})" for v in words if found[v]]
    if len(rows) == 1:
        return f"At {rows[0]['label']}, {title} {words[rows[0]['verdict']]}."
    return f"Of {len(rows)} points, {title} {'; '.join(parts)}."


def _where(rows: Sequence[EffectRow], verdict: str) -> str:
    names = [row["label"] for row in rows if row["verdict"] == verdict]
    return (
        ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more"
    )


def _beside(rows: Sequence[EffectRow]) -> list[str]:
    total = [row["measures"]["total"]["difference"] for row in rows]
    falls = sum(d["ci95"] is not None and d["ci95"][1] < 0 for d in total)
    rises = sum(d["ci95"] is not None and d["ci95"][0] > 0 for d in total)
    means = [d["mean"] for d in total]
    spread = (
        f"{signed(min(means))} to {signed(max(means))} Mbit/s"
        if len(means) > 1
        else f"{signed(means[0])} Mbit/s"
    )
    queue = [
        (row["measures"]["queue"]["baseline"]["mean"], row["measures"]["queue"]["scheme"]["mean"])
        for row in rows
    ]
    before, after = [_range(x) for x in zip(*queue, strict=True)]
    places = (
        f": it falls at {falls}, rises at {rises}, and is not settled at "
        f"{len(rows) - falls - rises}"
    )
    settled = "" if falls + rises else ", which is not settled"
    return [
        f"The total changes by {spread}{places if len(rows) > 1 else settled}.",
        f"The mean queue is {before} packets under Drop Tail and {after} under RED.",
    ]


def _range(values: Sequence[float]) -> str:
    low, high = (significant(x, 3) for x in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def signed(value: float, digits: int = 3) -> str:
    """With its sign."""
    return f"{'+' if value >= 0 else '−'}{significant(abs(value), digits)}"


def with_half(block: Sample) -> str:
    """A mean with its sign, and half its interval."""
    sign = "+" if block["mean"] >= 0 else ""
    return f"{sign}{minus(cell(block, digits=3))}"


SHOWN = ("mbps", "share", "total", "queue")


def table(summary: CampaignReport) -> list[list[str]]:
    """A row for each spot and place: pairs, then both schemes and the difference of each measure,
    and the verdict."""
    rows = []
    for row in summary["effects"]:
        cells = [row["label"], row["where"], str(row["pairs"])]
        for key in SHOWN:
            m = row["measures"].get(key)
            cells.append(
                "–"
                if m is None
                else (
                    f"{significant(m['baseline']['mean'], 3)} → "
                    f"{significant(m['scheme']['mean'], 3)}"
                )
            )
            cells.append("–" if m is None else with_half(m["difference"]))
        rows.append([*cells, f"{MARKS[row['verdict']]} {row['verdict']}"])
    return rows


_RANKS = (0, 0, 5, 3, 2, 4, 1, 0)
"""Of the columns that `printed` shows (`present.columns.Shown`)."""


def printed(summary: CampaignReport) -> list[RenderableType]:
    """For a terminal."""
    head = [
        "at",
        "where",
        "pairs",
        "sender 1 [Mbit/s]",
        "share [%]",
        "total [Mbit/s]",
        "queue [pkt]",
        "S1",
    ]
    shown = [
        [
            *row[:3],
            *(f"{row[i]} ({row[i + 1]})" if row[i + 1] != "–" else "–" for i in (3, 5, 7)),
            row[9],
            row[11].partition(" ")[0],
        ]
        for row in table(summary)
        if "2011" not in row[1]
    ]
    legend = ", ".join(f"{mark} {verdict}" for verdict, mark in MARKS.items())
    title = "Drop Tail → RED (RED minus Drop Tail in pairs ± half the 95 % interval)"
    parts: list[RenderableType] = [title, "", Grid("", head, shown, 2, _RANKS), f"S1: {legend}", ""]
    if summary["cells"]:
        tally = Counter(cell["verdict"] or "fitted" for cell in summary["cells"])
        parts.append("cells: " + ", ".join(f"{n} {verdict}" for verdict, n in tally.items()))
    if summary["claims"]:
        rows = [[c["id"], c["verdict"], c["text"]] for c in summary["claims"]]
        parts.append(Grid("Claims", ["claim", "verdict", "text"], rows, text_columns=3))
    return parts
