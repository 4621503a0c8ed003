"""`advise mtu`: its closed forms, its rule, its scale, and an advice as a whole."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell.errors import ScenarioError
from dumbbell.models import ethernet_fcs
from dumbbell.present import stats
from dumbbell.studies.advise.mtu import (
    closed_forms,
    draw,
    host,
    judge,
    narrative,
    network,
    page,
    question,
    scale,
    sizes,
)
from dumbbell.studies.advise.mtu import mtu as advise
from dumbbell.studies.advise.mtu.options import Options
from helpers.reproduction import Page

ASKED = ("50Mbps", "20ms", "1e-3")


def test_efficiency_and_frames_are_ethernets() -> None:
    assert [round(closed_forms.efficiency(mtu, "rfc"), 5) for mtu in (1500, 9000, 9180)] == [
        0.94928,
        0.99137,
        0.99154,
    ]
    assert [round(closed_forms.efficiency(mtu, "linux"), 5) for mtu in (1500, 9000, 9180)] == [
        0.94148,
        0.99004,
        0.99024,
    ]
    assert [int(1 / closed_forms.frame_s(mtu, 1e9)) for mtu in (1500, 9000, 9180)] == [
        81274,
        13830,
        13560,
    ]
    assert closed_forms.mss(9180, "rfc") == 9140
    assert closed_forms.mss(1500, "linux") == 1448


@pytest.mark.parametrize(
    ("length", "mtu", "count", "last"),
    [(1500, 1500, 1, 1500), (1501, 1500, 2, 21), (3000, 1500, 3, 40), (9000, 1500, 7, 120),
     (9018, 1500, 7, 138), (9180, 1500, 7, 300), (65535, 1500, 45, 415), (9180, 576, 17, None)],
)  # fmt: skip
def test_fragments(length: int, mtu: int, count: int, last: int | None) -> None:
    parts = closed_forms.fragments(length - 28, mtu)
    assert len(parts) == count
    assert last is None or parts[-1] == last
    assert sum(part - 20 for part in parts) == length - 20
    assert all((part - 20) % 8 == 0 and part <= mtu for part in parts[:-1])


def test_losses_by_size() -> None:
    assert closed_forms.datagram_loss(0.05, "packet", 9000 - 28, 1500) == pytest.approx(
        0.3017, abs=5e-5
    )
    assert closed_forms.frame_loss(1e-3, "bit", 1500) == pytest.approx(1e-3)
    b = closed_forms.bit_error_rate(1e-3)
    assert closed_forms.frame_loss(1e-3, "bit", 9000) == pytest.approx(1 - (1 - b) ** (8 * 9018))
    assert closed_forms.frame_loss(1e-3, "packet", 9000) == 1e-3
    assert closed_forms.frame_loss(0.0, "bit", 9000) == 0
    # With the same wrong bits it matters little how a datagram is cut: the headers alone come on
    # top.
    cut, whole = (closed_forms.datagram_loss(1e-3, "bit", 8192, mtu) for mtu in (1500, 9000))
    assert whole < cut < 1.05 * whole


def test_what_the_check_sequence_misses() -> None:
    """Against the binomial law, and more of it where the Hamming distance falls to 3."""
    b, bits = closed_forms.bit_error_rate(1e-3), 8 * 1518
    some = sum(math.comb(bits, k) * b**k * (1 - b) ** (bits - k) for k in range(4, 9))
    assert closed_forms.unnoticed_share(1e-3, 1500) == pytest.approx(some / 2**32, rel=1e-3)
    at, beyond = (
        closed_forms.unnoticed_share(1e-3, sizes.LONGEST_GUARDED + more) for more in (0, 1)
    )
    assert beyond > 100 * at
    assert ethernet_fcs.distance(sizes.LONGEST_GUARDED + ethernet_fcs.FRAME) == 4


@pytest.mark.parametrize("cc", ["reno", "cubic"])
def test_a_law_is_turned_round(cc: str) -> None:
    for p in (1e-8, 1e-5, 1e-3):
        assert closed_forms.loss_for(cc, closed_forms.window(cc, p, 0.04), 0.04) == pytest.approx(
            p, rel=1e-6
        )


def test_the_papers_arithmetic_of_headers() -> None:
    """A 9 KB packet in the place of six of 1.5 KB saves five headers, 6000 cycles."""
    bits, paper = 6 * 1460 * 8, host.read()
    six, one = paper.cycles_per_bit(1500, 1460) * bits, paper.cycles_per_bit(9000, 6 * 1460) * bits
    assert six - one == pytest.approx(6000)
    assert paper.limit_bps(1500, 1448) == pytest.approx(1e9 / 1200 * 1448 * 8)
    assert host.read(None, "3GHz", None, 0.5).cycles_per_bit(1500, 1448) == pytest.approx(
        (1200 + 750) / 1448 / 8
    )


def test_presets_are_read_as_the_catalogue_has_them() -> None:
    """A gathering host's numbers by hand: seven packets of 9000 bytes, or 43 of 1500, are one to
    it."""
    words = {
        "clock": "3.4 GHz",
        "aggregate": "65.536 kB",
        "page": "4096 B",
        "zero_copy": False,
        "checksum_offload": True,
    }
    cpu = {
        **words,
        "per_packet": 6000.0,
        "per_merged": 800.0,
        "copy": 0.32,
        "checksum": 0.25,
        "per_page": 450.0,
    }
    one = host.of_preset(
        {"name": "new", "title": "a new one", "sources": [], "ring": 1024, "cpu": cpu}
    )
    assert one.cycles(9000) == pytest.approx((6000 + 6 * 800) / 7 + 9000 * 0.32 + 3 * 450)
    assert one.cycles(1500) == pytest.approx((6000 + 42 * 800) / 43 + 1500 * 0.32 + 450)
    assert one.limit_bps(9000, 8948) == pytest.approx(42e9, rel=0.03)
    assert {"header_2004", "server_2004", "server_2021"} <= host.presets().keys()
    gains = [
        one.cycles_per_bit(9000, 8948) / one.cycles_per_bit(1500, 1448)
        for one in host.presets().values()
    ]
    assert [round(1 - gain, 2) for gain in gains] == [0.84, 0.7, 0.5]
    with pytest.raises(ScenarioError, match="did you mean `header_2004`"):
        host.read("header_204", None, None, None)


def test_a_host_may_cost_nothing_by_the_packet_if_it_costs_something() -> None:
    assert host.read("server_2021", None, 0).cycles(1500) > 0
    assert host.read(None, None, 0, 0.5).cycles(1500) == 750
    with pytest.raises(ScenarioError, match="header_2004 then costs no cycles at all"):
        host.read(None, None, 0, None)


def test_the_smallest_that_is_near_the_best_and_may_be_advised() -> None:
    def row(useful: float, *objections: str) -> dict[str, Any]:
        return {"useful_bps": useful, "objections": list(objections)}

    assert (
        judge.choose([row(1, "small"), row(10), row(94), row(96), row(100), row(500, "crc")]) == 3
    )
    assert judge.choose([row(10), row(10), row(10)]) == 0
    assert judge.choose([row(1, "crc"), row(2, "crc")]) == 0
    asked = question.read("10Gbps", "40ms", "1e-5")
    against = {mtu: judge.objections(asked, mtu) for mtu in asked.mtus}
    assert [mtu for mtu, found in against.items() if not found] == [1500, 4352, 9000, 9180]
    assert against[16000] == ["use", "crc"]
    slow = question.read("20Mbps", "40ms", "1e-5")
    assert [mtu for mtu in slow.mtus if not judge.objections(slow, mtu)] == [1500]
    named = question.read("10Gbps", "40ms", "1e-5", mtus=[16000, 576, 11436])
    assert {mtu: judge.objections(named, mtu) for mtu in named.mtus} == {
        576: [],
        11436: [],
        16000: ["crc"],
    }


@pytest.mark.parametrize("cc", ["reno", "cubic"])
def test_a_path_is_made_smaller_alike(cc: str) -> None:
    asked = question.read("100Gbps", "100ms", "1e-9", cc=cc)
    for mtu in (1500, 9000):
        case = scale.fit(asked, mtu, 1e6)
        assert case.scale > 1
        assert case.rate_bps == pytest.approx(100e9 / case.scale)
        there, here = (closed_forms.window(cc, p, 0.1) for p in (1e-9, case.loss_share))
        assert there / here == pytest.approx(case.scale, rel=1e-6)
        assert scale._packets_per_s(asked, case) * case.length_s < 1.05e6
    small = scale.fit(question.read("1Mbps", "10ms", "0.01", cc=cc), 9000, 10)
    assert small.scale == 1  # A window of a packet is not made smaller, whatever the budget.


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("10Gbps", "40ms", "2"), "200 % of the packets"),
        (("10Gbps", "40ms", "-1"), "cannot be less than 0"),
        (("10Gbps", "40ms", "0.2"), "only waits for timeouts"),
        (("10Gbps", "40ms", "some"), "not a number"),
        (("0Mbps", "40ms", "0"), "a rate must be positive"),
        (("10", "40ms", "0"), "not a rate with its unit"),
        (("10Gbps", "1..40ms", "0"), "this is a range"),
        (("10Gbps", "40ms", "0", "bits"), "did you mean `bit`"),
        (("10Gbps", "40ms", "0", "bit", "cubik"), "did you mean `cubic`"),
        (
            ("10Gbps", "40ms", "0", "bit", "cubic", "linux", [70000]),
            "an IPv4 packet cannot be that long",
        ),
        (("10Gbps", "40ms", "0", "bit", "cubic", "linux", (), None, "8K"), "whole number of bytes"),
    ],
)
def test_mistakes_are_underlined(words: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ScenarioError, match=said) as refused:
        question.read(*words)
    assert "^" in str(refused.value) and "help: " in str(refused.value)


def test_a_steady_state_that_takes_long_is_said(answered: dict[str, Any]) -> None:
    fast = question.read("100Gbps", "100ms", "1e-9", cc="reno")
    row = {**answered, "frame_loss_share": 1e-9, "frame_s": closed_forms.frame_s(9000, 100e9)}
    # 1e9 packets between two losses, sqrt(1.5e9) = 38730 of them in a round trip of 100 ms: 2582 s.
    assert any("about 43 minutes" in text for text in narrative.limits(fast, row))
    slow = question.read(*ASKED, cc="reno")
    assert not any("from one loss to the next" in text for text in narrative.limits(slow, answered))


def test_losses_may_be_percent() -> None:
    assert question.read("10Gbps", "40ms", "0.001%").loss_share == pytest.approx(1e-5)


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One advice, and its page."""
    asked = question.read(*ASKED, cc="reno", mtus=[576, 1500, 16000], most_wait="10ms")
    wish = Options(question=asked, seeds=2, length_s=8.0)
    return advise(wish, tmp_path_factory.mktemp("page") / "here")


def test_numbers_are_those_of_single_runs(answered: dict[str, Any]) -> None:
    asked = question.read(*ASKED, cc="reno", mtus=[576, 1500, 16000], most_wait="10ms")
    case = scale.fit(asked, 1500, 1e6, 8.0)
    path = network.beside(asked, case)
    wires = {
        "bottleneck": path.pop("dumbbell.bottleneck"),
        "access": {"rate": path.pop("dumbbell.access.rate")},
    }
    runs = dumbbell.Scenario({**path, "dumbbell": wires}).run(replications=2).runs
    row = answered["candidates"][1]
    mine = [one.json["flows"][0]["goodput_bps"] for one in runs]
    assert row["beside_throughput_bps"]["mean"] == pytest.approx(stats.mean(mine))
    assert row["laws_bps"]["mathis"] == pytest.approx(1448 * 8 * math.sqrt(1.5 / 1e-3) / 0.02)
    assert 0.7 < row["throughput_bps"]["mean"] / row["laws_bps"]["mathis"] < 1.3
    jitter = [stats.mean([flow["jitter_mean_s"] for flow in one.json["flows"][2:]]) for one in runs]
    assert row["call_jitter_s"]["mean"] == pytest.approx(stats.mean(jitter))
    assert 0 < row["call_jitter_s"]["mean"] < row["call_delay_p99_s"]["mean"]
    assert 0.01 < row["call_delay_mean_s"]["mean"] < 0.04


def test_the_advice_is_that_of_the_rule(answered: dict[str, Any]) -> None:
    rows = answered["candidates"]
    assert [row["mtu_bytes"] for row in rows] == [576, 1500, 16000]
    assert [row["objections"] for row in rows] == [[], [], ["crc"]]
    assert [row["chosen"] for row in rows] == [False, True, False]
    assert answered["mtu_bytes"] == 1500
    assert answered["crc"]["guarded_frame_bytes"] == 11454
    assert (
        "16000 bytes and more are not eligible (a frame of 16018 bytes exceeds"
        in answered["sentence"]
    )
    assert answered["valid"] is True
    assert answered["paste"] == ["ip link set dev eth0 mtu 1500", "ping -M do -c 3 -s 1472 HOST"]


def test_the_page_needs_nothing_else(answered: dict[str, Any]) -> None:
    written = Page()
    written.feed(Path(answered["page"]).read_text(encoding="utf-8"))
    assert written.open == written.loads == []
    assert len(written.ids) == len(set(written.ids))
    assert (
        json.loads((Path(answered["page"]).parent / "advice.json").read_text())["sentence"]
        == answered["sentence"]
    )
    text = page.html(answered | {"sentence": None}, [])
    assert "no result" in text
    assert [one.name for one in draw.figures_of(answered)] == ["mtu"]


def test_beyond_the_check_sequence_there_is_a_warning(tmp_path: Path) -> None:
    """And by bit errors; the command's document, the exit code 0."""
    words = [
        "--rate",
        "1Gbps",
        "--rtt",
        "2ms",
        "--loss",
        "1e-4",
        "--loss-kind",
        "bit",
        "--mtu",
        "16000",
        "--cc",
        "reno",
    ]
    command = [
        sys.executable,
        "-m",
        "dumbbell",
        "advise",
        "mtu",
        *words,
        "--time",
        "1s",
        "--seeds",
        "2",
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["mtu_bytes"] == 16000
    assert document["warnings"][0].startswith("a frame of 16018 bytes is longer than the 11454")
    assert document["frame_loss_share"] == pytest.approx(1 - (1 - 1e-4) ** (16018 / 1518))
    assert document["unnoticed_share"] > 0
    assert document["standard"] is None
