"""What a gigabyte costs two hosts: the order of runs, the judge, the report. The hosts are a
formula."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dumbbell import ScenarioError, api, figures
from dumbbell.cli import main
from dumbbell.reproduce import papers
from dumbbell.reproduce.cpu_cost import judge, narrative, schedule, work
from dumbbell.testbed import verbs
from helpers.simulated_kernels import mark

PAPER = "jumbo-frames"
FOLDER = papers.load(PAPER).folder


def cost(wanted: dict[str, Any], noise: float = 0.0, **more: Any) -> dict[str, Any]:
    """A host that takes 0.3 ns a byte and 1 us a packet; a device that does its work takes a tenth
    of the packets'."""
    packets = 1e9 / (wanted["mtu_bytes"] - 52)
    per_packet = {"plain": 1e-6, "offloads": 1e-7, "router": 2e-6}[wanted["condition"]]
    whole = (0.3 + packets * per_packet) * (1 + noise)
    router = whole / 2 if wanted["condition"] == "router" else None
    return {
        "mtu_bytes": wanted["mtu_bytes"],
        "condition": wanted["condition"],
        "seconds": wanted["seconds"] - wanted["warmup_s"],
        "bytes": 10**9,
        "goodput_bps": 8e9 / whole,
        "retransmits": 0,
        "sender_s_per_gb": whole / 4,
        "receiver_s_per_gb": whole / 4,
        "soft_interrupts_s_per_gb": 0.0,
        "router_s_per_gb": router,
        "sum_s_per_gb": whole,
        "machine_s_per_gb": None,
        "busy_before_share": 0.5,
        "steal_share": 0.0,
        "cores": [0, 1],
    } | more


@pytest.fixture
def measured(monkeypatch, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Runs the whole on the formula; `change` says what is otherwise in the run of a number."""
    monkeypatch.setattr(api, "need_testbed", lambda function="doctor": None)
    monkeypatch.setattr(figures, "save", mark)

    def run(
        change: Callable[[int], dict[str, Any]] = lambda number: {}, **how: Any
    ) -> dict[str, Any]:
        asked: list[dict[str, Any]] = []

        def lives(wanted: dict[str, Any]) -> dict[str, Any]:
            asked.append(wanted)
            return cost(wanted, noise=0.05 * ((len(asked) - 1) // 2 % 3), **change(len(asked)))

        monkeypatch.setattr(verbs, "gigabyte", lives)
        return work.reproduce(PAPER, work.How(out=tmp_path / "out", **how)) | {"asked": asked}

    return run


def test_the_order_is_balanced_and_fits_its_time() -> None:
    found = schedule.read(FOLDER)
    for name, effort in found.efforts.items():
        slots = schedule.slots(found, effort)
        firsts = Counter()
        for first, second in zip(slots[::2], slots[1::2], strict=True):
            assert (first.condition, first.repeat) == (second.condition, second.repeat)
            assert {first.mtu_bytes, second.mtu_bytes} == set(found.mtus_bytes)
            firsts[first.condition, first.mtu_bytes] += 1
        assert set(firsts.values()) == {effort.repeats // 2}, name
        assert len(slots) * (effort.seconds + effort.idle_s + 1) <= (60 if name == "quick" else 300)


def test_the_whole_judges_each_print_under_the_papers_condition(measured, tmp_path: Path) -> None:
    found = measured()
    assert len(found["asked"]) == 6 * 8
    by_id = {cell["id"]: cell for cell in found["cells"]}
    # 0.3 + 0.691 s against 0.3 + 0.112 s: 58 % less, whatever both were disturbed by together.
    assert by_id["gigabit-load"]["value"] == pytest.approx(58.43, abs=0.01)
    assert by_id["gigabit-load"]["verdict"] == "reproduced"
    assert by_id["ten-gigabit-load"]["verdict"] == "reproduced"
    assert by_id["gigabit-per-byte"]["verdict"] == "in part"
    assert found["valid"]
    assert found["not_used"] == 0
    kept = json.loads((tmp_path / "out" / "report.json").read_text())
    assert kept["effects"] == found["effects"]
    page = (tmp_path / "out" / "report.html").read_text()
    for words in (
        "Rules of the measurement on real hosts",
        "58.",
        'id="gigabyte"',
        "or more",
        "reproduced",
    ):
        assert words in page
    assert (
        "Other programs were active on the machine before 48 of 48 runs"
        in narrative.findings(found)[-1]
    )


@pytest.mark.parametrize(
    ("savings", "said"),
    [
        ([55, 56, 57, 56, 55], "reproduced"),
        ([55, 56, 57, 56], "in part"),  # Four pairs are too few.
        ([40, 60, 50, 52, 51], "in part"),
        ([20, 25, 22, 21, 24], "contradicted"),
        ([-10, 90], "contradicted"),
        ([80], "contradicted"),
    ],
)
def test_fifty_percent_or_more(savings: list[float], said: str) -> None:
    assert judge.verdict(50.0, savings) == said


def test_a_pair_is_left_out_with_its_partner_and_without_two_there_is_nothing(measured) -> None:
    late = {"steal_share": 0.2}
    one = measured(lambda number: late if number == 1 else {}, quick=True, replications=3)
    plain = next(row for row in one["effects"] if row["condition"] == "plain")
    assert (plain["pairs"], one["not_used"], one["valid"]) == (2, 1, True)
    two = measured(lambda number: late if number == 1 else {}, quick=True)
    assert not two["valid"]
    assert two["cells"] == []
    assert "no result" in narrative.findings(two)[0]


def test_the_command_prints_and_refuses(measured, monkeypatch, tmp_path: Path, capsys) -> None:
    measured(quick=True)
    words = ["reproduce", PAPER, "--on", "kernel", "--quick", "--out", str(tmp_path / "again")]
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    assert "Printed savings" in capsys.readouterr().out
    for wrong in (["--grid"], ["--seed", "3"], ["-s", "duration=1s"], ["--replications", "1"]):
        with pytest.raises(SystemExit) as ended:
            main([*words, *wrong])
        assert ended.value.code == 2, wrong


def test_a_measurement_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / schedule.FILE).write_text(
        (FOLDER / schedule.FILE).read_text().replace('judged = "plain"', 'judged = "x"')
    )
    with pytest.raises(ScenarioError, match="not in `conditions`"):
        schedule.read(tmp_path)


def test_the_door_refuses_what_cannot_be_had() -> None:
    with pytest.raises(ScenarioError, match="mtu_bytes"):
        verbs.gigabyte(
            {"mtu_bytes": 60, "condition": "plain", "seconds": 1.0, "warmup_s": 0.2, "idle_s": 0.0}
        )
