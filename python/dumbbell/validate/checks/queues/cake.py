"""CAKE: shares of hosts and of tins, the time that a packet takes of its shaper, and what the
filter of acknowledgments leaves.

Flows send more than the link carries, so that each always has packets waiting, and do not react.
Those of `acks` are TCP: its acknowledgments come back on a link of a hundredth of the rate, which
carries that of every fourth segment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from ....aqm_response.drive import drive
from ...check import Check
from ...laws import cake
from ...laws.tcp import two_way
from ...readings import Run, goodput, total
from ...runner import mean_over_seeds, of_one_run, once

PAPER = "Hoeiland-Joergensen, Taht, Morton 2018"
LINK = "20 Mbps"
SLOW = {"kind": "cake", "limit": "1000 pkt", "rtt": "10 s"}
"""COBALT hardly interferes: its target is half a second."""


def _flow(name: str, source: str, sink: str, **words: Any) -> dict[str, Any]:
    """Datagrams at the link's rate."""
    rate = {"kind": "cbr", "rate": LINK, "packet": "1472 B"}
    return {"name": name, "from": source, "to": sink, "source": rate, **words}


def _between(ends: Sequence[tuple[str, str]], queue: dict[str, Any]) -> dict[str, Any]:
    """Hosts at two routers, with CAKE between them; flow `one` and the others, `more`."""
    sources, sinks = (sorted({end[side] for end in ends}) for side in (0, 1))
    fast = {"rate": "10 Gbps", "delay": "1 ms"}
    return {
        "duration": "12 s",
        "warmup": "2 s",
        "host": [{"name": name} for name in (*sources, *sinks)],
        "router": [{"name": "left"}, {"name": "right"}],
        "link": [
            *({"between": [name, "left"], **fast} for name in sources),
            *({"between": ["right", name], **fast} for name in sinks),
            {"between": ["left", "right"], "rate": LINK, "delay": "1 ms", "queue": SLOW | queue},
        ],
        "flow": [
            _flow("one" if i == 0 else f"more{i}", source, sink)
            for i, (source, sink) in enumerate(ends)
        ],
    }


def _ratio(run: Run) -> float:
    return total(run, "goodput_bps", "one") / total(run, "goodput_bps", "more")


def _hosts() -> Iterator[Check]:
    """Host a has one flow, host b nine: to a host of its own each, or to the same one."""
    apart = [("a", "x"), *[("b", "y")] * 9]
    same = [("a", "x"), *[("b", "x")] * 9]
    cases = (
        ("triple", "apart", apart),
        ("triple", "same", same),
        ("dual_src_host", "same", same),
        ("dual_dst_host", "same", same),
        ("flows", "apart", apart),
    )
    for isolation, name, ends in cases:
        weights = cake.weights(ends, isolation)
        yield Check(
            id=f"cake.hosts.{isolation}.{name}",
            law=(
                "a flow's quantum is divided by the flows of the host that counts, of the busier "
                f"one of two: {PAPER}, algorithm 1"
            ),
            expected=weights[0] / sum(weights[1:]),
            tolerance=0.01,
            measure=mean_over_seeds(_between(ends, {"isolation": isolation}), _ratio),
            quick=isolation in ("triple", "flows"),
        )


def _tins() -> Iterator[Check]:
    scenario = _between([("a", "x")], {"bandwidth": "10 Mbps"})
    named = (("voice", "ef"), ("bulk", "cs1"), ("rest", "be"))
    scenario["flow"] = [_flow(name, "a", "x", dscp=dscp) for name, dscp in named]
    shares = cake.THRESHOLDS | {"rest": 1 - sum(cake.THRESHOLDS.values())}
    law = "tins that want more get their thresholds, best effort the rest: tc-cake(8)"
    yield from _shares("tins", law, scenario, shares)


def _eight_tins() -> Iterator[Check]:
    """The three highest tins of eight want all: the third gets what the thresholds of the others
    leave."""
    named = (("control", "cs7"), ("latency", "ef"), ("shell", "cs2"))
    scenario = _between([("a", "x")], {"bandwidth": "10 Mbps", "diffserv": "diffserv8"})
    scenario["flow"] = [_flow(name, "a", "x", dscp=dscp) for name, dscp in named]
    control, latency = (cake.threshold(cake.LEVELS - above) for above in (1, 2))
    shares = {"control": control, "latency": latency, "shell": 1 - control - latency}
    law = "tins that want more get their thresholds, powers of 7/8: tc -s qdisc, diffserv8"
    yield from _shares("eight-tins", law, scenario, shares)


def _shares(what: str, law: str, scenario: Any, shares: dict[str, float]) -> Iterator[Check]:
    """Each flow's share of the goodput."""
    for name, share in shares.items():

        def measure(run: Run, name: str = name) -> float:
            return total(run, "goodput_bps", name) / total(run, "goodput_bps")

        yield Check(
            id=f"cake.{what}.{name}",
            law=law,
            expected=share,
            tolerance=0.01,
            measure=mean_over_seeds(scenario, measure),
        )


RATE, RATIO, MSS, HEADER = 10_000_000, 100, 960, 40


def _filtering(ack_filter: str) -> dict[str, Any]:
    """A transfer whose acknowledgments pass CAKE on a slow link. COBALT does nothing."""
    tcp = {
        "mss": f"{MSS} B",
        "header": f"{HEADER} B",
        "handshake": False,
        "timestamps": False,
        "clock": "0 s",
        "delayed_ack": "each",
        "receive_window": "300 pkt",
    }
    link = {"rate": f"{RATE} bps", "delay": "10 ms", "reverse": {"rate": f"{RATE // RATIO} bps"}}
    return {
        "duration": "60 s",
        "warmup": "20 s",
        "profile": "rfc",
        "dumbbell": {"bottleneck": link, "access": {"rate": "10 Gbps", "delay": "0 s"}},
        "queue": {"kind": "drop_tail", "limit": "unlimited"},
        "queue_reverse": SLOW | {"rtt": "1000 s", "ack_filter": ack_filter},
        "flow": [{"name": "s", "cc": "reno", "tcp": tcp}],
        "record": {"acks": True},
    }


def _waiting(run: Run) -> float:
    """Mean packets that wait for the slow link."""
    return float(run["queues"][1]["mean_packets"])


def _lost(run: Run) -> float:
    acks = run["flows"][0]["acks"]
    return float(acks["lost"] / acks["sent"])


def _acks() -> Iterator[Check]:
    clocked = two_way.ack_clocked(RATE, RATE / RATIO, MSS, HEADER, 1)
    full = RATE * MSS / (MSS + HEADER)
    k = two_way.acked_by_one(RATE, RATE / RATIO, MSS, HEADER)
    for ack_filter, keeps in (("none", 0), ("conservative", 2), ("aggressive", 1)):
        scenario = _filtering(ack_filter)
        yield Check(
            id=f"cake.acks.{ack_filter}.goodput",
            law="acknowledgments clock data, and where redundant ones are dropped the data fill "
            "their link: RFC 3449, section 2; the message of CAKE's filter",
            expected=full if keeps else clocked,
            tolerance=2e-3,
            measure=of_one_run(scenario, goodput),
            unit="bit/s",
        )
        if not keeps:
            continue
        yield Check(
            id=f"cake.acks.{ack_filter}.waiting",
            law="the filter leaves one acknowledgment (aggressive) or two; one is missing until "
            "the next comes, a k-th of the time at most",
            expected=keeps - 0.5 / k,
            tolerance=0.5 / k,
            absolute=True,
            measure=of_one_run(scenario, _waiting),
            unit="packets",
        )
        yield Check(
            id=f"cake.acks.{ack_filter}.dropped",
            law="the slow link carries one acknowledgment of k: RFC 3449, section 2",
            expected=1 - 1 / k,
            tolerance=2e-3,
            measure=of_one_run(scenario, _lost),
        )


LAYERS: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("atm", {"overhead": 8, "link_layer": "atm"}, 1500),
    ("atm-ack", {"overhead": 10, "link_layer": "atm"}, 40),
    ("ptm", {"overhead": 30, "link_layer": "ptm"}, 1500),
    ("ethernet", {"overhead": 38, "mpu": 84}, 40),
)


def _longest_spacing(words: dict[str, Any], ip: int) -> float:
    """The longest time between departures of waiting packets under a shaper of 1 Mbit/s [s]."""
    table = drive(
        SLOW | {"bandwidth": "1 Mbps", "rtt": "1000 s"} | words,
        arrivals={"time_s": [0.0] * 500, "bytes": ip},
        rate="100 Mbps",
    )
    left = [at for at in table.column("left_ps") if isinstance(at, int)]
    return max((after - before) / 1e12 for before, after in pairwise(left))


def _layers() -> Iterator[Check]:
    for name, words, ip in LAYERS:
        layer = str(words.get("link_layer", "none"))
        length = cake.link_bytes(ip, words["overhead"], layer, words.get("mpu", 0))
        yield Check(
            id=f"cake.overhead.{name}",
            law="a packet takes the shaper's time for its length on the link: tc-cake(8)",
            expected=length * 8 / 1e6,
            tolerance=1e-12,
            absolute=True,
            measure=once(("cake", name), partial(_longest_spacing, words, ip), float),
            unit="s",
        )


CHECKS: list[Check] = [*_hosts(), *_tins(), *_eight_tins(), *_layers(), *_acks()]
