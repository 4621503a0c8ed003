"""The pages of a sweep and of a reproduction in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell.present import stats
from dumbbell.reproduce import work
from dumbbell.studies.sweep import page as sweep_page
from helpers.reproduction import SMALL, small_paper

LIMITS = ("20 pkt", "40 pkt", "60 pkt")


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """The JSON of a sweep, and its page."""
    home = tmp_path_factory.mktemp("sweep")
    scenario = dumbbell.Scenario({**SMALL, "replications": 3})
    data = scenario.sweep({"queue.limit": LIMITS}, out=home / "out").json
    sweep_page.write(data, home / "page.html", directory=home / "out")
    return data, home / "page.html"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a small paper."""
    home = tmp_path_factory.mktemp("paper")
    work.reproduce(str(small_paper(home / "my-paper")), quick=True, out=home / "out")
    return home / "out" / "report.html"


def test_the_value_under_the_pointer_is_that_of_the_results(
    opened: Callable[..., Any], sweep: tuple[dict[str, Any], Path]
) -> None:
    data, file = sweep
    shown = opened(file)
    chart = shown.locator("[data-panel=chart-along-1-1]")
    chart.scroll_into_view_if_needed()
    plot = chart.locator(".plot")
    plot.focus()
    plot.press("Home")
    for number, limit in enumerate(LIMITS):
        runs = data["points"][number]["runs"]
        mean = stats.mean([sum(flow["goodput_bps"] for flow in run["flows"]) for run in runs])
        shown.wait_for_function(
            "([at]) => document.querySelector('[data-panel=chart-along-1-1] .legend-x')"
            ".textContent.includes(at)",
            arg=[limit.split()[0]],
        )
        value = re.match(r"[\d.]+", chart.locator(".legend .value").first.inner_text())
        assert value is not None
        assert float(value[0]) * 1e6 == pytest.approx(mean, rel=2e-3)
        plot.press("ArrowRight")


def test_a_point_says_what_opens_it(
    opened: Callable[..., Any], sweep: tuple[dict[str, Any], Path]
) -> None:
    shown = opened(sweep[1])
    plot = shown.locator("[data-panel=chart-along-1-1] .plot")
    plot.focus()
    plot.press("Home")
    plot.press("Enter")
    command = shown.locator("[data-panel=chart-along-1-1] .links code").first.inner_text()
    assert re.fullmatch(r"dumbbell view \S+ --point 1", command)


def test_a_report_shows_its_runs_and_its_figures(opened: Callable[..., Any], report: Path) -> None:
    shown = opened(report)
    window = shown.locator(".toolbar .status")
    assert window.inner_text().startswith("2.0000 to 3.0000 s")
    assert shown.locator("[data-panel=cwnd] tr").count() == 4  # Two flows of two runs.
    assert shown.locator("[data-panel=chart-rates-1]").is_visible()
    assert not shown.locator("#rates svg[id]").first.is_visible()
    section = shown.locator("#claim-1")
    assert section.locator("[data-panel=chart-rates-1]").count() == 1
    shown.locator("nav a", has_text="What the far flow meets").click()
    assert shown.url.endswith("#time")


def test_a_report_without_a_script_has_its_drawings(
    opened: Callable[..., Any], report: Path
) -> None:
    shown = opened(report, java_script_enabled=False)
    assert shown.locator("#rates .sheet > svg").is_visible()
    assert shown.locator("#static-figures svg").first.is_visible()


@pytest.mark.parametrize("width", [360, 1600])
def test_a_report_is_not_wider_than_the_window(
    opened: Callable[..., Any], report: Path, width: int
) -> None:
    shown = opened(report, viewport={"width": width, "height": 800})
    shown.wait_for_timeout(100)
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
