"""Single queues under Poisson arrivals, against queueing theory.

A Poisson source feeds one link directly. The service time of the mean packet is 1 ms. Loads are
offered loads rho. The length of a port leaves out the packet in service unless `count_in_service`
is true. So the K of queueing theory is `limit` K with it, and K - 1 without it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from ....aqm_response.drive import drive
from ....files.write import temporary_folder
from ....result import Result
from ....scenario import Scenario
from ...check import Check
from ...laws import queueing, red
from ...readings import Run, dropped_share, mean, of_queue
from ...runner import conserving, mean_over_generated, mean_over_seeds, worst

SERVICE_S = 1e-3
"""Mean time of transmission."""
HEADER, MEAN = 28, 5000
"""Bytes: of UDP over IPv4, and of a mean packet. At 5000 B the shortest and longest that exist
matter least."""

LENGTH_TOLERANCE, BLOCKING_TOLERANCE, UTILISATION_TOLERANCE = 0.02, 0.05, 0.005
"""For at least a million packets a run: lengths and waiting times; blocking, which is rarer; shares
of time."""
QUANTILE_TOLERANCE = 1 / 32 + 0.01
"""A port counts waiting times in steps of 1/32 of an octave."""
LITTLE_TOLERANCE = 1e-3
SAMPLED_TOLERANCE = 3e-3
"""Of a mean over samples 10 ms apart against the mean over time. Between two samples a queue under
load 0.8 makes 18 steps of one packet. So the mean of 400,000 samples deviates by sqrt(18 / 12 /
400000) packets, 0.06 % of Lq. This is five times as much."""


def port(
    rho: float,
    sizes: str,
    *,
    seconds: int,
    limit: str = "unlimited",
    whole: bool = False,
    **queue: Any,
) -> dict[str, Any]:
    """The scenario. sizes: of packets, `fixed` or `exponential`; whole: the length counts the
    packet in service; queue: its other words, of drop tail if there is no `kind`."""
    rate = rho * 8 * (MEAN - HEADER) / SERVICE_S
    source = {
        "kind": "poisson",
        "rate": f"{rate:.0f} bps",
        "packet": f"{MEAN - HEADER} B",
        "sizes": sizes,
    }
    link = {
        "name": "port",
        "between": ["a", "b"],
        "rate": f"{8 * MEAN / SERVICE_S:.0f} bps",
        "delay": "1 ms",
        "mtu": "65535 B",
        "queue": {"kind": "drop_tail", "limit": limit, "count_in_service": whole, **queue},
    }
    return {
        "duration": f"{seconds + 20} s",
        "warmup": "20 s",
        "host": [{"name": "a"}, {"name": "b"}],
        "link": [link],
        "flow": [{"from": "a", "to": "b", "source": source}],
    }


length = of_queue("mean_packets")
"""Mean length, packets, by the port's convention."""
utilisation = of_queue("utilization")
"""Share of time in which the transmitter is busy."""


def waiting(run: Run) -> float:
    """Mean waiting time before service, service times."""
    return float(run["queues"][0]["mean_sojourn_s"]) / SERVICE_S


def waiting_p99(run: Run) -> float:
    """The 99th percentile of the waiting time, service times."""
    return float(run["queues"][0]["p99_sojourn_s"]) / SERVICE_S


def blocking(run: Run) -> float:
    """Share of arrivals that are dropped for want of room."""
    queue = run["queues"][0]
    return float(queue["drops"]["overflow"] / queue["arrivals"])


def little(run: Run) -> float:
    """Mean length over admitted rate times mean waiting time: 1 by Little's law."""
    queue, seconds = run["queues"][0], run["duration_s"] - run["warmup_s"]
    rate = (queue["arrivals"] - sum(queue["drops"].values())) / seconds
    return float(queue["mean_packets"] / (rate * queue["mean_sojourn_s"]))


KLEINROCK = "Kleinrock 1975"
MM1, MD1 = (
    f"M/M/1 ({KLEINROCK}, section 3.2)",
    f"M/D/1 (Pollaczek-Khinchine; {KLEINROCK}, section 5.6)",
)
MM1K = f"M/M/1/K ({KLEINROCK}, section 3.6)"
MD1K = "M/D/1/K (chain embedded at departures; Gross and Harris 1998, section 5.1.8)"


def _infinite() -> Iterator[Check]:
    """M/M/1 and M/D/1: the mean number in the system, by load."""
    for rho, seconds in ((0.5, 1000), (0.8, 4000), (0.9, 20000)):
        for name, law, value, sizes in (
            ("mm1", f"{MM1}: L = rho / (1 - rho)", queueing.mm1_length(rho), "exponential"),
            ("md1", f"{MD1}: L = rho + rho^2 / (2 (1 - rho))", queueing.md1_length(rho), "fixed"),
        ):
            scenario = port(rho, sizes, whole=True, seconds=seconds)
            measure = mean_over_seeds(scenario, length)
            quick = rho < 0.9
            yield Check(
                f"{name}.rho-{rho}.L", law, value, LENGTH_TOLERANCE, measure, "packets", quick=quick
            )


def _moments() -> Iterator[Check]:
    """The other means of both queues at one load."""
    rho = 0.8
    for name, law, sizes, scv, words in (
        ("mm1", MM1, "exponential", 1.0, "rho / (1 - rho)"),
        ("md1", MD1, "fixed", 0.0, "rho / (2 (1 - rho)), half of M/M/1's"),
    ):
        wait = queueing.pollaczek_khinchine(rho, scv)
        scenario = port(rho, sizes, seconds=4000)
        for part, text, expected, tolerance, measure, unit in (
            (
                "Lq",
                f"{law}: without the packet in service, Lq = rho Wq",
                rho * wait,
                LENGTH_TOLERANCE,
                length,
                "packets",
            ),
            (
                "Wq",
                f"{law}: mean wait before service, {words}",
                wait,
                LENGTH_TOLERANCE,
                waiting,
                "service times",
            ),
            (
                "utilisation",
                "A queue without losses is busy for the share rho",
                rho,
                UTILISATION_TOLERANCE,
                utilisation,
                "",
            ),
        ):
            yield Check(
                f"{name}.rho-{rho}.{part}",
                text,
                expected,
                tolerance,
                mean_over_seeds(scenario, measure),
                unit,
            )
    yield Check(
        f"mm1.rho-{rho}.Wq-p99",
        f"{MM1}: 99th percentile, P(Wq > t) = rho exp(-(1 - rho) t)",
        queueing.mm1_waiting_quantile(rho, 0.99),
        QUANTILE_TOLERANCE,
        mean_over_seeds(port(rho, "exponential", seconds=4000), waiting_p99),
        "service times",
    )


def _finite() -> Iterator[Check]:
    """Queues with room for K packets, the one in service included."""
    sizes = {"mm1k": ("exponential", MM1K, queueing.mm1k), "md1k": ("fixed", MD1K, queueing.md1k)}
    points = [
        ("mm1k", 0.5, 10, 20000),
        ("mm1k", 0.8, 10, 2000),
        ("mm1k", 0.9, 20, 4000),
        ("mm1k", 0.95, 50, 20000),
        ("mm1k", 1.0, 20, 1000),
        ("mm1k", 1.2, 20, 500),
        ("md1k", 0.8, 10, 8000),
        ("md1k", 1.0, 20, 2000),
        ("md1k", 1.2, 20, 500),
    ]  # So long that intervals are well within the tolerances.
    for name, rho, k, seconds in points:
        kind, source, law = sizes[name]
        scenario = port(rho, kind, limit=f"{k} pkt", whole=True, seconds=seconds)
        known = law(rho, k)
        for part, words, expected, tolerance, measure, unit in (
            (
                "blocking",
                "share of arrivals that find it full",
                known.blocking,
                BLOCKING_TOLERANCE,
                blocking,
                "",
            ),
            ("L", "mean number in the system", known.length, LENGTH_TOLERANCE, length, "packets"),
            (
                "utilisation",
                "share of busy time",
                known.utilisation,
                UTILISATION_TOLERANCE,
                utilisation,
                "",
            ),
        ):
            yield Check(
                f"{name}.rho-{rho}.K-{k}.{part}",
                f"{source}: {words}",
                expected,
                tolerance,
                mean_over_seeds(scenario, measure),
                unit,
                quick=seconds < 8000,
            )
    # The other convention: K - 1 wait, the transmitter holds one more.
    rho, k = 0.8, 10
    known, scenario = (
        queueing.mm1k(rho, k),
        port(rho, "exponential", limit=f"{k - 1} pkt", seconds=2000),
    )
    for part, expected, tolerance, measure, unit in (
        ("blocking", known.blocking, BLOCKING_TOLERANCE, blocking, ""),
        ("Lq", known.waiting_packets, LENGTH_TOLERANCE, length, "packets"),
        ("Wq", known.waiting, LENGTH_TOLERANCE, waiting, "service times"),
    ):
        yield Check(
            f"mm1k.rho-{rho}.K-{k}.outside-service.{part}",
            f"{MM1K}: at most K - 1 packets wait, with `count_in_service = false`",
            expected,
            tolerance,
            mean_over_seeds(scenario, measure),
            unit,
        )


def _red_with_memoryless_traffic() -> Iterator[Check]:
    """RED that looks at the queue itself and drops by independent coins is a birth-death chain."""
    words = {
        "w_q": 1.0,
        "min_th": "2 pkt",
        "max_th": "12 pkt",
        "max_p": 0.5,
        "min_q_for_drop": "0 pkt",
    }
    curve = red.Curve(min_th=2, max_th=12, max_p=0.5)
    for rho in (0.9, 1.5):
        known = queueing.birth_death(rho, [curve.p_b(n) for n in range(13)])
        scenario = port(
            rho,
            "exponential",
            limit="200 pkt",
            whole=True,
            seconds=500,
            kind="red",
            spacing="bernoulli",
            **words,
        )
        law = (
            "RED with w_q = 1 and independent random draws under M/M/1 traffic is a birth-death "
            "chain (Bonald et al. 2000)"
        )
        yield Check(
            f"red.mm1.rho-{rho}.loss",
            law,
            known.blocking,
            BLOCKING_TOLERANCE,
            mean_over_seeds(scenario, dropped_share),
        )
        yield Check(
            f"red.mm1.rho-{rho}.L",
            law,
            known.length,
            LENGTH_TOLERANCE,
            mean_over_seeds(scenario, length),
            "packets",
        )


TCP = {
    "duration": "60 s",
    "warmup": "10 s",
    "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "10 ms"}},
    "queue": {"kind": "red", "limit": "60 pkt"},
    "flow": [{"name": "s", "count": 5, "start_spread": "5 s"}],
}
"""Five TCP flows through RED, for what holds whatever the traffic is."""


def _accounts() -> Iterator[Check]:
    """Invariants of each run, whatever is random in it; the worst of the seeds is checked. Little's
    law is about waiting packets: a port's sojourn time ends when service begins.

    A port that decides at arrival computes its mean length from the sum of waits. There `little.*`
    checks the number of packets and the window; `_sampled` checks the waits."""
    for name, scenario in (
        ("mm1", port(0.8, "exponential", seconds=4000)),
        ("mm1k", port(0.8, "exponential", limit="9 pkt", seconds=2000)),
        ("md1k", port(1.2, "fixed", limit="19 pkt", seconds=500)),
        ("tcp-red", TCP),
    ):
        yield Check(
            f"little.{name}",
            "Little's law L = lambda W in each run, where lambda is the rate of admitted packets "
            "(Little 1961)",
            1.0,
            LITTLE_TOLERANCE,
            worst(scenario, little, 1.0),
        )
        yield Check(
            f"conservation.{name}",
            "Each packet arrived, was dropped for a named reason, or was in flight at the end",
            0.0,
            0.0,
            worst(scenario, unaccounted, 0.0),
            "packets",
        )


def unaccounted(run: Run) -> float:
    """Packets of the whole network that nobody answers for."""
    account = run["conservation"]
    return float(
        account["sent"] - account["delivered"] - account["dropped"] - account["in_network"]
    )


def _sampled() -> Iterator[Check]:
    """The length at instants 10 ms apart: the port's backlog, whatever the waits are."""
    rho = 0.8
    scenario = {**port(rho, "exponential", seconds=4000), "record": {"every": "10 ms"}}
    for name, law, expected, tolerance, measure, unit in (
        (
            f"mm1.rho-{rho}.Lq-sampled",
            f"{MM1}: Lq = rho^2 / (1 - rho), at instants 10 ms apart",
            queueing.mm1_waiting_packets(rho),
            LENGTH_TOLERANCE,
            lambda run: run[0],
            "packets",
        ),
        (
            "little.sampled.mm1",
            "Little's law L = lambda W, where L is the mean of lengths at instants 10 ms apart "
            "(Little 1961)",
            1.0,
            SAMPLED_TOLERANCE,
            lambda run: run[0] / run[1],
            "",
        ),
    ):
        yield Check(
            name,
            law,
            expected,
            tolerance,
            mean_over_generated(
                ("sampled", rho), partial(sampled_length_and_product, scenario), measure
            ),
            unit,
        )


def sampled_length_and_product(scenario: dict[str, Any], seed: int) -> tuple[float, float]:
    """Returns the first queue's mean length over the records after the warm-up, and the rate of
    admitted packets times their mean wait, both in packets."""
    with temporary_folder() as folder:
        result = Scenario(scenario).run(seed=seed, replications=1, out=folder)
        assert isinstance(result, Result)
        run = conserving(result.json)
        queue, series = run["queues"][0], result.series("queues")
        rows = zip(
            *(series.column(name) for name in ("queue", "time_s", "queue_packets")), strict=True
        )
        lengths = [
            packets for name, at, packets in rows if name == queue["name"] and at > run["warmup_s"]
        ]
    seconds = run["duration_s"] - run["warmup_s"]
    rate = (queue["arrivals"] - sum(queue["drops"].values())) / seconds
    return mean(lengths), float(rate * queue["mean_sojourn_s"])


def found_by_poisson_arrivals(rho: float, packets: int, seed: int) -> float:
    """Returns the mean number of packets that the packets of one Poisson stream find waiting; the
    port gets them one by one."""
    chance = random.Random(seed)
    times, lengths, now = [], [], 0.0
    for _ in range(packets):
        now += chance.expovariate(rho / SERVICE_S)
        times.append(now)
        lengths.append(min(65535, max(1, round(chance.expovariate(1 / MEAN)))))
    arrivals = {"time_s": times, "bytes": lengths}
    table = drive(
        "drop_tail",
        {"limit": "unlimited"},
        arrivals=arrivals,
        rate=f"{8 * MEAN / SERVICE_S:.0f} bps",
    )
    return sum(table.numbers("queue_packets")) / packets


def _pasta() -> Check:
    rho, packets = 0.5, 200_000
    return Check(
        f"pasta.mm1.rho-{rho}.Lq",
        "Poisson arrivals see time averages (Wolff 1982): they find Lq of M/M/1 waiting",
        queueing.mm1_waiting_packets(rho),
        2 * LENGTH_TOLERANCE,
        mean_over_generated(
            ("pasta", rho, packets), partial(found_by_poisson_arrivals, rho, packets), float
        ),
        "packets",
    )


CHECKS: list[Check] = [
    *_infinite(),
    *_moments(),
    *_finite(),
    *_red_with_memoryless_traffic(),
    *_accounts(),
    *_sampled(),
    _pasta(),
]
