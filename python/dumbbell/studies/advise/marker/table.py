"""The numbers of an advice on a marker as rows of words, for the terminal and the page alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ....present.grids import number, plain, scaled
from ....present.stats import Interval
from ....present.units import prefix, significant
from . import narrative
from .judge import VERDICTS

Row = list[str]


def lines(d: Mapping[str, Any]) -> Iterable[str]:
    """For a terminal: the candidates, and where the advice holds."""
    yield plain(candidates(d))
    yield (
        "Means over the seeds ± half their 95 % interval; the gain is over the token bucket alone "
        "with the deepest "
        "bucket that is allowed, seed by seed; * is advised."
    )
    yield ""
    yield "Where this advice holds, and where it fails:"
    yield plain(conditions(d))
    yield "reservation: whether a customer had what was sold to him."
    yield ""
    yield "Nothing is said of:"
    for text in d["limits"]:
        yield f"  {text}"


def candidates(d: Mapping[str, Any]) -> list[Row]:
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
                cell(one["total_bps"], unit),
                cell(one["in_bps"], unit),
                narrative.difference(one["gain_total_bps"]) if one["gain_total_bps"] else "",
                scaled(one["size_holding_s"], "s") if one["size_packets"] else "",
            ]
        )
    return rows


def conditions(d: Mapping[str, Any], inside: bool = False) -> list[Row]:
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
                cell(one["total_bps"], unit),
                *([cell(one["in_bps"], unit)] if inside else []),
                scaled(one["total_bps"]["mean"] / one["target_bps"], "1"),
                "kept" if one["reservation_met"] else "missed",
                narrative.difference(one["gain_total_bps"]),
                _size(one["best_size_packets"]),
                VERDICTS[one["verdict"]],
            ]
        )
    return rows


def facts(d: Mapping[str, Any]) -> list[Row]:
    """The advice as a table: each number with the token bucket's beside it."""
    plain_bucket = d["token_bucket"]
    unit, name = prefix(d["target_bps"])
    measures = (
        (f"total [{name}bps]", "total_bps", unit, "gain_total_bps"),
        (f"IN [{name}bps]", "in_bps", unit, "gain_in_bps"),
        (f"a best-effort flow [{name}bps]", "best_effort_bps", unit, "gain_best_effort_bps"),
        ("tokens lost [%]", "tokens_lost_share", 0.01, None),
        ("held, mean [ms]", "holding_mean_s", 1e-3, None),
        ("held, 99th percentile [ms]", "holding_p99_s", 1e-3, None),
    )
    rows = [
        [
            title,
            cell(plain_bucket[key], scale),
            cell(d[key], scale),
            narrative.difference(d[difference]) if difference else "",
        ]
        for title, key, scale, difference in measures
    ]
    return [row for row in rows if any(text not in ("", "–") for text in row[1:])]


def cell(block: Mapping[str, Any] | None, unit: float) -> str:
    """`2.37 ± 0.055`."""
    if block is None:
        return "–"
    low, high = block["ci95"] or (None, None)
    return number(Interval(block["mean"], low, high, block["n"]), 1 / unit, digits=3)


def _size(packets: int) -> str:
    return f"{packets} pkt" if packets else "none"
