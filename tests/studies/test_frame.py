"""The frame of all studies: what laboratories answer, values in pairs, files and pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from dumbbell import ScenarioError, figures
from dumbbell.figures.style import Figure
from dumbbell.present import templates
from dumbbell.present.grids import cell as cell_text
from dumbbell.studies.frame import paired, publish
from dumbbell.studies.frame.design import Base, understood
from dumbbell.studies.frame.drawing import NamedFigure, arms
from dumbbell.studies.frame.runs import Laboratory, Point, seeds_change_nothing

SCENARIO = {
    "duration": "1 s",
    "dumbbell": {"bottleneck": {"rate": "1 Mbps", "delay": "1 ms"}},
    "queue": {"kind": "drop_tail", "limit": "10 pkt"},
    "flow": [{"name": "one"}],
}
BASE = Base(scenario=SCENARIO, name="frame", notes=("planned",))


def run(seed: int, **more: Any) -> dict[str, Any]:
    return {"seed": seed, "fingerprint": f"{seed}", "flows": [{"goodput_bps": 10.0 * seed}], **more}


def answer(*points: dict[str, Any], **more: Any) -> dict[str, Any]:
    whole = {"version": "1", "valid": True, "code": 0, "notes": ["ran"]}
    return {**whole, "points": list(points), **more}


def laboratory(*answers: dict[str, Any]) -> tuple[Laboratory, list[dict[str, object]]]:
    asked: list[dict[str, object]] = []
    given = iter(answers)

    def measure(wanted: dict[str, object]) -> dict[str, Any]:
        asked.append(wanted)
        return next(given)

    options = {"threads": 1, "store": None}
    return Laboratory(base=BASE, replications=2, options=options, measure=measure), asked


def test_a_point_is_the_runs_that_have_a_result() -> None:
    failed = {"seed": 2, "error": {"message": "no"}}
    point = Point.read({"runs": [run(1), failed], "valid": False, "error": {"message": "no"}})
    assert (point.seeds, point.made, point.valid, point.error) == ([1], 2, False, {"message": "no"})
    assert point.by_seed(lambda one: one["flows"][0]["goodput_bps"]) == {1: 10.0}
    assert point.by_seed(lambda one: None) == {}
    alone = Point.read(run(3, valid=True, duration_s=1.0))
    assert (alone.seeds, alone.made, alone.duration_s, alone.error) == ([3], 1, 1.0, None)


def test_a_laboratory_asks_for_all_points_at_once_and_remembers_its_rounds() -> None:
    first = answer({"runs": [run(1), run(2)], "valid": True})
    second = answer({"runs": [run(1)]}, valid=False, code=5, failures=[{"seed": 2}], from_store=3)
    made, asked = laboratory(first, second)
    (point,) = made.run([{"queue.limit": "5 pkt"}])
    assert point.seeds == [1, 2]
    assert asked[0]["replications"] == 2 and asked[0]["threads"] == 1
    assert "store" not in asked[0] and "seed" not in asked[0]  # What is None is left out.
    assert asked[0]["overrides"] == ['sweep.list=[{"queue.limit" = "5 pkt"}]']
    assert made.whole() == {"version": "1", "valid": True, "code": 0, "scenario_warnings": []}
    made.run([{}])
    assert made.whole(complete=True) == {
        "version": "1",
        "valid": False,
        "code": 5,
        "failures": [{"seed": 2}],
        "from_store": 3,
        "scenario_warnings": [],
    }
    assert made.notes("all the same", [point]) == ["planned", "ran"]


def test_warnings_of_all_rounds_are_counted_together() -> None:
    def warning(code: str, key: str, points: int) -> dict[str, Any]:
        kept = {"code": code, "name": "odd", "message": "It is.", "fix": "Do.", "key": key}
        return {**kept, "points": points}

    one, other = warning("W012", "duration", 2), warning("W001", "flow.0.cc", 1)
    place = {"file": "x", "line": 1, "column": 1, "rendered": "..."}
    made, _ = laboratory(
        answer(run(1), warnings=[one | place]), answer(run(1), warnings=[other, one])
    )
    made.run([{}])
    assert made.whole()["scenario_warnings"] == [one]
    made.run([{}])
    both = [other, warning("W012", "duration", 4)]
    assert made.whole(complete=True)["scenario_warnings"] == both


def test_a_point_that_is_wrong_is_named_before_anything_runs() -> None:
    made, asked = laboratory()
    with pytest.raises(ScenarioError, match=r"the second: .*codell"):
        made.check([{"queue": "codel"}, {"queue": "codell"}], ["the first", "the second"])
    assert len(made.check([{"queue": "codel"}], ["the first"])["points"]) == 1
    assert asked == []


def test_seeds_that_change_nothing_are_noticed() -> None:
    same = Point.read({"runs": [run(1), run(2, fingerprint="1")]})
    other = Point.read({"runs": [run(1), run(2)]})
    assert seeds_change_nothing([same]) and seeds_change_nothing([same, Point.read(run(1))])
    assert not seeds_change_nothing([same, other])
    assert not seeds_change_nothing([Point.read(run(1))])
    made, _ = laboratory(answer({"runs": [run(1), run(2, fingerprint="1")]}))
    assert made.notes("all the same", made.run([{}]))[-1] == "all the same"


def test_the_queue_with_most_flows_is_looked_at() -> None:
    base = understood({"value": SCENARIO, "name": "x"}, [])
    assert (base.place, base.queue, base.cc_places) == ("queue", "bottleneck", ("flow.*.cc",))
    assert (base.flows, base.own_points) == (1, ({},))


def test_values_are_compared_seed_by_seed() -> None:
    mine, theirs = {1: 3.0, 2: 5.0, 4: 9.0}, {1: 1.0, 2: 2.0, 3: 7.0}
    found = paired.gain(mine, theirs)
    assert found is not None and (found["mean"], found["n"]) == (2.5, 2)
    block = paired.paired_difference(mine, theirs)
    assert block is not None and (block["difference"], block["ratio"]) == (2.5, 8 / 3)
    assert paired.paired_difference({1: 1.0}, {2: 1.0}) is None and paired.gain({}, {}) is None
    assert paired.cell([]) is None and paired.cell_of({7: 2.0}) == {
        "mean": 2.0,
        "ci95": None,
        "n": 1,
    }


@pytest.mark.parametrize(
    ("ends", "excludes", "above", "holds"),
    [
        ((1.0, 2.0), True, True, False),
        ((-2.0, -1.0), True, False, False),
        ((-1.0, 1.0), False, False, True),
        ((0.0, 1.0), False, False, True),
        (None, False, False, False),
    ],
)
def test_an_interval_and_zero(ends: Any, excludes: bool, above: bool, holds: bool) -> None:
    block: paired.Cell = {"mean": 0.5, "ci95": ends, "n": 2}
    assert paired.excludes_zero(block) is excludes
    assert paired.above_zero(block) is above
    assert paired.holds_zero(block) is holds


def test_a_mean_is_said_with_half_its_interval() -> None:
    assert cell_text({"mean": 0.01234, "ci95": [0.01, 0.0147], "n": 5}, 1e3, 3) == "12.3 ± 2.3"
    assert cell_text({"difference": -2.0, "ci95": None}) == "-2"
    assert cell_text(None) == "–"


def test_arms_are_lengths_beside_the_mean() -> None:
    cells: list[paired.Cell] = [
        {"mean": 4.0, "ci95": (2.0, 8.0), "n": 2},
        {"mean": 6.0, "ci95": None, "n": 1},
    ]
    assert arms(cells, 2.0) == ([1.0, 0.0], [2.0, 0.0])


def test_a_study_is_published_with_the_paths_that_it_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save(figure: object, path: Path) -> list[Path]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".svg").write_text('<?xml?><svg><g id="a"/></svg>')
        return [path.with_suffix(".svg")]

    monkeypatch.setattr(figures, "save", save)
    drawn: list[Any] = [NamedFigure("one", Figure(), "a caption")]
    for files, told in (
        (publish.RESULTS, {"page", "results", "figures"}),
        (publish.ADVICE, {"page", "figures"}),
        (publish.REPORT, {"report"}),
    ):
        document: dict[str, object] = {"kept": 1}
        directory = tmp_path / files.data
        publish.publish(document, drawn, lambda shown: f"{shown[0].svg}", directory, files)
        assert set(document) == {"kept"} | told
        assert json.loads((directory / files.data).read_text()) == document
        assert (directory / files.page).read_text() == '<svg><g id="figure-one-a"/></svg>'


def test_scenarios_and_seeds_are_told_to_people() -> None:
    scenario = {"tcp": {"mss": "1 kB"}, "list": [1, 2], "name": "x", "flow": [{"rtt": "1 s"}]}
    assert publish.scenario_text(scenario) == (
        'name = "x"\nlist = [1, 2]\n\n[tcp]\nmss = "1 kB"\n\n[[flow]]\nrtt = "1 s"'
    )
    assert [publish.seeds_text(seeds) for seeds in ([1, 2, 3], [1, 3], [])] == [
        "1 to 3",
        "1, 3",
        "none",
    ]
    assert publish.parameters_text({"limit": 3, "kind": "x"}) == "limit = 3, kind = x"
    assert publish.parameters_text({}) == "none"


def test_numbers_of_pages() -> None:
    assert (templates.number(-1.5), templates.number(None)) == ("−1.5", "–")
    assert (templates.span([-1, 2]), templates.span(None)) == ("−1 to 2", "–")
    assert (
        templates.percent(-0.0123) == "−1.2 %" and templates.percent(0.5, signed=False) == "50.0 %"
    )
