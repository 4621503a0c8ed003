"""Advice on a marker in words that are made from the numbers."""

from __future__ import annotations

from ....present.grids import scaled
from ....present.units import prefix, significant
from ...frame.paired import Cell
from ..words import rate_text
from .document import Advice, FailsRow, Simulated
from .judge import MUCH, NEAR
from .question import Question

RULE = (
    f"The data buffer is the smallest whose total is at most {100 * NEAR:g} % below the largest, "
    "at the deepest bucket that the contract allows. The bucket is the smallest by the same "
    "rule, with this data buffer. Gains are relative to the token bucket alone, with the deepest "
    "bucket that is allowed, in the same network. The 95 % interval of paired differences gives "
    "the verdict in another network. The advice harms if its total is below that of the token "
    "bucket alone. It is beaten if another size (none, half or twice the data buffer) has a "
    f"total more than {100 * MUCH:g} % above its own. It brings no gain if the gain cannot be "
    "distinguished from 0. Otherwise it holds."
)


def advice(d: Advice) -> str:
    """The advised setting, and its expected performance."""
    q = f"For {rate_text(d['rate_bps'])} at {scaled(d['rtt_s'], 's')}"
    bucket_text = (
        f"a bucket of {d['burst_bytes']} bytes ({significant(d['burst_packets'], 3)} "
        f"packets, {_bdp(d['burst_bdp'])})"
    )
    total, alone = d["total_bps"]["mean"], d["token_bucket"]["total_bps"]["mean"]
    reached = (
        f"{rate_text(total)}, {100 * total / d['target_bps']:.3g} % of the target of "
        f"{rate_text(d['target_bps'])}"
    )
    if not d["size_packets"]:
        return (
            f"{q}: no data buffer, and {bucket_text}. In simulations a customer gets {reached}; "
            f"no data buffer that was simulated adds {100 * NEAR:g} %."
        )
    inside = d["gain_in_bps"]
    more = f", IN {difference(inside)}" if inside else ""
    return (
        f"{q}: a data buffer of {_packets(d['size_packets'])} ({_bdp(d['size_bdp'])}; it holds a "
        f"packet for up to {scaled(d['size_holding_s'], 's')}{_as_good(d)}) and {bucket_text}. In "
        f"simulations a customer gets {reached}; with the token bucket alone, of "
        f"{d['token_bucket']['burst_bytes']} bytes, {rate_text(alone)}: the data buffer gains "
        f"{difference(d['gain_total_bps'])}{more}."
    )


def bucket(d: Advice) -> str:
    """The effect of depth alone."""
    best = d["best_bucket"]
    depth = f"{best['burst_bytes']} bytes ({_bdp(best['burst_bdp'])})"
    start = (
        f"The token bucket alone reaches at most {rate_text(best['total_bps']['mean'])}, with a "
        f"bucket of {depth}"
    )
    if not d["size_packets"]:
        return start + "."
    gain = best["gain_total_bps"]
    if gain is None:
        return start + "."
    low, high = gain["ci95"] or (0.0, 0.0)
    if low > 0:
        return f"{start}. The data buffer adds {difference(gain)} to that."
    against = f"{start}, {difference({**gain, 'mean': -gain['mean']})} relative to the advice"
    if high < 0 or best["total_bps"]["mean"] >= (1 - NEAR) * d["total_bps"]["mean"]:
        return f"{against}: if the contract allows that depth, no data buffer is needed."
    return f"{against}, which cannot be distinguished from 0."


def condition(row: FailsRow) -> str:
    """The effect of the advice in another network."""
    gain = row["gain_total_bps"]
    kept = "" if row["reservation_met"] else ", less than the reservation"
    text = (
        f"{row['text']}: {rate_text(row['total_bps']['mean'])}{kept}; {difference(gain)} "
        "over the token bucket alone"
    )
    if row["verdict"] == "beaten":
        text += (
            f"; {_packets(row['best_size_packets'])} would bring "
            f"{100 * row['short_of_best_share']:.2g} % more"
        )
    return text


def limits(question: Question, d: Advice) -> list[str]:
    """The limits of the simulations."""
    s = d["simulated"]
    found = _smaller(question, s)
    if s["duration_s"] - s["warmup_s"] < 20 * s["cycle_s"]:
        found.append(
            "A run measures only "
            f"{significant((s['duration_s'] - s['warmup_s']) / s['cycle_s'], 2)} cycles of a Reno "
            "flow from loss to loss. Raise --budget."
        )
    if question.bdp_packets < 1:
        found.append(
            f"r x RTT is {significant(question.bdp_packets, 2)} packets, and a bucket holds at "
            "least one. Throughput then depends on how long packets wait in the network's queue, "
            "not on the round-trip time without queues."
        )
    if d["size_packets"] and d["size_packets"] == max(
        one["size_packets"] for one in d["candidates"]
    ):
        found.append(
            "The advised data buffer is the largest that was simulated. A larger one may be better."
        )
    found += [
        "All customers were alike, sent without end and had the same marker. Short transfers, "
        "UDP, and several connections in one reservation were not simulated.",
        "The network was one congested link with RIO and a buffer of two bandwidth-delay "
        f"products ({s['queue_limit_packets']} packets as simulated). Its thresholds are at the "
        "same fractions of the buffer as in the paper. Another dropper may give another answer.",
        "This is a simulation, not a measurement.",
    ]
    return found


def _smaller(question: Question, s: Simulated) -> list[str]:
    """By how much the network was smaller than the one that was asked for."""
    found = []
    if s["flows_scale"] > 1:
        found.append(
            f"Instead of {question.flows} customers, {s['flows']} and {s['background']} "
            f"best-effort flows were simulated, on {rate_text(s['link_bps'] * s['rate_scale'])}."
        )
    if s["rate_scale"] > 1:
        found.append(
            f"Instead of {rate_text(question.rate_bps)}, {rate_text(s['rate_bps'])} was "
            "simulated, where r x RTT is "
            f"{significant(s['rate_bps'] * s['rtt_s'] / 8 / s['packet_bytes'], 3)} packets "
            f"instead of {significant(question.bdp_packets, 3)}. Data buffer and bucket keep "
            f"their ratio to r x RTT, in steps of {significant(s['rate_scale'], 3)} packets. The "
            "last row checks this with half the rate. A larger --budget raises the simulated "
            "rate."
        )
    if s["asked_cycle_s"] > 60:
        found.append(
            f"A {question.cc} flow at this rate takes about {_long(s['asked_cycle_s'])} from one "
            "loss to the next, if its window grows like Reno's. The simulated steady state is an "
            "average over many such cycles."
        )
    return found


def difference(block: Cell | None) -> str:
    """`+204 ± 52 kbit/s`."""
    if block is None:
        return "–"
    low, high = block["ci95"] or (block["mean"], block["mean"])
    scale, letter = prefix(max(abs(block["mean"]), (high - low) / 2))
    half = f" ± {significant((high - low) / 2 / scale, 2)}" if block["ci95"] else ""
    sign = "-" if block["mean"] < 0 else "+"
    return f"{sign}{significant(abs(block['mean']) / scale, 3)}{half} {letter}bit/s"


def _packets(n: int) -> str:
    return f"{n} packet{'' if n == 1 else 's'}"


def _bdp(multiple: float) -> str:
    return f"{significant(multiple, 2)} r x RTT"


def _as_good(d: Advice) -> str:
    low, high = d["size_near_packets"]
    return f"; {low} to {high} packets are equally good within 1 %" if low < high else ""


def _long(seconds: float) -> str:
    if seconds < 7200:
        return f"{seconds / 60:.2g} minutes"
    return f"{significant(seconds / 3600, 2)} hours"
