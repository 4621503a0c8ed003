"""`Result.plot`: figures of results in a program, with records that are made on demand."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, get_args

import dumbbell
import numpy as np
import pytest
from dumbbell import figures
from dumbbell import result as results
from helpers.scenarios import build
from matplotlib.figure import Figure


@pytest.fixture(scope="module")
def bare() -> dumbbell.Result:
    """Two runs without records and without a directory."""
    found = build().run(replications=2)
    assert isinstance(found, dumbbell.Result)
    return found


def values(figure: Figure) -> list[Any]:
    """What the lines of a figure show."""
    return [line.get_ydata() for axes in figure.axes for line in axes.lines]


def test_the_kinds_are_those_of_the_command() -> None:
    assert set(get_args(results.Plot)) == set(figures.KINDS)


def test_a_result_without_records_is_drawn_as_one_with_them(bare: dumbbell.Result) -> None:
    recorded = build().run(record_every="5 ms", record_drops=True)
    assert isinstance(recorded, dumbbell.Result)
    ours, theirs = values(bare.plot("cwnd")), values(recorded.plot("cwnd"))
    assert len(ours) == len(theirs) > 0
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, other)


def test_several_kinds_are_shown_together(bare: dumbbell.Result) -> None:
    drawn = bare.plot("queue", "goodput")
    assert isinstance(drawn, dict) and list(drawn) == ["queue", "goodput"]
    assert drawn._repr_html_().count("<img ") == 2
    assert set(bare.plot()) == {"cwnd", "goodput", "queue"}


def test_a_seed_has_its_own_figure(bare: dumbbell.Result) -> None:
    first, second = (values(bare.plot("queue", seed=seed)) for seed in (1, 2))
    assert [list(line) for line in first] != [list(line) for line in second]
    again = values(bare.runs[1].plot("queue"))
    assert [list(line) for line in again] == [list(line) for line in second]


def test_results_are_overlaid_and_named_by_what_differs(
    bare: dumbbell.Result, tmp_path: Path
) -> None:
    codel = build().with_({"queue": dumbbell.Codel(limit="36 pkt")})
    saved = codel.run(out=tmp_path / "codel")
    assert isinstance(saved, dumbbell.Result)
    for other in (codel.run(), saved, tmp_path / "codel"):
        assert not isinstance(other, dumbbell.Sweep)
        figure = bare.plot("queue", other)
        assert isinstance(figure, Figure)
        labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        assert labels == ["red", "codel"]


def test_points_of_a_sweep_are_drawn(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(
        'duration = "2 s"\nqueue = { kind = "red", limit = "30 pkt" }\n'
        '[dumbbell.bottleneck]\nrate = "5 Mbps"\ndelay = "10 ms"\n'
        '[[flow]]\nname = "s"\n[sweep.grid]\n"queue.limit" = ["10 pkt", "20 pkt"]\n'
    )
    scenario = dumbbell.Scenario.from_file(file)
    sweep = scenario.run()
    assert isinstance(sweep, dumbbell.Sweep)
    tight, loose = sweep.points
    figure = tight.plot("queue", loose)
    assert isinstance(figure, Figure)
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["10 pkt", "20 pkt"]
    with pytest.raises(dumbbell.ScenarioError, match=r"overlay results, such as sweep\.points"):
        tight.plot("queue", sweep)  # type: ignore[arg-type]


def test_a_copy_in_another_process_is_drawn(bare: dumbbell.Result) -> None:
    copy: dumbbell.Result = pickle.loads(pickle.dumps(bare))
    assert [list(line) for line in values(copy.plot("queue"))] == [
        list(line) for line in values(bare.plot("queue"))
    ]


@pytest.mark.parametrize(
    ("what", "options", "said"),
    [
        (("cwn",), {}, "no kind of figure `cwn`"),
        (("cwnd",), {"seed": 9}, "no run with seed 9; the seeds are 1, 2"),
        (("cwnd",), {"flows": ["x"]}, "no flow `x`"),
        (("cwnd",), {"start": "3"}, "start 3: a time needs its unit"),
        (("fct",), {}, "this scenario has no transfers"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    bare: dumbbell.Result, what: Any, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(dumbbell.ScenarioError, match=said):
        bare.plot(*what, **options)


def test_a_result_of_numbers_alone_says_what_it_lacks(bare: dumbbell.Result) -> None:
    with pytest.raises(dumbbell.ScenarioError, match="neither records nor its scenario"):
        dumbbell.Result(bare.json).plot("cwnd")


def test_a_repetition_must_be_the_same_run(bare: dumbbell.Result) -> None:
    run = {**bare.json["runs"][0], "fingerprint": "0" * 16}
    changed = dumbbell.Result({**bare.json, "runs": [run]}, origin=bare._origin)
    with pytest.raises(dumbbell.InvalidRun, match="repeating the run gives the fingerprint"):
        changed.plot("cwnd")
