"""Figures render from recorded series and from numbers, the same bytes each time."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import write_series
from dumbbell import Interval, ScenarioError, figures, tables
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


def test_the_points_of_a_sweep_are_not_taken_for_replications(tmp_path: Path) -> None:
    write_series(tmp_path / "point-1", 1, together=True)
    with pytest.raises(ScenarioError, match="holds a sweep: plot one of its points"):
        figures.recorded(tmp_path)
    assert set(figures.recorded(tmp_path / "point-1")) == {"cwnd", "goodput", "queue"}


def test_goodput_of_a_long_run_is_a_mean_over_each_second(tmp_path: Path) -> None:
    write_series(tmp_path, 1, together=True, seconds=40)
    (line, *_) = figures.recorded(tmp_path)["goodput"].axes[0].lines
    # The last second is not whole: its last row is at 39.9 s.
    assert len(line.get_xdata()) == 39
    assert line.get_xdata()[0] == pytest.approx(0.45)
    assert all(25 < y < 35 for y in line.get_ydata())


def test_ticks_stand_where_something_was_measured() -> None:
    line = figures.Line("red", "RED", (24, 36, 54), [Interval(17), Interval(19), Interval(18)])
    (axes,) = figures.over_parameter([line], "buffer [packets]", "throughput [Mbit/s]").axes
    assert list(axes.get_xticks()) == [24, 36, 54]


def test_equal_runs_have_an_interval_of_zero() -> None:
    assert tables.number(Interval(54.06, 54.06 - 1e-14, 54.06 + 1e-14, 5)) == "54.06 ± 0"
    assert tables.number(Interval(54.06, 53.06, 55.06, 5)) == "54.06 ± 1"
