"""Charts in the text of a document: their places, values, switches, keys and links."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dumbbell.figures.style import palette
from dumbbell.present import templates
from dumbbell.view import looks, script
from dumbbell.view.contents import Contents

BUFFERS = [1, 2, 5, 10, 20, 50, 100]
SCHEMES = {"red": 20.0, "codel": 40.0}
CONDITIONS = ["10 Mbit/s", "100 Mbit/s", "1 Gbit/s"]


def loss(scheme: str, buffer: int) -> float:
    return 0.3 / (1 + buffer / SCHEMES[scheme]) ** 3


def line(label: str, table: str, **other: Any) -> dict[str, Any]:
    """A series of a panel of points: column `y` over column `x`."""
    axis = {"table": table, "column": "x", "scale": 1.0, "label": "", "unit": ""}
    return {
        "label": label, "table": table, "column": "y", "scale": 1.0, "look": label,
        "shape": "line", "switch": label, "run": 0, "role": label, "x": axis,
        "band": {"low": "low", "high": "high"}, **other,
    }  # fmt: skip


def document(file: Path, places: str, *, switches: bool = False) -> Path:
    """A document with the panels `loss` (over buffers) and `delay` (over names), and a text with
    places."""
    contents = Contents("Charts")
    sweep, named = [], []
    for k, scheme in enumerate(SCHEMES):
        contents.look[scheme] = looks.of(palette.look(scheme))
        values = [loss(scheme, buffer) for buffer in BUFFERS]
        rows = {
            "x": BUFFERS,
            "y": values,
            "low": [v * 0.9 for v in values],
            "high": [v * 1.2 for v in values],
            "link": [f"dumbbell view DIR --point {n}" for n in range(1, len(BUFFERS))] + [None],
        }
        delays = [k + 3.0, k + 4.0, k + 5.0]
        bounds = {"low": [v - 1 for v in delays], "high": [v + 1 for v in delays]}
        sweep.append(line(scheme, contents.given(f"sweep/{scheme}", rows), href="link"))
        table = contents.given(f"names/{scheme}", {"x": [0, 1, 2], "y": delays, **bounds})
        named.append(line(scheme, table, shape="marks"))
        if switches:
            contents.switches[scheme] = {
                "id": scheme, "label": scheme, "kind": "group", "on": True, "look": scheme,
                "detail": "",
            }  # fmt: skip
    for name, series, axis in (
        ("loss", sweep, {"label": "Buffer", "unit": "packets", "scale": "log"}),
        ("delay", named, {"label": "", "unit": "", "scale": "names", "names": CONDITIONS}),
    ):
        panel = contents.panel(name, name.title(), "ms" if name == "delay" else "")
        panel |= {"kind": "points", "series": series, "x": axis}  # type: ignore[typeddict-item]
    contents.panels["loss"]["log"] = True
    text = templates.environment().from_string(
        '{% extends "base.html.j2" %}{% block title %}t{% endblock %}'
        "{% block main %}{{ places | safe }}{% endblock %}"
    )
    made = text.render(script=script.pack(contents), places=places)
    file.write_text(made, encoding="utf-8")
    return file


PLACES = (
    '<p>A text.</p><div data-panel-place="loss"><p>static loss</p></div>'
    '<div data-panel-place="delay"><p>static delay</p></div>'
    '<div data-panel-place="other"><p>static other</p></div>'
)


@pytest.fixture
def charts(tmp_path: Path) -> Path:
    return document(tmp_path / "charts.html", PLACES)


def _value(shown: Any, panel: str, scheme: str) -> str:
    row = shown.locator(f"[data-panel={panel}] li", has_text=scheme)
    return str(row.locator(".value").inner_text()).replace("\N{MINUS SIGN}", "-")


def test_panels_are_mounted_in_their_places(opened: Callable[..., Any], charts: Path) -> None:
    shown = opened(charts)
    assert shown.locator("[data-panel-place=loss] [data-panel=loss] canvas").count() == 2
    assert shown.get_by_text("static loss").is_hidden()
    assert shown.get_by_text("static other").is_visible()
    shown.get_by_role("button", name="Theme").click()
    assert shown.evaluate("document.documentElement.dataset.theme") == "dark"
    shown.get_by_role("button", name="Keys").click()
    assert shown.get_by_text("crosshair from value to value").is_visible()


def test_panels_without_a_place_are_on_the_time_page(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    places = '<div data-panel-place="loss"></div><div id="time-page"></div>'
    shown = opened(document(tmp_path / "both.html", places))
    assert shown.locator("#time-page .points").evaluate_all(
        "all => all.map((panel) => panel.dataset.panel)"
    ) == ["delay"]
    assert shown.locator("[data-panel-place=loss] [data-panel=loss]").count() == 1
    shown.locator("[data-panel=delay] .plot").focus()
    shown.keyboard.press("ArrowRight")
    assert _value(shown, "delay", "red") == "3 ms (2 to 4)"
    shown.keyboard.press("t")
    assert shown.evaluate("document.documentElement.dataset.theme") == "dark"


def test_what_a_place_had_stands_where_scripts_are_off(
    opened: Callable[..., Any], charts: Path
) -> None:
    shown = opened(charts, java_script_enabled=False)
    assert shown.get_by_text("static loss").is_visible()


def test_the_crosshair_reads_the_values_of_the_table(
    opened: Callable[..., Any], charts: Path
) -> None:
    shown = opened(charts)
    shown.locator("[data-panel=loss] .plot").focus()
    for buffer in BUFFERS:
        shown.keyboard.press("ArrowRight")
        assert shown.locator("[data-panel=loss] .legend-x").inner_text() == (
            f"Buffer {buffer} packets"
        )
        for scheme in SCHEMES:
            words = _value(shown, "loss", scheme).replace("(", "").replace(")", "").split()
            read = [float(words[i]) for i in (0, 1, 3)]
            expected = loss(scheme, buffer)
            assert read == pytest.approx([expected, expected * 0.9, expected * 1.2], rel=1e-3)
    said = shown.locator("[data-panel=loss] .live").inner_text()
    assert said.startswith("Buffer 100 packets: red ")


def test_the_pointer_finds_the_nearest_value(opened: Callable[..., Any], charts: Path) -> None:
    shown = opened(charts)
    box = shown.locator("[data-panel=delay] .plot").bounding_box()
    shown.mouse.move(box["x"] + box["width"] / 2, box["y"] + 100)
    assert shown.locator("[data-panel=delay] .legend-x").inner_text() == "100 Mbit/s"
    assert _value(shown, "delay", "red") == "4 ms (3 to 5)"
    assert _value(shown, "delay", "codel") == "5 ms (4 to 6)"


def test_a_point_leads_to_its_command(opened: Callable[..., Any], charts: Path) -> None:
    shown = opened(charts)
    shown.locator("[data-panel=loss] .plot").focus()
    shown.keyboard.press("ArrowRight")
    shown.keyboard.press("ArrowRight")
    shown.keyboard.press("Enter")
    commands = shown.locator("[data-panel=loss] .links code").all_inner_texts()
    assert commands == ["dumbbell view DIR --point 2"] * 2
    shown.keyboard.press("End")
    shown.keyboard.press("Enter")
    assert shown.locator("[data-panel=loss] .links code").count() == 0


def _drawn(shown: Any, panel: str) -> str | None:
    attribute: str | None = shown.locator(f"[data-panel={panel}] .plot").get_attribute("data-drawn")
    return attribute


def test_a_switch_of_the_page_is_shared_and_another_is_not(
    opened: Callable[..., Any], charts: Path, tmp_path: Path
) -> None:
    shown = opened(charts)
    shown.locator("[data-panel=loss]").get_by_role("button", name="red").click()
    assert (_drawn(shown, "loss"), _drawn(shown, "delay")) == ("1", "2")
    shown = opened(document(tmp_path / "shared.html", PLACES, switches=True))
    shown.locator("[data-panel=loss]").get_by_role("button", name="red").click()
    shown.wait_for_selector("[data-panel=delay] [data-drawn='1']")
    assert _drawn(shown, "loss") == "1"


def test_a_drag_zooms_and_a_double_click_resets(opened: Callable[..., Any], charts: Path) -> None:
    shown = opened(charts)
    plot = shown.locator("[data-panel=loss] .plot")
    box = plot.bounding_box()
    shown.mouse.move(box["x"] + box["width"] * 0.45, box["y"] + 120)
    shown.mouse.down()
    shown.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 124, steps=4)
    shown.mouse.up()
    plot.focus()
    shown.keyboard.press("Home")
    assert shown.locator("[data-panel=loss] .legend-x").inner_text() == "Buffer 10 packets"
    shown.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + 100)
    plot.focus()
    shown.keyboard.press("Home")
    assert shown.locator("[data-panel=loss] .legend-x").inner_text() == "Buffer 1 packets"


def test_charts_are_printed(opened: Callable[..., Any], charts: Path) -> None:
    shown = opened(charts, color_scheme="dark")
    shown.emulate_media(media="print")
    assert shown.locator("[data-panel=loss] canvas.base").is_visible()
    assert shown.locator(".page-bar").is_hidden()


@pytest.mark.parametrize("width", [360, 1600])
def test_charts_are_not_wider_than_the_window(
    opened: Callable[..., Any], charts: Path, width: int
) -> None:
    shown = opened(charts, viewport={"width": width, "height": 800})
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert _drawn(shown, "delay") == "2"
