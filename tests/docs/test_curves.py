"""Small charts in pages: their places, their colors, and that they show what was measured."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from dumbbell.aqm_response import measure
from parts import curves, svg_chart
from parts.svg_chart import Drawn, chart

_WHITE, _SLATE = "#ffffff", "#1e2129"


def _luminance(color: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("color", svg_chart.COLORS)
def test_lines_are_seen_on_a_light_and_on_a_dark_page(color: str) -> None:
    assert min(_contrast(color, _WHITE), _contrast(color, _SLATE)) >= 3


def test_a_chart_puts_values_where_its_axes_say() -> None:
    root = ElementTree.fromstring(chart("a title", "x", "y", [Drawn("", [0, 50, 100], [0, 2, 1])]))
    texts = {one.text: one for one in root.iter("text")}
    (line,) = (one.get("d") for one in root.iter("path") if one.get("stroke-width") == "1.6")
    places = [tuple(map(float, place.split())) for place in line[1:].split("L")]
    assert places[1][0] == pytest.approx((places[0][0] + places[2][0]) / 2, abs=0.1)
    assert places[1][1] < places[2][1] < places[0][1]
    # Labels of ticks stand 4 below their lines.
    assert float(texts["2"].get("y", "")) - 4 == pytest.approx(places[1][1], abs=0.1)


def test_a_value_beyond_the_axis_stays_at_its_end() -> None:
    drawn = chart("", "x", "y", [Drawn("", [0, 1], [0, 100])], top=1)
    root = ElementTree.fromstring(drawn)
    assert "100" not in {one.text for one in root.iter("text")}
    numbers = [float(one) for one in re.findall(r"M(?:[\d.]+) ([\d.]+)L", drawn)]
    assert min(numbers) >= 0


def test_a_curve_has_the_measured_points() -> None:
    shares = measure("red", packets=curves.PACKETS).shares
    (dots, *_) = re.findall(r'd="((?:M[\d. ]+h0)+)"', curves.section("red").partition("</svg>")[0])
    assert dots.count("h0") == len(shares)
