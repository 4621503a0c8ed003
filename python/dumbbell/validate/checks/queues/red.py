"""RED by itself: its average, its curve and the spacing of its signals, each at a fixed point.

Two methods keep a queue at a fixed length. For the average, which needs a length from the first
arrival on, one large packet fills a queue that is limited and measured in bytes, and small ones are
dropped. For the signals, packets that can be marked arrive exactly as fast as the link sends them,
behind a burst; a mark removes none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from operator import itemgetter
from typing import Any

from ....aqm_response.drive import drive
from ....data.arrow import Table
from ...check import Check
from ...laws import red
from ...measured import Measured
from ...readings import mean, share
from ...runner import Runner, mean_over_generated, once

PACKETS = 200_000
"""The number of arrivals at a held queue with each seed."""
W = 0.002
MEAN_TOLERANCE, FREQUENCY_TOLERANCE = 0.02, 0.03
"""For at least 2000 spacings, or 10 000 signals, a seed."""
VARIANCE_TOLERANCE = 0.05
ROUNDING = 1e-9
"""For formulas that differ in the order of floating-point operations only, over some hundred of
them."""
Z = 3.09
"""A normal quantile: a statistic lies beyond it once in 1000 passports."""

FJ93 = "Floyd and Jacobson 1993"


def bounced(queue: float, arrivals: int) -> list[float]:
    """avg after each of some arrivals that all find `queue` packets, from 0."""
    mean = 200
    full = round(queue * mean)
    words = {
        "byte_mode": True,
        "mean_packet_size": f"{mean} B",
        "w_q": W,
        "min_th": "500 pkt",
        "max_th": "600 pkt",
    }
    packets = [(0, 1), (0, full)] + [(0, 1)] * arrivals
    table = drive(
        "red", {"limit": f"{full} B", **words}, arrivals=packets, rate="1 Mbps", mtu=f"{full} B"
    )
    _expect(table.column("verdict")[2:], "drop")
    return table.numbers("avg")[2:]


def burst(packets: int) -> list[float]:
    """avg after each packet of a burst into an empty queue, the n-th of which finds n."""
    words = {"w_q": W, "min_th": "500 pkt", "max_th": "600 pkt", "count_in_service": True}
    arrivals = [(0, 1000)] * (packets + 1)
    return drive("red", {"limit": "1000 pkt", **words}, arrivals=arrivals, rate="8 Mbps").numbers(
        "avg"
    )


def decayed(style: str, fraction: str, packets: int, idle_s: float) -> float:
    """avg at the first arrival after a burst of `packets`, which take 1 ms each, and an idle
    time."""
    words = {"w_q": W, "idle_style": style, "idle_fraction": fraction, "mean_packet_size": "500 B"}
    words |= {"min_th": "500 pkt", "max_th": "600 pkt", "count_in_service": True}
    arrivals = [(0.0, 1000)] * (packets + 1) + [((packets + 1) * 1e-3 + idle_s, 1000)]
    return drive("red", {"limit": "1000 pkt", **words}, arrivals=arrivals, rate="8 Mbps").numbers(
        "avg"
    )[-1]


def held(found: int, seed: int, **words: Any) -> list[bool]:
    """For each packet, True if it is marked when it finds `found` waiting; w_q is 1, so that this
    is avg."""
    queue = {
        "limit": "100 pkt",
        "ecn": True,
        "w_q": 1.0,
        "min_th": "5 pkt",
        "max_th": "15 pkt",
        "max_p": 0.1,
        **words,
    }
    start = found + 2
    times = [0] * start + [10**9 * n for n in range(1, PACKETS + 1)]
    arrivals = {"time_ps": times, "bytes": 1000, "ecn": "ect0"}
    table = drive("red", queue, arrivals=arrivals, rate="8 Mbps", seed=seed)
    _expect(table.column("queue_packets")[start:], found)
    return [verdict == "mark" for verdict in table.column("verdict")[start:]]


def overload(gentle: bool) -> Table:
    """Bursts of 12 packets, 20 % more than the link carries, into a RED whose average follows
    fast."""
    words = {"w_q": 0.05, "min_th": "5 pkt", "max_th": "15 pkt", "max_p": 0.1, "gentle": gentle}
    words |= {"min_q_for_drop": "0 pkt", "spacing": "bernoulli", "count_in_service": True}
    times = [n // 12 * 10**10 for n in range(40_000)]
    arrivals = {"time_ps": times, "bytes": 1000}
    return drive("red", {"limit": "100 pkt", **words}, arrivals=arrivals, rate="8 Mbps")


def _expect(column: list[Any], value: Any) -> None:
    """That the queue was held, without which a measurement means nothing."""
    if any(x != value for x in column):
        raise RuntimeError(f"the queue was not held: expected {value} throughout")


def _average() -> Iterator[Check]:
    for threshold, queue in ((5, 25), (5, 50), (6, 36), (12, 36), (15, 25), (70, 300)):
        expected = red.step_arrivals(threshold, queue, W)

        def count(avg: list[float], threshold: float = threshold) -> float:
            return next(n for n, value in enumerate(avg, 1) if value >= threshold)

        yield Check(
            f"red.average.step.Q-{queue}.theta-{threshold}",
            f"{FJ93}: arrivals that find Q until avg >= theta, ln(1 - theta/Q) / ln(1 - w_q), w_q "
            f"= {W}",
            expected,
            0.0,
            once(("step", queue), partial(bounced, queue, 1000), count),
            "arrivals",
        )
    for n in (10, 100, 1000):
        yield Check(
            f"red.average.step.Q-36.n-{n}",
            f"{FJ93}: avg = Q (1 - (1 - w_q)^n) after n arrivals that find Q = 36",
            red.step(36, W, n),
            ROUNDING,
            once(("step", 36), partial(bounced, 36, 1000), itemgetter(n - 1)),
            "packets",
        )
    for n in (10, 100):
        yield Check(
            f"red.average.burst.n-{n}",
            f"{FJ93}, equation 3: avg = n + 1 + ((1 - w_q)^(n+1) - 1) / w_q after a burst of n",
            red.burst(n, W),
            ROUNDING,
            once("burst", partial(burst, 200), itemgetter(n)),
            "packets",
        )
    yield Check(
        "red.average.burst.longest",
        f"{FJ93}, equation 3: the longest burst that leaves avg below min_th = 5",
        red.longest_burst(5, W),
        0.0,
        once("burst", partial(burst, 200), lambda avg: sum(value < 5 for value in avg[1:])),
        "packets",
    )


def _idle() -> Iterator[Check]:
    packets, idle_s = 100, 0.0103
    before = red.burst(packets, W)
    m = red.typical_packets(idle_s, 8e6, 500)
    for style, fraction, decays in (
        ("paper", "floor", int(m)),
        ("paper", "real", m),
        ("ns2", "floor", int(m) + 1),
    ):
        yield Check(
            f"red.idle.{style}.{fraction}",
            f"{FJ93}, section 4: avg (1 - w_q)^m after an idle time of m typical packets"
            + ("; ns-2 adds the update for q = 0" if style == "ns2" else ""),
            red.idle(before, W, decays),
            ROUNDING,
            once(
                ("idle", style, fraction), partial(decayed, style, fraction, packets, idle_s), float
            ),
            "packets",
        )


def _curve() -> Iterator[Check]:
    for name, gentle in (("linear", False), ("gentle", True)):
        curve = red.Curve(5, 15, 0.1, gentle)

        def off(table: Table, curve: red.Curve = curve) -> float:
            avg = red.averages(table.numbers("queue_packets"), 0.05)
            return max(
                abs(curve.p_b(a) - p) for a, p in zip(avg, table.numbers("p_b"), strict=True)
            )

        yield Check(
            f"red.curve.{name}.p_b",
            f"{FJ93}, Fig. 2{'; Floyd 2000, gentle' if gentle else ''}: worst difference of p_b "
            f"over 40 000 arrivals",
            0.0,
            ROUNDING,
            once(("curve", gentle), partial(overload, gentle), off),
            absolute=True,
        )
    for found, gentle in ((10, False), (14, False), (22, True)):
        yield Check(
            f"red.curve.frequency.avg-{found}",
            f"{FJ93}: share of packets signaled at avg = {found}, by independent random "
            f"draws{' (gentle)' if gentle else ''}",
            red.Curve(5, 15, 0.1, gentle).p_b(found),
            FREQUENCY_TOLERANCE,
            mean_over_generated(
                ("held", found, gentle),
                partial(held, found, spacing="bernoulli", gentle=gentle),
                share,
            ),
        )


def _regions() -> Iterator[Check]:
    def signalled(inside: Callable[[float], bool]) -> Callable[[Table], float]:
        def measure(table: Table) -> float:
            rows = zip(table.numbers("avg"), table.column("reason"), strict=True)
            return share([why is not None for avg, why in rows if inside(avg)])

        return measure

    make = partial(overload, False)
    law = f"{FJ93}, Fig. 2: below min_th no packet is signaled"
    yield Check(
        "red.region.below",
        law,
        0.0,
        0.0,
        once(("curve", False), make, signalled(lambda avg: avg < 5)),
    )
    law = f"{FJ93}, Fig. 2: at or above max_th every packet is signaled"
    yield Check(
        "red.region.above",
        law,
        1.0,
        0.0,
        once(("curve", False), make, signalled(lambda avg: avg >= 15)),
    )


def spacings(marks: list[bool]) -> list[int]:
    """Packets from one mark to the next."""
    at = [n for n, mark in enumerate(marks) if mark]
    return [b - a for a, b in pairwise(at)]


def _spacing() -> Iterator[Check]:
    p_b = red.Curve(5, 15, 0.1).p_b(7)
    laws = {
        "bernoulli": (red.geometric(p_b), "method 1: geometric"),
        "uniform": (red.uniform(p_b), "method 2, Fig. 2: uniform on 1 .. 1/p_b - 1"),
        "uniform_wait": (red.uniform_wait(p_b), "wait: uniform on 1/p_b .. 2/p_b - 1"),
        "uniform_stored": (red.uniform_stored(p_b), "Fig. 17: uniform on 1 .. 1/p_b"),
    }
    for name, (law, words) in laws.items():
        make: Callable[[int], list[int]] = partial(_spacings_of, name)
        key = ("spacing", name)
        source = f"{FJ93}, {words}"
        tolerance = 2.5 * MEAN_TOLERANCE if name == "bernoulli" else MEAN_TOLERANCE
        yield Check(
            f"red.spacing.{name}.mean",
            f"{source}: mean",
            law.mean,
            tolerance,
            mean_over_generated(key, make, mean),
            "packets",
        )
        yield _fit(name, law, source, key, make)
        if name != "bernoulli":
            yield Check(
                f"red.spacing.{name}.variance",
                f"{source}: variance",
                law.variance,
                VARIANCE_TOLERANCE,
                mean_over_generated(key, make, _variance),
            )
            yield Check(
                f"red.spacing.{name}.most",
                f"{source}: most",
                law.most,
                0.0,
                mean_over_generated(key, make, _most),
                "packets",
            )


def _spacings_of(name: str, seed: int) -> list[int]:
    return spacings(held(7, seed, spacing=name))


def _most(sample: Sequence[int]) -> float:
    return max(sample)


def _variance(sample: Sequence[int]) -> float:
    center = mean(sample)
    return sum((x - center) ** 2 for x in sample) / (len(sample) - 1)


def _fit(name: str, law: red.Law, source: str, key: Any, make: Callable[[int], list[int]]) -> Check:
    """Pearson's chi-square of all seeds together: its mean is that of the law's degrees of
    freedom."""
    dof = len(red.classes(law)) - 1

    def measure(runner: Runner) -> Measured:
        sample = [x for spacings in runner.generated(key, make) for x in spacings]
        return Measured(red.chi_square(sample, law), n=runner.seeds)

    return Check(
        f"red.spacing.{name}.chi-square",
        f"{source}: Pearson's statistic, which exceeds its bound once in 1000 tests",
        dof,
        red.chi_square_quantile(dof, Z) - dof,
        measure,
        absolute=True,
    )


CHECKS: list[Check] = [*_average(), *_idle(), *_curve(), *_regions(), *_spacing()]
