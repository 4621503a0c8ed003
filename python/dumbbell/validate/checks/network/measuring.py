"""Exact values: the path of one packet, what the measuring window leaves out, and that seeds
differ."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ...check import Check
from ...laws import measuring
from ...measured import Measured
from ...readings import of_queue
from ...recorded import Recorded
from ...runner import SEEDS, Runner, of_one_run
from .. import paths

HEADER = 28
"""Bytes of UDP over IPv4."""
ODD = 7_000_000
"""Bit/s at which a byte takes no whole number of picoseconds."""


def _line(*wires: dict[str, Any], flow: dict[str, Any], **words: Any) -> dict[str, Any]:
    """Wires in a row from the host `a` to the host `b`, and a flow along them."""
    routers = [f"r{i}" for i in range(1, len(wires))]
    nodes = ["a", *routers, "b"]
    joined = [
        {**wire, "between": [nodes[i], nodes[i + 1]], "name": f"l{i}"}
        for i, wire in enumerate(wires)
    ]
    return {
        "host": [{"name": "a"}, {"name": "b"}],
        "router": [{"name": name} for name in routers],
        "link": joined,
        "flow": [{"from": "a", "to": "b", **flow}],
        **words,
    }


def _cbr(rate: int, payload: int, **words: Any) -> dict[str, Any]:
    return {"source": {"kind": "cbr", "rate": f"{rate} bps", "packet": f"{payload} B"}, **words}


def _wire(rate: int, delay_us: int, **words: Any) -> dict[str, Any]:
    return {"rate": f"{rate} bps", "delay": f"{delay_us} us", **words}


def _way(seen: Recorded) -> int:
    """The first packet's way from end to end, picoseconds."""
    first = seen.rows("packets")[0]
    return int(first["delivered_ps"] - first["sent_ps"])


def _way_of_one() -> Iterator[Check]:
    queue = {"queue": {"kind": "drop_tail", "limit": "unlimited"}}
    payload = 972
    wires = [(ODD, 3_000), (10**8, 100), (2_000_000, 17)]
    path = _line(
        *(_wire(rate, delay, **queue) for rate, delay in wires),
        flow=_cbr(8000, payload),
        duration="1 s",
    )
    yield Check(
        id="link.one-way",
        law="over empty links, a packet takes the sum of L / R and propagation",
        expected=float(
            measuring.one_way_ps(payload + HEADER, [(rate, delay * 10**6) for rate, delay in wires])
        ),
        tolerance=1,
        absolute=True,
        measure=paths.of_records(path, _way, packets=True),
        unit="ps",
    )


def _windowed() -> Iterator[Check]:
    """1.2 of what the link carries for two seconds, from the fifth second on 0.2, of which alone is
    to be told."""
    rate, size, warmup, seconds = 8_000_000, 1000, 5, 10
    payload = size - HEADER
    flood = {
        "name": "flood",
        "from": "a",
        "to": "b",
        **_cbr(rate * payload // size, payload, stop="2 s"),
    }
    calm = _cbr(rate * payload // size // 5, payload, name="calm")
    scenario = _line(
        _wire(rate, 1000, queue={"kind": "drop_tail", "limit": "unlimited"}),
        flow=calm,
        duration=f"{warmup + seconds} s",
        warmup=f"{warmup} s",
    )
    scenario["flow"].append(flood)
    laws = {
        "arrivals": (measuring.arrivals(rate // 5, size, seconds), 1, "packets"),
        "departures": (measuring.arrivals(rate // 5, size, seconds), 1, "packets"),
        "utilization": (Fraction(1, 5), 2e-4, ""),
        "mean_packets": (Fraction(0), 0, "packets"),
        "mean_sojourn_s": (Fraction(0), 0, "s"),
        "max_packets": (Fraction(0), 0, "packets"),
    }
    for key, (expected, tolerance, unit) in laws.items():
        yield Check(
            id=f"warm-up.{key.replace('_', '-')}",
            law="arrivals in the warm-up, an overload here, do not count in any mean or count",
            expected=float(expected),
            tolerance=tolerance,
            absolute=True,
            measure=of_one_run(scenario, of_queue(key)),
            unit=unit,
        )


def _fingerprints(runner: Runner) -> Measured:
    """Counts the different runs among runs with different seeds."""
    source = {"kind": "poisson", "rate": "400 kbps", "packet": "972 B"}
    scenario = _line(_wire(10**6, 1), flow={"source": source}, duration="2 s")
    return Measured(len({run["fingerprint"] for run in runner.run(scenario)}))


def _seeds() -> Iterator[Check]:
    yield Check(
        id="chance.seeds",
        law="runs with different seeds differ: as many different runs as seeds",
        expected=SEEDS,
        tolerance=0,
        measure=_fingerprints,
        unit="runs",
    )


CHECKS: list[Check] = [*_way_of_one(), *_windowed(), *_seeds()]
