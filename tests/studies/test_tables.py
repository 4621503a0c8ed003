"""Tables of controls: their fits and crossings by hand, that runs say what the laws do, and what
people see."""

from __future__ import annotations

import html
import json
import math
from pathlib import Path
from typing import Any

import pytest
from dumbbell import ScenarioError, api, catalogue, cli
from dumbbell.language.arguments import choice
from dumbbell.studies.frame import design
from dumbbell.studies.tables import (
    SURVEYS,
    Options,
    coexistence,
    controls,
    friendliness,
    loss_tolerance,
    options,
    rtt_fairness,
    survey,
    work,
)
from dumbbell.validate.laws.tcp import throughput


def test_a_power_is_its_exponent() -> None:
    for a in (0.0, 0.7, 2.0):
        assert rtt_fairness.exponent([(x, x**a) for x in (1, 2, 4, 8)]) == pytest.approx(a)
    # By hand: log y over log x through the origin, (ln2 ln3 + ln4 ln5) / (ln2^2 + ln4^2).
    expected = (math.log(2) * math.log(3) + math.log(4) * math.log(5)) / (
        math.log(2) ** 2 + math.log(4) ** 2
    )
    assert rtt_fairness.exponent([(1, 1), (2, 3), (4, 5)]) == pytest.approx(expected)
    assert rtt_fairness.exponent([(1, 1.2)]) is None


def test_crossings_are_where_they_are() -> None:
    assert coexistence.even([(0.5, 0.9), (2.0, 0.1)]) == pytest.approx(1.0)
    assert coexistence.even([(2.0, 0.3), (1.0, 0.5), (0.5, 0.9)]) == pytest.approx(1.0)
    assert coexistence.even([(0.5, 0.9), (2.0, 0.6)]) is None
    assert loss_tolerance.half([(1e-4, 1.0), (1e-2, 0.0)]) == pytest.approx(1e-3)
    assert loss_tolerance.half([(1e-4, 0.4), (1e-2, 0.1)]) is None
    assert loss_tolerance.half([(0.0, 1.0), (1e-3, 0.9), (1e-2, 0.5)]) is None


def test_buffers_and_quantities_are_read() -> None:
    assert [options.limit(b) for b in ("0.5", "2BDP", "1 BDP", "100 pkt", "10 ms")] == [
        "0.5 BDP",
        "2 BDP",
        "1 BDP",
        "100 pkt",
        "10 ms",
    ]
    assert options.bdp("100 pkt") is None and options.bdp("0.25") == 0.25
    assert options.bps("--rate", "20Mbps") == 20e6 and options.seconds(
        "--rtt", "40ms"
    ) == pytest.approx(0.04)
    for refused, part in (
        (lambda: options.bps("--rate", "20"), "not a rate"),
        (lambda: options.seconds("--rtt", "40"), "not a time"),
        (lambda: options.single("--rate", ["1Mbps", "2Mbps"], ""), "this table has one"),
        (lambda: options.several("--ratio", [0.5], [1.0], 1, 100), "out of range"),
        (lambda: Options(seeds=0).replications, "at least one run"),
    ):
        with pytest.raises(ScenarioError, match=part):
            refused()


def test_the_catalogue_s_controls_answer_unless_they_cannot() -> None:
    kept, notes = controls.chosen([], [], lambda one: None)
    known = catalogue.kinds()["cc"]
    assert [one.text for one in kept] == [name for name in known if name not in controls.LEFT_OUT]
    assert "aimd" in notes[-1]
    kept, notes = controls.chosen(
        [], [], lambda one: "it needs\nthat" if one.kind == "reno" else None
    )
    assert "reno" not in [one.text for one in kept] and notes[0] == "`reno` is left out: it needs"
    with pytest.raises(ScenarioError, match="control `reno`: no"):
        controls.chosen(["reno"], [], lambda one: "no")
    with pytest.raises(ScenarioError, match="cubic"):
        controls.chosen(["cubik"], [], lambda one: None)
    with pytest.raises(ScenarioError, match="this is a queue"):
        controls.chosen(["codel"], [], lambda one: None)


def made(name: str, tmp_path: Path, **words: Any) -> dict[str, Any]:
    options = {"seeds": 5, "time": "120s"} | words
    return survey(name, Options(**options), tmp_path / name)


def test_a_window_s_rate_goes_with_one_over_the_round_trip_time(tmp_path: Path) -> None:
    """RED drops at random: both sides meet the same loss, and get W / RTT (Mathis et al. 1997):
    exponent 1, of the round-trip times that they measure. `fair` queueing takes that away."""
    found = made("rtt-fairness", tmp_path, ccs=["sack"], ratios=[1, 4], queue="red", flows=4)
    (row,) = found["summary"]
    low, high = row["effective_exponent"]["ci95"]
    assert low > 0.8 and high < 1.25
    even = next(r for r in found["rows"] if r["ratio"] == 1.0)["advantage"]
    assert even["ci95"][0] < 1.0 < even["ci95"][1] or abs(even["mean"] - 1) < 0.1
    fair = made(
        "rtt-fairness", tmp_path, ccs=["sack"], ratios=[1, 4], queue="fq", buffer=["200 pkt"]
    )
    assert abs(fair["summary"][0]["exponent"]["mean"]) < 0.05


def test_a_control_is_friendly_to_itself(tmp_path: Path) -> None:
    found = made(
        "friendliness", tmp_path, ccs=["cubic", "sack"], rate=["10Mbps"], buffer=["1", "4"]
    )
    assert [one["name"] for one in found["controls"]] == ["cubic", "sack"] and found[
        "against"
    ] == "sack"
    of = {(row["cc"], row["buffer"]): row for row in found["rows"]}
    for buffer in (1.0, 4.0):
        same = of["sack", buffer]
        assert same["harm"]["mean"] == 0.0 and abs(same["share"]["mean"] - 0.5) < 0.12
        mine, theirs = of["cubic", buffer]["by_seed"], same["by_seed"]
        # Harm is paired: of each seed what the standard lost.
        assert len(mine["harm"]) == len(theirs["share"]) == 5
        assert of["cubic", buffer]["harm"]["mean"] > 0
    sums = {row["cc"]: row for row in found["summary"]}
    assert sums["cubic"]["mean_share"]["ci95"][0] > sums["sack"]["mean_share"]["mean"]
    assert any("cubic takes" in sentence for sentence in found["finding"])


def test_the_standard_is_asked_though_nobody_named_it(tmp_path: Path) -> None:
    found = made(
        "friendliness",
        tmp_path,
        ccs=["reno"],
        against="newreno",
        rate=["5Mbps"],
        buffer=["1"],
        time="30s",
    )
    assert [one["name"] for one in found["controls"]] == ["newreno", "reno"]
    assert friendliness.SURVEY.name == found["table"]


def test_loss_and_the_law_agree(tmp_path: Path) -> None:
    found = made("loss-tolerance", tmp_path, ccs=["sack"], losses=[1e-3, 3e-3, 0.01], time="300s")
    best = found["facts"]["best_bps"]
    assert best == pytest.approx(20e6 * 1448 / 1500)
    for row, law in zip(found["rows"], found["facts"]["laws"]["mathis"], strict=True):
        assert law == pytest.approx(8 * 1448 * throughput.mathis(row["loss"], 0.04, 2) / best)
        assert row["share"]["mean"] == pytest.approx(law, rel=0.2)
        assert row["share"]["mean"] * best == pytest.approx(
            row["by_seed"]["share"] and _mean(row) * best
        )
    assert (
        found["summary"][0]["half_loss"] is None
        and found["summary"][0]["share_at_1_percent"]["n"] == 5
    )


def _mean(row: dict[str, Any]) -> float:
    return float(sum(row["by_seed"]["share"]) / len(row["by_seed"]["share"]))


def test_coexistence_is_over_buffers_of_any_kind(tmp_path: Path) -> None:
    found = made(
        "coexistence",
        tmp_path,
        ccs=["reno"],
        against="cubic",
        buffer=["10 pkt", "2"],
        time="30s",
        seeds=2,
    )
    assert [row["buffer"] for row in found["rows"]] == ["10 pkt", 2.0]
    assert found["summary"][0]["even_bdp"] is None
    assert "reno gets" in found["finding"][0] and "at 10 pkt" in found["finding"][0]
    assert coexistence.default_controls([]) in (["sack"], ["bbr"], ["bbr", "bbr3"])


@pytest.mark.parametrize(("named", "codes"), [((), []), (("jersey",), ["W001"])])
def test_who_names_a_control_that_needs_marks_is_warned(
    named: tuple[str, ...], codes: list[str]
) -> None:
    asked = SURVEYS["loss-tolerance"]
    wanted = Options(ccs=named, seeds=5)
    plan = asked.lay(wanted)
    (row, *_) = [point.set for point in plan.points([choice("jersey")])]
    request = design.request(work._base(asked, plan, wanted), [row], points=0)
    assert [one["code"] for one in api.plan(request)["warnings"]] == codes


def test_runs_are_kept_and_a_control_more_runs_only_that(tmp_path: Path) -> None:
    options = {"store": str(tmp_path / "store"), "threads": 2}
    asked = {"rate": ["5Mbps"], "buffer": ["1"], "time": "10s", "seeds": 2, "options": options}
    first = survey("coexistence", Options(ccs=["reno"], **asked), tmp_path / "one")
    again = survey("coexistence", Options(ccs=["reno", "sack"], **asked), tmp_path / "two")
    assert (first["from_store"], again["from_store"]) == (0, 2)
    assert again["rows"][0]["fingerprint"] == first["rows"][0]["fingerprint"]


def test_the_page_and_the_document_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--cc", "reno", "sack", "--quick", "--time", "10s", "--seeds", "2", "--no-store"]
    for name in SURVEYS:
        out = tmp_path / name
        assert cli._code(["table", name, *words, "--out", str(out), "--json"]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert json.loads((out / "results.json").read_text())["rows"] == printed["rows"]
        page = (out / "index.html").read_text()
        assert (
            "<svg" in page
            and "default-src 'none'" in html.unescape(page)
            and 'src="' not in page
            and 'href="http' not in page
        )
        assert all(sentence.split(":")[0] in page for sentence in printed["finding"][:1])
        assert printed["figures"] and all(Path(path).exists() for path in printed["figures"])
        assert {row["cc"] for row in printed["summary"]} >= {"reno", "sack"}
    alone = tmp_path / "alone.html"
    assert cli._code(["table", "coexistence", *words, "--html", str(alone)]) == 0
    said = capsys.readouterr().out
    assert alone.exists() and "control" in said and str(alone) in said
    assert not (tmp_path / "results").exists()


def test_many_controls_are_a_map(tmp_path: Path) -> None:
    many = [f"aimd:b={b}" for b in (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)]
    found = made("loss-tolerance", tmp_path, ccs=many, losses=[1e-3, 1e-2], time="5s", seeds=2)
    assert len(found["controls"]) == 9
    assert {Path(path).stem for path in found["figures"]} == {"loss", "loss-map"}


def test_mistakes_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: str) -> str:
        assert cli._code(["table", *words, "--no-store", "--out", str(tmp_path)]) == 2
        return capsys.readouterr().err

    assert "there is no" in said("coexistence", "--cc", "cubik") and "cubic" in said(
        "coexistence", "--cc", "cubik"
    )
    assert "this is a queue" in said("coexistence", "--cc", "codel")
    assert "not a rate" in said("loss-tolerance", "--rate", "fast")
    assert "out of range" in said("rtt-fairness", "--ratio", "0.5")
    assert "exclude each other" in said("coexistence", "--html", "x.html")
    assert "there is no queue named `rad`" in said("coexistence", "--queue", "rad")
    assert "max_q" in said("coexistence", "--queue", "red:max_q=3")
    with pytest.raises(ScenarioError, match="there is no table"):
        survey("fairness", Options())
