"""Per-hop behaviors: premium service is policed exactly and waits no longer than its bucket
allows, whatever others send; the three drop precedences of a class are lost in their order; and the
table of behaviors is the program's."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell.data.arrow import Table
from dumbbell.models import dscp

LINK, MTU = 10_000_000, 1500
RATE, BURST = 2_000_000, 12_000
SECOND = 10**12
POLICER = {
    "kind": "token_bucket",
    "rate": f"{RATE} bps",
    "burst": f"{BURST} B",
    "dscp": ["ef"],
    "green": "ef",
    "yellow": "drop",
}
Packets = list[tuple[int, int, str]]
"""Time [ps], bytes, codepoint."""


def poisson(
    rng: random.Random, bps: float, sizes: Sequence[int], dscp: str, seconds: float
) -> Packets:
    out, t = [], 0.0
    mean = sum(sizes) / len(sizes) * 8 / bps
    while (t := t + rng.expovariate(1 / mean)) < seconds:
        out.append((round(t * SECOND), rng.choice(sizes), dscp))
    return out


def through(queue: str, packets: Packets, **words: Any) -> Table:
    times, sizes, codepoints = zip(*sorted(packets), strict=True)
    arrivals = {"time_ps": times, "bytes": sizes, "dscp": codepoints}
    return dumbbell.drive(
        queue, {"limit": "5000 pkt"}, arrivals=arrivals, rate=f"{LINK} bps", mtu=f"{MTU} B", **words
    )


def policed(packets: Packets) -> list[bool]:
    """Which packets find no tokens, by a bucket of exact fractions."""
    tokens, before, out = Fraction(BURST), 0, []
    for t, size, _ in packets:
        tokens = min(Fraction(BURST), tokens + Fraction(RATE, 8 * SECOND) * (t - before))
        before = t
        out.append(tokens < size)
        tokens -= 0 if tokens < size else size
    return out


def longest_wait_s(table: Table) -> float:
    """From arrival to last bit, of the EF packets that went through."""
    rows = zip(table.column("dscp"), table.column("time_ps"), table.column("left_ps"), strict=True)
    return max(
        (left - t) / SECOND for dscp, t, left in rows if dscp == 46 and isinstance(left, int)
    )


BOUND_S = 8 * (BURST + MTU) / LINK
"""A whole bucket at once, behind a packet that has just begun: (burst + MTU) / C."""


@pytest.mark.parametrize("seed", range(5))
def test_what_is_beyond_the_profile_is_policed_to_the_packet(seed: int) -> None:
    rng = random.Random(seed)
    premium = poisson(rng, RATE * rng.choice((0.5, 1, 1.5, 4)), [200, 1000, 1500], "ef", 3)
    others = poisson(rng, LINK * rng.choice((0, 0.9, 3)) + 1, [40, 1500], "be", 3)
    table = through("prio", premium + others, conditioner=POLICER)
    rows = zip(table.column("dscp"), table.column("reason"), strict=True)
    assert [reason == "policed" for dscp, reason in rows if dscp == 46] == policed(premium)
    assert all(
        r != "policed"
        for d, r in zip(table.column("dscp"), table.column("reason"), strict=True)
        if d == 0
    )


@pytest.mark.parametrize("load", [0.0, 0.5, 1.0, 3.0])
def test_premium_waits_no_longer_than_its_bucket_whatever_the_others_send(load: float) -> None:
    rng = random.Random(7)
    others = poisson(rng, LINK * load + 1, [1500], "be", 5)
    premium = poisson(rng, 3 * RATE, [1000], "ef", 5)
    assert longest_wait_s(through("prio", premium + others, conditioner=POLICER)) <= BOUND_S


def test_the_bound_is_reached_and_needs_both_policer_and_priority() -> None:
    flood = poisson(random.Random(3), 3 * LINK, [1500], "be", 2)
    burst: Packets = [(SECOND, 1500, "be"), *[(SECOND + 1, 1000, "ef")] * 40]
    alone = longest_wait_s(through("prio", burst, conditioner=POLICER))
    assert alone == pytest.approx(BOUND_S, abs=2e-12)
    assert longest_wait_s(through("prio", burst)) > 3 * BOUND_S
    assert longest_wait_s(through("drop_tail", burst + flood, conditioner=POLICER)) > 3 * BOUND_S


def test_the_scenario_polices_and_protects() -> None:
    premium = dumbbell.Scenario.from_file(Path(__file__).parents[2] / "scenarios" / "premium.toml")
    runs = [premium.with_({"flow.1.count": count}).run() for count in (1, 20)]
    for result in runs:
        sent = next(f for f in result.json["flows"] if f["name"] == "premium")
        assert sent["throughput_bps"] == pytest.approx(RATE * 972 / 1000, rel=0.05)
        queue = result.json["queues"][0]
        assert queue["drops"]["policed"] > 0.15 * sent["sent_packets"]
        assert queue["utilization"] > 0.98


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("wred", {"profile": "dscp", "w_q": 0.02}),
        ("rio", {"precedences": "three", "w_q": 0.02}),
        ("rio", {"precedences": "three", "mode": "decoupled", "w_q": 0.02}),
        ("gred", {"mode": "grio", "w_q": 0.02}),
    ],
)
def test_the_drop_precedences_of_a_class_are_lost_in_their_order(
    kind: str, words: dict[str, Any]
) -> None:
    """A tenth more than the link carries, in three colors; RFC 2597 section 2: a higher precedence
    is lost no less."""
    for af in (1, 4):
        colors = [f"af{af}{drop}" for drop in (1, 2, 3)]
        times = [round(n * 8 * 1000 / (1.1 * LINK) * SECOND) for n in range(60_000)]
        arrivals = {
            "time_ps": times,
            "bytes": 1000,
            "dscp": [colors[n % 3] for n in range(len(times))],
        }
        table = dumbbell.drive(
            kind, {"limit": "200 pkt", **words}, arrivals=arrivals, rate=f"{LINK} bps", mtu="1500 B"
        )
        assert set(table.column("reason")) <= {None, "early", "forced"}
        lost = [verdict == "drop" for verdict in table.column("verdict")]
        green, yellow, red = (sum(lost[k::3]) for k in range(3))
        assert green <= yellow <= red
        assert red > max(1.2 * green, 600), (green, yellow, red)


@pytest.mark.parametrize(
    ("kind", "words"),
    [("wred", {"profile": "dscp"}), ("rio", {"precedences": "three"}), ("gred", {"mode": "grio"})],
)
def test_three_colours_in_closed_loop(kind: str, words: dict[str, Any]) -> None:
    """What trTCM marks green is not lost, and green comes through at the committed rate."""
    colors = {"green": "af11", "yellow": "af12", "red": "af13"}
    meter = {
        "kind": "trtcm",
        "cir": "2 Mbps",
        "pir": "3 Mbps",
        "cbs": "20 kB",
        "pbs": "20 kB",
        **colors,
    }
    result = dumbbell.Scenario(
        duration="20 s",
        warmup="5 s",
        dumbbell={"bottleneck": {"rate": "14 Mbps", "delay": "1 ms"}},
        queue={"kind": kind, "limit": "200 pkt", **words},
        flow=[{"name": "s", "count": 4, "cc": "sack", "rtt": "40 ms", "conditioner": meter}],
    ).run()
    (queue,) = result.json["queues"]
    assert queue["drops_in"] == 0 < queue["drops_out"]
    for flow in result.json["flows"]:
        assert flow["in_throughput_bps"] == pytest.approx(2e6, rel=0.02)
        assert flow["out_throughput_bps"] > 0.5e6


def test_the_table_of_behaviours_is_the_programs() -> None:
    """Each name is the codepoint of that number to a scenario too, and each queue is of the
    catalogue."""
    for name, number in dscp.numbers().items():
        flow = [{"name": "s", "dscp": name}, {"name": "t", "dscp": number}]
        wire = {"rate": "1 Mbps", "delay": "1 ms"}
        scenario = {
            "duration": "1 s",
            "dumbbell": {"bottleneck": wire},
            "queue": "prio",
            "flow": flow,
        }
        (plan,) = dumbbell.Scenario(scenario).check()
        assert len({f.get("dscp", 0) for f in plan["plan"]["flows"]}) == 1, name
    queues = {name for kind in ("aqm", "qdisc") for name in dumbbell.catalogue.kinds()[kind]}
    for behavior in dscp.BEHAVIORS:
        assert set(behavior.queues) <= queues
        assert len(set(behavior.codepoints.values())) == len(behavior.codepoints)
    with pytest.raises(dumbbell.ScenarioError, match="not a DiffServ codepoint"):
        dscp.codepoint("af14")
    with pytest.raises(dumbbell.ScenarioError, match="not a DiffServ codepoint"):
        dscp.codepoint(64)
