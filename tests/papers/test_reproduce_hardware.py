"""The report's comparison of floating point, the hardware's model and the RTL, on the stand-in
laboratory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dumbbell import EnvironmentLacks, ScenarioError, api, figures
from dumbbell.reproduce import over_time, papers, readings, work
from helpers import lab

PAPER = "red-on-netfpga"
Run = Callable[..., dict[str, Any]]


@pytest.fixture
def reproduce(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """A reproduction without readings, pictures and runs over time, on a laboratory of its own."""
    from dumbbell.reproduce.figures import kinds

    def of(run: Run, quick: bool = False) -> dict[str, Any]:
        monkeypatch.setattr(api, "run", run)
        monkeypatch.setattr(figures, "save", lambda figure, path: [])
        monkeypatch.setattr(kinds, "draw", lambda paper, measured, numbers: _none(paper))
        monkeypatch.setattr(readings, "compare", lambda *_: ([], []))
        monkeypatch.setattr(over_time, "record", lambda *_: None)
        return work.reproduce(PAPER, quick=quick, replications=3, out=tmp_path / "report")

    return of


def _none(paper: papers.Paper) -> dict[str, Any]:
    from dumbbell.reproduce.figures.kinds import Drawn

    return {p.id: Drawn(None, p.caption, missing="not drawn here") for p in paper.pictures}


def kind(wanted: dict[str, Any]) -> str:
    kinds = [
        text.partition("=")[2] for text in wanted["overrides"] if text.startswith("queue.kind=")
    ]
    return kinds[-1] if kinds else "red"


def rows(place: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in place["rows"]}


def test_a_step_is_the_difference_of_runs_with_the_same_seed(reproduce) -> None:
    def run(wanted: dict[str, Any], progress: Any = None) -> dict[str, Any]:
        result = lab.run(wanted, progress)
        for one in result["runs"]:
            if any(text == "queue.mode=paper" for text in wanted["overrides"]):
                one["queues"][0]["mean_packets"] -= 0.25
        return result

    summary = reproduce(run)
    places = summary["hardware"]["points"]
    assert [place["point"] for place in places] == ["red-24", "red-36", "red-54"]
    assert summary["valid"]
    for place in places:
        by_id = rows(place)
        queue = {
            i: next(c for c in row["measures"] if c["label"].startswith("mean queue"))
            for i, row in by_id.items()
        }
        assert "difference" not in queue["float"]
        assert queue["hw"]["difference"]["mean"] == 0
        assert queue["hw"]["sign"] == "0"
        assert queue["hw-paper"]["difference"]["mean"] == pytest.approx(-0.25)
        assert queue["hw-paper"]["sign"] == "-"
        assert queue["hw-paper-constant"]["difference"]["mean"] == pytest.approx(0)
        assert by_id["float"]["gain"]["difference"]["mean"] > 0, "the gain is over Drop Tail"
    told = " ".join(summary["hardware"]["conclusion"])
    assert "hw-paper against hw" in told
    page = Path(summary["report"]).read_text(encoding="utf-8")
    assert 'id="hardware"' in page
    assert "rtl at red-36 equals hw, packet by packet, in 3 of 3 runs." in page


def test_a_run_that_carries_nothing_is_told(reproduce) -> None:
    def run(wanted: dict[str, Any], progress: Any = None) -> dict[str, Any]:
        result = lab.run(wanted, progress)
        if "queue.mode=paper" in wanted["overrides"]:
            for flow in result["runs"][1]["flows"]:
                flow["goodput_bps"] = 0.0
        return result

    hardware = reproduce(run)["hardware"]
    locked = {row["id"]: row["locked_out"] for row in hardware["points"][1]["rows"]}
    assert locked == {name: int("paper" in name) for name in locked}
    assert "Locked out at red-36" in " ".join(hardware["conclusion"])
    assert "hw-paper 1 of 3" in " ".join(hardware["conclusion"])


def test_an_rtl_that_is_not_its_model_makes_the_report_invalid(reproduce) -> None:
    def run(wanted: dict[str, Any], progress: Any = None) -> dict[str, Any]:
        result = lab.run(wanted, progress)
        if kind(wanted) == "red_rtl":
            result["runs"][1]["fingerprint"] = "other"
        return result

    summary = reproduce(run)
    assert not summary["valid"]
    (row, _) = summary["hardware"]["points"][0]["equal"]
    assert row["equal"] is False
    assert [pair["ours"] == pair["model"] for pair in row["seeds"]] == [True, False, True]
    assert "DOES NOT EQUAL" in " ".join(summary["hardware"]["conclusion"])


def test_without_the_tools_nothing_is_said_of_the_rtl(reproduce) -> None:
    def run(wanted: dict[str, Any], progress: Any = None) -> dict[str, Any]:
        if kind(wanted) == "red_rtl":
            raise EnvironmentLacks("this machine has no verilator: apt-get install verilator")
        return lab.run(wanted, progress)

    summary = reproduce(run)
    assert summary["valid"]
    for place in summary["hardware"]["points"]:
        assert [(row["equal"], row["seeds"]) for row in place["equal"]] == [(None, [])] * 2
        assert all("apt-get install verilator" in row["reason"] for row in place["equal"])
    assert "not run" in Path(summary["report"]).read_text(encoding="utf-8")


def test_quick_leaves_the_rtl_out(reproduce) -> None:
    def run(wanted: dict[str, Any], progress: Any = None) -> dict[str, Any]:
        assert kind(wanted) != "red_rtl"
        return lab.run(wanted, progress)

    (place,) = reproduce(run, quick=True)["hardware"]["points"]
    assert place["point"] == "red-36"
    assert all(row["reason"].startswith("quick") for row in place["equal"])


def test_a_variant_against_nothing_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    folder.mkdir()
    home = papers.load(PAPER).folder
    for name in ("testbed.toml", "table-2.csv", "fit.csv"):
        (folder / name).symlink_to(home / name)
    text = (home / "paper.toml").read_text()
    (folder / "paper.toml").write_text(
        text.replace('against = "float-bare"', 'against = "float-bear"', 1)
    )
    with pytest.raises(
        ScenarioError, match="variant `float-still`: no variant `float-bear` precedes it"
    ):
        papers.read(folder)
