"""Figures render from recorded series and from numbers, the same bytes each time."""

from __future__ import annotations

from pathlib import Path

import pytest
from dumbbell import Interval, ScenarioError, figures
from dumbbell.figures import style
from dumbbell.figures.curve import Red


def test_a_result_directory_plots(recorded: Path, tmp_path: Path) -> None:
    drawn = figures.recorded(recorded)
    assert set(drawn) == {"cwnd", "goodput", "queue"}
    labels = {name: figure.axes[0].get_ylabel() for name, figure in drawn.items()}
    assert labels == {"cwnd": "congestion window [packets]", "goodput": "goodput [Mbit/s]", "queue": "queue [packets]"}
    written = figures.save(drawn["goodput"], tmp_path / "goodput")
    assert [p.suffix for p in written] == [".svg", ".pdf", ".png"]
    assert all(p.stat().st_size > 5000 for p in written)


def test_replications_give_bands(recorded: Path) -> None:
    (axes,) = figures.recorded(recorded)["goodput"].axes
    assert len(axes.lines) == 3
    assert len(axes.collections) == 3


def test_a_directory_without_series_is_named(tmp_path: Path) -> None:
    assert figures.recorded(tmp_path) == {}
    with pytest.raises(ScenarioError, match="no result directory"):
        figures.recorded(tmp_path / "nothing")


def test_intervals_are_drawn() -> None:
    line = figures.Line("red", "RED", (24, 36), (Interval(17, 16, 18, 5), Interval(19, 18, 20, 5)), ((24, 17.2),))
    (axes,) = figures.over_parameter([line], "buffer [packets]", "throughput [Mbit/s]").axes
    (bars,) = [c for c in axes.containers if hasattr(c, "has_yerr")]
    assert bars.has_yerr
    assert axes.get_xlabel() == "buffer [packets]"


def test_a_scheme_looks_the_same_everywhere_and_chosen_ones_differ_without_colour() -> None:
    assert style.look("some_new_aqm") == style.look("some_new_aqm")
    in_print = [(look.marker, str(look.dash)) for look in map(style.look, ("drop_tail", "red", "codel", "pie", "blue"))]
    assert len(set(in_print)) == len(in_print)


def test_the_same_data_give_the_same_svg() -> None:
    first, second = (figures.svg(figures.drop_probability([("red", Red(5, 15, 0.1))]), "f") for _ in range(2))
    assert first == second
    assert first.startswith("<svg")


@pytest.mark.parametrize(
    ("avg", "gentle", "expected"),
    [
        (4.9, False, 0.0),
        (5.0, False, 0.0),
        (10.0, False, 0.05),
        (15.0, False, 1.0),
        (15.0, True, 0.1),
        (22.5, True, 0.55),
        (30.0, True, 1.0),
    ],
)
def test_reds_curve(avg: float, gentle: bool, expected: float) -> None:
    assert Red(5, 15, 0.1, gentle)(avg) == pytest.approx(expected)
