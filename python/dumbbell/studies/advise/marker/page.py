"""An advice on a marker as a page, and for a terminal: the same rows of words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import RenderableType

from ....present.grids import cell, headed, minuses, scaled
from ....present.units import prefix, significant
from ...frame import pages
from ...frame.publish import Shown
from . import narrative
from .document import Document
from .judge import VERDICTS

Row = list[str]


def html(d: Document, drawn: Sequence[Shown]) -> str:
    """The page."""
    known = bool(d["sentence"])
    return pages.render(
        Path(__file__).with_name("page.html.j2"),
        "Which marker?",
        drawn,
        d=d,
        known=known,
        facts=minuses(facts(d)) if known else [],
        candidates=minuses(candidates(d)) if known else [],
        conditions=minuses(conditions(d, inside=True)) if known else [],
        failures=d.get("failures", []),
    )


def lines(d: Document) -> Iterable[RenderableType]:
    """For a terminal: the candidates, and where the advice holds."""
    yield headed(candidates(d), ranks=[0, 0, 5, 1, 3, 2, 4])
    yield (
        "Means over the seeds ± half their 95 % interval. The gain is relative to the token "
        "bucket alone with the deepest bucket that is allowed, as a paired difference. * = "
        "advised."
    )
    yield ""
    yield "The advised marker in other networks:"
    yield headed(conditions(d), ranks=[0, 2, 5, 3, 1, 4, 0])
    yield (
        "reservation: whether a customer got the reserved rate. best size: of none, half, the "
        "advised size and twice that."
    )
    yield ""
    yield "Limits of this advice:"
    for text in d["limits"]:
        yield f"  {text}"


def candidates(d: Document) -> list[Row]:
    """A row for each marker that was tried."""
    unit, name = prefix(d["target_bps"])
    rows = [
        [
            "data buffer",
            "bucket",
            "r x RTT",
            f"total [{name}bps]",
            f"IN [{name}bps]",
            "gain",
            "held up to",
        ]
    ]
    for one in d["candidates"]:
        rows.append(
            [
                _size(one["size_packets"]) + (" *" if one["chosen"] else ""),
                f"{one['burst_bytes']} B",
                significant(one["burst_bdp"], 2),
                cell(one["total_bps"], 1 / unit, digits=3),
                cell(one["in_bps"], 1 / unit, digits=3),
                narrative.difference(one["gain_total_bps"]) if one["gain_total_bps"] else "",
                scaled(one["size_holding_s"], "s") if one["size_packets"] else "",
            ]
        )
    return rows


def conditions(d: Document, inside: bool = False) -> list[Row]:
    """A row for each other network; with `inside` IN, too, for which a terminal is too narrow."""
    unit, name = prefix(d["target_bps"])
    more = [f"IN [{name}bps]"] if inside else []
    rows = [
        ["", f"total [{name}bps]", *more, "of target", "reservation", "gain", "best size", "advice"]
    ]
    for one in d["fails"]:
        rows.append(
            [
                one["text"],
                cell(one["total_bps"], 1 / unit, digits=3),
                *([cell(one["in_bps"], 1 / unit, digits=3)] if inside else []),
                scaled(one["total_bps"]["mean"] / one["target_bps"], "1"),
                "kept" if one["reservation_met"] else "missed",
                narrative.difference(one["gain_total_bps"]),
                _size(one["best_size_packets"]),
                VERDICTS[one["verdict"]],
            ]
        )
    return rows


def facts(d: Document) -> list[Row]:
    """The advice as a table: each number with the token bucket's beside it."""
    plain_bucket = d["token_bucket"]
    unit, name = prefix(d["target_bps"])
    best_effort = d["gain_best_effort_bps"]
    measures = (
        (f"total [{name}bps]", plain_bucket["total_bps"], d["total_bps"], unit),
        (f"IN [{name}bps]", plain_bucket["in_bps"], d["in_bps"], unit),
        (
            f"a best-effort flow [{name}bps]",
            plain_bucket["best_effort_bps"],
            d["best_effort_bps"],
            unit,
        ),
        ("tokens lost [%]", plain_bucket["tokens_lost_share"], d["tokens_lost_share"], 0.01),
        ("held, mean [ms]", plain_bucket["holding_mean_s"], d["holding_mean_s"], 1e-3),
        ("held, 99th percentile [ms]", plain_bucket["holding_p99_s"], d["holding_p99_s"], 1e-3),
    )
    gains = [d["gain_total_bps"], d["gain_in_bps"], best_effort]
    told = [*map(narrative.difference, gains), "", "", ""]
    rows = [
        [title, *(cell(one, 1 / scale, digits=3) for one in (theirs, mine)), gain]
        for (title, theirs, mine, scale), gain in zip(measures, told, strict=True)
    ]
    return [row for row in rows if any(text not in ("", "–") for text in row[1:])]


def _size(packets: int) -> str:
    return f"{packets} pkt" if packets else "none"
