"""`advise marker`: the question, the network and its scale, the sizes, the rule of choice, the
verdicts, the page."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from dumbbell import api
from dumbbell.errors import ScenarioError
from dumbbell.language import overrides
from dumbbell.present import stats
from dumbbell.studies.advise.marker import (
    conditions,
    config_lines,
    judge,
    narrative,
    network,
    question,
    scale,
    sizes,
)
from dumbbell.studies.advise.marker.judge import Values
from dumbbell.studies.advise.marker.network import Case


def asked(rate: str = "1Mbps", rtt: str = "40ms", **others: Any) -> question.Question:
    return question.read(rate, rtt, **{"packet": "1000B", **others})


# The question.


@pytest.mark.parametrize(
    ("rate", "reserved", "link", "flows", "target"),
    [
        (1.0, 6.0, 10.0, 12, 4 / 3),
        (2.0, 7.2, 12.0, 10, 2.48),
        (0.1, 7.2, 12.0, 10, 0.58),
        (2.0, 7.2, 8.0, 10, 2.08),
        (2.0, 7.2, 6.0, 10, 5 / 3),
        (0.1, 7.2, 6.0, 10, 1 / 12),
        (1.0, 8.0, 14.0, 16, 1.375),
        (1.0, 8.0, 8.0, 16, 1.0),
    ],
)
def test_targets_are_those_of_the_paper(
    rate: float, reserved: float, link: float, flows: int, target: float
) -> None:
    assert question.target_bps(rate, reserved, link, flows) == pytest.approx(target)


def test_without_more_the_network_is_that_of_experiment_1() -> None:
    q = asked()
    assert (q.link_bps, q.flows, q.background, q.reserved_share) == (10e6, 6, 6, pytest.approx(0.6))
    assert (q.cc, q.profile, q.deepest_bucket, q.bdp_packets) == ("reno", "ns2", 1.0, 5.0)
    assert asked(cc="cubic").profile == "linux"
    assert question.read("2Mbps", "80ms").packet_bytes == 1500


def test_the_ends_of_what_is_known_are_known() -> None:
    assert (
        asked("8kbps", "100us").rtt_s == pytest.approx(1e-4) and asked("100Gbps", "10s").rtt_s == 10
    )


def test_two_of_link_customers_and_share_give_the_third() -> None:
    assert (asked(link="20Mbps").flows, asked(link="20Mbps", reserved_share=0.1).flows) == (12, 2)
    assert asked(link="20Mbps", flows=5).reserved_share == pytest.approx(0.25)
    assert asked(flows=3, reserved_share=1.2).link_bps == pytest.approx(2.5e6)
    assert asked(flows=3).background == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"rate": "0Mbps"}, "a rate must be positive"),
        ({"rtt": "-80ms"}, "a time must be positive"),
        ({"rate": "20Mbps", "link": "10Mbps"}, "less than the 20 Mbit/s that customers reserve"),
        ({"rate": "2mps"}, "not a rate with its unit"),
        ({"rate": "2mbps"}, "write Mbps"),
        ({"rate": "1.2.3Mbps"}, "not a rate with its unit"),
        ({"rate": "1e999Mbps"}, "8kbps to 100Gbps"),
        ({"rtt": "80"}, "not a time with its unit"),
        ({"rtt": "10..80ms"}, "this is a range"),
        ({"rtt": "80parsec"}, "is not a time"),
        ({"packet": "1kB"}, "not a whole number of bytes"),
        ({"packet": "20B"}, "100B to 9000B"),
        ({"flows": 0}, "1 to 4096"),
        ({"flows": 1, "background": 0}, "meets no congestion"),
        ({"link": "10Mbps", "flows": 3, "reserved_share": 0.3}, "leave out one of the three"),
        ({"link": "10Mbps", "flows": 300}, "at most --flows 30"),
        ({"reserved_share": 7.0}, "from 0.01 to 3"),
        ({"deepest_bucket": 0.0}, "--deepest-bucket 1"),
        ({"cc": "cubik"}, "did you mean `cubic`"),
        ({"profile": "bsd"}, "ns2, rfc, linux"),
    ],
)
def test_what_cannot_be_meant_is_underlined_with_what_to_write(
    words: dict[str, Any], said: str
) -> None:
    with pytest.raises(ScenarioError, match=re.escape(said)) as refused:
        asked(**words)
    assert "^" in str(refused.value) and "help: " in str(refused.value)


# The network, and how large it is simulated.


def test_at_40_ms_the_queue_is_the_papers() -> None:
    case = Case.of(asked())
    made = network.changes(case, 3, 5000, 50.0, 10.0)
    rio = made["queue"]
    assert case.limit == 100
    assert [rio[key] for key in ("min_in", "max_in", "min_out", "max_out")] == [
        "20 pkt",
        "80 pkt",
        "20 pkt",
        "50 pkt",
    ]
    assert rio["w_q"] == pytest.approx(0.002, rel=0.01)
    flows = {flow["name"]: flow for flow in made["flow"]}
    assert (flows["customer"]["count"], flows["customer"]["reserved"]) == (6, "1000000 bps")
    assert "reserved" not in flows["best-effort"]


def test_networks_that_try_the_advice_give_no_warning_of_what_they_try() -> None:
    def codes(scenario: dict[str, object]) -> set[str]:
        found: set[str] = set()
        for one in conditions.conditions(Case.of(asked()), 1, (3, 5000), 5000):
            for marker in one.markers().values():
                made = network.changes(one.case, *marker, 20.0, 4.0)
                laid = [f"{key}={overrides.toml(value)}" for key, value in made.items()]
                planned = api.plan(api.request({"value": scenario, "name": "x"}, laid, points=0))
                found |= {warning["code"] for warning in planned["warnings"]}
        return found

    scenario = network.scenario()
    assert not codes(scenario) & {"W016", "W017"}
    assert codes(scenario | {"allow": []}) >= {"W016", "W017"}


def test_a_customer_has_the_asked_round_trip_time_whatever_others_have() -> None:
    for condition in conditions.conditions(Case.of(asked()), 1, (3, 5000), 5000):
        case = condition.case
        scenario = network.scenario() | {"name": condition.key}
        made = network.changes(case, 3, 5000, 20.0, 4.0)
        laid = [f"{key}={overrides.toml(value)}" for key, value in made.items()]
        plan = api.plan(api.request({"value": scenario, "name": "x"}, laid, points=1))["points"][0][
            "plan"
        ]
        names = [flow["name"] for flow in plan["flows"]]
        customers = [name for name in names if name.startswith("customer")]
        assert len(customers) == (
            case.flows - case.flows // 2 if case.other_rtts_s else case.flows
        ), condition.key
        assert len(names) == case.flows + case.background, condition.key


def test_every_condition_is_another_network() -> None:
    q = asked("2Mbps", "80ms", packet="1500B")
    case = Case.of(q)
    found = {one.key: one for one in conditions.conditions(case, 1, (2, 20000), 20000)}
    assert len(found) == 13 and all(
        one.case != case or one.burst_bytes != 20000 for one in found.values()
    )
    over = found["oversubscribed"].case
    assert over.flows * over.rate_bps / over.link_bps == pytest.approx(1.2)
    assert over.target_bps == pytest.approx(over.rate_bps / 1.2)
    assert max(found["other_rtts"].case.other_rtts_s) == pytest.approx(0.16)
    assert min(found["other_rtts"].case.other_rtts_s) == pytest.approx(0.01)
    assert found["above_fair_share"].case.target_bps < found["above_fair_share"].case.rate_bps * 1.1
    assert found["more_best_effort"].case.background == 24
    assert (found["other_tcp"].case.cc, found["other_tcp"].case.profile) == ("cubic", "linux")
    assert found["small_packets"].case.packet_bytes == 576
    assert (found["one_packet_bucket"].burst_bytes, found["half_packet_bucket"].alone_bytes) == (
        1500,
        750,
    )
    assert found["random_loss"].case.loss == 0.01 and found["random_loss"].text.startswith("1 %")
    # A window that is 1000 times larger falls to the same part of itself by a loss that is a
    # million times rarer.
    smaller = {one.key: one for one in conditions.conditions(case, 1000, (2, 20000), 20000)}
    assert smaller["random_loss"].text.startswith("1e-06 %") and smaller["smaller_scale"].size == 1


def test_a_condition_runs_the_advice_its_neighbours_and_the_bucket_alone_as_deep_as_allowed() -> (
    None
):
    over = next(conditions.conditions(Case.of(asked()), 1, (4, 2500), 5000))
    assert over.markers() == {0: (0, 5000), 2: (2, 2500), 4: (4, 2500), 8: (8, 2500)}
    none = next(conditions.conditions(Case.of(asked()), 1, (0, 2500), 5000))
    assert none.markers()[0] == (0, 2500)


def test_where_one_is_alone_there_is_no_condition_of_being_alone() -> None:
    keys = [
        one.key
        for one in conditions.conditions(Case.of(asked(flows=1, background=3)), 1, (1, 5000), 5000)
    ]
    assert "above_fair_share" not in keys and "oversubscribed" in keys


def test_a_network_is_made_smaller_until_it_keeps_to_the_budget() -> None:
    packets = scale.packets_per_run(30.0, 5)
    assert scale.fit(Case.of(asked()), packets).rate_scale == 1
    far = Case.of(asked("1Gbps", "300ms", packet="1500B"))
    small = scale.fit(far, packets)
    length, warmup = scale.lengths(small.case, packets)
    assert small.rate_scale > 100 and small.case.rtt_s == 0.3
    assert length * small.case.packets_per_s <= 1.02 * packets
    assert length - warmup >= 20 * small.case.cycle_s
    assert small.case.target_bps * small.rate_scale == pytest.approx(far.target_bps)
    assert scale.fit(far, 100 * packets).rate_scale < small.rate_scale
    slow = Case.of(asked("64kbps", "5ms"))
    assert scale.fit(slow, packets) == scale.Scaled(slow, 1.0, 1.0)


def test_many_customers_become_fewer_before_rates_do() -> None:
    case = Case.of(asked("2Mbps", "80ms", link="1Gbps"))
    small = scale.fit(case, scale.packets_per_run(30.0, 5))
    assert (case.flows, small.rate_scale, small.case.rate_bps) == (300, 1.0, 2e6)
    assert small.case.flows * small.flows_scale == pytest.approx(300)
    assert small.case.link_bps / small.case.flows == pytest.approx(case.link_bps / case.flows)
    assert small.case.background == small.case.flows


def test_sizes_are_parts_of_rate_times_rtt_and_every_small_number() -> None:
    assert sizes.sizes(5.0) == [0, 1, 2, 3, 4, 5, 6, 8, 10, 15]
    assert sizes.sizes(0.03) == [0, 1, 2, 3, 4, 6, 8]
    assert sizes.sizes(100.0) == [0, 1, 2, 12, 25, 38, 50, 75, 100, 150, 200, 300]
    assert sizes.beyond([0, 15], 5.0) == [20, 30, 40, 60] and sizes.beyond([0, 8], 0.03) == [
        10,
        12,
        14,
        16,
    ]
    assert sizes.bursts(5.0, 1000, 1.0) == [1250, 2500, 5000, 10000, 20000]
    assert sizes.advised_bursts(5.0, 1000, 1.0) == [1250, 2500, 5000]
    assert sizes.bursts(0.03, 1500, 1.0) == [1500, 3000, 6000, 12000]
    assert sizes.advised_bursts(0.03, 1500, 1.0) == [1500]
    assert 3000 in sizes.bursts(1.0, 1000, 3.0)
    assert sizes.beside(3, 5.0) == [0, 1, 3, 6] and sizes.beside(1, 5.0) == [0, 1, 2]
    assert sizes.beside(0, 5.0) == [0, 1, 2, 5]


# The rule.


def gave(*total: float, inside: float = 0.5) -> Values:
    """A total for each seed."""
    of = dict(enumerate(total, 1))
    return Values(of, {seed: inside * x for seed, x in of.items()}, {}, {}, {}, {})


def test_the_smallest_within_a_hundredth_of_the_largest_is_chosen() -> None:
    totals = [{1: x} for x in (0.9, 0.989, 0.991, 1.0, 0.95)]
    assert judge.choose(totals) == 2
    assert judge.choose([{1: 1.0}, {1: 1.009}]) == 0


@pytest.mark.parametrize(
    ("others", "word", "best"),
    [
        ({0: gave(0.9, 0.91, 0.9), 2: gave(0.99, 1.0, 0.98), 8: gave(1.0, 1.0, 1.01)}, "holds", 4),
        ({0: gave(1.2, 1.22, 1.21), 2: gave(0.99, 1.0, 0.98)}, "harms", 0),
        ({0: gave(0.9, 0.91, 0.9), 8: gave(1.1, 1.11, 1.1)}, "beaten", 8),
        ({0: gave(1.2, 0.8, 1.0), 2: gave(1.0, 1.0, 1.0)}, "no_gain", 4),
        ({0: gave(0.9, 0.91, 0.9), 8: gave(1.5, 0.6, 1.4)}, "holds", 8),
    ],
)
def test_each_verdict_has_its_cause(others: dict[int, Values], word: str, best: int) -> None:
    found = judge.verdict(4, {**others, 4: gave(1.01, 1.02, 1.0)})
    assert (found["verdict"], found["best_size_packets"]) == (word, best)


def test_an_advice_of_no_buffer_holds_unless_a_buffer_is_better() -> None:
    assert judge.verdict(0, {0: gave(1.0, 1.01), 2: gave(1.02, 1.0)})["verdict"] == "holds"
    assert judge.verdict(0, {0: gave(1.0, 1.01), 2: gave(1.2, 1.21)})["verdict"] == "beaten"


def test_gains_are_paired_by_seed() -> None:
    block = judge.gain({1: 3.0, 2: 5.0, 4: 9.0}, {1: 1.0, 2: 2.0, 3: 7.0})
    assert block == {"mean": 2.5, "ci95": stats.ci95([2.0, 3.0]), "n": 2}
    assert narrative.difference({"mean": 204e3, "ci95": [152e3, 256e3]}) == "+204 ± 52 kbit/s"
    assert narrative.difference({"mean": -5.0, "ci95": None}) == "-5 bit/s"


# What is pasted.


def test_the_pasted_lines_are_a_scenario() -> None:
    q = asked("1.5Mbps", "33ms")
    pasted = tomllib.loads(config_lines.scenario(q, 4, 6000))
    wire = {"rate": "10 Mbps", "delay": "1 ms", **pasted["dumbbell"]["bottleneck"]}
    scenario = {"duration": "1 s", "dumbbell": {"bottleneck": wire}, "flow": pasted["flow"]}
    plan = api.plan(api.request({"value": scenario, "name": "x"}, points=1))["points"][0]["plan"]
    assert plan["flows"][0]["info"] == {"reserved": "1.5 Mbps", "rtt": "33 ms"}
    (edge,) = next(link for link in plan["links"] if link["name"] == "bottleneck")["conditioner"]
    assert (edge["kind"], edge["per_flow"], edge["config"]["rate"]) == ("data_buffer", True, None)
    assert [edge["config"][key] for key in ("size", "burst", "packet_size")] == [
        "4 pkt",
        "6 kB",
        "1 kB",
    ]
    alone = tomllib.loads(config_lines.scenario(q, 0, 6000))["dumbbell"]["bottleneck"][
        "conditioner"
    ]
    assert alone["kind"] == "token_bucket" and "size" not in alone


def test_linux_has_the_token_bucket_and_no_data_buffer() -> None:
    lines = config_lines.tc(asked(), 5000, "eth7")
    assert lines[0] == "tc qdisc replace dev eth7 clsact"
    assert "police rate 1000000bit burst 5000 conform-exceed ok/pipe" in lines[1]
    # What exceeds stays AF12 (DSCP 12), what conforms becomes AF11 (DSCP 10).
    marks = [int(mark, 16) >> 2 for mark in re.findall(r"dsfield set (0x[0-9a-f]+) ", lines[1])]
    assert marks == [12, 10]
    assert "no data buffer" in config_lines.tc_notes(asked())[0]
    assert config_lines.tc(asked(), 2**32, "eth0") == []
