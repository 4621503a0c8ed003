"""The simulator against laws that can be worked out on paper: no expected number below comes from a
run."""

from __future__ import annotations

import math
from typing import Any

import dumbbell
import pytest
from helpers.scenarios import simulate


def cbr(rate: str, packet: str = "972 B", **words: Any) -> dict[str, Any]:
    """Datagrams of 1000 bytes of IP length, unless another payload is given."""
    return {"source": {"kind": "cbr", "rate": rate, "packet": packet}, **words}


def bare(**words: Any) -> dict[str, Any]:
    """A flow without handshake, options, delayed acknowledgments or clock granularity: 1000 + 40
    bytes a packet."""
    tcp = {"clock": "0 s", "handshake": False, "receive_window": "unlimited"}
    tcp |= words.pop("tcp", {})
    return {"profile": "ns2", "tcp": tcp, **words}


def test_the_first_round_trip_is_propagation_and_serialisation() -> None:
    size = {"kind": "fixed", "size": "1000 B"}
    flow = simulate(bare(rtt="80 ms", source=size))["flows"][0]
    # Three links each way: access at 100 Mbps, the bottleneck at 10 Mbps, access.
    serialisation = (1040 + 40) * 8 * (1 / 100e6 + 1 / 10e6 + 1 / 100e6)
    assert flow["sent_packets"] == flow["delivered_packets"] == 1
    assert flow["srtt_mean_s"] == pytest.approx(0.080 + serialisation, abs=32e-9)


def test_a_window_that_the_path_holds_is_sent_once_each_round_trip() -> None:
    flow = simulate(bare(rtt="80 ms", tcp={"receive_window": "20 pkt"}), warmup="2 s")["flows"][0]
    rtt = 0.080 + 1080 * 8 * 1.2 / 10e6
    assert flow["goodput_bps"] == pytest.approx(20 * 8000 / rtt, rel=20 / flow["delivered_packets"])
    assert flow["lost_packets"] == 0


def test_a_constant_rate_beyond_the_link_loses_the_rest() -> None:
    result = simulate(
        cbr("19.44 Mbps"), queue={"kind": "drop_tail", "limit": "10 pkt"}
    )  # 20 Mbps on the wire
    flow, queue = result["flows"][0], result["queues"][0]
    # All but what is in the queue, in the transmitter or on its way at the end.
    assert flow["lost_packets"] == pytest.approx(flow["sent_packets"] * (1 - 10 / 20), abs=40)
    assert queue["drops"]["overflow"] == flow["lost_packets"]
    assert queue["utilization"] == pytest.approx(1, abs=1e-3)
    assert queue["max_packets"] == 10


def test_datagrams_that_come_together_wait_for_each_other() -> None:
    # N at one instant, in a queue that is empty again before the next N: the k-th waits for k - 1
    # services.
    flows = [cbr("97.2 kbps", name=f"f{i}", rtt="40 ms") for i in range(5)]
    queue = simulate(*flows, queue={"kind": "drop_tail", "limit": "10 pkt"})["queues"][0]
    service = 8000 / 10e6
    assert queue["mean_sojourn_s"] == pytest.approx(2 * service, rel=1e-6)
    assert queue["max_packets"] == 4
    assert queue["utilization"] == pytest.approx(0.05, rel=0.01)
    assert queue["p99_sojourn_s"] == pytest.approx(4 * service, rel=1 / 32)


@pytest.mark.parametrize("kind", ["drop_tail", "red"])
def test_the_ledger_little_and_utilization_agree(kind: str) -> None:
    flows = [{"name": f"f{i}", "start_spread": "1 s", "rtt": f"{40 + 10 * i} ms"} for i in range(4)]
    result = simulate(
        *flows, queue={"kind": kind, "limit": "60 pkt"}, duration="40 s", warmup="10 s"
    )
    queue, seconds = result["queues"][0], 30
    inside = queue["arrivals"] - queue["departures"] - sum(queue["drops"].values())
    assert abs(inside) <= queue["max_packets"] + 1  # What was inside at the two ends of the window.
    assert queue["utilization"] == pytest.approx(
        8 * queue["departed_bytes"] / 10e6 / seconds, abs=2 * 1.2e-3 / seconds
    )
    # Little: off by at most those that wait at the two ends of the window, each for at most a full
    # queue.
    most = queue["max_packets"] ** 2 * 1.2e-3
    assert queue["mean_packets"] * seconds == pytest.approx(
        queue["departures"] * queue["mean_sojourn_s"], abs=most
    )
    assert sum(flow["share"] for flow in result["flows"]) == pytest.approx(1)
    account = result["conservation"]
    assert account["sent"] == account["delivered"] + account["dropped"] + account["in_network"]


@pytest.mark.parametrize(("limit", "law"), [("1 pkt", 0.75), ("1 BDP", 1.0)])
def test_a_reno_flow_fills_three_quarters_without_a_buffer_and_all_with_one_bdp(
    limit: str, law: float
) -> None:
    # Without a buffer the window goes from W/2 to W, W being the path's: a mean of 3/4 W.
    flow = bare(cc="reno", rtt="100 ms")
    result = simulate(
        flow, queue={"kind": "drop_tail", "limit": limit}, duration="120 s", warmup="20 s"
    )
    packets = 10e6 * 0.1 / 8 / 1040
    assert result["queues"][0]["utilization"] == pytest.approx(law, abs=2 / packets)
    assert result["flows"][0]["rtos"] == 0


def test_random_loss_gives_the_square_root_law() -> None:
    p, runs = 0.002, []
    for seed in range(1, 6):
        flow = bare(cc="sack", tcp={"sack": True}, rtt="100 ms")
        loss = [{"kind": "bernoulli", "loss": p}]
        result = simulate(
            flow, seed=seed, rate="100 Mbps", impairment=loss, duration="600 s", warmup="20 s"
        )
        runs.append(result["flows"][0]["goodput_bps"])
    # Mathis, Semke, Mahdavi, Ott 1997: C = sqrt(3/2) with an acknowledgment for each segment.
    law = 8000 / 0.1 * math.sqrt(1.5 / p)
    assert sum(runs) / len(runs) == pytest.approx(law, rel=0.15)


def test_losses_of_a_link_are_binomial() -> None:
    p = 0.05
    flow = simulate(cbr("4.86 Mbps"), impairment=[{"kind": "bernoulli", "loss": p}])["flows"][0]
    n = flow["sent_packets"]
    assert flow["lost_packets"] == pytest.approx(n * p, abs=4 * math.sqrt(n * p * (1 - p)))


def test_a_congestion_mark_takes_the_place_of_an_early_drop() -> None:
    red = {"kind": "red", "limit": "200 pkt", "ecn": True, "ecn_hard": False}
    flows = [{"name": name, "rtt": "60 ms", "tcp": {"ecn": "rfc3168"}} for name in "ab"]
    marked = simulate(*flows, queue=red)
    assert marked["queues"][0]["drops"]["early"] == 0
    assert marked["queues"][0]["marks"] > 10
    assert sum(flow["marks"] for flow in marked["flows"]) == pytest.approx(
        marked["queues"][0]["marks"], abs=5
    )
    assert sum(flow["retransmits"] for flow in marked["flows"]) == 0
    dropped = simulate(*({**flow, "tcp": {"ecn": "off"}} for flow in flows), queue=red)
    assert dropped["queues"][0]["drops"]["early"] > 10
    assert dropped["queues"][0]["marks"] == 0


def test_flows_that_are_alike_share_alike() -> None:
    flows = [{"name": name, "rtt": "60 ms", "start_spread": "1 s"} for name in "ab"]
    words = {"queue": {"kind": "red", "limit": "60 pkt"}, "duration": "40 s", "warmup": "5 s"}
    shares = [simulate(*flows, seed=seed, **words)["flows"][0]["share"] for seed in range(1, 11)]
    mean = sum(shares) / 10
    error = math.sqrt(sum((share - mean) ** 2 for share in shares) / 9 / 10)
    assert len(set(shares)) == 10
    assert abs(mean - 0.5) < 4.78 * error  # Student's t with 9 degrees of freedom, 99.9 %.
    assert error < 0.03


def test_the_shorter_round_trip_gets_more() -> None:
    flows = [{"name": "near", "rtt": "30 ms"}, {"name": "far", "rtt": "120 ms"}]
    near, far = simulate(
        *flows, queue={"kind": "red", "limit": "60 pkt"}, duration="60 s", warmup="5 s"
    )["flows"]
    assert near["goodput_bps"] > 2 * far["goodput_bps"]


def test_the_long_flow_of_a_parking_lot_gets_the_least() -> None:
    lot = {"hops": 3, "bottleneck": {"rate": "10 Mbps", "delay": "5 ms"}}
    cross = [{"name": f"cross{i}", "path": [i, i + 1]} for i in range(3)]
    words = {
        "duration": "60 s",
        "warmup": "5 s",
        "parking_lot": lot,
        "queue": {"kind": "red", "limit": "60 pkt"},
    }
    result = dumbbell.Scenario({**words, "flow": [{"name": "long"}, *cross]}).run().json
    long, *others = (flow["goodput_bps"] for flow in result["flows"])
    assert all(long < other / 2 for other in others)
    assert all(queue["utilization"] > 0.9 for queue in result["queues"])


def test_a_slow_way_back_paces_the_way_forth() -> None:
    # One acknowledgment of 40 bytes lets one segment go: 10 kbps carry 31.25 of them a second.
    reverse = {"rate": "10 kbps"}
    flow = simulate(
        bare(tcp={"receive_window": "20 pkt"}), reverse=reverse, duration="60 s", warmup="20 s"
    )["flows"][0]
    assert flow["goodput_bps"] == pytest.approx(31.25 * 8000, rel=1 / (31.25 * 40))


def test_delayed_acknowledgements_are_half_as_many() -> None:
    counts = {}
    for when in ("each", "second"):
        flow = bare(tcp={"receive_window": "20 pkt", "delayed_ack": when}, rtt="80 ms")
        result = simulate(
            flow, queue_reverse={"kind": "drop_tail", "limit": "1000 pkt"}, warmup="2 s"
        )
        acks = next(queue for queue in result["queues"] if queue["name"].endswith("reverse"))
        counts[when] = acks["arrivals"] / result["flows"][0]["delivered_packets"]
    assert counts["each"] == pytest.approx(1, abs=0.01)
    assert counts["second"] == pytest.approx(0.5, abs=0.01)


def test_a_transfer_arrives_whole_whatever_is_lost() -> None:
    size = {"kind": "fixed", "size": "1234567 B"}
    flow = simulate({"source": size}, impairment=[{"kind": "bernoulli", "loss": 0.02}])["flows"][0]
    assert flow["lost_packets"] > 0
    assert flow["goodput_bps"] * 20 / 8 == pytest.approx(1234567, abs=1e-3)


def test_an_application_starts_and_stops_when_it_should() -> None:
    flow = simulate(cbr("777.6 kbps", start="3 s", stop="8 s"))["flows"][
        0
    ]  # 100 datagrams a second
    assert flow["sent_packets"] == pytest.approx(500, abs=1)
    assert flow["delivered_packets"] == flow["sent_packets"]


def test_starts_are_spread_over_their_span_by_the_seed() -> None:
    # 1000 datagrams a second, so that their number tells the start to a millisecond.
    words = {"duration": "4 s", "rate": "100 Mbps"}
    spread = {"start": "1 s", "start_spread": "2 s"}
    starts = []
    for seed in range(1, 21):
        flow = simulate(cbr("7.776 Mbps", **spread), seed=seed, **words)["flows"][0]
        starts.append(4 - flow["sent_packets"] / 1000)
    assert all(1 - 0.002 <= start <= 3 + 0.002 for start in starts)
    assert len(set(starts)) == 20
    assert sum(starts) / 20 == pytest.approx(2, abs=4 * 2 / math.sqrt(12 * 20))


def test_bursts_send_their_share_of_the_time() -> None:
    source = {
        "kind": "on_off",
        "rate": "972 kbps",
        "packet": "972 B",
        "on_mean": "100 ms",
        "off_mean": "300 ms",
    }
    flow = simulate({"source": source}, duration="400 s")["flows"][0]
    cycles, per_second = 400 / 0.4, 972e3 / 8 / 972
    # Variance of the sum of `cycles` exponential bursts and silences, by the renewal reward
    # theorem.
    deviation = per_second * math.sqrt(cycles * ((0.75 * 0.1) ** 2 + (0.25 * 0.3) ** 2))
    assert flow["sent_packets"] == pytest.approx(400 * per_second / 4, abs=4 * deviation)


@pytest.mark.parametrize("victim", ["front", "random"])
def test_which_packet_goes_does_not_change_how_many_wait(victim: str) -> None:
    # Packets of one size: the same number waits at every instant, whichever of them makes room.
    flow = cbr("19.44 Mbps")
    tail, other = (
        simulate(flow, queue={"kind": "drop_tail", "limit": "10 pkt", "victim": v})["queues"][0]
        for v in ("tail", victim)
    )
    assert other["departures"] == tail["departures"]
    assert other["mean_packets"] == pytest.approx(tail["mean_packets"], rel=1e-6)


def test_the_mean_window_of_a_flow_that_starts_late_is_that_of_its_own_time() -> None:
    early = simulate(bare(rtt="60 ms"), duration="1 s")["flows"][0]
    late = simulate(bare(rtt="60 ms", start="9 s"), duration="10 s")["flows"][0]
    assert late["sent_packets"] == early["sent_packets"]
    assert late["cwnd_mean_packets"] == pytest.approx(early["cwnd_mean_packets"], rel=1e-9)


def test_replications_carry_student_s_interval() -> None:
    flows = [{"name": name, "start_spread": "1 s"} for name in "ab"]
    words = {
        "duration": "5 s",
        "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "10 ms"}},
        "flow": flows,
    }
    result = dumbbell.Scenario(words).run(replications=4).json
    single = [run["flows"][0]["goodput_bps"] for run in result["runs"]]
    mean, half = (
        sum(single) / 4,
        3.182446 * math.sqrt(sum((x - sum(single) / 4) ** 2 for x in single) / 3 / 4),
    )
    cell = result["flows"][0]["goodput_bps"]
    assert cell["n"] == 4
    assert cell["mean"] == pytest.approx(mean)
    assert cell["ci95"] == pytest.approx([mean - half, mean + half], rel=1e-5)
