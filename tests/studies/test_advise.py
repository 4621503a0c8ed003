"""`advise queue`: the question, the rules of parameters, the rule of choice, the line for tc, the
page."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell import api
from dumbbell.errors import ScenarioError
from dumbbell.present import stats
from dumbbell.studies.advise.queue import candidates, grid, judge, narrative, question, tc_lines
from dumbbell.studies.advise.queue.work import Options
from dumbbell.studies.advise.queue.work import queue as advise
from dumbbell.studies.compare.queues import metrics
from dumbbell.studies.frame import design
from dumbbell.studies.frame.design import Base

ROOT = Path(__file__).resolve().parents[2]
SMALL = ["--rate", "4Mbps", "--rtt", "20..60ms", "--flows", "1..4", "--time", "9s", "--seeds", "2"]


def run(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dumbbell", "advise", "queue", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=400, cwd=cwd)


def asked(
    rate: str = "50Mbps", rtt: str = "10..120ms", flows: str = "1..40", **others: Any
) -> question.Question:
    words = {"cc": "cubic", "ecn": False, "objective": "balanced", "delay_target": None} | others
    return question.read(rate, rtt, flows, **words)


# The question.


def test_ranges_are_read_with_the_unit_of_either_end() -> None:
    q = asked("10..50Mbps", "10ms..1.2s", "3", delay_target="20 ms")
    assert (q.rate_bps, q.rtt_s, q.flows, q.delay_target_s) == (
        (10e6, 50e6),
        (0.01, 1.2),
        (3, 3),
        0.02,
    )
    assert asked(rtt="500us..10ms").rtt_s == (0.0005, 0.01)
    assert asked().text() == "50 Mbit/s, round-trip times of 10 to 120 ms, 1 to 40 flows of cubic"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"rate": "50mbps"}, "write Mbps"),
        ({"rate": "50"}, "not a rate with its unit"),
        ({"rtt": "10..120"}, "not a time with its unit"),
        ({"rtt": "120..10ms"}, "write --rtt 10ms..120ms"),
        ({"flows": "0..4"}, "1 to 4096"),
        ({"flows": "4.5"}, "not a whole number"),
        ({"rate": "1kbps"}, "64kbps to 1Tbps"),
        ({"objective": "fast"}, "balanced, delay, throughput"),
        ({"delay_target": "1..2ms"}, "write one time"),
    ],
)
def test_what_cannot_be_meant_is_underlined_with_what_to_write(
    words: dict[str, str], said: str
) -> None:
    with pytest.raises(ScenarioError, match=re.escape(said)):
        asked(**words)


# Rules of parameters, by hand.


def tables(q: question.Question) -> dict[str, dict[str, Any]]:
    site = candidates.Site.of(q)
    found = {c.name: c.table(site) for c in candidates.DEFAULT}
    return {name: table for name, table in found.items() if table is not None}


def test_buffers_are_the_published_rules() -> None:
    # 50 Mbit/s x 120 ms are 750 kB, 500 packets of 1500 bytes; over sqrt(40) 79.06, over
    # sqrt(sqrt(40)) 198.8.
    found = tables(asked())
    limits = {name: table["limit"] for name, table in found.items()}
    assert limits["drop_tail, 1 BDP"] == "500 pkt"
    assert limits["drop_tail, BDP/sqrt(most n)"] == "80 pkt"
    assert (
        limits["drop_tail, BDP/sqrt(middle n)"] == f"{math.ceil(500 / 40**0.25)} pkt" == "199 pkt"
    )
    assert (limits["codel"], limits["fq_codel"]) == ("1000 pkt", "10240 pkt")
    # At 10 Gbit/s the limits of tc are less than two bandwidth-delay products.
    fast = tables(asked(rate="10Gbps"))
    assert fast["codel"]["limit"] == fast["fq_codel"]["limit"] == "200000 pkt"
    assert fast["fq_codel"]["memory_limit"] == "600000000 B" and "memory_limit" not in fast["codel"]


def test_red_has_the_thresholds_of_adaptive_red() -> None:
    # C = 50e6 / 12000 = 4166.7 packets/s: min_th = 5 ms C / 2 = 10.417, w_q = 1 - exp(-1 / C).
    red = tables(asked())["red"]
    assert (red["min_th"], red["max_th"]) == ("10.4167 pkt", "31.25 pkt")
    assert red["w_q"] == pytest.approx(1 - math.exp(-12000 / 50e6), rel=1e-9)
    assert tables(asked(rate="1Mbps"))["red"]["min_th"] == "5 pkt"


def test_codel_follows_the_round_trip_time_and_the_rate() -> None:
    long = tables(asked(rtt="20..600ms"))["codel, by RTT"]
    assert (long["interval"], long["target"]) == ("600000 us", "30000 us")
    # A packet takes 12 ms at 1 Mbit/s, which is the least target.
    slow = tables(asked(rate="1Mbps"))["fq_codel, by RTT"]
    assert (slow["interval"], slow["target"]) == ("120000 us", "12000 us")
    assert "codel, by RTT" not in tables(asked(rtt="10..100ms"))


def test_a_wanted_delay_and_ecn_change_the_candidates() -> None:
    assert "pie, half the target" not in tables(asked())
    assert tables(asked(delay_target="20ms"))["pie, half the target"]["target"] == "10000 us"
    assert all(table.get("ecn", True) for table in tables(asked(ecn=True)).values())


def test_candidates_by_name_and_with_parameters() -> None:
    site, kinds = candidates.Site.of(asked()), ["codel", "red", "pi2", "drop_tail"]
    named = candidates.chosen(["codel", "pi2:target=10ms"], site, kinds)
    assert [c.name for c in named] == ["codel", "codel, by RTT", "pi2:target=10ms"]
    assert named[-1].table(site) == {"kind": "pi2", "limit": "500 pkt", "target": "10ms"}
    with pytest.raises(ScenarioError, match="there is no such queue"):
        candidates.chosen(["kodel"], site, kinds)


# Lines.


def test_each_candidate_is_what_its_line_says() -> None:
    for name, table in tables(asked()).items():
        settled = tc_lines.settle(table, 50e6, "eth1")
        assert settled.line is not None and settled.line.startswith(
            "tc qdisc replace dev eth1 root "
        ), name
        assert api.import_tc(settled.line)["queue"] == settled.table, name
        assert settled.table["kind"] == table["kind"], name


def test_a_queue_that_tc_has_not_says_why() -> None:
    settled = tc_lines.settle({"kind": "pi2", "limit": "50 pkt"}, 50e6, "eth0")
    assert settled.line is None and "dualpi2" in settled.why
    with pytest.raises(ScenarioError, match="not a device name"):
        tc_lines.settle({"kind": "codel", "limit": "50 pkt"}, 50e6, "eth0; reboot")


# The grid.


def test_the_grid_has_the_corners_and_mixed_points() -> None:
    q = asked()
    labels = grid.labels(grid.points(q))
    assert labels == [
        "10 ms, 1 flow",
        "10 ms, 40 flows",
        "120 ms, 1 flow",
        "120 ms, 40 flows",
        "10 to 120 ms mixed, 6 flows",
        "10 to 120 ms mixed, 40 flows",
    ]
    assert len(grid.points(asked(rate="10..50Mbps"))) == 12
    assert [p.label for p in grid.points(asked(rtt="20ms", flows="3"))] == ["20 ms, 3 flows"]


def test_flows_of_a_point_are_all_there_with_their_round_trip_times() -> None:
    mixed = grid.points(asked(rtt="10..160ms", flows="1..40"))[-1].changes("cubic")["flow"]
    assert sum(table["count"] for table in mixed) == 40
    assert [table["rtt"] for table in mixed] == ["10000 us", "40000 us", "160000 us"]
    two = grid.points(asked(flows="2"))[-1].changes("cubic")["flow"]
    assert [table["name"] for table in two] == ["near", "far"]


def test_deep_buffers_and_slow_averages_are_candidates_without_a_warning() -> None:
    point = grid.points(asked(rate="4Mbps", rtt="20ms", flows="4"))[0]
    for deep in ({"kind": "drop_tail"}, {"kind": "red", "w_q": 0.0001}):
        row = {**point.changes("cubic"), "queue": {**deep, "limit": "1000 pkt"}}
        base = Base(scenario=grid.scenario(False), name="advice")
        wanted = design.request(base, [row], points=0)
        allowed = set(grid.scenario(False)["allow"])
        assert not allowed & {one["code"] for one in api.plan(wanted)["warnings"]}
        base.scenario.pop("allow")
        assert allowed & {one["code"] for one in api.plan(wanted)["warnings"]}


def test_a_fast_link_is_scaled_and_says_so() -> None:
    q = asked(rate="10Gbps", flows="1..400")
    met = grid.points(q)
    assert {p.simulated_bps for p in met} == {200e6}
    assert {p.simulated_flows for p in met} == {1, 2, 8}
    assert grid.scale(q, grid.MOST_RATE) == 50
    assert any(
        "Instead of 10 Gbit/s, 200 Mbit/s was simulated" in text
        for text in narrative.limits(q, met, 200e6)
    )
    assert all(p.simulated_bps == 10e9 for p in grid.points(q, 10e9))


def test_thin_shares_and_short_runs_are_named() -> None:
    met = grid.points(asked())
    # 50 Mbit/s x 10 ms are 41.7 packets: 1 for each of 40 flows, 6.9 for each of 6.
    assert [round(p.window, 1) for p in grid.thin(met)] == [1.0, 6.9, 1.0]
    assert grid.short(met, "cubic") == []
    assert [p.label for p in grid.short(met, "newreno")] == [
        "120 ms, 1 flow",
        "10 to 120 ms mixed, 6 flows",
    ]


# The choice.


def measured(**of: list[tuple[float, float, float]]) -> dict[tuple[str, int], Any]:
    """Utilization, p99 delay [s] and Jain's index of candidates at points; two seeds a thousandth
    apart."""
    found = {}
    for name, points in of.items():
        for number, (used, delay, fair) in enumerate(points, 1):
            values = {metric.key: {} for metric in metrics.ALL}
            for key, mean in (
                (judge.USED, used),
                (metrics.DELAY, delay),
                (judge.JAIN, fair),
                (judge.LOSS, 0.01),
            ):
                values[key] = {1: mean * 0.9995, 2: mean * 1.0005}
            found[name, number] = values
    return found


LONG = [(1.0, 0.100, 0.9), (1.0, 0.100, 0.9)]
SHORT = [(0.99, 0.005, 0.8), (0.85, 0.030, 0.8)]
FAIR = [(0.99, 0.006, 0.99), (0.85, 0.032, 0.99)]
THIN = [(0.6, 0.002, 0.99), (0.5, 0.004, 0.99)]


def test_scores_are_the_worst_of_all_points_and_kleinrocks_power() -> None:
    of = measured(long=LONG, short=SHORT)
    found = judge.scores(["long", "short"], [0.01, 0.1], of)
    assert (found["short"].used, found["short"].delay_s) == pytest.approx((0.85, 0.030))
    powers = {name: [p[0] / (rtt + p[1]) for p, rtt in zip(ps, (0.01, 0.1), strict=True)]
              for name, ps in (("long", LONG), ("short", SHORT))}  # fmt: skip
    shares = [a / max(a, b) for a, b in zip(powers["long"], powers["short"], strict=True)]
    assert found["long"].power == pytest.approx(math.sqrt(shares[0] * shares[1]), rel=1e-6)
    assert found["short"].power == pytest.approx(1)


def test_each_objective_has_its_rule() -> None:
    of = measured(long=LONG, short=SHORT, fair=FAIR, thin=THIN)
    found = list(judge.scores(["long", "short", "fair", "thin"], [0.01, 0.1], of).values())
    balanced = judge.choose(found, "balanced", None)
    assert (balanced.name, balanced.qualified, balanced.kept) == (
        "fair",
        ("long", "short", "fair"),
        None,
    )
    assert judge.choose(found, "throughput", None).name == "long"
    assert judge.choose(found, "delay", None).name == "fair"  # Equal within a tenth, and fairer.
    assert judge.choose(found[:2], "delay", None).name == "short"


def test_a_wanted_delay_comes_first_and_is_said_to_be_missed() -> None:
    of = measured(long=LONG, short=SHORT, fair=FAIR, thin=THIN)
    found = list(judge.scores(["long", "short", "fair", "thin"], [0.01, 0.1], of).values())
    kept = judge.choose(found, "balanced", 0.0315)
    assert (kept.name, kept.kept, kept.qualified) == ("short", True, ("short", "thin"))
    assert judge.choose(found, "balanced", 0.001).kept is False


def test_expected_is_the_best_the_typical_and_the_worst_point() -> None:
    of = measured(a=[(0.9, 0.01, 1), (0.8, 0.03, 1), (0.7, 0.02, 1)])
    found = judge.expected("a", [1, 2, 3], of)
    assert [found[metrics.DELAY][word]["point"] for word in ("best", "typical", "worst")] == [
        1,
        3,
        2,
    ]
    assert [found[judge.USED][word]["point"] for word in ("best", "typical", "worst")] == [1, 2, 3]
    low, high = stats.ci95([0.03 * 0.9995, 0.03 * 1.0005]) or (0, 0)
    assert found[metrics.DELAY]["worst"]["ci95"] == (low, high)


def test_where_another_is_better_by_much_and_by_more_than_chance() -> None:
    of = measured(long=LONG, short=SHORT, fair=FAIR)
    found = judge.beaten("long", ["short", "fair"], [1, 2], of)
    assert [(one["point"], one["metric"], one["other"]) for one in found] == [
        (1, metrics.DELAY, "short"),
        (2, metrics.DELAY, "short"),
    ]
    assert found[1]["price"] == {
        "metric": judge.USED,
        "value": pytest.approx(1.0),
        "other": pytest.approx(0.85),
    }
    (one,) = judge.beaten("short", ["long"], [1, 2], of)
    assert (one["point"], one["metric"], one["difference"]) == (2, judge.USED, pytest.approx(-0.15))
    text = narrative.beaten(one, "somewhere")
    assert (
        text
        == "somewhere: 85 % utilization against 100 % of long (with 30 ms p99 delay against 100 ms)"
    )
    scattered = measured(a=[(1.0, 0.1, 1)], b=[(1.0, 0.01, 1)])
    scattered["a", 1][metrics.DELAY] = {1: 0.005, 2: 0.195}
    assert judge.beaten("a", ["b"], [1], scattered) == []


# The whole.


def test_numbers_are_those_of_single_runs() -> None:
    q = asked("4Mbps", "20ms", "3")
    document = advise(Options(question=q, words=("drop_tail", "codel"), seeds=2, times=(8.0, 2.0)))
    (point,) = document["simulated"]["points"]
    assert (point["label"], point["duration_s"], point["warmup_s"]) == ("20 ms, 3 flows", 8, 2)
    codel = next(c for c in document["candidates"] if c["name"] == "codel")
    scenario = {
        "profile": "linux",
        "duration": "8 s",
        "warmup": "2 s",
        "dumbbell": {
            "bottleneck": {"rate": "4 Mbps", "delay": "10 us"},
            "access": {"rate": "100 Gbps"},
        },
        "queue": api.import_tc("codel limit 1000 target 5ms interval 100ms")["queue"],
        "flow": [{"name": "all", "count": 3, "rtt": "20 ms", "cc": "cubic", "start_spread": "2 s"}],
    }
    result = dumbbell.Scenario(scenario).run(replications=2)
    p99 = [run.queues[0].p99_sojourn_s for run in result.runs]
    used = [run.queues[0].utilization for run in result.runs]
    mean = stats.mean([float(x) for x in p99])  # type: ignore[arg-type]
    assert codel["worst"]["p99_sojourn_s"] == pytest.approx(mean)
    assert codel["worst"]["utilization"] == pytest.approx(stats.mean([float(x) for x in used]))


def test_the_command_answers_in_json_and_the_second_time_from_the_store(tmp_path: Path) -> None:
    words = [*SMALL, "--candidates", "drop_tail", "fq_codel", "--json"]
    done = run(*words, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["question"]["rate_bps"] == [4e6, 4e6] and document["kind"] == "queue"
    assert document["valid"] and document["from_store"] == 0
    advice, tc = document["advice"], document["tc"]
    assert tc["line"].startswith("tc qdisc replace dev eth0 root ")
    assert api.import_tc(tc["line"])["queue"] == advice["queue"]
    assert (
        tc["shaped"][0]
        == "tc qdisc replace dev eth0 root handle 1: tbf rate 4mbit burst 5000 limit 5000"
    )
    assert {c["name"] for c in document["candidates"]} >= {"drop_tail, 1 BDP", "fq_codel"}
    assert sum(c["chosen"] for c in document["candidates"]) == 1
    told = (ROOT / "docs" / "how-to" / "advise.md").read_text().partition("```text\n")[2]
    for entry in re.split(r"\n(?=\S)", told.partition("```")[0].strip()):
        key, *names = re.findall(r"[a-z0-9_]+", entry)
        of = document[key][0] if isinstance(document[key], list) else document[key]
        assert key == "rows" or set(of) <= set(names), key
    again = json.loads(run(*words, cwd=tmp_path).stdout)
    runs = len(document["candidates"]) * len(document["simulated"]["points"]) * 2
    assert again["from_store"] == runs
    same = ("advice", "expected", "candidates", "fails", "tc")
    assert {key: again[key] for key in same} == {key: document[key] for key in same}


def test_the_page_needs_nothing_else_and_says_what_the_terminal_says(tmp_path: Path) -> None:
    words = [
        "--rate",
        "4Mbps",
        "--rtt",
        "20ms",
        "--flows",
        "2",
        "--time",
        "6s",
        "--seeds",
        "2",
        "-o",
        "here",
    ]
    words += ["--candidates", "drop_tail", "codel", "pi2", "--objective", "delay"]
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "here" / "advice.json").read_text())
    page = (tmp_path / "here" / "index.html").read_text()
    flat = " ".join(done.stdout.split())
    assert document["advice"]["sentence"] in flat and document["advice"]["name"] in page
    assert "Where this advice fails" in page and "not from measurements" in page
    assert not re.search(r'(?:src|href)="(?!#)', page)
    assert {Path(path).name for path in document["figures"]} >= {"tradeoff.svg", "metrics.png"}
    assert next(c for c in document["candidates"] if c["kind"] == "pi2")["tc"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rate", "4Mbps", "--rtt", "20ms"], "--flows"),
        ([*SMALL, "--candidates", "kodel"], "there is no such queue"),
        ([*SMALL, "--candidates", "red:minth=3"], "did you mean `min_th`"),
        ([*SMALL, "--cc", "cubik"], "did you mean `cubic`"),
        ([*SMALL[:-1], "1"], "an interval needs at least two runs"),
        ([*SMALL, "--dev", "a b"], "not a device name"),
        ([*SMALL, "--no-store", "--store", "x"], "exclude each other"),
        ([*SMALL, "--most-rate", "1..2Mbps"], "not a single rate"),
        (["--rate", "4Mbps", "--rtt", "20ms", "--flows", "2", "--time", "soon"], "not a time"),
    ],
)
def test_mistakes_end_with_2_and_run_nothing(tmp_path: Path, words: list[str], said: str) -> None:
    done = run(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_advise_is_a_group_whose_help_names_its_commands(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dumbbell", "advise"]
    done = subprocess.run(
        [*command, "--help"], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert done.returncode == 0 and "queue" in done.stdout
    wrong = subprocess.run(
        [*command, "kueue"], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert wrong.returncode == 2 and "Traceback" not in wrong.stderr
