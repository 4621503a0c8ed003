"""Advice on an MTU in words that are made from the numbers."""

from __future__ import annotations

from collections.abc import Sequence

from ....models import ethernet_fcs
from ....present.grids import scaled
from ....present.units import significant
from ..words import rate_text
from . import closed_forms, sizes
from .document import Advice, Candidate
from .judge import NEAR
from .question import Question


def rule(q: Question) -> str:
    """The rule of the choice."""
    wait = scaled(q.most_wait_s, "s")
    use = (
        f"{sizes.ETHERNET} to {sizes.IN_USE} bytes, as equipment of many makers has them; "
        if q.mtus == sizes.USUAL
        else ""
    )
    return (
        f"Of the MTUs that may be advised ({use}frames that CRC-32 guards with a Hamming distance "
        f"of 4, up to {ethernet_fcs.guarded_frame()} bytes; one frame takes at most {wait}, or as "
        f"long as a standard frame) the smallest whose throughput is at most {100 * NEAR:g} % "
        "below the largest of them. Throughput is what was simulated of one flow, at most what the "
        "host's core is through with."
    )


def advice(q: Question, d: Advice) -> str:
    """The advised setting, and its expected performance."""
    text = (
        f"For {q.text()}: an MTU of {d['mtu_bytes']} bytes. In simulations a flow then had "
        f"{_rate(d['useful_bps'])}"
    )
    if d["useful_bps"] < d["throughput_bps"]["mean"]:
        text += (
            f" (the path would carry {_rate(d['throughput_bps']['mean'])}, the host's core "
            "is the limit)"
        )
    other = d["standard"]
    if other is None:
        return f"{text}. {d['reason']}"
    if other["throughput_times"] is not None:
        more = significant(other["throughput_times"], 3)
        text += f", {more} times the {_rate(other['useful_bps'])} of 1500 bytes"
    saved = 1 - other["host_cycles_times"]
    if saved > 0:
        text += f", for {100 * saved:.0f} % fewer cycles of the host for each bit"
    return f"{text}. {d['reason']}"


def reason(q: Question, rows: Sequence[Candidate]) -> str:
    """The reasons for the choice."""
    mine = next(row for row in rows if row["chosen"])
    if mine["objections"]:
        return (
            "No size that was tried may be advised by the rule; this is the smallest "
            f"({_against(q, mine)})."
        )
    parts = []
    better = [row for row in rows if row["mtu_bytes"] > mine["mtu_bytes"]]
    worse = [row for row in rows if row["mtu_bytes"] < mine["mtu_bytes"] and not row["objections"]]
    if worse:
        next_one = worse[-1]
        short = 1 - next_one["useful_bps"] / mine["useful_bps"]
        parts.append(
            f"{next_one['mtu_bytes']} bytes, the next smaller, bring {100 * short:.2g} % less"
        )
    allowed = [row for row in better if not row["objections"]]
    if allowed:
        most = max(allowed, key=lambda row: row["useful_bps"])
        gain = most["useful_bps"] / mine["useful_bps"] - 1
        more = f"{100 * gain:.2g} % more" if gain > 0.005 else "no more"
        parts.append(f"{most['mtu_bytes']} bytes would bring {more}")
    refused = [row for row in better if row["objections"]]
    if refused:
        parts.append(
            f"{refused[0]['mtu_bytes']} and more are not advised ({_against(q, refused[0])})"
        )
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else "It is the only size that was tried."


def _against(q: Question, row: Candidate) -> str:
    words = {
        "use": "little equipment has it",
        "small": "every Ethernet takes 1500",
        "crc": f"a frame of {row['frame_bytes']} bytes is longer than the "
        f"{ethernet_fcs.guarded_frame()} that CRC-32 guards",
        "wait": (
            f"one frame takes {scaled(row['frame_s'], 's')}, more than {scaled(q.most_wait_s, 's')}"
        ),
    }
    return ", ".join(words[one] for one in row["objections"])


def warnings(q: Question, d: Advice) -> list[str]:
    """Conditions to check before it is set."""
    found = []
    if d["hamming_distance"] < 4:
        found.append(
            f"a frame of {d['frame_bytes']} bytes is beyond the {ethernet_fcs.guarded_frame()} up "
            "to which CRC-32 finds any three wrong bits: three of them may pass unnoticed there; "
            "bursts up to 32 bits are still found"
        )
    if d["mtu_bytes"] > sizes.ETHERNET:
        found.append(
            "every link, switch and host of the path has to carry it: one that does not drops such "
            "frames without a word, or cuts packets; try it from end to end with ping -M do"
        )
    if d["datagram_fragments"] > 1 and q.loss_share:
        found.append(
            f"a UDP datagram of {q.datagram_bytes} bytes is {d['datagram_fragments']} fragments, "
            f"and one lost loses all: {_share(d['datagram_loss_share'])} of the datagrams"
        )
    other = d["standard"]
    mine, theirs = (one and one["neighbour_throughput_bps"] for one in (d, other))
    if mine and theirs and theirs["mean"]:
        lost = 1 - mine["mean"] / theirs["mean"]
        if lost > 0.1:
            found.append(
                f"a TCP with standard frames beside it has {100 * lost:.0f} % less than beside a "
                f"flow with 1500 bytes"
            )
    if d["host_busy_share"] > 0.9:
        found.append(f"the host's core is busy for {100 * d['host_busy_share']:.0f} % of the time")
    return found


def limits(q: Question, d: Advice) -> list[str]:
    """The limits of the simulations."""
    found = []
    cases = [row["simulated"] for row in d["candidates"]]
    most = max(max(one["alone"]["rate_scale"], one["beside"]["rate_scale"]) for one in cases)
    if most > 1:
        found.append(
            f"{rate_text(q.rate_bps)} was not simulated everywhere: paths of down to "
            f"{rate_text(q.rate_bps / most)} were, with a loss at which the window is as much "
            "smaller by its law, and rates are multiplied again; frames take as much longer there, "
            "so that jitter is too large rather than too small (--budget raises what is "
            "simulated)"
        )
    if q.loss_share:
        window = closed_forms.window(q.cc, d["frame_loss_share"], q.rtt_s)
        held = q.rtt_s / d["frame_s"]
        between = q.rtt_s / d["frame_loss_share"] / min(window, held)
        if between > 60:
            found.append(
                f"from one loss to the next such a flow takes about {_long(between)}: this is its "
                "steady state; a transfer that is over sooner may have met no loss at all"
            )
    if q.loss_kind == "packet" and q.loss_share:
        ends = [row for row in d["candidates"] if row["mtu_bytes"] >= sizes.ETHERNET][-1:]
        more = [
            f"; by bit errors {row['mtu_bytes']} bytes would lose "
            f"{_share(row['frame_loss_if_bit_share'])}"
            for row in ends
        ]
        found.append(
            f"all sizes lose {_share(q.loss_share)} of their packets, as congestion elsewhere "
            f"does{''.join(more)} (--loss-kind bit)"
        )
    if q.loss_kind == "bit":
        found.append(
            "bits were wrong by chance, each by itself; on real wires errors come in bursts"
        )
    gathers = (
        ""
        if q.host.aggregate
        else "; hosts that gather packets (GRO, TSO) gain less from larger ones"
    )
    found += [
        f"the host is one core that always has a packet waiting, so that interrupts do not "
        f"count{gathers}",
        "one flow with a buffer of a bandwidth-delay product, at least ten of the largest packets, "
        "which delays calls where the link is slow and packets are large; path MTU discovery, "
        "tunnels and VLAN tags were not simulated",
        "this is a simulation, not a measurement",
    ]
    return found


def paste(mtu: int, dev: str) -> list[str]:
    """Lines for Linux: to set it, and to try whether the path carries it (ip-link(8), ping(8),
    tracepath(8))."""
    return [
        f"ip link set dev {dev} mtu {mtu}",
        f"ping -M do -c 3 -s {mtu - 28} HOST",
    ]


def _rate(bps: float) -> str:
    scale = 10 ** (len(f"{bps:.0f}") - 3)
    return rate_text(round(bps / scale) * scale if scale >= 1 else bps)


def _long(seconds: float) -> str:
    if seconds < 7200:
        return f"{significant(seconds / 60, 2)} minutes"
    return f"{significant(seconds / 3600, 2)} hours"


def _share(share: float) -> str:
    return f"{100 * share:.3g} %"
