"""The paper on jumbo frames: what is printed, its router's buffer, its scheme taken out, its scan,
and what is measured of a flow over time."""

from __future__ import annotations

import importlib.util
import math
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import dumbbell
import polars
import pytest
from dumbbell import api
from dumbbell.reproduce import papers, work
from dumbbell.reproduce.measures import delivery
from dumbbell.reproduce.verdict import Printed

PAPER = "jumbo-frames"
SABOTAGE = "link.from7.mtu=1500 B"
FITTED = 12


@pytest.fixture(scope="module")
def scan() -> ModuleType:
    folder = papers.load(PAPER).folder
    spec = importlib.util.spec_from_file_location("jumbo_scan", folder / "scan.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))  # As for a script: `scan` imports what is beside it.
        spec.loader.exec_module(module)
    return module


def test_the_paper_has_the_64_numbers_of_both_tables() -> None:
    cells = papers.load(PAPER).cells
    assert len(cells) == 64
    assert sum(c.fitted for c in cells.values()) == FITTED
    assert {c.id for c in cells.values() if c.fitted} == {
        c.id for c in cells.values() if "standard" in c.id and "loss" not in c.id
    }
    # sums of the printed columns, read off the paper a second time
    column = {
        name: math.fsum(c.published for c in cells.values() if c.id.endswith(name))
        for name in _COLUMNS
    }
    assert column == pytest.approx(_COLUMNS)
    assert math.fsum(
        c.published for c in cells.values() if c.id.startswith("t1-")
    ) == pytest.approx(2.12)


_COLUMNS = {"-I-max": 368.7, "-I-mean": 200.2, "-II-max": 69.4, "-II-mean": 16.3, "-buffer": 180.4}


def test_a_jumbo_cell_is_judged_by_its_difference_from_standard_frames() -> None:
    cells = papers.load(PAPER).cells
    for cell in cells.values():
        jumbo = "jumbo" in cell.id
        assert (cell.baseline is not None) == jumbo, cell.id
        if jumbo:
            base = cells[cell.baseline]
            assert "standard" in base.id
            assert base.id.split("-")[-1] == cell.id.split("-")[-1]
            assert ("loss" in base.id) == ("loss" in cell.id)


def test_every_expression_speaks_of_numbers_that_exist() -> None:
    paper = papers.load(PAPER)
    known = {*paper.numbers, *paper.derived}
    texts = [
        text
        for claim in paper.claims
        for text in (claim.reproduced, claim.in_part, *claim.show.values())
    ]
    assert papers.reach(paper, [*filter(None, texts), *paper.derived.values()]) <= known
    lines = [
        line for picture in paper.pictures for line in picture.options.get("lines", {}).values()
    ]
    assert {name for line in lines for name in line["numbers"]} <= known
    assert len(paper.claims) == 41


def test_every_point_and_reading_is_a_scenario() -> None:
    paper = papers.load(PAPER)
    for point in paper.points.values():
        plan = _plan(point.scenario, *point.overrides)
        seven = next(f for f in plan["flows"] if f["name"] in ("n7", "n7.1"))
        jumbo = any("from7.mtu=9180" in text for text in point.overrides)
        assert (seven["transport"]["tcp"]["mss"] == "9.14 kB") == jumbo, point.id
        if point.id[0] in "ab" and "-jumbo-" in point.id:
            assert _one_way_ms(plan) == _DELAYS[point.id[0]], point.id
    base = paper.points["jumbo-50"]
    for reading in paper.readings.entries:
        api.plan(api.request({"path": str(base.scenario)}, [*base.overrides, *reading.at(base)]))


_DELAYS = {
    "a": {"7": 50, "6": 38, "8": 38, "10": 22, "11": 22, "12": 22} | dict.fromkeys("012345", 14),
    "b": {"7": 14, "6": 26, "8": 26, "10": 38, "11": 38, "12": 38} | dict.fromkeys("012345", 50),
}
"""What the paper prints of its two cases, one way."""


def _plan(scenario: Path, *overrides: str) -> dict[str, Any]:
    plan: dict[str, Any] = api.plan(api.request({"path": str(scenario)}, overrides))["points"][0][
        "plan"
    ]
    return plan


def _one_way_ms(plan: dict[str, Any]) -> dict[str, float]:
    delays = [float(link["delay"].removesuffix(" ms")) for link in plan["links"]]
    return {
        f["name"].removeprefix("n"): sum(delays[i] for i in f["forward"]) for f in plan["flows"]
    }


def test_with_the_jumbo_mtu_taken_out_a_run_is_that_of_standard_frames(tmp_path: Path) -> None:
    """The simulator itself, for one second: each paired difference is exactly 0."""
    ids = ["t2-none-jumbo-155-I-mean", "t2-none-jumbo-155-II-mean"]
    options: dict[str, Any] = {"cells": ids, "replications": 2, "out": tmp_path}
    summary = work.reproduce(PAPER, overrides=[SABOTAGE, "duration=1 s"], **options)
    assert summary["altered"] == [SABOTAGE, "duration=1 s"]
    for cell in summary["cells"]:
        assert (cell["effect"]["value"], cell["effect"]["ci95"], cell["verdict"]) == (
            0.0,
            [0.0, 0.0],
            "contradicted",
        )
    changed = {p["id"] for p in summary["points"] if SABOTAGE in p["overrides"]}
    assert changed == {"jumbo-155"}
    untouched = work.reproduce(PAPER, overrides=["duration=1 s"], **options)
    assert all(cell["effect"]["value"] != 0 for cell in untouched["cells"])


def test_every_claim_of_a_gain_asks_for_a_gain() -> None:
    """With numbers as they are when the scheme is taken out, jumbo as standard, none of them
    holds."""
    from dumbbell.reproduce import judge
    from dumbbell.reproduce.predicate import Family, evaluate

    paper = papers.load(PAPER)
    known = {}
    for number in paper.numbers.values():
        values = [3.0 + 0.001 * k for k in range(5)]  # alike at every point, and paired
        known[number.id] = Family(number.at, tuple(tuple(values) for _ in number.points))
    for name, text in paper.derived.items():
        known[name] = evaluate(text, known)
    held = {
        c.id for c in paper.claims if not c.missing and judge.verdict_of(c, known) != "contradicted"
    }
    assert held <= {"claim-10", "claim-14", "claim-25", "claim-32", "claim-33"}


class TestTheBuffer:
    """The queue of network.toml: RED in bytes, full once its limit is reached."""

    def run(self, scan: ModuleType, words: dict[str, Any]) -> dict[str, Any]:
        scenario = {
            "duration": "5 s",
            "profile": "ns2",
            "dumbbell": {"bottleneck": {"rate": "5 Mbps", "delay": "10 ms", "mtu": "9180 B"}},
            "queue": scan.network(scan.chosen(), 5)["link"][0]["queue"] | words,
            "flow": [
                {"count": 4, "cc": "reno", "tcp": {"mss": "1460 B"}},
                {"name": "j", "cc": "reno", "tcp": {"mss": "9140 B"}},
            ],
        }
        return dumbbell.Scenario(scenario).run(seed=3).json

    def test_it_is_full_at_the_limit_and_holds_nearly_a_packet_more(self, scan: ModuleType) -> None:
        reached = self.run(scan, {})
        assert reached["queues"][0]["max_bytes"] == 2 * 9180
        fits = self.run(scan, {"limit_rule": "fits"})
        assert fits["queues"][0]["max_bytes"] < 10_000
        assert fits["flows"][-1]["goodput_bps"] < 0.1 * reached["flows"][-1]["goodput_bps"]

    def test_the_network_has_it_wherever_data_are_lost(self, scan: ModuleType) -> None:
        raw = tomllib.loads((scan.HERE / "network.toml").read_text())
        queues = [link["queue"] for link in raw["link"] if "queue" in link]
        assert len(queues) == 7
        chosen = scan.network(scan.chosen(), 50)["link"][0]["queue"]
        assert all(queue == chosen for queue in queues)


class TestTheScan:
    def test_what_is_printed_has_the_score_0(self, scan: ModuleType) -> None:
        numbers = {
            f"{key}_{rate}": value
            for rate, told in scan.PRINTED.items()
            for key, value in told.items()
        }
        assert len(numbers) == FITTED
        assert scan.score(numbers) == 0
        assert scan.score(dict.fromkeys(numbers, 0.0)) == pytest.approx(math.log(4))
        assert scan.score(numbers | {"load_50": 2 * 0.5}) == pytest.approx(
            math.log(2) / math.sqrt(12)
        )

    def test_it_looks_at_what_is_fitted_and_at_nothing_else(self, scan: ModuleType) -> None:
        fitted = [c for c in papers.load(PAPER).cells.values() if c.fitted]
        printed = [value for told in scan.PRINTED.values() for value in told.values()]
        assert sorted(int(10 * x + 1e-9) for x in printed) == sorted(
            int(10 * c.published + 1e-9) for c in fitted
        )

    def test_stored_are_all_candidates_of_the_first_stage(self, scan: ModuleType) -> None:
        rows = [r for r in scan.stored() if r["stage"] == "1"]
        keys = {scan._key("1", scan._point(r)) for r in rows}
        assert keys == {scan._key("1", here) for here in scan.first()}
        assert len(rows) == len(keys) == 576
        for r in rows:
            if r["score"]:
                numbers = {name: float(r[name]) for name in scan.NUMBERS}
                assert scan.score(numbers) == pytest.approx(float(r["score"]), abs=2e-3)

    def test_the_scenario_is_the_one_that_the_rule_chooses(self, scan: ModuleType) -> None:
        assert (scan.HERE / "network.toml").read_text() == scan.written(scan.chosen())

    def test_the_written_scenario_is_the_scanned_one(self, scan: ModuleType) -> None:
        """The profile field by field is the profile: the same run, packet by packet."""
        scanned = (
            dumbbell.Scenario(scan.network(scan.chosen(), 50) | {"duration": "2 s"})
            .run(seed=5)
            .json
        )
        request = api.request({"path": str(scan.HERE / "network.toml")}, ["duration=2 s"], seed=5)
        stored = api.run(request)
        assert [f["sent_packets"] for f in scanned["flows"]] == [
            f["sent_packets"] for f in stored["flows"]
        ]
        assert [f["goodput_bps"] for f in scanned["flows"]] == [
            f["goodput_bps"] for f in stored["flows"]
        ]

    def test_seven_and_eight_pass_seven_links_of_2_ms(self, scan: ModuleType) -> None:
        raw = tomllib.loads((scan.HERE / "network.toml").read_text())
        plan = _plan(scan.HERE / "network.toml")
        assert len(raw["flow"]) == 12
        assert {name: t for name, t in _one_way_ms(plan).items() if name in "78"} == {
            "7": 14,
            "8": 14,
        }


class TestDelivery:
    """A flow of four packets: 1000 B each, the third lost, the fourth after a second."""

    @pytest.fixture
    def record(self, tmp_path: Path) -> Path:
        ms = 10**9
        polars.DataFrame(
            {
                "flow": ["x"] * 4 + ["y"],
                "from": ["sender"] * 4 + ["receiver"],
                "packet": [1, 2, 3, 4, 1],
                "sent_ps": [0, 10 * ms, 20 * ms, 1000 * ms, 0],
                "delivered_ps": [5 * ms, 22 * ms, None, 1008 * ms, 1],
                "dropped_ps": [None, None, 21 * ms, None, None],
                "ip_len_bytes": [1000, 1000, 1000, 500, 40],
            }
        ).write_parquet(tmp_path / "packets.parquet")
        return tmp_path

    def test_rates(self, record: Path) -> None:
        run = {"duration_s": 2.0}
        found = delivery.rates(run, record, "x")
        assert len(found) == 40
        assert (found[0], found[20], sum(found)) == pytest.approx((320e3, 80e3, 400e3))
        assert delivery.peak(run, record, "x") == pytest.approx(320e3)
        assert delivery.rate(run, record, "x") == pytest.approx(10e3)
        assert delivery.busy(run, record, "x") == 2 / 40
        assert delivery.full(run, record, "x") == 1 / 40

    def test_delays_and_losses(self, record: Path) -> None:
        run = {"duration_s": 2.0}
        assert delivery.delays(record, "x") == pytest.approx([5, 12, 8])
        assert delivery.jitter(run, record, "x") == pytest.approx(7)
        assert delivery.spread(run, record, "x") == pytest.approx(math.sqrt(74 / 9))
        assert delivery.lost(run, record, "x") == 0.25
        assert delivery.lost_late(run, record, "x") == 0
        assert delivery.lost_late({"duration_s": 0.03}, record, "x") == 1
        times, share = delivery.losses(record, "x", 10**10, 3 * 10**10)
        assert (times, share) == ([0.01, 0.02, 0.03], pytest.approx([0, 0, 1 / 3]))

    def test_a_flow_that_was_not_recorded_is_named(self, record: Path) -> None:
        with pytest.raises(dumbbell.ScenarioError, match="no packet of `z`"):
            delivery.peak({"duration_s": 2.0}, record, "z")

    def test_two_flows_that_take_turns_are_correlated_negatively(self, tmp_path: Path) -> None:
        ms = 10**9
        at = [(k * 50 + 1) * ms for k in range(10)]
        columns = {
            "sent_ps": at,
            "delivered_ps": at,
            "dropped_ps": [None] * 10,
            "ip_len_bytes": [100] * 10,
        }
        names = {"flow": ["x", "y"] * 5, "from": ["sender"] * 10, "packet": list(range(10))}
        polars.DataFrame(names | columns).write_parquet(tmp_path / "packets.parquet")
        assert delivery.together({"duration_s": 0.5}, tmp_path, "x~y") == pytest.approx(-1)
        assert delivery.together({"duration_s": 0.5}, tmp_path, "x~x") == pytest.approx(1)


def test_a_print_that_is_cut_off_stands_for_a_whole_digit_above() -> None:
    cut = Printed(11.4, 1, cut=True)
    assert cut.meets(11.464, 11.464)
    assert not cut.meets(11.36, 11.39)
    assert not cut.meets(11.51, 12.0)
    assert not Printed(11.4, 1).meets(11.464, 11.464)
