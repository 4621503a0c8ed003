"""Sessions: transfers arrive by their distributions, and take the time that theory predicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ...check import Check
from ...laws import traffic
from ...measured import Measured
from ...readings import Run
from ...runner import Runner, mean_over_seeds, worst

MSS, HEADER, ACK = 1460, 40, 40
"""Bytes: of payload in a segment, of TCP and IP over it, and of an acknowledgment."""
BOTTLENECK, ACCESS = 10_000_000, 1_000_000_000
WAY_S = 0.012
"""Propagation one way: 10 ms and two access links of 1 ms."""
WINDOW = 10

_TCP = {
    "mss": f"{MSS} B",
    "handshake": False,
    "initial_window": f"{WINDOW} pkt",
    "delayed_ack": "each",
}


def network(session: dict[str, Any], seconds: int, warmup: int = 0) -> dict[str, Any]:
    """A dumbbell whose bottleneck never drops, with one session and ns-2's TCP: 40 B of header, no
    options."""
    return {
        "duration": f"{seconds} s",
        "warmup": f"{warmup} s",
        "profile": "ns2",
        "tcp": {**_TCP, "receive_window": "unlimited", "handshake": False},
        "queue": {"kind": "drop_tail", "limit": "unlimited"},
        "dumbbell": {
            "bottleneck": {"rate": f"{BOTTLENECK} bps", "delay": "10 ms"},
            "access": {"rate": f"{ACCESS} bps"},
        },
        "session": [{"name": "web", **session}],
    }


def of_session(key: str) -> Callable[[Run], float]:
    """A number of the session."""
    return lambda run: float(run["sessions"][0][key])


def _laws() -> Iterator[Check]:
    shape, least, most, load = 1.2, 1000, 100_000, 0.3
    mean = traffic.bounded_pareto_mean(shape, least, most)
    size = {"kind": "bounded_pareto", "shape": shape, "min": f"{least} B", "max": f"{most} B"}
    web = network({"load": load, "size": size, "stop": "400 s"}, 401)
    per_s = load * BOTTLENECK / (8 * mean)
    yield Check(
        "sessions.arrivals",
        "Poisson arrivals at a load: lambda T of them, lambda = load C / (8 E[size])",
        traffic.poisson_count(per_s, 400),
        0.01,
        mean_over_seeds(web, of_session("flows")),
        "transfers",
    )
    yield Check(
        "sessions.sizes.bounded_pareto",
        "The mean of a bounded Pareto law, its integral in closed form",
        mean,
        0.02,
        mean_over_seeds(web, of_session("mean_bytes")),
        "B",
    )
    yield Check(
        "sessions.load",
        "Arrivals and sizes together offer the load: bits of payload a second over the rate of "
        "the bottleneck",
        load,
        0.02,
        mean_over_seeds(web, lambda run: of_session("arrived_bps")(run) * 401 / 400 / BOTTLENECK),
    )
    median, sigma = 2000, 0.8
    mean = traffic.log_normal_mean(median, sigma)
    size = {"kind": "log_normal", "mean": f"{mean:.0f} B", "sigma": sigma}
    yield Check(
        "sessions.sizes.log_normal",
        "The mean of a log-normal law, median exp(sigma^2 / 2)",
        mean,
        0.02,
        mean_over_seeds(
            network({"arrivals": "100/s", "size": size}, 400), of_session("mean_bytes")
        ),
        "B",
        quick=False,
    )


def _alone() -> Iterator[Check]:
    for segments in (1, 10, 11, 30, 45, 100):
        law = traffic.slow_start_s(segments, WINDOW, MSS + HEADER, ACK, ACCESS, BOTTLENECK, 1.012)
        lone = network({"transfers": f"start,size\n1,{segments * MSS}\n"}, 60)
        lone["dumbbell"]["bottleneck"]["delay"] = "1.01 s"  # So that no round fills the path.
        yield Check(
            f"transfer.alone.{segments}",
            f"A transfer of {segments} segment{'s' * (segments > 1)} alone, from a window of "
            f"{WINDOW}: "
            f"slow start (Cardwell et al., INFOCOM 2000)",
            law,
            1e-9,
            partial(_single, lone),
            "s",
        )


def _single(scenario: dict[str, Any], runner: Runner) -> Measured:
    return Measured(of_session("mean_completion_s")(runner.run(scenario, seeds=1)[0]))


def _together() -> Iterator[Check]:
    rest = WAY_S + 2 * 8 * (MSS + HEADER) / ACCESS
    for name, load, least, most in (
        ("one-segment", 0.7, MSS, MSS),
        ("ten-segments", 0.6, MSS, WINDOW * MSS),
    ):
        sizes = range(least, most + 1)
        services = [traffic.wire_s(size, MSS, HEADER, BOTTLENECK) for size in sizes]
        per_s = load / (sum(services) / len(services))
        size: Any = (
            f"{least} B"
            if least == most
            else {"kind": "uniform", "min": f"{least} B", "max": f"{most} B"}
        )
        web = {"arrivals": f"{per_s}/s", "size": size}
        many = network({**web, "stop": "410 s"}, 412, warmup=10)
        fewer = network(
            {**web, "stop": "45 s"}, 47, warmup=10
        )  # Its interval is 1 % wide, of 4 % allowed.
        yield Check(
            f"transfers.mg1.{name}",
            "Transfers within the first window are batches at an M/G/1 queue: "
            f"Pollaczek-Khinchine with a whole transfer as the customer; load {load}",
            traffic.first_windows_s(per_s, services, rest),
            0.02,
            mean_over_seeds(many, of_session("mean_completion_s"), shorter=fewer),
            "s",
            quick=name == "one-segment",
        )
        yield Check(
            f"transfers.mg1.{name}.finished",
            "Nothing is lost, and every transfer that starts at least two seconds before the end "
            "finishes",
            1.0,
            0.0,
            worst(
                many,
                lambda run: of_session("finished")(run) / of_session("flows")(run),
                1.0,
                shorter=fewer,
            ),
            quick=name == "one-segment",
        )


CHECKS = [*_laws(), *_alone(), *_together()]
