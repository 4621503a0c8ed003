"""Single queues under Poisson arrivals, against queueing theory.

One link with a service time of 1 ms for the mean packet, fed directly by a Poisson source. Loads are offered loads
rho. A port's length leaves out the packet in service unless `count_in_service` is true, so that `limit` K
with it, and K - 1 without it, is the K of queueing theory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .bench import Bench, Run
from .laws import queueing
from .oracle import Measured, Oracle

SERVICE_S = 1e-3
"""Mean time of transmission."""
HEADER, MEAN = 28, 5000
"""Bytes: of UDP over IPv4, and of a mean packet. At 5000 B the shortest and longest that exist matter least."""

LENGTH_TOLERANCE, BLOCKING_TOLERANCE, UTILISATION_TOLERANCE = 0.02, 0.05, 0.005
"""For at least a million packets a run: lengths and waiting times; blocking, which is rarer; shares of time."""
QUANTILE_TOLERANCE = 1 / 32 + 0.01
"""A port counts waiting times in steps of 1/32 of an octave."""
LITTLE_TOLERANCE = 1e-3


def port(rho: float, sizes: str, *, limit: str = "unlimited", whole: bool = False, seconds: int) -> dict[str, Any]:
    """The scenario. sizes: of packets, `fixed` or `exponential`; whole: the length counts the packet in service."""
    rate = rho * 8 * (MEAN - HEADER) / SERVICE_S
    source = {"kind": "poisson", "rate": f"{rate:.0f} bps", "packet": f"{MEAN - HEADER} B", "sizes": sizes}
    link = {
        "name": "port",
        "between": ["a", "b"],
        "rate": f"{8 * MEAN / SERVICE_S:.0f} bps",
        "delay": "1 ms",
        "mtu": "65535 B",
        "queue": {"kind": "drop_tail", "limit": limit, "count_in_service": whole},
    }
    return {
        "duration": f"{seconds + 20} s",
        "warmup": "20 s",
        "host": [{"name": "a"}, {"name": "b"}],
        "link": [link],
        "flow": [{"from": "a", "to": "b", "source": source}],
    }


def length(run: Run) -> float:
    """Mean length, packets, by the port's convention."""
    return float(run["queues"][0]["mean_packets"])


def waiting(run: Run) -> float:
    """Mean waiting time before service, service times."""
    return float(run["queues"][0]["mean_sojourn_s"]) / SERVICE_S


def waiting_p99(run: Run) -> float:
    """The 99th percentile of the waiting time, service times."""
    return float(run["queues"][0]["p99_sojourn_s"]) / SERVICE_S


def utilisation(run: Run) -> float:
    """Share of time in which the transmitter is busy."""
    return float(run["queues"][0]["utilization"])


def blocking(run: Run) -> float:
    """Share of arrivals that are dropped for want of room."""
    queue = run["queues"][0]
    return float(queue["drops"]["overflow"] / queue["arrivals"])


def little(run: Run) -> float:
    """Mean length over admitted rate times mean waiting time: 1 by Little's law."""
    queue, seconds = run["queues"][0], run["duration_s"] - run["warmup_s"]
    rate = (queue["arrivals"] - sum(queue["drops"].values())) / seconds
    return float(queue["mean_packets"] / (rate * queue["mean_sojourn_s"]))


def _seeds(
    measure: Callable[[Run], float], seconds: int, rho: float, sizes: str, **words: Any
) -> Callable[[Bench], Measured]:
    return lambda bench: bench.over_seeds(port(rho, sizes, seconds=seconds, **words), measure)


def _infinite() -> list[Oracle]:
    """M/M/1 and M/D/1."""
    made = []
    mm1, md1 = "M/M/1: {} (Kleinrock 1975, section 3.2)", "M/D/1: {} (Pollaczek-Khinchine; Kleinrock 1975, section 5.6)"
    for rho, seconds in ((0.5, 1000), (0.8, 6000), (0.9, 30000)):
        sent: tuple[Any, ...] = (seconds, rho)
        quick = rho < 0.9
        made += [
            Oracle(
                f"mm1.rho-{rho}.L",
                mm1.format("mean number in the system, L = rho/(1-rho)"),
                queueing.mm1_length(rho),
                LENGTH_TOLERANCE,
                _seeds(length, *sent, "exponential", whole=True),
                "packets",
                quick=quick,
            ),
            Oracle(
                f"md1.rho-{rho}.L",
                md1.format("mean number in the system, L = rho + rho^2/(2(1-rho))"),
                queueing.md1_length(rho),
                LENGTH_TOLERANCE,
                _seeds(length, *sent, "fixed", whole=True),
                "packets",
                quick=quick,
            ),
        ]
    return made


ORACLES: list[Oracle] = [*_infinite()]
