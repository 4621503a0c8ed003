"""`dumbbell bench`, the guard of instructions, and the list of slow test programs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import guard
import pytest
import slowest
from dumbbell import api
from dumbbell.bench import measure, workload
from dumbbell.bench.measure import Way
from dumbbell.bench.workload import GRID, PROFILES, QUEUES, Case, cases
from dumbbell.errors import DumbbellError, ScenarioError
from helpers.exports import dumbbell, said

TINY = ("bench", "--flows", "3", "--rate", "5 Mbps", "--time", "2 s", "--repeat", "2")
PROMISED = {
    "flows",
    "queue",
    "packet_hops",
    "ns_per_packet_hop",
    "events",
    "goodput_bps",
    "drop_rate",
    "bytes_per_flow",
    "peak_rss_bytes",
}


@pytest.fixture(scope="module")
def tiny() -> list[dict[str, Any]]:
    """All of a small workload."""
    lines: list[dict[str, Any]] = json.loads(dumbbell(*TINY, "--json").stdout)
    return lines


def test_the_result_has_what_is_promised(tiny: list[dict[str, Any]]) -> None:
    assert [(line["profile"], line["queue"]) for line in tiny] == [
        (p, q) for p in PROFILES for q in QUEUES
    ]
    for line in tiny:
        assert line.keys() >= PROMISED | {
            "setup_s",
            "plan_s",
            "rate_bps",
            "duration_s",
            "fingerprint",
            "delivered",
        }
        assert (line["flows"], line["rate_bps"], line["duration_s"]) == (3, 5_000_000, 2.0)
        assert 0 < line["goodput_bps"] < 5e6 and 0 < line["drop_rate"] < 0.5
        assert len(line["ns_per_packet_hop_runs"]) == 2
        assert (
            min(line["ns_per_packet_hop_runs"])
            <= line["ns_per_packet_hop"]
            <= max(line["ns_per_packet_hop_runs"])
        )
        assert line["calibration_ratio"] > 0 and line["setup_s"] > 0 and line["plan_s"] > 0
        assert line["peak_rss_bytes"] > line["one_flow_rss_bytes"] > 1e6
        # Each delivered packet and its acknowledgment are over six links; some packets are on
        # their way or lost.
        assert 6 * line["delivered"] == pytest.approx(line["packet_hops"], rel=0.1)


def test_the_shortcuts_change_nothing(tiny: list[dict[str, Any]]) -> None:
    for line in tiny:
        assert set(line["reference"]) == {"unfolded", "not_straight", "neither", "held"}
        for other in line["reference"].values():
            assert other["equal"] and other["fingerprint"] == line["fingerprint"]
            assert (other["goodput_bps"], other["drop_rate"]) == (
                line["goodput_bps"],
                line["drop_rate"],
            )
        # They were other runs: every link an event, or an event for the end of each transmission.
        assert (
            line["reference"]["unfolded"]["events"]
            > line["reference"]["held"]["events"]
            > line["events"]
        )


def test_it_is_the_run_that_a_user_has(tiny: list[dict[str, Any]]) -> None:
    case = next(cases(flows=3, rate="5 Mbps", time="2 s"))
    ran = api.run(api.request(case.source(), case.overrides()))
    assert (ran["fingerprint"], ran["packet_hops"]) == (
        tiny[0]["fingerprint"],
        tiny[0]["packet_hops"],
    )
    assert sum(flow["goodput_bps"] for flow in ran["flows"]) == pytest.approx(
        tiny[0]["goodput_bps"]
    )


def test_a_held_and_a_recorded_run_are_the_same_run(tiny: list[dict[str, Any]]) -> None:
    one = ("--profile", "ns2", "--queue", "drop_tail", "--reference", "--json")
    (line,) = json.loads(dumbbell(*TINY, *one, "--held", "--record").stdout)
    assert line["held"] and line["recorded"] and line["fingerprint"] == tiny[0]["fingerprint"]
    assert line["events"] == tiny[0]["reference"]["held"]["events"]
    assert set(line["reference"]) == {
        "unfolded",
        "not_straight",
        "neither",
        "arrival",
        "unrecorded",
    }


def test_a_shortcut_that_changes_a_result_ends_with_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from dumbbell.cli.studies.bench import Workload, bench

    whole = measure._child

    def lame(order: dict[str, Any], before: Any = ()) -> dict[str, Any]:
        told = whole(order, before)
        if not order["run"]["fold"]:
            told["flow_goodput_bps"] = [
                told["flow_goodput_bps"][0] + 1,
                *told["flow_goodput_bps"][1:],
            ]
        return told

    monkeypatch.setattr(measure, "_child", lame)
    asked = Workload(flows=3, rate="5 Mbps", time="2 s", queue="drop_tail", profile="ns2")
    assert bench(workload=asked, repeat=1, json=True) == 3
    printed = capsys.readouterr()
    (line,) = json.loads(printed.out)
    assert (
        line["reference"]["unfolded"]["differs"] == ["flow_goodput_bps"]
        and line["reference"]["held"]["equal"]
    )
    assert "a shortcut changes the result: unfolded differs in flow_goodput_bps" in printed.err


def test_two_runs_of_one_seed_that_differ_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"fingerprint": "a", "packet_hops": 1, "flow_goodput_bps": [1.0], "drop_rate": 0.0}
    other = iter([told, {**told, "fingerprint": "b"}])
    monkeypatch.setattr(measure, "_child", lambda order, before=(): next(other))
    with pytest.raises(DumbbellError, match="two runs with the same seed differ"):
        measure.row(Case(1, "1 Mbps", "2 s"), Way(), repeat=2, reference=False)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--flows", "0"), "--flows 0: a workload has at least one flow"),
        (("--rate", "100mbps"), "--rate 100mbps: `mbps` is ambiguous"),
        (("--rate", "fast"), "--rate fast: `fast` is not a rate"),
        (("--rate", "0 Mbps"), "--rate 0 Mbps: a rate must be above zero"),
        (("--queue", "redd"), "--queue redd: there is no queue named `redd`; did you mean `red`?"),
        (("--cc", "reno2"), "--cc reno2: there is no cc named `reno2`; did you mean `reno`?"),
        (("--time", "soon"), "--time soon: `soon` is not a time"),
        (
            ("--time", "0.5 s"),
            "--time 0.5 s: the last flow starts after 0.9 s; simulate longer than that",
        ),
        (
            ("--profile", "bsd"),
            "--profile bsd: this profile does not exist; write one of ns2, rfc, linux",
        ),
        (("--repeat", "0"), "--repeat 0: at least one run is needed"),
    ],
)
def test_what_is_wrong_is_said_of_its_option(words: tuple[str, ...], complaint: str) -> None:
    done = dumbbell("bench", *words, code=2)
    assert complaint in said(done) and not done.stdout


def test_the_grid_is_the_workload_of_the_peers() -> None:
    grid = list(cases())
    assert len(grid) == len(GRID) * len(QUEUES) * len(PROFILES)
    # Flows, rate, buffer of one bandwidth-delay product, cap of the window.
    expected = {
        10: (10**8, 300, 512),
        100: (10**9, 3000, 512),
        1000: (10**10, 30_000, 512),
        10_000: (10**10, 30_000, 64),
    }
    for case in grid:
        rate, buffer, cap = expected[case.flows]
        words = dict(word.split("=", 1) for word in case.overrides())
        assert case.rate_bps == rate and words["queue.limit"] == f"{buffer} pkt"
        assert words["tcp.receive_window"] == f"{cap} pkt"
        assert int(words["flow.0.start_step"].removesuffix(" ps")) * case.flows == 10**12


@pytest.mark.parametrize("profile", PROFILES)
def test_packets_and_starts_are_those_of_the_workload(profile: str) -> None:
    case = next(cases(flows=10, profile=profile, queue="red"))
    (point,) = api.plan(api.request(case.source(), case.overrides()))["points"]
    plan = point["plan"]
    bottleneck = next(link for link in plan["links"] if link["name"] == "bottleneck")
    assert bottleneck["capacity"] == {"packets": 300}
    red = bottleneck["aqm"]["config"]
    assert (red["min_th"], red["max_th"], red["max_p"], red["w_q"]) == (
        "75 pkt",
        "225 pkt",
        0.1,
        0.0005,
    )
    assert red["gentle"] is True
    assert [flow["start"] for flow in plan["flows"]] == [
        "0 s",
        *(f"{n}00 ms" for n in range(1, 10)),
    ]
    tcp = plan["flows"][0]["transport"]["tcp"]
    assert (tcp["mss"], tcp["header"], tcp["delayed_ack"]) == ("960 B", "40 B", "each")
    assert (tcp["initial_window"], tcp["min_rto"], tcp["receive_window"]) == (
        "10 pkt",
        "200 ms",
        "512 pkt",
    )
    # What is of the profile stays: how losses are found and repaired, timestamps and their clock.
    host = {"linux": ("rack", "prr", True, "1 ms"), "ns2": ("dupack", "rfc6675", False, "0 s")}[
        profile
    ]
    assert (tcp["detection"], tcp["reduction"], tcp["timestamps"], tcp["clock"]) == host


def test_a_point_beside_the_grid_gets_a_rate_and_a_time() -> None:
    def of(**asked: Any) -> tuple[int, int, float]:
        case = next(cases(**asked))
        return case.flows, case.rate_bps, case.duration_s

    assert of(flows=10) == (10, 10**8, 60)
    assert of(flows=50) == (50, 5 * 10**8, 40)
    assert of(flows=100_000) == (100_000, 10**10, 2)
    assert of(rate="1 Gbps") == (10, 10**9, 20)
    assert of(flows=1000, rate="1 Gbps", time="3 s") == (1000, 10**9, 3)


def test_memory_is_what_further_flows_take() -> None:
    told = {"rss_planned_bytes": 5_500, "rss_set_up_bytes": 11_000, "peak_rss_bytes": 21_000}
    few = {"rss_planned_bytes": 500, "rss_set_up_bytes": 1_000}
    of = measure._memory(Case(101, "1 Mbps", "2 s"), [told], few)
    assert (of["bytes_per_flow"], of["plan_bytes_per_flow"]) == (100, 50)
    assert (of["peak_bytes_per_flow"], of["peak_rss_bytes"]) == (200, 21_000)
    assert measure._memory(Case(1, "1 Mbps", "2 s"), [told], few)["bytes_per_flow"] is None
    unknown = measure._memory(Case(9, "1 Mbps", "2 s"), [dict.fromkeys(told)], dict.fromkeys(few))
    assert unknown["bytes_per_flow"] is None and unknown["peak_rss_bytes"] is None


def test_a_run_that_is_killed_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(DumbbellError, match="a run ended with code 1"):
        measure.run(Case(1, "1 Mbps", "2 s"), Way())
    assert "memory" in measure._end(-9) and "memory" not in measure._end(-11)


def test_a_refusal_of_the_measured_process_is_the_commands() -> None:
    with pytest.raises(ScenarioError, match="there is no queue named `nothing`"):
        measure.run(Case(1, "1 Mbps", "2 s", queue="nothing"), Way())


def test_the_scenario_is_part_of_the_package() -> None:
    assert workload.SCENARIO.parent == Path(workload.__file__).parent
    dumbbell("check", workload.SCENARIO)


@pytest.mark.parametrize(
    ("now", "known", "exact", "fails"),
    [
        (100.0, 100.0, True, False),
        (104.9, 100.0, True, False),
        (105.1, 100.0, True, True),
        (95.1, 100.0, True, False),
        (94.9, 100.0, True, True),  # A gain is recorded, or the next loss would hide in it.
        (100.0, None, True, True),
        (124.0, 100.0, False, False),
        (126.0, 100.0, False, True),
        (50.0, 100.0, False, False),
        (100.0, None, False, False),
    ],
)
def test_the_guards_rule(now: float, known: float | None, exact: bool, fails: bool) -> None:
    assert guard.judge(now, known, exact).fails is fails


def test_an_unknown_compiler_is_held_against_the_nearest() -> None:
    known = ["1.89.0", "1.95.0", "1.95.1"]
    assert guard.nearest("1.96.0-nightly", known) == "1.95.0"
    assert guard.nearest("1.90.0", known) == "1.89.0"
    assert guard.nearest("1.95.0", []) is None


def test_recording_keeps_other_compilers() -> None:
    kept = guard.record({"rustc": {"1.95.0": {"a": 1.0}}}, "1.89.0", {"a": 2.0})
    assert (
        kept["rustc"] == {"1.89.0": {"a": 2.0}, "1.95.0": {"a": 1.0}}
        and next(iter(kept["rustc"])) == "1.89.0"
    )


def test_what_is_recorded_is_what_is_measured() -> None:
    kept = json.loads(guard.FILE.read_text())
    for costs in kept["rustc"].values():
        assert list(costs) == list(guard.CASES)
        for name, cost in costs.items():
            least, most = (10_000, 200_000) if name.startswith("plan") else (50, 1000)
            assert least < cost < most


CARGO = """\
   Compiling dumbbell-core v0.1.0
     Running unittests src/lib.rs (target/release/deps/dumbbell_core-0a1b2c)
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.50s
     Running tests/golden.rs (target/release/deps/golden-77)
test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 12.25s
   Doc-tests dumbbell_lab
test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s
"""


def test_slow_test_programs_are_named(tmp_path: Path) -> None:
    named = [
        (12.25, "golden (tests/golden.rs)"),
        (1.0, "documentation of dumbbell_lab"),
        (0.5, "dumbbell_core (src/lib.rs)"),
    ]
    assert slowest.times(CARGO.splitlines()) == named
    (tmp_path / "said").write_text(CARGO)
    words = [sys.executable, slowest.__file__, "sh", "-c", f"cat {tmp_path / 'said'}; exit 101"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (
        done.returncode == 101 and done.stdout.startswith(CARGO) and "12.25s golden" in done.stdout
    )
