"""What `red-on-netfpga` says of its runs over time is what these runs show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars
import pytest
from dumbbell import api
from dumbbell.errors import DumbbellError, ScenarioError
from dumbbell.reproduce import papers
from dumbbell.reproduce.runs import PointRunner
from dumbbell.studies.frame.over_time import records
from helpers.reproduction import small_paper

PAPER = papers.load("red-on-netfpga")


@pytest.fixture(scope="module")
def halvings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, int]]:
    """How often each sender halves its window in the second that is shown, under each scheme."""
    home = tmp_path_factory.mktemp("runs")
    wanted = PAPER.over_time
    assert wanted is not None
    runner = PointRunner(PAPER, PAPER.quick, [], None, None, lambda *_: None, total=2)
    found = {}
    for label, name in wanted.points.items():
        runner.first(PAPER.points[name], records(wanted.every, wanted.flows), home / name)
        rows = polars.read_parquet(home / name / "reactions.parquet").filter(
            polars.col("time_s").is_between(wanted.from_s, wanted.until_s),
            polars.col("cause").cast(polars.String) == "loss",
        )
        flows = rows["flow"].cast(polars.String)
        found[label] = {flow: int((flows == flow).sum()) for flow in wanted.flows}
    return found


def test_under_drop_tail_both_halve_about_equally_often(
    halvings: dict[str, dict[str, int]],
) -> None:
    far, near = halvings["Drop Tail"].values()
    assert far >= 10 and near >= 10
    assert far == pytest.approx(near, rel=0.15)


def test_under_red_the_far_sender_halves_less_often(halvings: dict[str, dict[str, int]]) -> None:
    far, near = halvings["RED"].values()
    assert 5 <= far <= 0.75 * near


def test_the_runs_are_those_of_the_tables(tmp_path: Path) -> None:
    runner = PointRunner(PAPER, PAPER.quick, [], None, None, lambda *_: None, total=2)
    point = PAPER.points["dt-24"]
    recorded = runner.first(point, records("5 ms", ["snd1"]), tmp_path / "run")
    request = api.request(
        {"path": str(point.scenario)}, [*point.overrides, *PAPER.quick.overrides], seed=PAPER.seed
    )
    assert api.run(request)["fingerprint"] == recorded


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"RED" = "red-30"', '"RED" = "red-31"', "there is no point `red-31`"),
        ("until_s = 3.0", "until_s = 2.0", "`from_s` is not before `until_s`"),
        ("gets {rate} Mbit/s under RED.", "gets {speed}.", "`show` has no `speed`"),
        ('claim = "claim-1"\nkind', 'claim = "claim-9"\nkind', "there is no claim `claim-9`"),
    ],
)
def test_mistakes_are_found_before_anything_runs(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    folder = small_paper(tmp_path / "my-paper")
    file = folder / "paper.toml"
    text: Any = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ScenarioError, match=said):
        papers.read(folder)


def test_a_run_without_a_result_ends_with_its_point_its_seed_and_the_cause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A kernel that ended, for instance: not with a measurement that is missing."""
    lost = {"seed": 102, "valid": False, "error": {"code": 1, "message": "guest 0 has ended"}}
    answer = {"runs": [{"seed": 101, "valid": True, "flows": []}, lost], "valid": False}
    monkeypatch.setattr(api, "run", lambda *_: answer)
    runner = PointRunner(PAPER, PAPER.quick, [], None, None, lambda *_: None, total=1)
    with pytest.raises(DumbbellError, match="point `dt-24`, seed 102: guest 0 has ended"):
        runner.run(PAPER.points["dt-24"])
