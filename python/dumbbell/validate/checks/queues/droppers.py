"""Droppers that separate packets in profile (IN) from others (OUT): RIO's curves at a fixed queue,
and the shares in closed loop of RIO and its variants.

The queue is kept fixed as for RED: packets that can be marked arrive exactly as fast as the link
sends them, behind a burst. IN and OUT alternate, so half of the waiting packets are IN. In closed
loop a token bucket at its host marks each flow's packets IN up to its reservation, and OUT packets
share the rest of the link. OUT's curve is flat enough to spread losses over time, as the model
assumes. With the usual curves the average sometimes leaves `min_out`, and flows lose in bursts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ....aqm_response.drive import drive
from ...check import Check
from ...laws import droppers, red
from ...readings import Run, total
from ...runner import mean_over_generated, mean_over_seeds, once
from .. import paths

PACKETS = 200_000
"""The number of arrivals at a held queue with each seed."""
FOUND = 20
"""Packets that wait; half of them are IN."""
CF98 = "Clark and Fang 1998"
CURVES = {"IN": (5, 15, 0.1), "OUT": (5, 30, 0.2)}
WORDS = {
    f"{word}_{color.lower()}": value if word == "max_p" else f"{value} pkt"
    for color, curve in CURVES.items()
    for word, value in zip(("min", "max", "max_p"), curve, strict=True)
}


def held(mode: str, seed: int) -> dict[str, float]:
    """The share of packets of each color that is marked; w_q is 1, so that averages are what
    waits."""
    queue = {
        "limit": "100 pkt",
        "ecn": True,
        "w_q": 1.0,
        "spacing": "bernoulli",
        "mode": mode,
        **WORDS,
    }
    start = FOUND + 2
    times = [0] * start + [10**9 * n for n in range(1, PACKETS + 1)]
    colors = [("af11", "af12")[n % 2] for n in range(start + PACKETS)]
    arrivals = {"time_ps": times, "bytes": 1000, "ecn": "ect0", "dscp": colors}
    table = drive("rio", queue, arrivals=arrivals, rate="8 Mbps", seed=seed)
    if any(found != FOUND for found in table.column("queue_packets")[start:]):
        raise RuntimeError(f"the queue was not held at {FOUND} packets")
    marks = [verdict == "mark" for verdict in table.column("verdict")]
    shares = {}
    for number, color in enumerate(("IN", "OUT")):
        first = start + (start + number) % 2
        shares[color] = sum(marks[first::2]) / len(marks[first::2])
    return shares


def _held() -> Iterator[Check]:
    for mode, found in (
        ("coupled", {"IN": FOUND / 2, "OUT": FOUND}),
        ("decoupled", {"IN": FOUND / 2, "OUT": FOUND / 2}),
    ):
        for color, avg in found.items():
            of = (
                "IN packets"
                if color == "IN"
                else "all packets"
                if mode == "coupled"
                else "OUT packets"
            )

            def share(shares: dict[str, float], color: str = color) -> float:
                return shares[color]

            yield Check(
                id=f"rio.held.{mode}.{color}",
                law=(
                    f"{CF98}, section IV: {color} packets are signaled with the probability of "
                    f"their curve at the average of {of}"
                ),
                expected=red.Curve(*CURVES[color]).p_b(avg),
                tolerance=0.05,
                measure=mean_over_generated(("rio", mode), partial(held, mode), share),
            )


# Premium service.

LINK, BURST, MTU = 10_000_000, 12_000, 1500
EF_AT = 10**11 + 1
"""The time at which the premium packets come, ps."""


def premium() -> float:
    """The longest time to the last bit [s] of EF packets, had they come just behind one of a flood:
    more come at once than the bucket has."""
    policer = {"kind": "token_bucket", "rate": "2 Mbps", "burst": f"{BURST} B", "dscp": ["ef"]}
    flood = [(k * 10**9, MTU, "be") for k in range(300)]
    burst = [(EF_AT, 1000, "ef")] * (BURST // 1000 + 8)
    times, sizes, codepoints = zip(*sorted(flood + burst), strict=True)
    arrivals = {"time_ps": times, "bytes": sizes, "dscp": codepoints}
    edge = {**policer, "green": "ef", "yellow": "drop"}
    table = drive(
        "prio",
        {"limit": "500 pkt"},
        arrivals=arrivals,
        rate=f"{LINK} bps",
        mtu=f"{MTU} B",
        conditioner=edge,
    )
    left = [t if isinstance(t, int) else None for t in table.column("left_ps")]
    begun = next(
        t
        for t, dscp in zip(left, codepoints, strict=True)
        if dscp == "be" and t is not None and t > EF_AT
    )
    waits = [
        t - EF_AT
        for t, dscp in zip(left, codepoints, strict=True)
        if dscp == "ef" and t is not None
    ]
    early = EF_AT - (begun - 8 * MTU * 10**12 // LINK)
    return (max(waits) + early) * 1e-12


def _premium() -> Iterator[Check]:
    yield Check(
        id="premium.delay.longest",
        law=(
            "(burst + MTU) / C: a full bucket at once, behind a packet whose transmission has "
            "just begun; RFC 3246, strict priority"
        ),
        expected=droppers.premium_delay(BURST, MTU, LINK),
        tolerance=1e-9,
        measure=once("premium", premium, float),
        unit="s",
    )


# Closed loop.

RATE = 40e6
FLAT = {"min_out": "2 pkt", "max_out": "60 pkt", "max_p_out": 0.006}
ALIKE = 4
"""Flows of each of two kinds."""
WAIT = 27
"""Packets that wait on average, between `min_out` and `max_out`: 8 ms."""
Group = tuple[float, float]
"""Reserved rate [bit/s], and base round trip [s]."""


def loop(kind: str, groups: Sequence[Group]) -> dict[str, Any]:
    """Flows of two kinds over one link; each marks what was reserved for it."""
    flows = []
    for name, (reserved, rtt) in zip(("one", "other"), groups, strict=True):
        flow = paths.sender("sack", rtt) | {"name": name, "count": ALIKE, "start_spread": "2 s"}
        if reserved:
            flow |= {
                "reserved": f"{reserved:.0f} bps",
                "conditioner": {"kind": "token_bucket", "burst": "20 pkt"},
            }
        flows.append(flow)
    return {
        "duration": "220 s",
        "warmup": "20 s",
        "dumbbell": {
            "bottleneck": {"rate": f"{RATE:.0f} bps", "delay": "1 ms"},
            "access": {"rate": "1 Gbps"},
        },
        "queue": {"kind": kind, "limit": "400 pkt", "spacing": "bernoulli", "w_q": 0.02, **FLAT},
        "flow": flows,
    }


def _ratio(run: Run) -> float:
    """Returns the throughput of flows of the second kind over that of the first."""
    return total(run, "throughput_bps", "other.") / total(run, "throughput_bps", "one.")


def _expected(weight: droppers.Weight, groups: Sequence[Group]) -> float:
    """The ratio by the model, with what packets wait in the queue added to each round trip."""
    wait = WAIT * 8 * 1500 / RATE
    flows = [droppers.Flow(reserved, rtt + wait) for reserved, rtt in groups for _ in range(ALIKE)]
    rates = droppers.rates(flows, RATE, weight)
    return rates[-1] / rates[0]


RATES: tuple[Group, Group] = ((1e6, 0.05), (2e6, 0.05))
TRIPS: tuple[Group, Group] = ((1e6, 0.12), (1e6, 0.04))
"""The nearer ones second: with RIO they get more."""
SPARE = (RATE - 2 * ALIKE * 1e6) / (2 * ALIKE)


def _closed() -> Iterator[Check]:
    cases: tuple[tuple[str, str, Sequence[Group], droppers.Weight, str], ...] = (
        (
            "rio",
            "r-2-to-1",
            RATES,
            droppers.rio,
            "t (t - r) is equal for all: doubling a reservation adds less than the reservation",
        ),
        (
            "rate_proportional",
            "r-2-to-1",
            RATES,
            droppers.rate_proportional,
            "t (t - r) is proportional to r: doubling a reservation adds more than the reservation",
        ),
        (
            "rio",
            "rtt-1-to-3",
            TRIPS,
            droppers.rio,
            "t (t - r) is proportional to 1 / RTT^2: the nearer flow gets most of the spare rate",
        ),
        (
            "drio",
            "rtt-1-to-3",
            TRIPS,
            droppers.drio,
            "t (t - r)^2 is proportional to 1 / RTT^2: OUT rates are closer to each other",
        ),
        (
            "r_rtt_adaptive",
            "rtt-1-to-3",
            TRIPS,
            droppers.r_rtt(SPARE),
            "each gets r + S, whatever its round-trip time",
        ),
    )
    for kind, name, groups, weight, law in cases:
        yield Check(
            id=f"{kind}.share.{name}",
            law=f"{law}; TCP's model with losses of OUT packets only",
            expected=_expected(weight, groups),
            tolerance=0.1,
            measure=mean_over_seeds(loop(kind, groups), _ratio),
        )


CHECKS: list[Check] = [*_held(), *_premium(), *_closed()]
