"""The document of an advice on an MTU: numbers of the path that was asked for, units in the
names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ....models import ethernet_fcs
from ....present import stats
from . import calls, closed_forms, judge, narrative, sizes
from .question import Question

if TYPE_CHECKING:
    from .options import Options, Run

Row = dict[str, Any]


def document(options: Options, alone: Sequence[Run], beside: Sequence[Run]) -> dict[str, Any]:
    """All of it, without paths."""
    q = options.question
    rows = [_row(q, one, other) for one, other in zip(alone, beside, strict=True)]
    place = judge.choose(rows)
    for i, row in enumerate(rows):
        row["chosen"] = i == place
    standard = next((row for row in rows if row["mtu_bytes"] == sizes.ETHERNET), None)
    body = {
        **_asked(q),
        "crc": {
            "guarded_bits": ethernet_fcs.guarded_bits(),
            "guarded_frame_bytes": ethernet_fcs.guarded_frame(),
            "guarded_mtu_bytes": sizes.LONGEST_GUARDED,
            "hamming_distance": 4,
        },
        **{key: value for key, value in rows[place].items() if key not in ("chosen", "why")},
        "standard": None
        if standard is None or standard is rows[place]
        else _against(rows[place], standard),
        "candidates": rows,
        "simulated": {"seeds": list(alone[0].seeds), "budget_s": options.budget_s},
    }
    body["reason"] = narrative.reason(q, body)
    body["warnings"] = narrative.warnings(q, body)
    body["limits"] = narrative.limits(q, body)
    body["paste"] = narrative.paste(rows[place]["mtu_bytes"], options.dev)
    return {"sentence": narrative.advice(q, body), "rule": narrative.rule(q), **body}


def _asked(q: Question) -> Row:
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


def _row(q: Question, alone: Run, beside: Run) -> Row:
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
        "throughput_bps": calls.cell(mine),
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
    }


def _scaled(rates: Sequence[float], scale: float) -> list[float]:
    return [rate * scale for rate in rates]


def _neighbors(beside: Run) -> Row:
    """The neighbors' results. A frame takes `scale` times as long on the smaller path, a queue as
    long as it would: the calls' numbers are those that were measured, and between these and 1 /
    scale of them they lie in truth."""
    numbers = {
        f"call_{key}": calls.cell([call[key] for call in beside.calls]) for key in calls.NUMBERS
    }
    jitter = numbers["call_jitter_s"]
    return {
        "beside_throughput_bps": calls.cell(_scaled(beside.goodput_bps, beside.case.scale)),
        "neighbour_throughput_bps": calls.cell(_scaled(beside.neighbor_bps, beside.case.scale)),
        **numbers,
        "call_jitter_least_s": None if jitter is None else jitter["mean"] / beside.case.scale,
    }


def _case(run: Run) -> Row:
    case = run.case
    return {
        "rate_scale": case.scale,
        "rate_bps": case.rate_bps,
        "frame_loss_share": case.loss_share,
        "duration_s": case.length_s,
        "warmup_s": case.warmup_s,
        "fingerprint": run.fingerprint,
    }


def _against(mine: Mapping[str, Any], standard: Mapping[str, Any]) -> Row:
    """The advised MTU against Ethernet's 1500 bytes: the standard's numbers, and what changes."""
    keys = (
        "useful_bps",
        "throughput_bps",
        "host_cycles_per_bit",
        "frame_s",
        "call_jitter_s",
        "call_delay_p99_s",
    )
    more = (
        "neighbour_throughput_bps",
        "datagram_fragments",
        "datagram_loss_share",
        "hamming_distance",
    )
    return {
        "mtu_bytes": sizes.ETHERNET,
        **{key: standard[key] for key in (*keys, *more)},
        "throughput_times": mine["useful_bps"] / standard["useful_bps"]
        if standard["useful_bps"]
        else None,
        "host_cycles_times": mine["host_cycles_per_bit"] / standard["host_cycles_per_bit"],
    }
