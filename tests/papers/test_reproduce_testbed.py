"""A paper's experiment on real kernels: schedule, pairs, verdicts, report. The kernels are a
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
from dumbbell.reproduce.testbed import entries, judge, narrative, work
from helpers import lab, simulated_kernels
from helpers.simulated_kernels import mark

PAPER = "red-on-netfpga"


@pytest.fixture(autouse=True)
def own_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that are stood in for need not wait for real ones."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.fixture
def campaign(monkeypatch, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Runs the campaign on a formula; `bad` says which live runs are not valid."""
    monkeypatch.setattr(api, "need_testbed", lambda function="doctor": None)
    monkeypatch.setattr(figures, "save", mark)

    def run(
        bad: Callable[[str, int, int], bool] = lambda scheme, buffer, seed: False, **how: Any
    ) -> dict[str, Any]:
        asked: list[tuple[str, int, int]] = []

        def lives(wanted: dict[str, Any], progress: Any = None, own: Any = ()) -> dict[str, Any]:
            if wanted.get("on") != "kernel":
                return lab.run(wanted)
            scheme, buffer = lab.read(wanted["overrides"])
            asked.append((scheme, buffer, wanted["seed"]))
            found = lab.run(wanted)
            runs = simulated_kernels.lived(
                found["runs"][0], *([simulated_kernels.LATE] if bad(*asked[-1]) else [])
            )
            return runs | {"duration_s": 16.0, "warmup_s": 5.0}

        monkeypatch.setattr(api, "run", lives)
        options = {"quick": True, "store": tmp_path / "store", "out": tmp_path / "out", **how}
        return work.reproduce(PAPER, work.How(**options)) | {"asked": asked}

    return run


def test_the_schedule_is_balanced_and_fits_its_time() -> None:
    found = entries.read(papers.load(PAPER))
    for name, effort in found.efforts.items():
        spots = entries.spots(found, effort)
        slots = work.schedule(spots, effort.repeats)
        for first, second in zip(slots[::2], slots[1::2], strict=True):
            assert (first.spot, first.repeat) == (second.spot, second.repeat)
            assert {first.point.scheme, second.point.scheme} == {False, True}
        firsts = Counter((slot.spot.label, slot.point.scheme) for slot in slots[::2])
        assert set(firsts.values()) == {effort.repeats // 2}, name
        whole = len(slots) * (float(effort.duration.removesuffix(" s")) + 3)
        assert whole <= 60 * effort.budget_min, name
        assert effort.budget_min <= (3 if "quick" in name else 70)


def test_a_quick_campaign_judges_by_the_papers_rules(campaign, tmp_path: Path) -> None:
    found = campaign()
    assert len(found["asked"]) == 8
    assert found["valid"]
    assert found["on"] == "kernel"
    assert {cell["id"].rpartition("-")[0] for cell in found["cells"]} == {
        "t2-dt-24",
        "t2-red-24",
        "t2-dt-36",
        "t2-red-36",
    }
    verdicts = {claim["id"]: claim["verdict"] for claim in found["claims"]}
    assert verdicts["claim-2b"] == "not testable"
    assert verdicts["claim-3"] == "reproduced"
    assert "reproduced" not in {
        cell["verdict"] for cell in found["cells"]
    }  # Two seeds are too few for a cell.
    assert json.loads((tmp_path / "out" / "report.json").read_text())["claims"] == found["claims"]
    page = (tmp_path / "out" / "report.html").read_text()
    for words in ("Rules of the experiment on real kernels", "snd1", "the total", "The mean queue"):
        assert words.lower() in page.lower()


def test_more_repeats_may_reproduce_a_cell_and_series_are_used(campaign) -> None:
    found = campaign(replications=6)
    by_id = {cell["id"]: cell for cell in found["cells"]}
    assert by_id["t2-red-36-mbps"]["verdict"] == "reproduced"
    assert by_id["t2-dt-24-mbps"]["verdict"] is None  # Fitted.
    assert by_id["t2-red-36-mbps"]["n"] == 6
    claim = next(claim for claim in found["claims"] if claim["id"] == "claim-5")
    assert claim["verdict"] == "reproduced"  # Its measure is taken from recorded series.
    gains = {row["label"]: row["verdict"] for row in narrative.on_kernels(found)}
    assert gains == {"buffer 24": judge.GAINS, "buffer 36": judge.GAINS}


def test_what_is_finished_is_not_run_again(campaign) -> None:
    assert len(campaign()["asked"]) == 8
    assert campaign()["asked"] == []


def test_a_run_that_is_not_valid_is_repeated_once_and_takes_its_pair_with_it(campaign) -> None:
    found = campaign(
        bad=lambda scheme, buffer, seed: (scheme, buffer, seed) == ("red", 36, 2), replications=3
    )
    assert found["asked"].count(("red", 36, 2)) == 2
    row = next(row for row in narrative.on_kernels(found) if row["buffer"] == 36)
    assert row["pairs"] == 2
    assert found["valid"]
    (listed,) = (run for run in found["runs"] if not run["valid"])
    assert (listed["point"], listed["repeat"], listed["attempt"]) == ("red-36", 2, 2)
    assert listed["reasons"] == [simulated_kernels.LATE]


def test_without_two_pairs_nothing_is_said_of_a_point(campaign, tmp_path: Path) -> None:
    found = campaign(bad=lambda scheme, buffer, seed: buffer == 36 and seed == 1)
    assert not found["valid"]
    assert all("36" not in cell["id"] for cell in found["cells"])
    row = next(row for row in narrative.on_kernels(found) if row["buffer"] == 36)
    assert (row["verdict"], row["measures"]) == (judge.NOT_MEASURED, {})
    assert simulated_kernels.LATE in (tmp_path / "out" / "report.html").read_text()


def test_with_the_scheme_taken_out_no_gain_is_left(campaign) -> None:
    found = campaign(overrides=["queue=drop_tail"], replications=6)
    assert {row["verdict"] for row in narrative.on_kernels(found)} == {judge.UNSETTLED}
    gaining = ("claim-1", "claim-2", "claim-3", "claim-4", "claim-5", "claim-6", "claim-7")
    verdicts = {claim["id"]: claim["verdict"] for claim in found["claims"]}
    assert {verdicts[name] for name in gaining} <= {"contradicted", "not testable"}
    assert found["altered"] == ["queue=drop_tail"]
    assert (
        len(found["asked"]) == 24
    )  # Both of a pair were run, though they are the same: none stands on both sides.


def test_a_grid_has_effects_and_no_cells(campaign) -> None:
    found = campaign(grid=True)
    assert found["cells"] == found["claims"] == []
    labels = {row["label"] for row in found["effects"]}
    assert labels == {"RTT 12 ms / 3 ms, buffer 36", "RTT 40 ms / 10 ms, buffer 36"}
    assert {row["where"] for row in found["effects"]} == {"kernel", "simulator"}
    campaign_file = entries.read(papers.load(PAPER))
    effort = campaign_file.effort(True, True, None)
    spot = entries.spots(campaign_file, effort)[0]
    laid = work._overrides(campaign_file, effort, spot, spot.scheme, [])
    plan = api.plan(api.request({"path": str(campaign_file.scenario)}, laid))["points"][0]["plan"]
    assert plan["duration"] == "16 s"


def difference(low: float, high: float) -> dict[str, Any]:
    return {"difference": {"mean": (low + high) / 2, "ci95": [low, high]}}


@pytest.mark.parametrize(
    ("mbps", "share", "verdict"),
    [
        ((0.1, 2), (-1, 1), judge.GAINS),
        ((-1, 1), (0.2, 1), judge.SHARE_GAINS),
        ((-2, -1), (0.2, 1), judge.SHARE_GAINS),
        ((-2, -1), (-1, 1), judge.LOSES),
        ((-1, 1), (-1, 1), judge.UNSETTLED),
    ],
)
def test_what_is_said_of_an_effect(
    mbps: tuple[float, float], share: tuple[float, float], verdict: str
) -> None:
    assert judge.said({"mbps": difference(*mbps), "share": difference(*share)}) == verdict


def test_words_that_do_not_fit_are_refused(campaign, capsys) -> None:
    with pytest.raises(ScenarioError, match="--replications 2"):
        campaign(replications=1)
    with pytest.raises(ScenarioError, match="no experiment for real kernels"):
        work.reproduce("ea-red", work.How(store=Path("store")))
    for words in (["--grid"], ["--on", "kernel", "--cell", "t2-dt-36-mbps"], ["--on", "mars"]):
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", PAPER, *words])
        assert ended.value.code == 2
    capsys.readouterr()


def test_the_command_prints_share_and_total_and_queue(
    campaign, monkeypatch, capsys, tmp_path: Path
) -> None:
    campaign()
    monkeypatch.setenv("DUMBBELL_STORE", str(tmp_path / "store"))
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", PAPER, "--on", "kernel", "--quick", "--out", str(tmp_path / "again")])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert "share [%]" in printed
    assert "total [Mbit/s]" in printed
    assert "claim-3" in printed
