"""An advice on an MTU as a page, and for a terminal: the same rows of words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import RenderableType

from ....present.grids import cell, headed, minuses, scaled
from ....present.units import prefix, significant
from ...frame import pages
from ...frame.publish import Shown
from .document import Candidate, Document

Row = list[str]
OBJECTIONS = {"use": "rare", "small": "small", "crc": "CRC", "wait": "wait"}


def html(d: Document, drawn: Sequence[Shown]) -> str:
    """The page."""
    known = bool(d["sentence"])
    return pages.render(
        Path(__file__).with_name("page.html.j2"),
        "Which MTU?",
        drawn,
        d=d,
        known=known,
        candidates=minuses(candidates(d)) if known else [],
        neighbors=minuses(neighbors(d)) if known else [],
        failures=d.get("failures", []),
    )


def lines(d: Document) -> Iterable[RenderableType]:
    """For a terminal: the candidates, their neighbors, and what is not said."""
    yield headed(candidates(d), ranks=[0, 0, 4, 6, 3, 5, 1, 2])
    yield (
        "throughput: one flow's payload rate, mean over the seeds ± half the 95 % interval. law: "
        "the closed form for it. of the wire: the share of payload. core: the rate that one core "
        "of the host can process. HD: the Hamming distance of the frame check sequence. * = "
        "advised; words in parentheses say why a size is not eligible."
    )
    yield ""
    yield headed(neighbors(d), ranks=[0, 5, 2, 4, 1, 6, 3])
    yield (
        "Concurrent traffic: a TCP flow with standard frames, and calls with packets of 64 and "
        f"180 bytes every 20 ms. Jitter is that of RFC 3550. Datagrams have {d['datagram_bytes']} "
        "bytes."
    )
    yield ""
    for text in d["warnings"]:
        yield f"Warning: {text}."
    yield "Limits of this advice:"
    for text in d["limits"]:
        yield f"  {text}"


def candidates(d: Document) -> list[Row]:
    """A row for each MTU: what it brings, and what it costs the host."""
    unit, name = prefix(max(row["throughput_bps"]["mean"] for row in d["candidates"]))
    law = "cubic" if d["cc"] == "cubic" else "mathis"
    rows = [
        [
            "MTU",
            f"throughput [{name}bps]",
            f"law [{name}bps]",
            "of the wire",
            "loss",
            "cycles/bit",
            f"core [{name}bps]",
            "HD",
        ]
    ]
    for row in d["candidates"]:
        rows.append(
            [
                _size(row),
                cell(row["throughput_bps"], 1 / unit, digits=3),
                significant(row["laws_bps"][law] / unit, 3),
                scaled(row["efficiency_share"], "1"),
                share(row["frame_loss_share"]),
                significant(row["host_cycles_per_bit"], 3),
                significant(row["host_limit_bps"] / unit, 3),
                str(row["hamming_distance"]),
            ]
        )
    return rows


def neighbors(d: Document) -> list[Row]:
    """A row for each MTU: what it does to others."""
    cells = (row["neighbour_throughput_bps"] for row in d["candidates"])
    unit, name = prefix(max(cell["mean"] for cell in cells if cell))
    rows = [
        [
            "MTU",
            "one frame",
            "call's jitter",
            "call's p99 delay",
            f"neighbor [{name}bps]",
            "fragments",
            "datagrams lost",
        ]
    ]
    for row in d["candidates"]:
        rows.append(
            [
                f"{row['mtu_bytes']}",
                scaled(row["frame_s"], "s"),
                _jitter(row),
                "–"
                if row["call_delay_p99_s"] is None
                else scaled(row["call_delay_p99_s"]["mean"], "s"),
                cell(row["neighbour_throughput_bps"], 1 / unit, digits=3),
                str(row["datagram_fragments"]),
                share(row["datagram_loss_share"]),
            ]
        )
    return rows


def share(value: float) -> str:
    """A loss: `0.1 %`, `1e-05 %`."""
    return f"{100 * value:.2g} %"


def _jitter(row: Candidate) -> str:
    least = row["call_jitter_least_s"]
    if row["call_jitter_s"] is None or least is None:
        return "–"
    text = scaled(row["call_jitter_s"]["mean"], "s")
    smaller = row["simulated"]["beside"]["rate_scale"] > 1
    return f"{scaled(least, 's')} to {text}" if smaller else text


def _size(row: Candidate) -> str:
    against = ", ".join(OBJECTIONS[one] for one in row["objections"])
    return f"{row['mtu_bytes']}{' *' if row['chosen'] else ''}{f' ({against})' if against else ''}"
