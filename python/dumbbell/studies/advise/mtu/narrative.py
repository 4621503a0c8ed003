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
        f"it is from {sizes.ETHERNET} to {sizes.IN_USE} bytes, which equipment of many vendors "
        "supports; "
        if q.mtus == sizes.USUAL
        else ""
    )
    return (
        f"An MTU is eligible if {use}CRC-32 protects its frames with a Hamming distance of 4 "
        f"(up to {ethernet_fcs.guarded_frame()} bytes), and one frame takes at most {wait} to "
        "send, or as long as a standard frame. The rule chooses the smallest eligible MTU whose "
        f"throughput is at most {100 * NEAR:g} % below the largest. Throughput is that of one "
        "simulated flow, but at most what the host's core can process."
    )


def advice(q: Question, d: Advice) -> str:
    """The advised setting, and its expected performance."""
    text = (
        f"For {q.text()}: an MTU of {d['mtu_bytes']} bytes. In simulations a flow gets "
        f"{_rate(d['useful_bps'])}"
    )
    if d["useful_bps"] < d["throughput_bps"]["mean"]:
        text += (
            f" (the path would carry {_rate(d['throughput_bps']['mean'])}, but the host's core is "
            "the limit)"
        )
    other = d["standard"]
    if other is None:
        return f"{text}. {d['reason']}"
    if other["throughput_times"] is not None:
        more = significant(other["throughput_times"], 3)
        text += f", {more} times the {_rate(other['useful_bps'])} with 1500 bytes"
    saved = 1 - other["host_cycles_times"]
    if saved > 0:
        text += f", with {100 * saved:.0f} % fewer host cycles per bit"
    return f"{text}. {d['reason']}"


def reason(q: Question, rows: Sequence[Candidate]) -> str:
    """The reasons for the choice."""
    mine = next(row for row in rows if row["chosen"])
    if mine["objections"]:
        return (
            f"No size that was simulated is eligible; this is the smallest ({_against(q, mine)})."
        )
    parts = []
    better = [row for row in rows if row["mtu_bytes"] > mine["mtu_bytes"]]
    worse = [row for row in rows if row["mtu_bytes"] < mine["mtu_bytes"] and not row["objections"]]
    if worse:
        next_one = worse[-1]
        short = 1 - next_one["useful_bps"] / mine["useful_bps"]
        parts.append(
            f"the next smaller MTU, {next_one['mtu_bytes']} bytes, brings {100 * short:.2g} % less"
        )
    allowed = [row for row in better if not row["objections"]]
    if allowed:
        most = max(allowed, key=lambda row: row["useful_bps"])
        gain = most["useful_bps"] / mine["useful_bps"] - 1
        more = f"{100 * gain:.2g} % more" if gain > 0.005 else "nothing more"
        parts.append(f"{most['mtu_bytes']} bytes would bring {more}")
    refused = [row for row in better if row["objections"]]
    if refused:
        parts.append(
            f"{refused[0]['mtu_bytes']} bytes and more are not eligible ({_against(q, refused[0])})"
        )
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else "It is the only size that was simulated."


def _against(q: Question, row: Candidate) -> str:
    words = {
        "use": "little equipment supports it",
        "small": "every Ethernet carries 1500",
        "crc": f"a frame of {row['frame_bytes']} bytes exceeds the {ethernet_fcs.guarded_frame()} "
        "bytes that CRC-32 protects",
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
            f"a frame of {d['frame_bytes']} bytes is longer than the "
            f"{ethernet_fcs.guarded_frame()} bytes up to which CRC-32 detects any three bit "
            "errors, so that three errors may go undetected (it still detects bursts of up to 32 "
            "bits)"
        )
    if d["mtu_bytes"] > sizes.ETHERNET:
        found.append(
            "every link, switch and host of the path must support this MTU: one that does not "
            "either drops such frames silently or fragments packets; test the path from end to "
            "end with ping -M do"
        )
    if d["datagram_fragments"] > 1 and q.loss_share:
        found.append(
            f"a UDP datagram of {q.datagram_bytes} bytes is sent as {d['datagram_fragments']} "
            "fragments, and the loss of one loses the datagram: "
            f"{_share(d['datagram_loss_share'])} of the datagrams are lost"
        )
    other = d["standard"]
    mine, theirs = (one and one["neighbour_throughput_bps"] for one in (d, other))
    if mine and theirs and theirs["mean"]:
        lost = 1 - mine["mean"] / theirs["mean"]
        if lost > 0.1:
            found.append(
                f"a concurrent TCP flow with standard frames gets {100 * lost:.0f} % less than "
                "next to a flow with 1500 bytes"
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
            f"Paths slower than {rate_text(q.rate_bps)} were simulated, down to "
            f"{rate_text(q.rate_bps / most)}. The loss rate there makes the window smaller by the "
            "same factor, according to the closed form, and the results are scaled back. Frames "
            "take longer by that factor, so the jitter is an upper limit. A larger --budget "
            "raises the simulated rate."
        )
    if q.loss_share:
        window = closed_forms.window(q.cc, d["frame_loss_share"], q.rtt_s)
        held = q.rtt_s / d["frame_s"]
        between = q.rtt_s / d["frame_loss_share"] / min(window, held)
        if between > 60:
            found.append(
                f"Such a flow takes about {_long(between)} from one loss to the next. The results "
                "are its steady state; a shorter transfer may meet no loss at all."
            )
    if q.loss_kind == "packet" and q.loss_share:
        ends = [row for row in d["candidates"] if row["mtu_bytes"] >= sizes.ETHERNET][-1:]
        more = [
            f"; with bit errors, {row['mtu_bytes']} bytes would lose "
            f"{_share(row['frame_loss_if_bit_share'])}"
            for row in ends
        ]
        found.append(
            f"All sizes lose {_share(q.loss_share)} of their packets, as with congestion "
            f"elsewhere{''.join(more)} (--loss-kind bit)."
        )
    if q.loss_kind == "bit":
        found.append("Bit errors were random and independent; on real wires they come in bursts.")
    gathers = (
        ""
        if q.host.aggregate
        else ". Hosts that aggregate packets (GRO, TSO) gain less from larger ones"
    )
    found += [
        "The host is one core that always has a packet waiting, so that interrupts do not "
        f"count{gathers}.",
        "One flow was simulated, with a buffer of one bandwidth-delay product and at least ten "
        "of the largest packets. This buffer delays calls if the link is slow and packets are "
        "large. Path MTU discovery, tunnels and VLAN tags were not simulated.",
        "This is a simulation, not a measurement.",
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
