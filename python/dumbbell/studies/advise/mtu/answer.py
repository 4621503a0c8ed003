"""The document of an advice on an MTU: numbers of the path that was asked for, units in the
names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ....models import ethernet_fcs
from ....present import stats
from ...frame.paired import Cell, cell, picked
from ...frame.runs import Whole
from . import closed_forms, judge, narrative, sizes
from .document import Advice, Asked, Candidate, CaseRow, Document, Neighbors, Size, Standard, Useful
from .options import Options, Run
from .question import Question


def document(
    options: Options, whole: Whole, alone: Sequence[Run], beside: Sequence[Run]
) -> Document:
    """All of it, without paths; the sentence is None if some run has no result."""
    if not all(run.goodput_bps for run in (*alone, *beside)):
        return cast(Document, {"kind": "mtu", **whole, "sentence": None})
    q = options.question
    rows = [_row(q, one, other) for one, other in zip(alone, beside, strict=True)]
    place = judge.choose(rows)
    for i, row in enumerate(rows):
        row["chosen"] = i == place
    mine = rows[place]
    standard = next((row for row in rows if row["mtu_bytes"] == sizes.ETHERNET), None)
    size = {key: value for key, value in mine.items() if key in Size.__annotations__}
    body: Advice = {
        **_asked(q),
        "crc": {
            "guarded_bits": ethernet_fcs.guarded_bits(),
            "guarded_frame_bytes": ethernet_fcs.guarded_frame(),
            "guarded_mtu_bytes": sizes.LONGEST_GUARDED,
            "hamming_distance": 4,
        },
        **cast(Size, size),
        "simulated": {"seeds": list(alone[0].seeds), "budget_s": options.budget_s},
        "standard": None if standard is None or standard is mine else _against(mine, standard),
        "candidates": rows,
        "reason": "",
        "warnings": [],
        "limits": [],
        "paste": [],
    }
    body["reason"] = narrative.reason(q, rows)
    body["warnings"] = narrative.warnings(q, body)
    body["limits"] = narrative.limits(q, body)
    body["paste"] = narrative.paste(mine["mtu_bytes"], options.dev)
    return {
        "kind": "mtu",
        **whole,
        "sentence": narrative.advice(q, body),
        "rule": narrative.rule(q),
        **body,
    }


def _asked(q: Question) -> Asked:
    return {
        "rate_bps": q.rate_bps,
        "rtt_s": q.rtt_s,
        "standard_frame_loss_share": q.loss_share,
        "loss_kind": q.loss_kind,
        "cc": q.cc,
        "profile": q.profile,
        "most_wait_s": q.most_wait_s,
        "datagram_bytes": q.datagram_bytes,
        "host": q.host.name,
        "host_clock_hz": q.host.clock_hz,
        "host_cycles_per_packet": q.host.per_packet,
        "host_cycles_per_byte": q.host.per_byte,
        "host_source": q.host.source,
    }


def _row(q: Question, alone: Run, beside: Run) -> Candidate:
    """One MTU: what was simulated, what follows without that, and what there is against it."""
    size = alone.case.mtu
    payload = closed_forms.mss(size, q.profile)
    loss = closed_forms.frame_loss(q.loss_share, q.loss_kind, size)
    mine = _scaled(alone.goodput_bps, alone.case.scale)
    limit = q.host.limit_bps(size, payload)
    useful = min(stats.mean(mine), limit)
    return {
        "mtu_bytes": size,
        "why": sizes.why(size),
        "mss_bytes": payload,
        "frame_bytes": size + ethernet_fcs.FRAME,
        "efficiency_share": closed_forms.efficiency(size, q.profile),
        "frame_loss_share": loss,
        "frame_loss_if_packet_share": closed_forms.frame_loss(q.loss_share, "packet", size),
        "frame_loss_if_bit_share": closed_forms.frame_loss(q.loss_share, "bit", size),
        "throughput_bps": cast(Cell, cell(mine)),
        "laws_bps": closed_forms.laws_bps(q.cc, loss, q.rtt_s, size, q.profile, q.rate_bps),
        "useful_bps": useful,
        "host_limit_bps": limit,
        "host_cycles_per_bit": q.host.cycles_per_bit(size, payload),
        "host_busy_share": useful / limit,
        "frame_s": closed_forms.frame_s(size, q.rate_bps),
        **_neighbors(beside),
        "datagram_fragments": len(closed_forms.fragments(q.datagram_bytes, size)),
        "datagram_loss_share": closed_forms.datagram_loss(
            q.loss_share, q.loss_kind, q.datagram_bytes, size
        ),
        "hamming_distance": ethernet_fcs.distance(size + ethernet_fcs.FRAME),
        "unnoticed_share": closed_forms.unnoticed_share(q.loss_share, size)
        if q.loss_kind == "bit"
        else None,
        "objections": judge.objections(q, size),
        "simulated": {"alone": _case(alone), "beside": _case(beside)},
        "chosen": False,
    }


def _scaled(rates: Sequence[float], scale: float) -> list[float]:
    return [rate * scale for rate in rates]


def _neighbors(beside: Run) -> Neighbors:
    scale, calls = beside.case.scale, beside.calls
    jitter = _whole([call["jitter_s"] for call in calls])
    return {
        "beside_throughput_bps": cell(_scaled(beside.goodput_bps, scale)),
        "neighbour_throughput_bps": cell(_scaled(beside.neighbor_bps, scale)),
        "call_jitter_s": jitter,
        "call_delay_mean_s": _whole([call["delay_mean_s"] for call in calls]),
        "call_delay_p99_s": _whole([call["delay_p99_s"] for call in calls]),
        "call_loss_share": _whole([call["loss_share"] for call in calls]),
        "call_jitter_least_s": None if jitter is None else jitter["mean"] / scale,
    }


def _whole(values: Sequence[float | None]) -> Cell | None:
    """A mean with its interval; None if some run has no number."""
    known = [value for value in values if value is not None]
    return cell(known) if len(known) == len(values) else None


def _case(run: Run) -> CaseRow:
    case = run.case
    return {
        "rate_scale": case.scale,
        "rate_bps": case.rate_bps,
        "frame_loss_share": case.loss_share,
        "duration_s": case.length_s,
        "warmup_s": case.warmup_s,
        "fingerprint": run.fingerprint,
    }


def _against(mine: Candidate, standard: Candidate) -> Standard:
    """The advised MTU against Ethernet's 1500 bytes."""
    useful = standard["useful_bps"]
    return {
        "mtu_bytes": sizes.ETHERNET,
        **picked(Useful, standard),
        "throughput_times": mine["useful_bps"] / useful if useful else None,
        "host_cycles_times": mine["host_cycles_per_bit"] / standard["host_cycles_per_bit"],
    }
