"""Two-way traffic: goodput that acknowledgments clock, what a lost one leaves to the next, and
links that two-way traffic does not fill.

The receiver fixes windows and acknowledges every segment (or every second one). Headers are 40 B.
`asymmetric` has data at 10 Mbit/s and acknowledgments on a link that is slower by the ratio in the
name. Where no acknowledgment is lost, they clock the data. In a short queue they are lost, and the
data arrive at the full rate in bursts of k. `two_way` has a window in each direction through
unlimited queues, with packets of 9000 B, so acknowledgments hardly count (0.44 % of the link, the
tolerance). P is the capacity of the path in one direction, in packets.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ...check import Check
from ...laws.tcp import two_way as laws
from ...readings import Run, goodput
from ...runner import of_one_run

RATE = 10_000_000
HEADER = 40
MSS, JUMBO = 960, 8960
EDGE = 2e-3
"""The tolerance of a rate over a window of 40 s: some packets more or less at its ends."""


def _tcp(mss: int, window: int, acked: int = 1) -> dict[str, Any]:
    return {
        "mss": f"{mss} B",
        "header": f"{HEADER} B",
        "handshake": False,
        "timestamps": False,
        "clock": "0 s",
        "delayed_ack": "second" if acked == 2 else "each",
        "receive_window": f"{window} pkt",
    }


def _scenario(
    link: dict[str, Any], flows: list[dict[str, Any]], back: str = "unlimited"
) -> dict[str, Any]:
    return {
        "duration": "60 s",
        "warmup": "20 s",
        "profile": "rfc",
        "dumbbell": {
            "bottleneck": {"rate": f"{RATE} bps", **link},
            "access": {"rate": "10 Gbps", "delay": "0 s"},
        },
        "queue": {"kind": "drop_tail", "limit": "unlimited"},
        "queue_reverse": {"kind": "drop_tail", "limit": back},
        "flow": flows,
        "record": {"acks": True},
    }


# Asymmetric links.


def _asymmetric(ratio: int, acked: int, back: str = "unlimited") -> dict[str, Any]:
    link = {"delay": "10 ms", "reverse": {"rate": f"{RATE // ratio} bps"}}
    return _scenario(link, [{"name": "s", "cc": "reno", "tcp": _tcp(MSS, 300, acked)}], back)


def _clocked() -> Iterator[Check]:
    for ratio, acked in ((10, 1), (50, 1), (50, 2), (100, 1), (100, 2), (200, 1)):
        yield Check(
            f"asymmetric.ratio-{ratio}.acked-{acked}.goodput",
            "Acknowledgments clock data: min(C mss / (mss + 40), d mss C' / 40), without losses: "
            "RFC 3449, section 2",
            laws.ack_clocked(RATE, RATE / ratio, MSS, HEADER, acked),
            EDGE,
            of_one_run(_asymmetric(ratio, acked), goodput),
            "bit/s",
        )
    for ratio in (100, 200):
        yield Check(
            f"asymmetric.ratio-{ratio}.spacing",
            "Acknowledgments on a full link come one transmission time apart: 8 x 40 / C'",
            8 * HEADER * ratio / RATE,
            1e-6,
            of_one_run(
                _asymmetric(ratio, 1), lambda run: run["flows"][0]["acks"]["mean_spacing_sender_s"]
            ),
            "s",
        )


def _lost() -> Iterator[Check]:
    for ratio in (100, 200):
        scenario = _asymmetric(ratio, 1, "10 pkt")
        k = laws.acked_by_one(RATE, RATE / ratio, MSS, HEADER)
        yield Check(
            f"asymmetric.ratio-{ratio}.lost.acked",
            "With a short queue on the reverse path, one acknowledgment acknowledges k segments: "
            "RFC 3449, section 2",
            k,
            EDGE,
            of_one_run(
                scenario, lambda run: run["flows"][0]["acks"]["mean_newly_acked_bytes"] / MSS
            ),
            "segments",
        )
        yield Check(
            f"asymmetric.ratio-{ratio}.lost.share",
            "With a short queue on the reverse path, 1 - 1/k of the acknowledgments are lost",
            1 - 1 / k,
            EDGE,
            of_one_run(
                scenario,
                lambda run: run["flows"][0]["acks"]["lost"] / run["flows"][0]["acks"]["sent"],
            ),
        )
        yield Check(
            f"asymmetric.ratio-{ratio}.lost.goodput",
            "With a short queue on the reverse path, data arrive at the full rate, as later "
            "acknowledgments cover lost ones",
            RATE * MSS / (MSS + HEADER),
            EDGE,
            of_one_run(scenario, goodput),
            "bit/s",
        )


# Data both ways.


def _both_ways(larger: int, smaller: int, pipe: int) -> dict[str, Any]:
    service_s = 8 * (JUMBO + HEADER) / RATE
    link = {"delay": f"{pipe * service_s * 1e3:g} ms", "mtu": f"{JUMBO + HEADER} B"}
    ahead = {"name": "ahead", "cc": "reno", "tcp": _tcp(JUMBO, larger)}
    back = {
        "name": "back",
        "cc": "reno",
        "direction": "reverse",
        "start": "300 ms",
        "tcp": _tcp(JUMBO, smaller),
    }
    return _scenario(link, [ahead, back])


def _full(flow: int, run: Run) -> float:
    """Share of a link that is data of a flow."""
    return float(run["flows"][flow]["goodput_bps"] * (JUMBO + HEADER) / JUMBO / RATE)


def _shared() -> Iterator[Check]:
    zero_length = HEADER / (JUMBO + HEADER)
    for window, pipe in ((20, 1), (20, 5), (20, 10), (40, 10)):
        scenario = _both_ways(window, window, pipe)
        for flow, name in enumerate(("ahead", "back")):
            yield Check(
                f"two_way.in-phase.W-{window}.P-{pipe}.{name}",
                "Equal windows both ways: W / (W + P) of each link: from Zhang, Shenker, Clark "
                "1991",
                laws.in_phase(window, pipe),
                zero_length,
                of_one_run(scenario, partial(_full, flow)),
            )
    for larger, smaller, pipe in ((40, 10, 10), (60, 20, 5), (60, 30, 5)):
        yield Check(
            f"two_way.out-of-phase.W-{larger}-{smaller}.P-{pipe}",
            "W1 > W2 + 2 P: W2 / W1 of the link with the smaller window: from Zhang, Shenker, "
            "Clark 1991",
            laws.out_of_phase(larger, smaller),
            2
            # Of both flows' acknowledgments: those of W1 go with W2's data, and the other way
            # round.
            * zero_length,
            of_one_run(_both_ways(larger, smaller, pipe), partial(_full, 1)),
        )


CHECKS = [*_clocked(), *_lost(), *_shared()]
