"""Comparison with ns-2 and ns-3: the rule, what is refused, how peers are told and read; and ns-2
itself where it is installed."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from dumbbell.errors import EnvironmentLacks
from dumbbell.studies.compare.peers import ours
from dumbbell.studies.compare.peers.network import Flow, Network, Red
from dumbbell.studies.compare.peers.outcome import Cost, Outcome
from dumbbell.studies.compare.peers.ratios import Row, price
from dumbbell.studies.compare.peers.results import agreement, packet_trace, scenarios
from dumbbell.studies.compare.peers.same_work import Work, judge
from dumbbell.studies.compare.peers.simulators import ns2, ns3
from dumbbell.studies.compare.peers.workload import Workload, starts

ROOT = Path(__file__).resolve().parents[2]
HAS_NS2 = shutil.which("ns") or shutil.which("ns2")
needs_ns2 = pytest.mark.skipif(not HAS_NS2, reason="ns-2 is not installed (apt-get install ns2)")


def dumbbell(*words: object, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **({} if path is None else {"PATH": path})}
    command = [sys.executable, "-m", "dumbbell", "compare", *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, cwd=ROOT, env=environment
    )


# The rule: goodput within 3 %, drop rates within a factor of 1.3.


@pytest.mark.parametrize(
    ("goodput", "drops", "alike"),
    [
        (1.0, 1.0, True),
        (1.029, 1.0, True),
        (0.971, 1.0, True),
        (1.031, 1.0, False),
        (0.969, 1.0, False),
        (1.0, 1.29, True),
        (1.0, 1 / 1.29, True),
        (1.0, 1.31, False),
        (1.0, 1 / 1.31, False),
    ],
)
def test_the_rule_of_alike_work(goodput: float, drops: float, alike: bool) -> None:
    assert judge(Work(goodput * 1e8, drops * 0.01), Work(1e8, 0.01)).alike is alike


def test_no_drops_are_alike_only_with_none_and_no_goodput_never() -> None:
    assert judge(Work(1e8, 0.0), Work(1e8, 0.0)).alike
    assert not judge(Work(1e8, 0.0), Work(1e8, 1e-6)).alike
    assert not judge(Work(1e8, 1e-6), Work(1e8, 0.0)).alike
    assert not judge(Work(0.0, 0.0), Work(0.0, 0.0)).alike


def test_a_row_outside_the_rule_says_why_and_has_no_ratio() -> None:
    both = [outcome(run_s=1.0), outcome(run_s=3.0)]
    cheap, dear = price(both[:1]), price(both[1:])
    workload = Workload(2, 20e6, "red", 5.0)
    unlike = Row(workload, 5, judge(Work(1e8, 0.01), Work(2e8, 0.02)), cheap, dear)
    assert (unlike.faster, unlike.smaller) == (None, None)
    assert "goodput differs by more than 3%" in unlike.verdict.why
    assert "drop rates differ by more than a factor of 1.3" in unlike.verdict.why
    document = unlike.document()
    assert (document["alike"], document["time_ratio"]) == (False, None)
    assert document["theirs"]["goodput_bps"] == 2e8
    alike = Row(workload, 5, judge(Work(1e8, 0.01), Work(1e8, 0.01)), cheap, dear)
    assert alike.faster == pytest.approx(3.0)


def outcome(
    run_s: float = 1.0, hops: int = 1000, goodputs: tuple[float, ...] = (1e6, 3e6)
) -> Outcome:
    return Outcome(200, 2, 198, 0, 5.0, 0.9, goodputs, hops, Cost(run_s, 0.5, 1000, 4000))


def test_the_price_is_of_all_runs_together() -> None:
    priced = price([outcome(run_s=1.0, hops=1000), outcome(run_s=3.0, hops=3000)])
    assert priced.ns_per_hop == pytest.approx(1e6)
    assert priced.bytes_per_flow == 2000
    assert outcome().shares == (0.25, 0.75)
    assert outcome().drop_rate == 0.01


# What the command refuses.


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        (["--flows", "0"], "a comparison needs at least one flow"),
        (["--flows", "0"], "a comparison needs at least one flow"),
        (["--flows", "1000000"], "neither ns-2 nor ns-3 can set up so many"),
        (["--rate", "10mbps"], "this is not a rate"),
        (["--rate", "1Mbps"], "less than 8 packets"),
        (["--rate", "0bps"], "less than 8 packets"),
        (["--queue", "rad"], "did you mean `red`?"),
        (["--against", "ns33"], "did you mean `ns3`?"),
        (["--against", "ns2", "opnet"], "write one of ns2, ns3"),
        (["--time", "5"], "this is not a time"),
        (["--time", "1s"], "the last flow starts after one second"),
        (["--seeds", "0"], "there must be at least one run"),
        (["--scenario", "red-1-sack"], "this is only for --results"),
        (["--results", "--flows", "10"], "this does not apply to --results"),
        (["--results", "--against", "ns3"], "did you mean `ns2`?"),
        (["--results", "--scenario", "red-1-sac"], "did you mean `red-1-sack`?"),
        (["--results", "--seeds", "1"], "an interval takes at least 2 runs"),
    ],
)
def test_wrong_words_end_with_2_and_are_underlined(words: list[str], cause: str) -> None:
    done = dumbbell(*words)
    assert (done.returncode, done.stdout) == (2, "")
    first, second, *_ = done.stderr.splitlines()
    wrong = next(word for word in reversed(words) if word in first)
    assert cause in done.stderr
    assert second.index("^") == first.index(wrong)
    assert "help: " in done.stderr


def test_a_refusal_is_a_document_with_json() -> None:
    done = dumbbell("--flows", "0", "--json")
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"], error["option"]) == (2, 2, "--flows")


@pytest.mark.parametrize(
    ("words", "package"),
    [(["--against", "ns2"], "ns2"), (["--against", "ns3"], "libns3-dev"), (["--results"], "ns2")],
)
def test_a_missing_simulator_ends_with_4_and_names_its_package(
    words: list[str], package: str, tmp_path: Path
) -> None:
    done = dumbbell(*words, "--json", path=str(tmp_path))
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"], error["package"]) == (4, 4, package)
    assert f"apt-get install {package}" in done.stderr


def test_a_missing_library_of_ns3_is_found_out_by_pkg_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "pkg-config"
    tool.write_text("#!/bin/sh\nexit 1\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentLacks, match="libns3-dev"):
        ns3.binary()


# What each simulator is told.


def test_start_times_are_drawn_once_for_all() -> None:
    assert starts(4, 1) == starts(4, 1) != starts(4, 2)
    assert all(i / 4 <= start < i / 4 + 0.010 for i, start in enumerate(starts(4, 1)))
    network = Workload(4, 40e6, "red", 5.0).network(1)
    times = [f"{start:.9f}" for start in starts(4, 1)]
    assert [
        line.split()[1] for line in ns2.script(network).splitlines() if line.startswith("flow")
    ] == times
    sack = Workload(4, 40e6, "red", 5.0, "ns3").network(1)
    assert [
        line.split()[1] for line in ns3.words(sack).splitlines() if line.startswith("flow")
    ] == times
    told = [int(flow["start"].removesuffix(" ns")) for flow in ours.scenario(network)["flow"]]
    assert told == [round(start * 1e9) for start in starts(4, 1)]


def test_the_buffer_means_the_same_number_of_waiting_packets() -> None:
    drop_tail = Network(10e6, 30, (Flow(0.0),), 5.0)
    assert "set net(limit) {31}" in ns2.script(drop_tail)
    red = Network(10e6, 30, (Flow(0.0),), 5.0, red=Red(5, 15, 0.1, 0.002))
    assert "set net(limit) {30}" in ns2.script(red)
    assert ours.scenario(red)["queue"]["limit"] == "30 pkt"
    assert "linterm_ 10.0" in ns2.script(red)


def test_ns3_is_not_told_what_its_program_cannot_do() -> None:
    with pytest.raises(ValueError, match="NewReno"):
        ns3.words(Network(10e6, 30, (Flow(0.0, cc="tahoe"),), 5.0))


# What each simulator says.


def test_what_ns2_prints() -> None:
    network = Network(10e6, 30, (Flow(0.0), Flow(0.0)), duration=6.0, warmup=1.0)
    said = (
        "bare 0.01 10000\nsetup 0.03 12000\n"
        "start.queue 100 1 95 95000 50.0 2\nstart.ack 49 39\nstart.cuts 0 0\n"
        "run 0.53 14000\nend.queue 1100 21 1065 1065000 550.0 9\nend.ack 549 539\nend.cuts 1 1\n"
    )
    read = ns2.read(network, said)
    assert (read.arrivals, read.drops, read.departures) == (1000, 20, 970)
    assert read.mean_queue == pytest.approx(100.0)
    assert read.utilization == pytest.approx(970_000 * 8 / 50e6)
    assert read.goodputs == (pytest.approx(500 * 960 * 8 / 5),) * 2
    assert read.hops == 1100 + 5 * 1065
    assert read.cost == Cost(pytest.approx(0.5), pytest.approx(0.02), 2000 * 1024, 4000 * 1024)


def test_what_ns3_prints() -> None:
    network = Network(10e6, 30, (Flow(0.0),), duration=2.0)
    read = ns3.read(
        network, "bare 0.1 1000\nsetup 0.2 1500\nrun 1.2 1700\nqueue 100 2 97\nbytes 96000\n"
    )
    assert (read.arrivals, read.drops, read.hops) == (100, 2, 100 + 5 * 97)
    assert read.goodput_bps == 96000 * 8 / 2
    assert read.cost.run_s == pytest.approx(1.0)


def test_ours_is_counted_as_the_others_are() -> None:
    """Packet-hops from the queue's counts are those that the simulator counts, but for packets that
    are on their way."""
    network = Workload(2, 20e6, "drop_tail", 3.0).network(1)
    done = ours.run(network)
    assert done.hops == pytest.approx(done.arrivals + 5 * done.departures, rel=0.02)
    assert done.cost.peak_bytes >= done.cost.setup_bytes >= 0
    assert len(done.goodputs) == 2


# Results: when quantities agreement.


def test_the_interval_of_a_difference() -> None:
    """NIST/SEMATECH e-Handbook 7.3.1's form of Welch's test, with numbers small enough for a pocket
    calculator."""
    a, b = [1.0, 2.0, 3.0], [2.0, 4.0, 6.0]
    found = agreement.welch(a, b)
    # s1^2/n = 1/3, s2^2/n = 4/3; df = (5/3)^2 / ((1/9 + 16/9) / 2) = 2.94, taken as 2; t(0.975, 2)
    # = 4.302653.
    half = 4.302652729911275 * math.sqrt(5 / 3)
    assert found.mean == -2.0
    assert (found.low, found.high) == (pytest.approx(-2 - half), pytest.approx(-2 + half))
    assert agreement.welch([1.0, 1.0], [2.0, 2.0]).high == -1.0


def test_quantities_agree_by_tolerance_or_by_interval_or_not() -> None:
    near = agreement.compared("utilization", [0.90, 0.9001, 0.9002], [0.905, 0.9051, 0.9052])
    assert (near.agrees, near.how) == (True, "tolerance")
    wide = agreement.compared("utilization", [0.80, 0.90, 0.99], [0.85, 0.95, 0.99])
    assert (wide.agrees, wide.how) == (True, "interval")
    far = agreement.compared("utilization", [0.80, 0.801, 0.802], [0.90, 0.901, 0.902])
    assert (far.agrees, far.how) == (False, "differs")
    assert far.difference.mean == pytest.approx(-0.1)


def test_two_lists_of_segments_are_compared_from_the_first_on() -> None:
    mine = [(0.0, 0), (0.1, 1), (0.2, 2), (0.3, 3)]
    late = [(0.0, 0), (0.1, 1), (0.2001, 2), (0.3, 4), (0.4, 5)]
    found = packet_trace.followed("sack", 30, mine, late)
    assert (found.same_order, found.same_time, found.whole) == (3, 2, False)
    assert packet_trace.followed("sack", 30, mine, mine).whole
    lines = ["+ 0.5 2 0 tcp 1000 ------- 0 2.0 3.0 7 9", "- 0.5 2 0 tcp 1000 ------- 0 2.0 3.0 7 9"]
    assert packet_trace.sends(lines) == [(0.5, 7)]


def test_scenarios_have_names_of_their_own_and_are_understood_by_ours() -> None:
    names = [s.name for s in scenarios.ALL]
    assert len(set(names)) == len(names) >= 20
    for scenario in scenarios.ALL:
        network = scenario.network(1)
        assert network == scenario.network(1) != scenario.network(2)
        assert len(ours.scenario(network)["flow"]) == len(scenario.access)


# ns-2 itself.


@needs_ns2
def test_a_small_comparison_with_ns2() -> None:
    done = dumbbell(
        "--against", "ns2", "--flows", 4, "--queue", "red", "--time", "30s", "--seeds", 2, "--json"
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    (row,) = document["rows"]
    assert document["versions"]["ns2"] == "ns-2.35"
    assert row["ours"]["goodput_bps"] == pytest.approx(row["theirs"]["goodput_bps"], rel=0.1)
    assert row["alike"] == (row["time_ratio"] is not None)


@needs_ns2
@pytest.mark.parametrize("cc", ["tahoe", "sack"])
def test_a_flow_sends_what_ns2_sends(cc: str) -> None:
    """Tahoe to the microsecond; SACK in the same order, as a block of ours takes 4 bytes of padding
    more."""
    found = packet_trace.follow(cc, 24)
    assert found.whole
    assert found.ours > 50_000
    if cc == "tahoe":
        assert found.same_time == found.ours


@needs_ns2
@pytest.mark.parametrize("name", ["red-1-newreno", "red-2-newreno", "red-10-reno"])
def test_a_loss_within_a_recovery_halves_what_ns2_halves(name: str) -> None:
    """Half of all outstanding bytes where ns-2 halves cwnd overflows the queue again and again:
    with that rule `red-1-newreno` dropped more than 1.5 times as many packets as ns-2, and now as
    many. Seed 3 of ten."""
    network = next(s for s in scenarios.ALL if s.name == name).network(3)
    here, there = ours.run(network), ns2.run(network)
    assert here.drop_rate == pytest.approx(there.drop_rate, rel=0.10)
    assert here.utilization == pytest.approx(there.utilization, abs=0.015)


# Datagrams.


def _datagrams(cc: str = "newreno", rate: float | None = 12e6) -> Network:
    flow = Flow(0.5, 0.0025, cc, datagrams_bps=rate)
    return Network(10e6, 60, (flow,), 30.0, 5.0, delay_s=0.005, payload=1460)


def test_datagrams_fill_a_packet_of_the_same_length() -> None:
    """1500 B with IP and UDP headers, at a rate that counts these."""
    said = ours.scenario(_datagrams())["flow"][0]
    assert said["source"] == {"kind": "cbr", "rate": "11776000 bps", "packet": "1472 B"}
    assert "cc" not in said and said["rtt"] == "20000000 ns"
    assert "datagrams 0.500000000 0.0025 12000000 1500" in ns2.script(_datagrams())
    assert "source" not in ours.scenario(_datagrams(rate=None))["flow"][0]


@needs_ns2
def test_datagrams_over_a_full_queue_are_counted_alike() -> None:
    """25 s of a packet a millisecond, of which 12 Mbit/s over 10 drop a sixth."""
    for found in (ours.run(_datagrams()), ns2.run(_datagrams())):
        assert found.arrivals == 25000
        assert abs(found.drops - 25000 / 6) <= 1
        assert abs(found.departures - 25000 * 5 / 6) <= 1
        assert found.goodput_bps == pytest.approx(10e6 * 1472 / 1500, rel=1e-4)
        assert found.marks == 0


@needs_ns2
def test_marks_are_counted_on_both_sides() -> None:
    red = Red(5, 15, max_p=0.1, w_q=0.002, ecn=True)
    flows = tuple(Flow(start, 0.0075, "sack") for start in (0.1, 0.3))
    network = Network(10e6, 60, flows, 20.0, 5.0, delay_s=0.005, red=red, handshake=True)
    here, there = ours.run(network), ns2.run(network)
    assert here.drops == there.drops == 0
    assert here.marks > 50 and 0.5 < there.marks / here.marks < 2
