"""What is measured of queues and of fairness: against closed forms, hand-made arrivals, and records
of each loss."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell.data import series
from dumbbell.models import fairness, synchrony

SERVICE_S = 1e-3


def port(source: dict[str, Any], seconds: int, mtu: str = "1500 B", **queue: Any) -> dict[str, Any]:
    """One flow of datagrams of 1000 bytes on average, over a link that takes a millisecond for
    these."""
    return {
        "duration": f"{seconds + 10} s",
        "warmup": "10 s",
        "host": [{"name": "a"}, {"name": "b"}],
        "link": [
            {
                "name": "port",
                "between": ["a", "b"],
                "rate": "8 Mbps",
                "delay": "1 ms",
                "mtu": mtu,
                "queue": {"kind": "drop_tail", "limit": "unlimited", **queue},
            }
        ],
        "flow": [{"from": "a", "to": "b", "source": source}],
    }


def only_queue(scenario: dict[str, Any], **words: Any) -> dict[str, Any]:
    queue: dict[str, Any] = dumbbell.Scenario(scenario).run(**words).json["queues"][0]
    return queue


def test_percentiles_and_shares_of_time_are_those_of_mm1() -> None:
    rho = 0.8
    source = {"kind": "poisson", "rate": f"{rho * 8 * 972 / SERVICE_S:.0f} bps", "packet": "972 B"}
    source["sizes"] = "exponential"
    queue = only_queue(
        port(source, 4000, mtu="65535 B", count_in_service=True, watch_above="5 pkt")
    )
    # P(N > n) = rho^(n+1): the quantile is the first n at which that is no more than the rest.
    # Neighbors are not far.
    for name, q in (("p50_packets", 0.5), ("p95_packets", 0.95), ("p99_packets", 0.99)):
        exact = math.ceil(math.log(1 - q) / math.log(rho)) - 1
        assert queue[name] == pytest.approx(exact, abs=max(0, exact // 10)), name
    assert queue["empty_share"] == pytest.approx(1 - rho, rel=0.03)
    assert queue["time_above_share"] == pytest.approx(rho**6, rel=0.06)
    assert (queue["watch_above_packets"], queue["watch_above_bytes"]) == (5, None)
    # P(W > t) = rho exp(-(1 - rho) t / S); the histogram is exact to 1/32.
    for name, q in (("p50_sojourn_s", 0.5), ("p95_sojourn_s", 0.95), ("p99_sojourn_s", 0.99)):
        exact_s = SERVICE_S * math.log(rho / (1 - q)) / (1 - rho)
        assert queue[name] == pytest.approx(exact_s, rel=0.08), name


@pytest.mark.parametrize(
    ("threshold", "packets", "size"),
    [
        (None, 10, None),
        ("7 pkt", 7, None),
        ("4 ms", None, 4000),
        ("2.5 kB", None, 2500),
        ("unlimited", None, None),
    ],
)
def test_a_threshold_is_packets_or_bytes_or_a_delay(
    threshold: str | None, packets: float, size: int
) -> None:
    words = {"watch_above": threshold} if threshold else {}
    scenario = port(
        {"kind": "cbr", "rate": "12 Mbps", "packet": "972 B"}, 5, limit="20 pkt", **words
    )
    queue = only_queue(scenario)
    assert (queue["watch_above_packets"], queue["watch_above_bytes"]) == (packets, size)
    if threshold == "unlimited":
        assert queue["time_above_share"] is None
    else:
        assert queue["time_above_share"] == 1  # It is overloaded: always nearly full.


def test_a_threshold_that_is_no_size_is_refused() -> None:
    with pytest.raises(dumbbell.ScenarioError, match="watch_above"):
        dumbbell.Scenario(port({"kind": "cbr", "rate": "1 Mbps"}, 1, watch_above="5 Mbps")).run()


def test_an_overloaded_queue_stands_and_one_that_empties_does_not() -> None:
    # Twelve arrive while eight are sent: the queue is at its limit, or one below it for a moment.
    full = only_queue(
        port({"kind": "cbr", "rate": "11.664 Mbps", "packet": "972 B"}, 20, limit="30 pkt")
    )
    assert full["standing_packets"] == 29
    assert full["standing_sojourn_s"] == pytest.approx(29 * SERVICE_S, rel=0.04)
    assert (full["standing_interval_s"], full["empty_share"]) == (0.1, 0)
    # On for 50 ms at twice the link's rate, off for 150 ms: a queue of 50 that comes and goes.
    bursts = {
        "kind": "on_off",
        "rate": "15.552 Mbps",
        "packet": "972 B",
        "on_mean": "50 ms",
        "off_mean": "150 ms",
    }
    gone = only_queue(port({**bursts, "distribution": "constant"}, 20))
    assert gone["max_packets"] == pytest.approx(49, abs=2)
    # An interval of 100 ms either holds the empty half second or lies within a burst's 100 ms of
    # queue.
    assert gone["standing_packets"] < 2
    assert gone["mean_packets"] > 5 * gone["standing_packets"]


def flows(count: int, **words: Any) -> dict[str, Any]:
    """Flows over a bottleneck of 10 Mbps."""
    return {
        "duration": "60 s",
        "warmup": "10 s",
        "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "10 ms"}},
        "queue": {"kind": "drop_tail", "limit": "40 pkt"},
        "flow": [{"name": "s", "count": count, "start_spread": "1 s"}],
        **words,
    }


@pytest.mark.parametrize("kind", ["drop_tail", "red"])
def test_synchronization_is_that_of_the_recorded_losses(kind: str, tmp_path: Path) -> None:
    words = {"queue": {"kind": kind, "limit": "40 pkt"}, "record": {"drops": True, "every": "1 s"}}
    run = dumbbell.Scenario(flows(6, **words)).run(out=tmp_path).json
    queue = run["queues"][0]
    signals = series.read(tmp_path, "signals")
    assert signals is not None
    ours = signals.filter(
        (signals["queue"].cast(str) == "bottleneck") & (signals["time_s"] >= run["warmup_s"])
    )
    # Whole picoseconds, as the simulator counts: round trips end at instants of losses.
    ps = 1_000_000_000_000
    times = [round(time * ps) for time in ours["time_s"]]
    losses = sorted(zip(times, ours["flow"].cast(str), strict=True))
    width, start, end = (
        round(t * ps) for t in (queue["loss_bin_s"], run["warmup_s"], run["duration_s"])
    )
    count = (end - start) // width
    bins: dict[str, set[int]] = {flow["name"]: set() for flow in run["flows"]}
    for time, flow in losses:
        if (k := (time - start) // width) < count:
            bins[flow].add(k)
    assert queue["synchronization"] == pytest.approx(
        synchrony.index(bins.values(), count), abs=1e-9
    )
    epochs = synchrony.epochs_of(losses, width)
    share = sum(map(len, epochs)) / (len(epochs) * len(bins))
    assert queue["loss_epoch_share"] == pytest.approx(share, abs=1e-12)
    # A round trip of 24 ms and the mean wait, to the nearest doubling.
    assert abs(math.log2(queue["loss_bin_s"] / (0.024 + queue["mean_sojourn_s"]))) <= 0.5


def test_the_index_is_the_weighted_mean_of_phi_over_pairs() -> None:
    chance = random.Random(4)
    series_of = [{k for k in range(200) if chance.random() < p} for p in (0.1, 0.3, 0.5, 0.02, 0.3)]
    found, weights = 0.0, 0.0
    for i, a in enumerate(series_of):
        for b in series_of[:i]:
            phi = synchrony.phi(a, b, 200)
            weight = math.sqrt(math.prod(len(x) * (200 - len(x)) for x in (a, b)))
            assert phi is not None
            found, weights = found + weight * phi, weights + weight
    assert synchrony.index(series_of, 200) == pytest.approx(found / weights)
    assert synchrony.index([{1, 3}, {1, 3}], 10) == pytest.approx(1)
    assert synchrony.index([{0, 2}, {1, 3}], 4) == pytest.approx(-1)
    assert synchrony.index([set(), {1}], 10) is None


def test_an_epoch_ends_after_a_round_trip_without_loss() -> None:
    losses = [(1.0, "a"), (1.25, "b"), (1.5, "a"), (1.875, "c"), (4.0, "a")]
    assert synchrony.epochs_of(losses, 0.25) == [{"a", "b"}, {"c"}, {"a"}]
    assert synchrony.epochs_of(losses, 0.375) == [{"a", "b", "c"}, {"a"}]
    assert synchrony.epochs_of([], 0.01) == []


def test_phi() -> None:
    assert synchrony.phi({1, 3}, {1, 3}, 10) == pytest.approx(1)
    assert synchrony.phi({0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}, 10) == pytest.approx(-1)
    assert synchrony.phi({0, 1}, {0, 2}, 4) == pytest.approx(0)
    assert synchrony.phi(set(), {1}, 10) is None


def test_a_flow_that_does_not_yield_locks_the_others_out() -> None:
    hog = {"name": "hog", "source": {"kind": "cbr", "rate": "30 Mbps", "packet": "972 B"}}
    others = {"name": "s", "count": 4, "start": "1 s"}
    queue = only_queue(flows(0, flow=[hog, others]))
    assert queue["lock_out"] == pytest.approx(4 / 5, abs=0.05)
    assert only_queue(flows(5))["lock_out"] < 0.05


def test_jain_and_totals_are_those_of_the_flows(tmp_path: Path) -> None:
    far = {"name": "far", "rtt": "120 ms"}
    scenario = flows(0, flow=[{"name": "near", "rtt": "30 ms", "count": 2}, far])
    result = dumbbell.Scenario(scenario).run(out=tmp_path, record_every="1 s")
    assert isinstance(result, dumbbell.Result)
    goodput = [float(f.goodput_bps) for f in result.flows]
    assert result.jain == pytest.approx(fairness.jain(goodput))
    assert result.totals.goodput_bps == pytest.approx(sum(goodput))
    for name in (
        "sent_packets",
        "delivered_packets",
        "lost_packets",
        "retransmits",
        "rtos",
        "marks",
    ):
        assert getattr(result.totals, name) == sum(getattr(f, name) for f in result.flows), name
    windows = [float(f.cwnd_mean_packets or 0) for f in result.flows]
    assert result.totals.cwnd_mean_packets == pytest.approx(sum(windows) / 3)
    moments = result.jain_over_time()
    assert [m.time_s for m in moments] == [float(t) for t in range(11, 61)]
    assert {m.flows for m in moments} == {3}
    assert 1 / 3 < (fairness.mean(moments) or 0) <= 1


def test_flows_that_have_not_begun_or_are_done_do_not_count_over_time(tmp_path: Path) -> None:
    late = {"name": "late", "start": "30 s"}
    done = {"name": "done", "source": {"kind": "cbr", "rate": "1 Mbps"}, "stop": "15 s"}
    scenario = flows(0, flow=[{"name": "s"}, late, done])
    result = dumbbell.Scenario(scenario).run(out=tmp_path, record_every="1 s")
    assert isinstance(result, dumbbell.Result)
    active = {m.time_s: m.flows for m in result.jain_over_time()}
    assert (active[12.0], active[20.0], active[40.0]) == (2, 1, 2)


def test_jain_by_hand() -> None:
    assert fairness.jain([5, 5, 5]) == pytest.approx(1)
    assert fairness.jain([7, 0, 0, 0]) == pytest.approx(1 / 4)
    assert fairness.jain([1, 2]) == pytest.approx(9 / 10)
    assert fairness.jain([0, 0]) is None


def test_replications_give_each_measure_an_interval() -> None:
    result = dumbbell.Scenario(flows(4, duration="20 s")).run(replications=3)
    assert isinstance(result, dumbbell.Result)
    for name in (
        "p95_packets",
        "standing_packets",
        "synchronization",
        "lock_out",
        "time_above_share",
    ):
        interval = result.queues[0].interval(name)
        assert interval is not None and interval.n == 3, name
    assert result.jain is not None and float(result.jain) > 0.5
    assert "n" in result.json["jain"] and "n" in result.json["totals"]["rtos"]


@pytest.mark.parametrize(
    ("rule", "limit", "most"),
    [
        ("fits", "2500 B", 2000),
        ("reached", "2500 B", 3000),
        ("reached", "2000 B", 2000),
        ("reached", "2001 B", 3000),
        ("reached", "2 ms", 2000),
        ("reached", "2 pkt", 2000),
    ],
)
def test_a_byte_limit_is_full_when_it_does_not_fit_or_once_it_is_reached(
    rule: str, limit: str, most: int
) -> None:
    """Packets of 1000 bytes come twice as fast as they leave. A held queue counts alike."""
    source = {"kind": "cbr", "rate": "15.552 Mbps", "packet": "972 B"}
    for kind in ("drop_tail", "codel"):
        scenario = port(source, 1, kind=kind, limit=limit, limit_rule=rule)
        assert only_queue(scenario)["max_bytes"] == most


def test_the_last_packet_that_a_reached_limit_lets_in_may_be_of_any_size() -> None:
    small = {"kind": "cbr", "rate": "8 Mbps", "packet": "72 B"}
    scenario = port(small, 1, limit="5 kB", limit_rule="reached")
    scenario["flow"].append(
        {"from": "a", "to": "b", "source": {"kind": "cbr", "rate": "8 Mbps", "packet": "1472 B"}}
    )
    assert 5000 + 100 < only_queue(scenario)["max_bytes"] < 5000 + 1500
    fits = {**scenario["link"][0]["queue"], "limit_rule": "fits"}
    scenario["link"][0]["queue"] = fits
    assert only_queue(scenario)["max_bytes"] <= 5000


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ({"limit_rule": "full"}, "a packet does not fit, or when its limit is reached"),
        ({"limit": "10 x 2048 B", "limit_rule": "reached"}, "whole buffers"),
        ({"kind": "fq_codel", "limit": "10 kB", "limit_rule": "reached"}, "share a limit"),
    ],
)
def test_a_limit_rule_that_means_nothing_is_refused(words: dict[str, Any], cause: str) -> None:
    with pytest.raises(dumbbell.ScenarioError, match=cause):
        only_queue(port({"kind": "cbr", "rate": "1 Mbps"}, 1, **words))


def test_goodput_above_the_link_is_what_had_waited_before_the_window() -> None:
    """The window begins within a long recovery: what arrived before and waits for a retransmission
    is handed over in the window, and said apart."""
    rate, length, above = 100e6, 0.1, 0
    scenario: dict[str, Any] = {
        "allow": ["W006"],
        "dumbbell": {"bottleneck": {"rate": "100 Mbps", "delay": "20 ms"}},
        "queue": {"kind": "drop_tail", "limit": "300 pkt"},
        "flow": [{"cc": "newreno"}],
    }
    for tenths in range(20, 28):
        scenario |= {"warmup": f"{tenths / 10} s", "duration": f"{tenths / 10 + length:.1f} s"}
        (flow,) = dumbbell.Scenario(scenario).run().json["flows"]
        more = (flow["goodput_bps"] - rate) * length
        above += more > 0
        assert more <= 8 * flow["held_back_bytes"]
    assert above > 0
    del scenario["warmup"]
    (flow,) = dumbbell.Scenario(scenario).run().json["flows"]
    assert "held_back_bytes" not in flow and flow["goodput_bps"] <= rate


def test_a_queue_that_is_not_reported_leaves_the_run_as_it_is() -> None:
    """By queue: a switch's other port keeps its measures."""
    scenario = port({"kind": "cbr", "rate": "12 Mbps", "packet": "972 B"}, 1, limit="20 pkt")
    second = {"name": "next", "between": ["b", "c"], "rate": "4 Mbps", "delay": "1 ms"}
    scenario["host"] = [{"name": "a"}, {"name": "c"}]
    scenario["router"] = [{"name": "b"}]
    scenario["link"].append({**second, "queue": {"kind": "drop_tail", "limit": "10 pkt"}})
    scenario["flow"][0]["to"] = "c"
    whole = dumbbell.Scenario(scenario).run()
    scenario["link"][0]["queue"]["report"] = False
    part = dumbbell.Scenario(scenario).run()
    assert part.fingerprint == whole.fingerprint
    names = [queue["name"] for queue in whole.json["queues"]]
    assert names == ["port", "port_reverse", "next", "next_reverse"]
    assert part.json["queues"] == whole.json["queues"][2:]
    assert part.json["conservation"] == whole.json["conservation"]
    scenario["link"][1]["queue"]["report"] = False
    none = dumbbell.Scenario(scenario).run()
    assert none.fingerprint == whole.fingerprint
    assert none.json["queues"] == []
    assert "Queues" not in str(none)
    scenario["link"][0]["queue"]["report"] = "no"
    with pytest.raises(dumbbell.ScenarioError, match="write report = true or report = false"):
        dumbbell.Scenario(scenario).run()
