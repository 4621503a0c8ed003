"""Figures render from recorded series and from numbers, the same bytes each time."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import write_series
from dumbbell import Interval, ScenarioError, catalogue, figures
from dumbbell.figures.curve import Red
from dumbbell.figures.style import palette
from dumbbell.present import tables
from helpers import catalogue_checks


def test_a_result_directory_plots(recorded: Path, tmp_path: Path) -> None:
    drawn = figures.recorded(recorded)
    assert set(drawn) == {"cwnd", "goodput", "queue"}
    labels = {name: figure.axes[0].get_ylabel() for name, figure in drawn.items()}
    assert labels == {
        "cwnd": "congestion window [packets]",
        "goodput": "goodput [Mbit/s]",
        "queue": "queue [packets]",
    }
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
    line = figures.Line(
        "red", "RED", (24, 36), (Interval(17, 16, 18, 5), Interval(19, 18, 20, 5)), ((24, 17.2),)
    )
    (axes,) = figures.over_parameter([line], "buffer [packets]", "throughput [Mbit/s]").axes
    (bars,) = [c for c in axes.containers if hasattr(c, "has_yerr")]
    assert bars.has_yerr
    assert axes.get_xlabel() == "buffer [packets]"


def test_a_scheme_looks_the_same_everywhere_and_chosen_ones_differ_without_colour() -> None:
    assert palette.look("some_new_aqm") == palette.look("some_new_aqm")
    in_print = [
        (look.marker, str(look.dash))
        for look in map(palette.look, ("drop_tail", "red", "codel", "pie", "blue"))
    ]
    assert len(set(in_print)) == len(in_print)


def test_every_queue_of_the_catalogue_has_a_look_of_its_own_in_its_familys_colors() -> None:
    known = list(catalogue.algorithms())
    catalogue_checks.check_looks(known)
    assert all(palette.is_chosen(a.name) for a in known if a.kind in catalogue.QUEUES)


def test_a_look_that_nobody_chose_is_a_free_one_in_the_color_of_its_family() -> None:
    known = list(catalogue.algorithms())
    codel = next(a for a in known if a.name == "codel")
    strangers = [replace(codel, name=f"c{i}", look=None, family="CoDel") for i in range(5)]
    found = palette.looks([*known, *strangers])
    assert {found[a.name].color for a in strangers} == {palette.BLUE}
    catalogue_checks.check_looks([*known, *strangers])
    assert all(found[a.name] == palette.look(a.name) for a in known if a.kind in catalogue.QUEUES)
    without = [replace(codel, name=f"n{i}", look=None, family="") for i in range(9)]
    catalogue_checks.check_looks([*known, *without])
    clash = replace(codel, name="same")
    with pytest.raises(AssertionError):
        catalogue_checks.check_looks([*known, clash])


def test_the_palette_is_told_apart_with_any_colour_vision() -> None:
    """Vienot, Brettel, Mollon 1999: what a protanope and a deuteranope see of linear RGB; CIE76 in
    Lab."""
    import numpy as np

    sees = {
        "all": np.eye(3),
        "protan": np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]),
        "deutan": np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]),
    }

    def lab(color: str, vision: np.ndarray) -> np.ndarray:
        rgb = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        to_xyz = np.array(
            [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
        )
        xyz = to_xyz @ np.clip(vision @ linear, 0, 1) / (to_xyz @ np.ones(3))
        f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
        return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])

    families = {
        palette.look(name).color for name in ("drop_tail", "red", "pie", "codel", "fq_codel")
    }
    for vision in sees.values():
        seen = [lab(color, vision) for color in families]
        assert (
            min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 10
        )  # 2.3 is just noticeable.


def test_the_same_data_give_the_same_svg() -> None:
    first, second = (
        figures.svg(figures.drop_probability([("red", Red(5, 15, 0.1))]), "f") for _ in range(2)
    )
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


def test_figures_and_marks_are_legible_on_a_dark_page() -> None:
    """The filter of the style sheet (W3C Filter Effects 1, sections 6.1 and 9), and the contrast of
    WCAG 2.2, success criterion 1.4.11."""
    import re

    import numpy as np
    from dumbbell.present import templates

    css = (templates.PAGES / "page.css").read_text()
    found = re.search(r"\.sheet > svg, \.mark\) \{ filter: (.+?); \}", css)
    assert found is not None
    said = re.fullmatch(r"invert\((.+)\) hue-rotate\(180deg\) brightness\((.+)\)", found[1])
    assert said is not None
    inverted, brightness = float(said[1]), float(said[2])
    weights = np.array([0.213, 0.715, 0.072])
    rotate = 2 * np.tile(weights, (3, 1)) - np.eye(3)  # cos 180 = -1, sin 180 = 0.

    def dark(color: str) -> np.ndarray:
        rgb = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        turned = np.clip(inverted - rgb * (2 * inverted - 1), 0, 1)
        return np.clip(np.clip(rotate @ turned, 0, 1) * brightness, 0, 1)

    def luminance(rgb: np.ndarray) -> float:
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        return float(linear @ np.array([0.2126, 0.7152, 0.0722]))

    def plain(color: str) -> np.ndarray:
        digits = color if len(color) == 7 else "#" + "".join(2 * c for c in color[1:])
        return np.array([int(digits[i : i + 2], 16) / 255 for i in (1, 3, 5)])

    night = css.split("prefers-color-scheme: dark")[1]
    for ground in ("--sheet", "--paper"):
        shade = re.search(rf"{ground}: (#\w+);", night)
        assert shade is not None
        for color in (*palette.PALETTE, "#555555", "#777777"):
            contrast = (luminance(dark(color)) + 0.05) / (luminance(plain(shade[1])) + 0.05)
            assert contrast >= 3, f"{color} on {ground}: {contrast:.2f}"
