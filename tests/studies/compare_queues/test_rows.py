"""The rows of a comparison against single runs, and which conditions it has."""

from __future__ import annotations

from pathlib import Path

import dumbbell
import pytest
from dumbbell import catalogue
from dumbbell.present import stats
from dumbbell.studies.compare.queues import design

from .network import NET, compared


def test_numbers_are_those_of_single_runs_and_differences_are_paired(net: Path) -> None:
    document = compared(
        net, "drop_tail", "red:max_p=0.02", ccs=["newreno", "cubic"], over=["rate=4Mbps,8Mbps"]
    )
    assert [c["label"] for c in document["conditions"]][1] == "newreno · rate 8Mbps"
    by_place = {(row["scheme"], row["cc"], *row["over"].values()): row for row in document["rows"]}
    assert len(by_place) == len(document["rows"]) == 8
    sums, shares = {}, {}
    for queue in ("drop_tail", "red:max_p=0.02"):
        changes = ["queue=red", "queue.max_p=0.02"] if queue != "drop_tail" else ["queue=drop_tail"]
        scenario = dumbbell.Scenario.from_file(net).with_(
            [*changes, "flow.*.cc=cubic", "dumbbell.bottleneck.rate=8Mbps"]
        )
        result = scenario.run(replications=3)
        row = by_place[queue, "cubic", "8Mbps"]
        assert row["fingerprint"] == result.fingerprint
        goodputs = [[float(f.goodput_bps) for f in one.flows] for one in result.runs]
        sums[queue] = [sum(xs) for xs in goodputs]
        shares[queue] = [sum(xs) ** 2 / (3 * sum(x * x for x in xs)) for xs in goodputs]
        assert row["goodput_bps"]["mean"] == pytest.approx(stats.mean(sums[queue]))
        assert row["jain"]["mean"] == pytest.approx(stats.mean(shares[queue]))
        drops = [
            sum(float(n) for n in one.queues[0].drops.values()) / float(one.queues[0].arrivals)
            for one in result.runs
        ]
        assert row["loss_share"]["mean"] == pytest.approx(stats.mean(drops))
    versus = by_place["red:max_p=0.02", "cubic", "8Mbps"]["versus"]
    for key, of in (("goodput_bps", sums), ("jain", shares)):
        expected = stats.paired(of["red:max_p=0.02"], of["drop_tail"])
        assert versus[key]["difference"] == pytest.approx(expected.mean)
        assert versus[key]["ci95"] == pytest.approx((expected.low, expected.high))
    assert by_place["drop_tail", "cubic", "8Mbps"]["versus"] is None


def test_a_scheme_against_itself_differs_in_nothing(net: Path) -> None:
    document = compared(net, "red", "red:max_p=0.1")
    mine, other = document["rows"]
    assert mine["fingerprint"] == other["fingerprint"]
    assert all(block is None or block["difference"] == 0 for block in other["versus"].values())
    assert all(
        v["best"] is None and v["tied"] == ["red", "red:max_p=0.1"] for v in document["best"]
    )
    assert all("no significant winner" in sentence for sentence in document["finding"])


def test_seeds_that_change_nothing_are_said(net: Path) -> None:
    net.write_text(NET.partition("[[flow]]")[0] + '[[flow]]\nname = "alone"\n', encoding="utf-8")
    same = compared(net, "drop_tail")
    assert any("all seeds gave the same runs" in note for note in same["notes"])
    assert not any("all seeds" in note for note in compared(net, "drop_tail", "red")["notes"])


def test_every_queue_of_the_catalogue_can_be_compared(net: Path) -> None:
    kinds = catalogue.kinds()
    names = [*kinds["aqm"], *kinds.get("qdisc", [])]
    document = compared(net, *names, seeds=1)
    assert [row["scheme"] for row in document["rows"]] == names
    assert all(row["valid"] and row["goodput_bps"]["mean"] > 1e6 for row in document["rows"])
    assert all(
        0 <= row["p50_sojourn_s"]["mean"] <= row["p99_sojourn_s"]["mean"] < 1
        for row in document["rows"]
    )


def test_udp_flows_have_no_congestion_control_to_replace(net: Path) -> None:
    net.write_text(
        NET + '[[flow]]\nsource = { kind = "cbr", rate = "1 Mbps" }\n[[flow]]\nname = "last"\n',
        encoding="utf-8",
    )
    base = design.read({"path": str(net)}, [], [], None)
    assert base.cc_places == ("flow.0.cc", "flow.1.cc", "flow.3.cc")
    document = compared(net, "red", "drop_tail", ccs=["cubic"], seeds=1)
    assert document["valid"] and document["flows"] == 5


def test_a_scenarios_own_sweep_is_conditions(net: Path) -> None:
    net.write_text(NET + '[sweep.grid]\n"queue.limit" = ["20 pkt", "40 pkt"]\n', encoding="utf-8")
    document = compared(net, "red", "drop_tail", over=["rate=4Mbps,8Mbps"], seeds=1)
    assert [c["label"] for c in document["conditions"]] == [
        "limit 20 pkt, rate 4Mbps",
        "limit 20 pkt, rate 8Mbps",
        "limit 40 pkt, rate 4Mbps",
        "limit 40 pkt, rate 8Mbps",
    ]
    assert len({row["fingerprint"] for row in document["rows"]}) == 8
