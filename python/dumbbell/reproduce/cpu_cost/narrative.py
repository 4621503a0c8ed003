"""The finding in sentences and tables, for the page and the terminal."""

from __future__ import annotations

from rich.console import RenderableType

from ...present.grids import Grid, cell, minus
from ...present.units import significant
from ..document import Mean
from ..verdict import MIN_SEEDS
from .document import CostReport
from .judge import MOST_BUSY, PARTS, SUM, sums

CONDITIONS = {
    "plain": "direct link, no offloads",
    "offloads": "direct link, with offloads of segmentation, aggregation and checksums",
    "router": "our router in between, no offloads",
}
SHORT = {"plain": "plain", "offloads": "offloads", "router": "our router"}


def findings(summary: CostReport) -> list[str]:
    """The savings under each condition, and the kind of machine."""
    usual, large = summary["mtus_bytes"]
    lines = []
    for row in summary["effects"]:
        name = CONDITIONS[row["condition"]]
        if row["saving_percent"] is None:
            lines.append(f"{name}: no result, as fewer than two pairs are usable.")
            continue
        before, after = (significant(block["mean"], 3) for block in sums(row))
        lines.append(
            f"{name}: {before} s of processor time for a gigabyte at an MTU of {usual}, {after} s "
            f"at {large}; saved {with_half(row['saving_percent'])} %."
        )
    if summary["effort"]["repeats"] < MIN_SEEDS:
        lines.append(
            f"{summary['effort']['repeats']} pairs per condition: intervals are wide, so no "
            "printed value is reproduced."
        )
    return [line[0].upper() + line[1:] for line in [*lines, _machine(summary)]]


def _machine(summary: CostReport) -> str:
    """The sentence about other work on the machine: without it the machine's column says
    nothing."""
    shares = [r["busy_before_share"] for r in summary["runs"] if r["busy_before_share"] is not None]
    load = " to ".join(significant(x, 2) for x in summary["load_average"])
    busy = sum(share > MOST_BUSY for share in shares)
    others = (
        f"other programs were active on the machine before {busy} of {len(shares)} runs"
        if busy
        else "no other program was active"
    )
    return f"{others}; load average {load}."


def with_half(block: Mean | None, digits: int = 3) -> str:
    """A mean, and half its interval."""
    return minus(cell(block, digits=digits))


# Costs are in seconds of processors for a gigabyte.
HEAD = ["condition", "MTU [B]", "pairs", "Gbit/s", *(title for _, title in PARTS), "saved [%]"]


def table(summary: CostReport) -> list[list[str]]:
    """A row for each condition and MTU."""
    rows = []
    for row in summary["effects"]:
        for i, mtu in enumerate(summary["mtus_bytes"]):
            rates = row["goodput_bps"]
            if rates is None:
                rows.append(
                    [row["condition"], str(mtu), str(row["pairs"]), *["–"] * (len(PARTS) + 2)]
                )
                continue
            costs = [_cost(row["costs"][key][i], whole=key == SUM) for key, _ in PARTS]
            rate = significant(rates[i]["mean"] / 1e9, 3)
            saved = with_half(row["saving_percent"]) if i else ""
            rows.append([row["condition"], str(mtu), str(row["pairs"]), rate, *costs, saved])
    return rows


def _cost(block: Mean | None, whole: bool) -> str:
    """The sum with its interval; of its parts, which are no measure by themselves, the means."""
    return with_half(block) if whole or block is None else significant(block["mean"], 3)


def printed(summary: CostReport) -> list[RenderableType]:
    """For a terminal."""
    parts: list[RenderableType] = [
        Grid(
            "Processor seconds for a gigabyte (10^9 bytes that arrived)",
            HEAD,
            table(summary),
            ranks=[0, 0, 4, 2, *(1 if key == SUM else 3 for key, _ in PARTS), 0],
        )
    ]
    if summary["cells"]:
        rows = [
            [
                c["id"],
                f"{significant(c['published'])} or more",
                with_half({"mean": c["value"], "ci95": c["ci95"]}),
                c["verdict"],
            ]
            for c in summary["cells"]
        ]
        parts.append(Grid("Printed savings", ["print", "printed [%]", "ours [%]", "verdict"], rows))
    return parts
