"""Wireless hops: links that lose, duplicate, corrupt and reorder packets, and transmitters that
retransmit, vary their rate and fail."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

from ....aqm_response.drive import drive
from ....data.arrow import Table
from ...check import Check
from ...laws import links, losses
from ...readings import Run, deviation, lost_on_wire, mean_burst, share, times_on_wire
from ...runner import mean_over_generated, mean_over_seeds, once, worst
from .links import constant

SHARE, DISTANCE, DEVIATION = 0.02, 0.02, 0.05
"""For at least 10 000 of what is counted a seed; a Pareto law's deviation converges slowly."""
PACKETS, MANY = 100_000, 400_000
"""The numbers of packets that each find the link idle; the larger one is for bursts."""


def _spaced(seed: int, packets: int = PACKETS, **words: Any) -> Table:
    """Packets of 1000 B, one each 10 ms, over a link of 8 Mbit/s: each finds it idle."""
    arrivals = {"time_ps": [10**10 * n for n in range(packets)], "bytes": 1000}
    link = {"rate": "8 Mbps", **words}
    return drive("drop_tail", {"limit": "unlimited"}, arrivals=arrivals, seed=seed, **link)


def _lost(table: Table) -> float:
    return share(lost_on_wire(table))


def _losses() -> Iterator[Check]:
    rate = 2e-4
    for unit, units in (("byte", 1000), ("bit", 8000)):
        wire = {"kind": "bernoulli", "loss": rate / (units / 1000), "per": unit}
        yield Check(
            f"bernoulli.per-{unit}",
            f"Independent errors of each {unit}: a packet is lost with any of them, 1 - (1 - p)^n",
            links.any_unit_loss(rate / (units / 1000), units),
            SHARE,
            mean_over_generated(("bernoulli", unit), partial(_spaced, impairment=[wire]), _lost),
        )
    good, bad = 0.9, 0.1
    wire = {"kind": "gilbert_elliott", "mean_good": "900 ms", "mean_bad": "100 ms"}
    key, make = "gilbert-in-time", partial(_spaced, packets=MANY, impairment=[wire])
    yield Check(
        "gilbert_elliott.in-time.loss",
        "A channel with exponential good and bad times: it is bad for mean_bad / (mean_good + "
        "mean_bad)",
        links.exponential_bad(good, bad),
        0.05,
        mean_over_generated(key, make, _lost),
    )
    yield Check(
        "gilbert_elliott.in-time.burst",
        "Sampled every 10 ms, it stays bad with q = b + (1 - b) e^(-(1/g + 1/b) t): bursts have "
        "1 / (1 - q) packets",
        1 / (1 - links.exponential_stay(good, bad, 10e-3)),
        0.05,
        mean_over_generated(key, make, _burst),
        "packets",
    )


def _coded() -> Iterator[Check]:
    data, repair, loss, to_good = 8, 2, 0.2, 0.2
    code = {"kind": "fec", "data": data, "repair": repair}
    to_bad = to_good * loss / (1 - loss)
    bursts = {**code, "loss": 0.0, "to_bad": to_bad, "to_good": to_good}
    law = "A block code that repairs any m losses of n: p P(Binomial(n - 1, p) >= m)"
    apart, together = (
        losses.coded(loss, data, repair),
        losses.coded_bursts(to_bad, to_good, data, repair),
    )
    dealt = f"{law}; bursts, interleaved over 40 blocks"
    chain = "A consecutive block over Gilbert's channel: forward recursion over states and losses"
    for name, wire, what, expected in (
        ("residual", {**code, "loss": loss}, law, apart),
        ("interleaved", {**bursts, "interleave": 40}, dealt, apart),
        ("bursts", bursts, chain, together),
    ):
        make = partial(_spaced, impairment=[wire])
        yield Check(
            f"fec.{name}", what, expected, 0.05, mean_over_generated(("fec", name), make, _lost)
        )


def _burst(table: Table) -> float:
    return mean_burst(lost_on_wire(table))


def _delays() -> Iterator[Check]:
    def late(seed: int, **wire: Any) -> list[float]:
        return times_on_wire(_spaced(seed, impairment=[wire]))

    mean, shape = 2e-3, 5.0
    make = partial(late, kind="jitter", distribution="pareto", mean="2 ms", shape=shape)
    yield Check(
        "jitter.pareto.deviation",
        "Pareto delays with a mean m and a tail exponent a: standard deviation m / sqrt(a (a - "
        "2)); a = 5",
        links.pareto_deviation(mean, shape),
        DEVIATION,
        mean_over_generated("pareto", make, deviation),
        "s",
    )
    share, gap = 0.25, 5
    make = partial(late, kind="reorder", share=share, gap=gap, delay="1 ms")
    yield Check(
        "reorder.distance",
        "None of the gap - 1 packets after a late one is late, each of the others is with p: gap "
        "- 1 + 1 / p",
        links.chosen_distance(share, gap),
        DISTANCE,
        mean_over_generated("reorder", make, _distance),
        "packets",
    )


def _distance(sample: list[float]) -> float:
    late = [n for n, delay in enumerate(sample) if delay > 0]
    return sum(after - before for before, after in pairwise(late)) / (len(late) - 1)


def _fates() -> Iterator[Check]:
    share = 0.05
    for kind, name, key, what in (
        ("duplicate", "share", "duplicated", "copies that a link makes"),
        ("corrupt", "rate", "discarded", "packets that their receiver discards for a bit error"),
    ):
        scenario = constant("8e6", 1000, "100 Mbps", 1000, impairment=[{"kind": kind, name: share}])
        yield Check(
            f"{kind}.{name}",
            f"Independent random events: {what}, over packets sent",
            share,
            SHARE,
            mean_over_seeds(scenario, partial(_counted, key)),
        )


def _counted(key: str, run: Run) -> float:
    account = run["conservation"]
    return float(account[key] / (account["sent"] - account["duplicated"]))


def _arq() -> Iterator[Check]:
    loss, limit = 0.3, 3
    key = "arq"
    make = partial(
        _spaced, service={"kind": "arq", "loss": loss, "limit": limit, "turnaround": "1 ms"}
    )
    yield Check(
        "arq.transmissions",
        "Repetition up to n times: (1 - p^n) / (1 - p) transmissions on average; p = 0.3, n = 3",
        links.arq_transmissions(loss, limit),
        0.005,
        mean_over_generated(key, make, _transmissions),
    )
    yield Check(
        "arq.loss",
        "Repetition up to n times: p^n of the packets are lost; p = 0.3, n = 3",
        links.arq_loss(loss, limit),
        0.05,
        mean_over_generated(key, make, _lost),
    )


def _transmissions(table: Table) -> float:
    """Returns the mean number of transmissions of a packet, each 1 ms long with 1 ms of turn-around
    before the next; a lost one's time ends with its drop."""
    ms, count = 10**9, 0.0
    ends = zip(
        table.numbers("time_ps"), table.numbers("left_ps"), table.numbers("dropped_ps"), strict=True
    )
    for came, left, dropped in ends:
        end = left if left == left else dropped
        count += ((end - came) / ms + 1) / 2
    return count / len(table)


def _rates() -> Iterator[Check]:
    rate, depth, period, packets = 10_000_000, 0.9, 1.0, 5000
    swing = {"kind": "sine", "depth": depth, "period": "1 s"}

    def bits() -> float:
        arrivals = {"time_ps": [0] * packets, "bytes": 1000}
        limit = {"limit": "unlimited"}
        table = drive("drop_tail", limit, arrivals=arrivals, rate=f"{rate} bps", service=swing)
        return links.sine_bits(rate, depth, period, table.numbers("left_ps")[-1] / links.PS)

    yield Check(
        "sine.integral",
        "A saturated transmitter has sent 5000 packets when the integral of its rate is 5000 "
        "packets",
        8.0 * 1000 * packets,
        1e-9,
        once("sine", bits, float),
        "bit",
    )
    words = {"kind": "outage", "mean_up": "90 ms", "mean_down": "30 ms"}
    scenario = constant("12e6", 1000, "10 Mbps", 100, service=words)
    law = 1 - links.exponential_bad(90e-3, 30e-3)
    yield Check(
        "outage.share",
        "A saturated link with exponential times up and down sends for mean_up / (mean_up + "
        "mean_down)",
        law,
        0.05,
        mean_over_seeds(scenario, partial(_sent, 10e6)),
    )
    wave = {"kind": "square", "low": "2 Mbps", "period": "1 s", "duty": 0.25}
    scenario = constant("12e6", 1000, "10 Mbps", 100, service=wave)
    law = (0.25 * 10 + 0.75 * 2) / 10
    yield Check(
        "square.mean",
        "A saturated square wave sends duty x its upper rate + (1 - duty) x its lower rate",
        law,
        1e-3,
        worst(scenario, partial(_sent, 10e6), law),
    )


def _sent(rate: float, run: Run) -> float:
    """Returns the sent bits as a share of those that the upper rate would have sent."""
    seconds = run["duration_s"] - run["warmup_s"]
    return float(run["queues"][0]["departed_bytes"] * 8 / rate / seconds)


CHECKS: list[Check] = [*_losses(), *_coded(), *_delays(), *_fates(), *_arq(), *_rates()]
