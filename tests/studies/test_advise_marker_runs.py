"""`advise marker` as a whole: its numbers, its document, its page, the command."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell import api
from dumbbell.present import stats
from dumbbell.studies.advise.marker import judge, question
from dumbbell.studies.advise.marker import marker as advise
from dumbbell.studies.advise.marker.options import Options

ROOT = Path(__file__).resolve().parents[2]
PAPER = ["--rate", "1Mbps", "--rtt", "40ms", "--packet", "1000B"]
SMALL = [*PAPER, "--flows", "2", "--time", "12s", "--seeds", "2"]


def run(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dumbbell", "advise", "marker", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=400, cwd=cwd)


def asked(rate: str = "1Mbps", rtt: str = "40ms", **others: Any) -> question.Question:
    return question.read(rate, rtt, **{"packet": "1000B", **others})


def small(**others: Any) -> Options:
    return Options(question=asked(flows=2), seeds=2, length_s=12.0, **others)


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One advice, and its page."""
    return advise(small(), tmp_path_factory.mktemp("page") / "here")


def test_numbers_are_those_of_single_runs(answered: dict[str, Any]) -> None:
    tried = {(one["size_packets"], one["burst_bytes"]): one for one in answered["candidates"]}
    for size in (0, 3):
        marker: dict[str, Any] = {
            "kind": "data_buffer",
            "size": f"{size} pkt",
            "burst": "1 BDP",
            "per": "flow",
        }
        flow = {"rtt": "40 ms", "cc": "reno", "profile": "ns2", "start_spread": "1 s"}
        flow["tcp"] = {"mss": "960 B", "receive_window": "unlimited"}  # type: ignore[assignment]
        scenario = {
            "duration": "12 s",
            "warmup": "2 s",
            "dumbbell": {
                "bottleneck": {"rate": f"{10e6 / 3:.0f} bps", "delay": "1 ms",
                               "conditioner": {**marker, "packet_size": "1000 B"}},
                "access": {"rate": "10 Mbps"},
            },
            "queue": {"kind": "rio", "limit": "34 pkt", "min_in": "6.8 pkt", "max_in": "27.2 pkt",
                      "max_p_in": 0.02, "min_out": "6.8 pkt", "max_out": "17 pkt",
                      "max_p_out": 0.1, "mean_packet_size": "1000 B",
                      "w_q": -math.expm1(-1 / (10 * 1e7 / 3 * 0.04 / 8000))},
            "flow": [{"name": "customer", "count": 2, "reserved": "1 Mbps", **flow},
                     {"name": "best-effort", "count": 2, **flow}],
        }  # fmt: skip
        runs = dumbbell.Scenario(scenario).run(replications=2).runs
        mine = [one.json["flows"][:2] for one in runs]
        total = stats.mean(
            [f["in_throughput_bps"] + f["out_throughput_bps"] for flows in mine for f in flows]
        )
        inside = stats.mean([f["in_throughput_bps"] for flows in mine for f in flows])
        assert tried[size, 5000]["total_bps"]["mean"] == pytest.approx(total), size
        assert tried[size, 5000]["in_bps"]["mean"] == pytest.approx(inside), size
        assert [flow["target_bps"] for flow in mine[0]] == pytest.approx(
            2 * [answered["target_bps"]]
        )


def test_the_advice_is_that_of_the_rule(answered: dict[str, Any]) -> None:
    d = answered
    first = [one for one in d["candidates"] if one["round"] == "size"]
    most = max(one["total_bps"]["mean"] for one in first)
    assert d["size_packets"] == min(
        o["size_packets"] for o in first if o["total_bps"]["mean"] >= 0.99 * most
    )
    then = [
        o
        for o in d["candidates"]
        if o["size_packets"] == d["size_packets"] and o["burst_bytes"] <= 5000
    ]
    most = max(one["total_bps"]["mean"] for one in then)
    assert d["burst_bytes"] == min(
        o["burst_bytes"] for o in then if o["total_bps"]["mean"] >= 0.99 * most
    )
    (chosen,) = [one for one in d["candidates"] if one["chosen"]]
    assert (chosen["size_packets"], chosen["burst_bytes"]) == (d["size_packets"], d["burst_bytes"])
    assert d["size_holding_s"] == pytest.approx(d["size_packets"] * 8000 / 1e6)
    assert d["burst_bdp"] == pytest.approx(d["burst_bytes"] / 5000)
    assert d["target_bps"] == pytest.approx(1e6 + (1e7 / 3 - 2e6) / 4)
    (alone,) = [
        one for one in d["candidates"] if (one["size_packets"], one["burst_bytes"]) == (0, 5000)
    ]
    for key in ("total_bps", "in_bps"):
        gained = chosen[key]["mean"] - alone[key]["mean"]
        assert (
            d[f"gain_{key}"]["mean"] == pytest.approx(gained)
            and d["token_bucket"][key] == alone[key]
        )
    assert (
        alone["gain_total_bps"] is None
        and d["best_bucket"]["total_bps"]["mean"] >= alone["total_bps"]["mean"]
    )


def test_a_data_buffer_brings_in_rate_and_costs_holding_time(answered: dict[str, Any]) -> None:
    """What the paper's figure 5 shows of IN, and what the buffer's own arithmetic bounds."""
    first = [one for one in answered["candidates"] if one["round"] == "size"]
    inside = [one["in_bps"]["mean"] for one in first]
    assert inside[0] < min(inside[1:]) and max(inside) <= 1.01e6
    for one in first[1:]:
        # Two seeds have too wide an interval to tell a sign; the means above do.
        gain = one["in_bps"]["mean"] - first[0]["in_bps"]["mean"]
        assert one["gain_in_bps"]["mean"] == pytest.approx(gain)
        # The percentile is of bins 1/32 wide.
        assert 0 < one["holding_p99_s"]["mean"] <= 1.04 * one["size_holding_s"]
        assert one["tokens_lost_share"]["mean"] < first[0]["tokens_lost_share"]["mean"]


def test_every_other_network_was_run_and_judged(answered: dict[str, Any]) -> None:
    rows = {row["condition"]: row for row in answered["fails"]}
    assert len(rows) == 13 and "smaller_scale" not in rows
    # Below a packet no packet finds its tokens, whatever waits for them.
    below = rows["half_packet_bucket"]
    assert (below["in_bps"]["mean"], below["gain_total_bps"]["mean"], below["holds"]) == (
        0,
        0,
        False,
    )
    for row in rows.values():
        assert row["verdict"] in judge.VERDICTS and row["holds"] == (row["verdict"] == "holds")
        assert {one["size_packets"] for one in row["sizes"]} >= {0, answered["size_packets"]}
        assert row["gain_total_bps"]["n"] == 2 and row["text"] in row["sentence"]
    assert not rows["oversubscribed"]["reservation_met"]
    assert rows["oversubscribed"]["total_bps"]["mean"] <= 1e6 / 1.2 * 1.01


def test_the_page_needs_nothing_else_and_says_what_the_document_says(
    answered: dict[str, Any],
) -> None:
    directory = Path(answered["page"]).parent
    page = (directory / "index.html").read_text()
    assert json.loads((directory / "advice.json").read_text())["fails"] == answered["fails"]
    assert (
        answered["sentence"] in page
        and "Where this advice fails" in page
        and "not from measurements" in page
    )
    assert answered["rule"] in page and page.index("The rule") < page.index("What to expect")
    assert not re.search(r'(?:src|href)="(?!#)', page)
    assert {Path(path).name for path in answered["figures"]} >= {"sizes.svg", "elsewhere.png"}


def test_a_smaller_network_answers_for_the_asked_one() -> None:
    d = advise(Options(question=asked("1Gbps", "100ms"), seeds=2, budget_s=1.0))
    s = d["simulated"]
    assert s["rate_scale"] > 10 and s["rate_bps"] * s["rate_scale"] == pytest.approx(1e9)
    assert d["size_packets"] == round(s["size_packets"] * s["rate_scale"])
    assert d["token_bucket"]["burst_bytes"] == pytest.approx(12.5e6)
    assert (
        0.5e9 < d["total_bps"]["mean"] < d["link_bps"]
        and d["fails"][-1]["condition"] == "smaller_scale"
    )
    assert any("Instead of 1 Gbit/s" in text for text in d["limits"])
    assert any("from one loss to the next" in text for text in d["limits"])


def test_where_the_largest_is_the_best_larger_ones_are_tried() -> None:
    """Totals that grow with the data buffer up to 30 packets, beyond three r x RTT: 15."""
    tried: list[int] = []

    def growing(wanted: dict[str, Any]) -> dict[str, Any]:
        data: dict[str, Any] = {"valid": True, "code": 0, "points": []}
        laid = tomllib.loads(f"x = {wanted['overrides'][0].partition('=')[2]}")["x"]
        for row in laid:
            size = int(row["dumbbell.bottleneck"]["conditioner"].get("size", "0 pkt").split()[0])
            tried.append(size)
            flow = {
                "name": "customer",
                "in_throughput_bps": 1e6 + 1e4 * min(size, 30),
                "out_throughput_bps": 0.0,
            }
            data["points"].append({"runs": [{"seed": seed, "flows": [flow]} for seed in (1, 2)]})
        return data

    assert advise(small(), measure=growing)["size_packets"] == 30
    assert max(tried) == 60


def test_a_run_without_result_gives_no_advice_and_the_runs_exit_code() -> None:
    def broken(wanted: dict[str, Any]) -> dict[str, Any]:
        data = api.run(wanted)
        data["points"][1] = {"error": "it failed", "overrides": {}}
        return data | {"valid": False, "code": 1, "failures": [{"message": "it failed"}]}

    d = advise(small(), measure=broken)
    assert (d["sentence"], d["valid"], d["code"]) == (None, False, 1)


def test_the_command_answers_in_json_and_the_second_time_from_the_store(tmp_path: Path) -> None:
    done = run(*SMALL, "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["kind"] == "marker" and document["valid"]
    told = (
        (ROOT / "docs" / "how-to" / "advise-marker.md")
        .read_text()
        .partition("## The document")[2]
        .partition("```text\n")[2]
        .partition("```")[0]
    )
    known = set(re.findall(r"[a-z0-9_]+", told))
    for part in (
        document,
        document["candidates"][0],
        document["fails"][0],
        document["simulated"],
        document["paste"],
    ):
        assert set(part) <= known, set(part) - known
    again = json.loads(run(*SMALL, "--json", cwd=tmp_path).stdout)
    assert again["from_store"] == 2 * again["simulated"]["points"]
    same = ("sentence", "candidates", "fails", "limits", "paste")
    assert {key: again[key] for key in same} == {key: document[key] for key in same}
    said = run(*SMALL, cwd=tmp_path)
    flat = " ".join(said.stdout.split())
    assert document["sentence"] in flat and "The advised marker in other networks" in flat


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rate", "2Mbps"], "--rtt"),
        (["--rate", "0Mbps", "--rtt", "80ms"], "must be positive"),
        (["--rate", "2Mbps", "--rtt", "-80ms"], "must be positive"),
        ([*PAPER, "--seeds", "1"], "an interval needs at least two runs"),
        ([*PAPER, "--time", "soon"], "not a time with its unit"),
        ([*PAPER, "--budget", "0s"], "must be positive"),
        ([*PAPER, "--dev", "a b"], "not a device name"),
        ([*PAPER, "--no-store", "--store", "x"], "exclude each other"),
    ],
)
def test_mistakes_end_with_2_and_run_nothing(tmp_path: Path, words: list[str], said: str) -> None:
    done = run(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_help_names_every_option_with_its_default(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dumbbell", "advise", "marker", "--help"],
        capture_output=True, text=True, timeout=60, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0
    for word in (
        "--rate",
        "--rtt",
        "--link",
        "--reserved-share",
        "--deepest-bucket",
        "--budget",
        "--json",
        "1500B",
        "0.6",
    ):
        assert word in done.stdout, word
