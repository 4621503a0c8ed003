"""Queues in closed loop: delay controllers reach their target, Adaptive RED its band, schedulers
their shares.

All flows are alike. The link gives each of them `share` packets per base round trip. A controller
can reach a delay target only if flows can react. Below about ten packets per round trip a signal
costs a timeout. Where one flow's sawtooth is deeper than the target, the queue empties between
signals under every controller. docs/reference/queues.md has the curve outside of these limits.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from ....aqm_response.drive import drive
from ...check import Check
from ...laws.tcp import control
from ...measured import Measured
from ...readings import Run, of_queue, total
from ...recorded import Recorded
from ...runner import Runner, mean_over_seeds, of_records, once

PACKET = 1500
FLOWS = (5, 20, 100)
PLACES = ((0.02, 10), (0.05, 10), (0.05, 20), (0.1, 10))
"""Base round trip, and packets of each flow in it."""


def loop(
    queue: dict[str, Any], flows: int, share: float, rtt: float, **words: Any
) -> dict[str, Any]:
    """Equal flows over one queue with a buffer that never fills."""
    link = control.rate(flows, share, rtt, PACKET)
    return {
        "duration": "60 s",
        "warmup": "20 s",
        "profile": "linux",
        "dumbbell": {
            "bottleneck": {"rate": f"{link:.0f} bps", "delay": "1 ms"},
            "access": {"rate": "1 Gbps"},
        },
        "queue": {"limit": "10000 pkt", **queue},
        "flow": [{"count": flows, "cc": "sack", "rtt": f"{rtt * 1e3:g} ms", "start_spread": "2 s"}],
        **words,
    }


def _held() -> Iterator[Check]:
    """PIE and PI2 at their target; CoDel, which only ends what stands, between its own and what
    flows add until they hear of a drop."""
    for kind, rfc in (("pie", "RFC 8033"), ("pi2", "RFC 9332"), ("codel", "RFC 8289")):
        target = control.TARGET[kind]
        for rtt, share in PLACES:
            for flows in FLOWS:
                name = f"{kind}.hold.rtt-{rtt * 1e3:g}ms.share-{share}.n-{flows}"
                law = f"the mean delay is the target of {target * 1e3:g} ms: {rfc}"
                expected, tolerance = target, 0.2
                if kind == "codel":
                    law = (
                        "the mean delay is above the target by half of what flows add in an "
                        f"interval and two round trips at most: {rfc}"
                    )
                    low, high = control.codel_delays(share, rtt)
                    expected, tolerance = (low + high) / 2, (high - low) / (high + low)
                yield Check(
                    id=name,
                    law=law,
                    expected=expected,
                    tolerance=tolerance,
                    measure=mean_over_seeds(
                        loop({"kind": kind}, flows, share, rtt), of_queue("mean_sojourn_s")
                    ),
                    unit="s",
                    quick=(flows, rtt) == (20, 0.05),
                )


def _average(seen: Recorded) -> float:
    """The mean of Adaptive RED's average in the last half, packets."""
    rows = seen.table("queues")
    late = [
        avg for t, avg in zip(rows.numbers("time_s"), rows.numbers("avg"), strict=True) if t > 60.0
    ]
    return sum(late) / len(late)


def _adaptive() -> Iterator[Check]:
    words = {
        "duration": "120 s",
        "warmup": "60 s",
        "record": {"every": "20 ms", "flows": False},
    }
    for rtt, share in ((0.05, 8), (0.1, 8), (0.1, 10)):
        for flows in FLOWS:
            link = control.rate(flows, share, rtt, PACKET)
            low, high = control.red_band(*control.red_thresholds(link, PACKET))
            queue = {"kind": "adaptive_red", "mean_packet_size": f"{PACKET} B"}
            yield Check(
                id=f"adaptive_red.band.rtt-{rtt * 1e3:g}ms.share-{share}.n-{flows}",
                law=(
                    "avg ends between 40 and 60 % of the way from min_th to max_th: Floyd, "
                    "Gummadi, Shenker 2001"
                ),
                expected=(low + high) / 2,
                tolerance=(high - low) / 2,
                absolute=True,
                measure=of_records(loop(queue, flows, share, rtt, **words), _average),
                unit="packets",
                quick=(flows, share) == (20, 10),
            )


def _load(run: Run) -> float:
    """Bits that came to the queue over bits that the link carries."""
    queue = run["queues"][0]
    sent = queue["departed_bytes"] / queue["utilization"]
    return float(queue["arrived_bytes"] / sent)


def _others() -> Iterator[Check]:
    yield Check(
        id="avq.load.n-100",
        law=(
            "the virtual capacity settles where the load is gamma = 0.98 of the link: "
            "Kunniyur, Srikant 2001"
        ),
        expected=control.AVQ_LOAD,
        tolerance=0.02,
        measure=mean_over_seeds(loop({"kind": "avq"}, 100, 10, 0.05), _load),
    )
    for flows in (20, 100):
        yield Check(
            id=f"pi.hold.n-{flows}",
            law=(
                "an integrator leaves no steady-state error: the mean queue is q_ref = 50 "
                "packets: Hollot et al. 2001"
            ),
            expected=control.PI_REFERENCE,
            tolerance=0.1,
            measure=mean_over_seeds(
                loop({"kind": "pi"}, flows, 10, 0.05), of_queue("mean_packets")
            ),
            unit="packets",
        )


def _drops() -> list[float]:
    """Seconds from CoDel's first drop to each of the next ones, in a queue that no drop shortens
    for long."""
    times = [0] * 2000 + [n * 10**9 for n in range(1, 2000)]
    table = drive(
        "codel", {"limit": "unlimited"}, arrivals={"time_ps": times, "bytes": 1000}, rate="8 Mbps"
    )
    dropped = sorted(int(at) for at in table.column("dropped_ps") if at is not None)
    return [(at - dropped[0]) / 1e12 for at in dropped[1:]]


def _control_law() -> Iterator[Check]:
    """A packet takes 1 ms, and drops are at the ends of transmissions."""
    for k in (1, 4, 14):
        yield Check(
            id=f"codel.drop-{k + 1}",
            law=(
                "after the k-th drop the next is due interval / sqrt(k) later, exact "
                "to the packet: RFC 8289"
            ),
            expected=control.codel_drops(0.1, k)[-1],
            tolerance=0.001,
            absolute=True,
            measure=once("codel", _drops, itemgetter(k - 1)),
            unit="s",
        )


def _ratio(run: Run) -> float:
    """Goodput of the flows named `near` over that of those named `far`."""
    return total(run, "goodput_bps", "near") / total(run, "goodput_bps", "far")


def _two(queue: dict[str, Any], near: dict[str, Any], far: dict[str, Any]) -> dict[str, Any]:
    """Two groups of flows over 20 Mbit/s."""
    scenario = loop(queue, 1, 1, 0.05)
    scenario["dumbbell"]["bottleneck"]["rate"] = "20 Mbps"
    groups = (("near", near), ("far", far))
    scenario["flow"] = [
        {"cc": "sack", "start_spread": "2 s", "name": name, **words} for name, words in groups
    ]
    return scenario


def _equal() -> Iterator[Check]:
    """Whoever always has packets waiting gets the same, exactly; a controller lets far flows run
    dry now and then."""
    law = "backlogged flows get equal shares, whatever their round-trip times: RFC 8290"
    cases = [("fq", "sack", 40, 0.01), ("fq", "sack", 80, 0.01)]
    cases += [
        (kind, "cubic", far, 0.1)
        for kind in ("fq_codel", "fq_pie", "fq_cobalt")
        for far in (40, 80)
    ]
    for kind, cc, far, tolerance in cases:
        # A buffer of many round trips would take the whole run to recover from the first overshoot.
        room = {"limit": "400 pkt"} if kind == "fq" else {}
        near, away = ({"rtt": f"{rtt} ms", "count": 4, "cc": cc} for rtt in (20, far))
        yield Check(
            id=f"{kind}.rtt.20ms-{far}ms",
            law=law,
            expected=1.0,
            tolerance=tolerance,
            measure=mean_over_seeds(_two({"kind": kind, **room}, near, away), _ratio),
            quick=kind in ("fq", "fq_codel"),
        )


def _weighted() -> Iterator[Check]:
    near, far = {"rtt": "40 ms", "count": 2, "dscp": "ef"}, {"rtt": "40 ms", "count": 4}
    for weights in ((1, 1), (3, 1), (1, 4)):
        queue = {"kind": "drr", "weights": [float(w) for w in weights], "limit": "400 pkt"}
        one, other = control.shares(weights)
        yield Check(
            id=f"drr.weights.{weights[0]}-{weights[1]}",
            law="backlogged classes share in proportion to their weights: Shreedhar, Varghese 1996",
            expected=one / other,
            tolerance=0.03,
            measure=mean_over_seeds(_two(queue, near, far), _ratio),
            quick=weights == (3, 1),
        )


def _parted(runner: Runner) -> Measured:
    """Packets of random traffic whose fate differs between RED(5, 15) and ea-RED that does not
    move."""
    still = dict.fromkeys(("alpha_max", "beta_max", "alpha_min", "beta_min"), 0.0)
    times = [n // 9 * 8 * 10**9 + n for n in range(20_000)]
    arrivals = {"time_ps": times, "bytes": [500 + 100 * (n % 7) for n in range(20_000)]}

    def fates(kind: str, **words: Any) -> list[tuple[str, float]]:
        table = drive(
            kind,
            {"limit": "50 pkt", "max_th": "15 pkt", "min_th": "5 pkt", **words},
            arrivals=arrivals,
            rate="6 Mbps",
        )
        return list(zip(map(str, table.column("verdict")), table.numbers("coin"), strict=True))

    pairs = zip(fates("red"), fates("ea_red", **still), strict=True)
    return Measured(sum(a != b for a, b in pairs))


def _still() -> Iterator[Check]:
    yield Check(
        id="ea_red.still",
        law="with steps of 0 the thresholds are constant: RED(5, 15), packet by packet",
        expected=0,
        tolerance=0,
        measure=_parted,
        unit="packets",
    )


CHECKS: list[Check] = [
    *_held(),
    *_control_law(),
    *_adaptive(),
    *_others(),
    *_equal(),
    *_weighted(),
    *_still(),
]
