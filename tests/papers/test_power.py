"""The power of verdicts: what a perturbation changes at a point, and what verdicts catch of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from dumbbell import ScenarioError
from dumbbell.reproduce import papers, perturb, power, work
from dumbbell.reproduce.entries import Perturbation

ROOT = Path(__file__).resolve().parents[2]

NETWORK = """
schema = 1
duration = "12 s"
warmup = "2 s"

[queue]
kind = "red"
limit = "25 pkt"
min_th = "limit / 5"
max_th = "limit / 2"
w_q = 0.002

[dumbbell]
bottleneck = { rate = "10 Mbps", delay = "1 ms" }

[[flow]]
name = "far"
cc = "reno"
rtt = "80 ms"
start_spread = "1 s"

[[flow]]
name = "near"
cc = { kind = "newreno" }
rtt = "20 ms"
start_spread = "1 s"
"""
PAPER = """
title = "A far flow beside a near one"
citation = "N. N.: A Far Flow beside a Near One, 2026."
seed = 101

[full]
replications = 5

[quick]
replications = 3

[[point]]
scenario = "network.toml"
entries = [
  { id = "red" },
  { id = "drop_tail", overrides = ["queue=drop_tail"] },
]

[[number]]
scale = 1e-6
entries = [
  { id = "sent", point = "red", measure = "totals.goodput_bps" },
  { id = "far", point = "red", measure = "flows.far.goodput_bps" },
  { id = "near", point = "red", measure = "flows.near.goodput_bps" },
]

[[claim]]
id = "carries"
text = "The link carries something."
reproduced = "low(sent) > 1"

[[claim]]
id = "nearer"
text = "The near flow gets more than the far one."
reproduced = "every(mean(near / far) > 1.5)"

[[claim]]
id = "nothing"
text = "The link carries nothing."
reproduced = "high(sent) < 1"

[[perturbation]]
id = "near-far"
what = "RTT of the near flow × 8"
scale = { "flow.near.rtt" = 8 }

[[perturbation]]
id = "buffer"
what = "buffer −20 %"
scale = { "queue.limit" = 0.8 }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small paper."""
    made = tmp_path / "small"
    made.mkdir()
    (made / "network.toml").write_text(NETWORK, encoding="utf-8")
    (made / "paper.toml").write_text(PAPER, encoding="utf-8")
    return made


def moved(folder: Path, point: str, **wanted: Any) -> tuple[str, ...]:
    paper = papers.read(folder)
    return perturb.changes(Perturbation("p", "", **wanted), paper.points[point])


def test_amounts_are_scaled_with_their_units(folder: Path) -> None:
    """Each item of a list has its own value, and packets stay whole."""
    assert moved(folder, "red", scale={"flow.*.rtt": 1.1}) == (
        "flow.0.rtt=88 ms",
        "flow.1.rtt=22 ms",
    )
    assert moved(folder, "red", scale={"queue.limit": 0.77}) == ("queue.limit=19 pkt",)
    assert moved(folder, "red", scale={"dumbbell.bottleneck.delay": 0.5}) == (
        "dumbbell.bottleneck.delay=0.5 ms",
    )


def test_a_queue_without_the_parameter_stays(folder: Path) -> None:
    assert moved(folder, "red", scale={"queue.w_q": 2}) == ("queue.w_q=0.004",)
    assert moved(folder, "drop_tail", scale={"queue.w_q": 2}) == ()
    assert moved(folder, "drop_tail", set=("queue.w_q=1",)) == ()
    assert moved(folder, "drop_tail", scale={"queue.limit": 0.8}) == ("queue.limit=20 pkt",)


def test_a_point_s_overrides_are_what_is_scaled(folder: Path) -> None:
    paper = papers.read(folder)
    wanted = Perturbation("p", "", scale={"queue.limit": 0.5, "flow.far.rtt": 2})
    overrides = ["queue.limit=50 pkt", "flow.0.rtt=10 ms"]
    assert perturb.changes(wanted, paper.points["red"], overrides) == (
        "queue.limit=25 pkt",
        "flow.far.rtt=20 ms",
    )


def test_only_named_controls_are_replaced(folder: Path) -> None:
    assert moved(folder, "red", controls={"reno": "tahoe"}) == ("flow.0.cc.kind=tahoe",)
    assert moved(folder, "red", controls={"newreno": "bic"}) == ("flow.1.cc.kind=bic",)
    assert moved(folder, "red", controls={"sack": "bic"}) == ()


def test_an_expression_is_no_amount(folder: Path) -> None:
    with pytest.raises(ScenarioError, match="`limit / 5` is not an amount to scale"):
        moved(folder, "red", scale={"queue.min_th": 2})


def test_what_is_extended_is_read(folder: Path) -> None:
    (folder / "longer.toml").write_text('extends = "network.toml"\n[queue]\nlimit = "40 pkt"\n')
    point = papers.Point("p", folder / "longer.toml")
    wanted = Perturbation("p", "", scale={"queue.limit": 0.5, "flow.far.rtt": 2})
    assert perturb.changes(wanted, point) == ("queue.limit=20 pkt", "flow.far.rtt=160 ms")


@pytest.mark.parametrize(
    ("base", "seeds", "under", "said", "caught"),
    [
        ("reproduced", "reproduced", "in part", "some", ["a"]),
        ("reproduced", "reproduced", "reproduced", "none", []),
        ("reproduced", "in part", "in part", "unsteady", ["a"]),
        ("in part", "in part", "contradicted", None, []),
        ("not testable", "not testable", "not testable", None, []),
    ],
)
def test_the_power_of_a_verdict(
    base: str, seeds: str, under: str, said: str | None, caught: list[str]
) -> None:
    row = power.power_of("claim", "c", base, {power.SEEDS: seeds, "a": under, "b": base})
    assert (row["power"], row["caught"], row["verdict"]) == (said, caught, base)
    assert row["under"] == {"a": under, "b": base}


def test_a_claim_that_anything_satisfies_has_none(folder: Path, tmp_path: Path) -> None:
    """The near flow gets less once it is the farther one. That the link carries something holds
    whatever is changed."""
    report = work.reproduce(str(folder), power=True, out=tmp_path / "out")
    assert report["quick"] and report["readings"] == [] and report["hardware"] is None
    found = {row["id"]: row for row in report["power"]["rows"]}
    assert found["carries"]["power"] == "none" and found["carries"]["caught"] == []
    assert found["nearer"]["power"] == "some" and found["nearer"]["caught"] == ["near-far"]
    assert found["nothing"]["power"] is None and found["nothing"]["verdict"] == "contradicted"
    errors = {row["id"]: row for row in report["power"]["perturbations"]}
    assert errors["near-far"]["points_changed"] == errors["near-far"]["points"] == 1
    assert report["power"]["n"] == 3 and report["power"]["valid"]
    # Both stand beside the verdicts, which stay what they are.
    assert {claim["id"]: claim["verdict"] for claim in report["claims"]} == {
        "carries": "reproduced",
        "nearer": "reproduced",
        "nothing": "contradicted",
    }
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "What would have been noticed" in page
    assert "power: none" in page and "caught nothing: weak evidence" in page
    assert "caught: RTT of the near flow × 8" in page
    written = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert written["power"] == report["power"]


def test_a_perturbation_that_changes_nothing_is_refused(folder: Path, tmp_path: Path) -> None:
    text = PAPER.replace('"flow.near.rtt" = 8', '"flow.nowhere.rtt" = 8')
    (folder / "paper.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError, match="perturbation `near-far` changes no point"):
        work.reproduce(str(folder), power=True, out=tmp_path / "out")


def test_a_paper_without_perturbations_is_refused(folder: Path, tmp_path: Path) -> None:
    text = PAPER.partition("[[perturbation]]")[0]
    (folder / "paper.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"declares no \[\[perturbation\]\]"):
        work.reproduce(str(folder), power=True, out=tmp_path / "out")


@pytest.mark.parametrize("words", [["--on", "linux"], ["--on", "kernel"], ["--cell", "x"]])
def test_power_is_of_the_whole_paper_in_the_simulator(words: list[str]) -> None:
    command = [sys.executable, "-m", "dumbbell", "reproduce", "ea-red", "--power", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert done.returncode == 2
    assert "--power\n^^^^^^^" in done.stderr and words[0] in done.stderr


@pytest.mark.parametrize("name", papers.names())
def test_the_errors_of_a_paper(name: str) -> None:
    """Each is in the rules with its amount, and changes some point that a verdict needs."""
    paper = papers.load(name)
    rules = (paper.folder / "rules.md").read_text(encoding="utf-8")
    needed = power.points(paper).values()
    assert paper.perturbations
    for wanted in paper.perturbations:
        assert f"- `{wanted.id}`: {wanted.what} (" in rules
        assert any(perturb.changes(wanted, point, paper.quick.overrides) for point in needed)


def test_the_page_is_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import power as tool  # docs/tools/power.py

    page = tool.PAGE.read_text(encoding="utf-8")
    copy = tmp_path / "power.md"
    copy.write_text(page, encoding="utf-8")
    monkeypatch.setattr(tool, "PAGE", copy)
    tool.write()
    assert copy.read_text(encoding="utf-8") == page
    for found in tool.kept():
        paper = papers.load(found["paper"])
        errors = found["power"]["perturbations"]
        assert [row["id"] for row in errors] == [p.id for p in paper.perturbations]
        judged = {row["id"] for row in found["power"]["rows"]}
        assert judged == {
            *(cell.id for cell in paper.cells.values() if not cell.fitted),
            *(claim.id for claim in paper.claims),
        }
