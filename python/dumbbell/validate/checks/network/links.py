"""Links: what must be exact to the picosecond, the packet and the byte, and what impairments and
shapers do to traffic."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ....aqm_response.drive import drive
from ....data.arrow import Table
from ...check import Check
from ...laws import links
from ...measured import Measured
from ...readings import (
    deviation,
    dropped_share,
    lost_on_wire,
    mean,
    mean_burst,
    most_above_rate,
    of_queue,
    share,
    times_on_wire,
    total,
)
from ...runner import Runner, farthest, mean_over_generated, mean_over_seeds, once, worst

ODD_RATE = 7_000_003
"""bit/s at which no packet takes a whole number of picoseconds."""
LOSS_TOLERANCE, BURST_TOLERANCE, DELAY_TOLERANCE = 0.02, 0.05, 0.01
"""For at least 10 000 losses, 2000 bursts, 100 000 delays a seed."""
_MTUS = (1500, 9000, 9180)
"""Bytes: Ethernet's, the usual jumbo frame's, and that of IP over ATM (RFC 2225)."""
WHOLE = 1e-3
"""For a share of a window of seconds that some packets more or less at its ends change."""


def _transmission() -> Iterator[Check]:
    lengths = [40 + 37 * n % 1461 for n in range(5000)]
    arrivals = {"time_ps": [0] * len(lengths), "bytes": lengths}
    for name, framing, least in (("bare", 0, 0), ("ethernet", links.ETHERNET, links.SHORTEST)):
        words: dict[str, Any] = {"framing": "ethernet"} if framing else {}
        make = partial(
            drive,
            "drop_tail",
            {"limit": "unlimited"},
            arrivals=arrivals,
            rate=f"{ODD_RATE} bps",
            **words,
        )
        yield Check(
            f"transmission.{name}.5000-packets",
            "A transmitter's long-run rate is exact: 8 bytes / rate, with remainders carried over"
            + (
                ", 38 B of Ethernet for each packet and 84 B at least (IEEE 802.3)"
                if framing
                else ""
            ),
            links.transmission_ps([max(n + framing, least) for n in lengths], ODD_RATE),
            0.0,
            once(("transmission", name), make, partial(_last, "left_ps")),
            "ps",
        )


def _last(column: str, table: Table) -> float:
    return table.numbers(column)[-1]


def _path() -> Check:
    ms = 10**9
    scenario = {
        "duration": "1 s",
        "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "10 ms", "framing": "ethernet"}},
        "flow": [
            {
                "name": "s",
                "rtt": "80 ms",
                "source": {"kind": "cbr", "rate": "80 kbps", "packet": "1000 B"},
            }
        ],
        "record": {"packets": True},
    }
    length = 1000 + links.IPV4 + links.UDP
    hops = [(100_000_000, 15 * ms, 38), (10_000_000, 10 * ms, 38), (100_000_000, 15 * ms, 38)]

    def measure(runner: Runner) -> Measured:
        table = runner.recorded(scenario).table("packets")
        pairs = zip(table.numbers("sent_ps"), table.numbers("delivered_ps"), strict=True)
        times = [arrived - sent for sent, arrived in pairs if arrived == arrived]
        law = links.path_ps(length, hops)
        return farthest(times, law)

    return Check(
        "transmission.three-links",
        "One packet over three links: transmission and propagation of each, store and forward; "
        "the worst packet",
        links.path_ps(length, hops),
        0.0,
        measure,
        "ps",
    )


def _bursts() -> Iterator[Check]:
    """Packets that come at once into a port that is idle."""
    together = {"time_ps": [0] * 503, "bytes": 1000}
    # Drop Tail decides about a packet when it arrives; PIE's port keeps packets, and has a limit of
    # its own.
    for kind, name, limit, known in (
        ("drop_tail", "500-pkt", {"limit": "500 pkt"}, links.admitted(503, 500, False)),
        (
            "drop_tail",
            "500-pkt.counted",
            {"limit": "500 pkt", "count_in_service": True},
            links.admitted(503, 500, True),
        ),
        ("drop_tail", "36000-B", {"limit": "36000 B"}, links.admitted(503, 36, False)),
        (
            "drop_tail",
            "36000-B.counted",
            {"limit": "36000 B", "count_in_service": True},
            links.admitted(503, 36, True),
        ),
        ("drop_tail", "40-ms", {"limit": "40 ms"}, links.admitted(503, 40, False)),
        ("pie", "500-pkt", {"limit": "500 pkt"}, links.admitted(503, 500, False)),
    ):
        make = partial(drive, kind, limit, arrivals=together, rate="8 Mbps", mtu="1000 B")
        yield Check(
            f"{kind}.limit.{name}",
            "Of 503 packets of 1000 B at once, a port accepts its limit, plus the one in service "
            "unless that counts",
            known,
            0.0,
            once(("burst", kind, name), make, lambda table: table.column("verdict").count("pass")),
            "packets",
        )
    batches = {"time_ps": [10**10 * (n // 5) for n in range(1000)], "bytes": 1000}
    make = partial(drive, "drop_tail", {"limit": "36 pkt"}, arrivals=batches, rate="8 Mbps")
    yield Check(
        "batches.waiting",
        "Batches of N into an idle port: the k-th packet waits for k - 1 services, (N - 1) / 2 "
        "on average; N = 5",
        links.batch_waiting(5),
        0.0,
        once("batches", make, partial(_waits, 10**9)),
        "service times",
    )


def _waits(service_ps: int, table: Table) -> float:
    """Mean time before service, service times."""
    times = zip(table.numbers("time_ps"), table.numbers("left_ps"), strict=True)
    return sum(left - came - service_ps for came, left in times) / service_ps / len(table)


def constant(rate: str, packet: int, link: str, seconds: int, **words: Any) -> dict[str, Any]:
    """Datagrams of `packet` bytes of IP length at `rate` of these bits, over one link whose rate is
    `link`."""
    payload = packet - links.IPV4 - links.UDP
    source = {
        "kind": "cbr",
        "rate": f"{float(rate) * payload / packet:.0f} bps",
        "packet": f"{payload} B",
    }
    wire = {
        "name": "port",
        "between": ["a", "b"],
        "rate": link,
        "delay": "1 ms",
        "mtu": f"{max(packet, 1500)} B",
    }
    return {
        "duration": f"{seconds + 1} s",
        "warmup": "1 s",
        "host": [{"name": "a"}, {"name": "b"}],
        "link": [{**wire, "queue": {"kind": "drop_tail", "limit": "50 pkt"}, **words}],
        "flow": [{"from": "a", "to": "b", "source": source}],
    }


def _constant_rate() -> Iterator[Check]:
    load = 0.6
    scenario = constant("6e6", 1000, "10 Mbps", 100)
    name, law = f"cbr.rho-{load}", "A constant rate below the link's"
    busy = worst(scenario, of_queue("utilization"), load)
    yield Check(f"{name}.utilisation", f"{law}: busy for the share rho of time", load, WHOLE, busy)
    late = worst(scenario, of_queue("mean_sojourn_s"), 0.0)
    yield Check(f"{name}.wait", f"{law}: no packet waits (D/D/1)", 0.0, 0.0, late, "s")
    over = 1.25
    scenario = constant("12.5e6", 1000, "10 Mbps", 100)
    loss = worst(scenario, dropped_share, links.overload_loss(over))
    law = "A constant rate above the link's loses the rest: 1 - 1 / rho"
    yield Check(f"cbr.rho-{over}.loss", law, links.overload_loss(over), WHOLE, loss)


def _framing() -> Iterator[Check]:
    for mtu in _MTUS:
        scenario = constant("1.05e9", mtu, "1 Gbps", 5, framing="ethernet")
        law = links.packets_per_second(1e9, mtu)
        yield Check(
            f"ethernet.packets-per-second.mtu-{mtu}",
            "Full packets on saturated Ethernet of 1 Gbit/s: rate / (8 (MTU + 38)) (IEEE 802.3)",
            law,
            WHOLE,
            worst(
                scenario,
                lambda run: run["queues"][0]["departures"] / (run["duration_s"] - run["warmup_s"]),
                law,
            ),
            "packets/s",
        )
    for mtu, timestamps in (*((mtu, False) for mtu in _MTUS), *((mtu, True) for mtu in _MTUS)):
        link = {"rate": "100 Mbps", "delay": "5 ms", "mtu": f"{mtu} B", "framing": "ethernet"}
        scenario = {
            "duration": "30 s",
            "warmup": "10 s",
            "dumbbell": {"bottleneck": link},
            "queue": {"kind": "drop_tail", "limit": "2 BDP"},
            "flow": [
                {"name": "s", "count": 2, "start_spread": "1 s", "tcp": {"timestamps": timestamps}}
            ],
        }
        law = links.tcp_efficiency(mtu, links.TIMESTAMPS if timestamps else 0)
        yield Check(
            f"ethernet.tcp-efficiency.mtu-{mtu}{'.timestamps' if timestamps else ''}",
            "Payload over rate of a saturated Ethernet: (MTU - 40 - options) / (MTU + 38)",
            law,
            WHOLE,
            mean_over_seeds(scenario, lambda run: total(run, "goodput_bps") / 100e6),
        )


def _shaper() -> Iterator[Check]:
    """Packets at once, and a steady overload, through a token bucket."""
    packets, length, rate, bucket = 200, 1000, ODD_RATE, 10_500
    words = {"rate": f"{rate} bps", "burst": f"{bucket} B", "limit": "unlimited"}
    shaped = {"kind": "tbf", **words}
    make = partial(
        drive,
        "drop_tail",
        {"limit": "unlimited"},
        arrivals={"time_ps": [0] * packets, "bytes": length},
        rate="1 Tbps",
        conditioner=shaped,
    )
    for n in (10, 11, 200):
        yield Check(
            f"tbf.packet-{n}",
            "RFC 2697, section 3: in a burst, the n-th packet passes when tokens for n have "
            "arrived; the bucket starts full",
            links.bucket_delay_ps(n, length, rate, bucket),
            0.0,
            once("tbf", make, partial(_entered, n)),
            "ps",
        )
    uneven = {
        "time_ps": [n * 7 * 10**8 + 9 * 10**9 * (n // 40) for n in range(20_000)],
        "bytes": length,
    }
    make = partial(
        drive,
        "drop_tail",
        {"limit": "unlimited"},
        arrivals=uneven,
        rate="1 Tbps",
        conditioner=shaped,
    )
    yield Check(
        "tbf.envelope",
        "RFC 2697, section 3: in any time t at most burst + rate t passes; the worst interval "
        "reaches this bound",
        bucket,
        1.0,
        once("tbf-uneven", make, partial(_envelope, rate)),
        "B",
        absolute=True,
    )


def _entered(n: int, table: Table) -> float:
    """Returns the time at which the n-th packet came to the queue, ps."""
    return table.numbers("entered_ps")[n - 1]


def _envelope(rate: int, table: Table) -> float:
    """The most bytes, of all intervals, by which what passed exceeds the rate."""
    lengths = map(int, table.numbers("bytes"))
    return most_above_rate(zip(table.numbers("entered_ps"), lengths, strict=True), rate)


def _wires() -> Iterator[Check]:
    for p in (0.01, 0.05):
        scenario = constant(
            "80e6", 1000, "100 Mbps", 200, impairment=[{"kind": "bernoulli", "loss": p}]
        )
        law = "Independent losses: the lost share is p"
        yield Check(
            f"bernoulli.loss-{p}", law, p, LOSS_TOLERANCE, mean_over_seeds(scenario, dropped_share)
        )
    error, length = 1e-6, 1500
    scenario = constant(
        "80e6", length, "100 Mbps", 200, impairment=[{"kind": "bit_error", "rate": error}]
    )
    yield Check(
        "bit_error.1500-B",
        "A packet is lost if it has a bit error: 1 - (1 - e)^(8 n), e = 1e-6",
        links.any_unit_loss(error, 8 * length),
        LOSS_TOLERANCE,
        mean_over_seeds(scenario, dropped_share),
    )
    yield from _gilbert()
    yield from _jitter()


def _spaced(packets: int, impairment: dict[str, Any], seed: int) -> Table:
    """Packets, each as the one before has left, over a wire that does something to them."""
    arrivals = {"time_ps": [10**9 * n for n in range(packets)], "bytes": 1000}
    return drive("drop_tail", arrivals=arrivals, rate="8 Mbps", impairment=[impairment], seed=seed)


def _gilbert() -> Iterator[Check]:
    p, r = 0.01, 0.1

    def lost(seed: int) -> list[bool]:
        wire = {"kind": "gilbert_elliott", "to_bad": p, "to_good": r}
        return lost_on_wire(_spaced(400_000, wire, seed))

    law, key = f"Gilbert 1960, Elliott 1963, p = {p}, r = {r}", "gilbert"
    yield Check(
        "gilbert_elliott.loss",
        f"{law}: mean loss p / (p + r)",
        links.gilbert_loss(p, r),
        BURST_TOLERANCE,
        mean_over_generated(key, lost, share),
    )
    yield Check(
        "gilbert_elliott.burst",
        f"{law}: mean length of a burst of losses, 1 / r",
        links.gilbert_burst(r),
        BURST_TOLERANCE,
        mean_over_generated(key, lost, mean_burst),
        "packets",
    )


def _jitter() -> Iterator[Check]:
    width = 10e-3

    def delays(seed: int) -> list[float]:
        return times_on_wire(_spaced(100_000, {"kind": "jitter", "max": "10 ms"}, seed))

    for name, law, measure in (
        ("mean", links.uniform_mean(width), mean),
        ("deviation", links.uniform_deviation(width), deviation),
    ):
        what = "standard deviation" if name == "deviation" else name
        yield Check(
            f"jitter.{name}",
            f"Delay uniform on [0, 10 ms): {what}",
            law,
            DELAY_TOLERANCE,
            mean_over_generated("jitter", delays, measure),
            "s",
        )


CHECKS: list[Check] = [
    *_transmission(),
    _path(),
    *_bursts(),
    *_constant_rate(),
    *_framing(),
    *_shaper(),
    *_wires(),
]
