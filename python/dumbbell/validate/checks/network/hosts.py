"""Hosts: what packets cost a processor, at a rate below its limit and above it.

Datagrams of 1472 B (1500 with their headers) arrive evenly over a gigabit link, or a connection
sends as fast as it can. A processor takes 1,000 cycles for a packet, 3 for each byte and 700 for an
interrupt at 100 MHz, unless a line says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...check import Check
from ...laws import hosts as laws
from ...measured import Measured
from ...readings import Run, goodput
from ...runner import Runner, of_one_run

CLOCK, PER_PACKET, PER_BYTE, PER_INTERRUPT = 100e6, 1000.0, 3.0, 700.0
PAYLOAD, LENGTH, HEADER = 1472, 1500, 28
EDGE = 2e-3
"""The tolerance of a count over a window of 2 s: some packets more or less at its ends."""
CPU = {
    "clock": "100 MHz",
    "per_packet": PER_PACKET,
    "copy": PER_BYTE,
    "per_interrupt": PER_INTERRUPT,
}


def _datagrams(rate: float, cpu: dict[str, Any], packet: int = PAYLOAD) -> dict[str, Any]:
    source = {"kind": "cbr", "rate": f"{rate / 1e6} Mbps", "packet": f"{packet} B"}
    return {
        "duration": "3 s",
        "warmup": "1 s",
        "dumbbell": {"bottleneck": {"rate": "1 Gbps", "delay": "1 ms", "mtu": "9000 B"}},
        "flow": [{"name": "u", "source": source, "receiver_cpu": cpu}],
    }


def _connection() -> dict[str, Any]:
    flow = {"name": "s", "cc": "cubic", "rtt": "20 ms", "tcp": {"receive_window": "unlimited"}}
    return {
        "duration": "20 s",
        "warmup": "10 s",
        "dumbbell": {"bottleneck": {"rate": "1 Gbps", "delay": "5 ms"}},
        "queue": {"limit": "1000 pkt"},
        "flow": [{**flow, "receiver_cpu": {"clock": "60 MHz", "per_packet": 12_000}}],
    }


def _receiver(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = next(
        h for h in run["hosts"] if h["name"].endswith("/receiver/cpu_receive")
    )
    return found


def _saved(runner: Runner) -> Measured:
    """Cycles for six frames of 1.5 KB less those for one of 9 KB, from runs at one packet rate."""
    each = [
        _datagrams(8e3 * length, {"per_packet": 1200}, length - HEADER) for length in (1500, 9000)
    ]
    six, one = (_receiver(runner.run(scenario, seeds=1)[0]) for scenario in each)
    return Measured(6 * six["cycles_per_packet"] - one["cycles_per_packet"])


def _checks() -> Iterator[Check]:
    polled = laws.packet(PER_PACKET, PER_BYTE, LENGTH)
    woken = laws.packet(PER_PACKET, PER_BYTE, LENGTH, PER_INTERRUPT)
    for rate in (40e6, 160e6):
        yield Check(
            f"host.utilization.at-{rate / 1e6:g}-mbps",
            "Below saturation a processor is busy for rate x cycles / clock; each packet wakes it",
            laws.utilization(CLOCK, woken, rate, PAYLOAD),
            EDGE,
            of_one_run(_datagrams(rate, CPU), lambda run: _receiver(run)["utilization"]),
        )
    yield Check(
        "host.saturated.goodput",
        "Above saturation goodput is 8 payload clock / cycles; a busy processor polls and takes "
        "no interrupt",
        laws.limit(CLOCK, polled, PAYLOAD),
        EDGE,
        of_one_run(_datagrams(300e6, CPU), goodput),
        "bit/s",
    )
    yield Check(
        "host.interrupts.throttled",
        "Interrupts a second are min(rate, 1 / gap): 10,000 packets a second, 8,000 interrupts "
        "(Intel e1000's default)",
        laws.interrupts(10_000, 125e-6),
        EDGE,
        of_one_run(
            _datagrams(10_000 * 8 * PAYLOAD, {"preset": "server_2004", "clock": "1000 GHz"}),
            lambda run: _receiver(run)["interrupts"] / 2.0,
        ),
        "1/s",
    )
    yield Check(
        "host.headers.saved",
        "One frame of 9 KB instead of six of 1.5 KB saves 5 headers of 1,200 cycles: Jo, Kwak, "
        "Byeon 2004, 3.1",
        laws.headers_saved(1200, 6),
        1e-9,
        _saved,
        "cycles",
    )
    yield Check(
        "host.tcp.goodput",
        "A connection gets the rate that its receiver's processor handles, 8 mss clock / cycles; "
        "the network has ten times that",
        laws.limit(60e6, 12_000, 1448),
        0.01,
        of_one_run(_connection(), goodput),
        "bit/s",
    )


CHECKS = list(_checks())
