"""The page of `view` in a browser."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dumbbell
import polars
import pytest
from dumbbell.data import captures, flent
from dumbbell.present import network
from dumbbell.view import page
from dumbbell.view.results import Which
from helpers.command import dumbbell as dumbbell_command

expect = pytest.importorskip("playwright.sync_api").expect

_EVERY_S = 0.01


def _first(queue: str = "red", **changes: object) -> dumbbell.Scenario:
    """The first scenario, with changes."""
    value = tomllib.loads(Path("scenarios/first.toml").read_text(encoding="utf-8"))
    value |= {**changes, "queue": {"kind": queue, "limit": "60 pkt"}}
    return dumbbell.Scenario(value)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recorded results `red` and `tail`."""
    home = tmp_path_factory.mktemp("browser")
    for name, queue in (("red", "red"), ("tail", "drop_tail")):
        record = {"every": "10 ms", "drops": True, "packets": True}
        _first(duration="20 s", record=record, queue=queue).run(out=home / name)
    return home


@pytest.fixture(scope="module")
def red(results: Path) -> Path:
    page.write([str(results / "red")], results / "red.html", Which())
    return results / "red.html"


@pytest.fixture(scope="module")
def both(results: Path) -> Path:
    page.write([str(results / "red"), str(results / "tail")], results / "both.html", Which())
    return results / "both.html"


def _value(shown: Any, panel: str, label: str) -> float:
    row = shown.locator(f"[data-panel={panel}] tr", has_text=label).first
    return float(row.locator(".value").inner_text().replace("\N{MINUS SIGN}", "-"))


def test_the_crosshair_reads_what_the_file_has(
    opened: Callable[..., Any], red: Path, results: Path
) -> None:
    shown = opened(red, "#t=15-15.2&at=15.1")
    flows = polars.read_parquet(results / "red" / "flows.parquet")
    queues = polars.read_parquet(results / "red" / "queues.parquet")
    row = (flows["time_s"] - 15.1).abs() < _EVERY_S / 2
    far = flows.filter(row & (flows["flow"].cast(polars.String) == "far"))
    queue = queues.filter((queues["time_s"] - 15.1).abs() < _EVERY_S / 2)
    assert _value(shown, "cwnd", "far") == pytest.approx(far["cwnd_packets"][0], rel=1e-3)
    assert _value(shown, "delay", "far") == pytest.approx(far["srtt_us"][0] / 1e3, rel=1e-3)
    assert _value(shown, "queue", "bottleneck") == queue["queue_packets"][0]
    assert _value(shown, "queue", "bottleneck, average") == pytest.approx(queue["avg"][0], rel=1e-3)


def _at(points: list[tuple[float, float]], time: float) -> float:
    """The last value up to an instant, as the crosshair reads it."""
    return max(point for point in points if point[0] <= time + 1e-9)[1]


def test_a_capture_reads_what_the_file_has(opened: Callable[..., Any], results: Path) -> None:
    file = results / "red.pcapng"
    words = ("export", "pcapng", str(results / "red"), "--snaplen", "96", "-o", str(file))
    assert dumbbell_command(*words).returncode == 0
    page.write([str(file)], results / "capture.html", Which())
    one = captures.directions(file, segments=True)[0]
    time, rtt = one.rtt[len(one.rtt) // 2]  # The crosshair stands on a sample.
    shown = opened(results / "capture.html", f"#t={time - 0.1}-{time + 0.1}&at={time}")
    assert _value(shown, "delay", one.name) == pytest.approx(rtt * 1e3, rel=1e-3)
    again = sum(at <= time and repeated for at, _, _, repeated in one.segments or ())
    assert _value(shown, "again", one.name) == again > 0
    goodput = [(end - 0.05, bps / 1e6) for end, bps in one.goodput(0.1)]
    assert _value(shown, "goodput", one.name) == pytest.approx(_at(goodput, time), rel=1e-2)
    shown.keyboard.press("n")  # The next segment that was sent again.
    shown.wait_for_selector(".chain:not([hidden])")
    assert shown.locator(".chain-command").is_hidden()


def test_flents_data_read_what_the_file_has(opened: Callable[..., Any], results: Path) -> None:
    file = results / "red.flent.gz"
    words = ("export", "flent", str(results / "red"), "-o", str(file))
    assert dumbbell_command(*words).returncode == 0
    page.write([str(file)], results / "flent.html", Which())
    flow = flent.read(file).flows[0]
    time, window = flow.cwnd_packets[1000]
    shown = opened(results / "flent.html", f"#t={time - 0.1}-{time + 0.1}&at={time}")
    assert _value(shown, "cwnd", flow.name) == pytest.approx(window, rel=1e-3)
    assert _value(shown, "delay", flow.name) == pytest.approx(_at(flow.rtt_s, time) * 1e3, rel=1e-3)
    goodput = _at(flow.goodput_bps, time) / 1e6
    assert _value(shown, "goodput", flow.name) == pytest.approx(goodput, rel=1e-3)


def test_an_event_tells_what_why_tells(
    opened: Callable[..., Any], red: Path, results: Path
) -> None:
    shown = opened(red, "#t=10-12&at=10")
    shown.keyboard.press("n")
    shown.wait_for_selector(".chain:not([hidden]) .chain-step, .chain:not([hidden]) li")
    text = shown.locator(".chain-text").inner_text()
    command = shown.locator(".chain-command code").inner_text().split()
    assert command[0] == "dumbbell"
    told = dumbbell_command(*command[1:], "--wide")
    assert told.returncode == 0, told.stderr
    assert _plain(text) in _plain(told.stdout)
    assert shown.locator(".chain li").count() >= 2
    shown.keyboard.press("Escape")
    assert shown.locator(".chain").is_hidden()


def _plain(text: str) -> str:
    return " ".join(text.replace("`", "").split())


def test_keys_go_from_event_to_event(opened: Callable[..., Any], red: Path) -> None:
    shown = opened(red, "#t=10-12&at=10")
    shown.keyboard.press("n")
    shown.wait_for_selector(".chain:not([hidden])")
    first = shown.locator(".chain-title").text_content()
    shown.keyboard.press("n")
    expect(shown.locator(".chain-title")).not_to_have_text(first)
    shown.keyboard.press("p")
    expect(shown.locator(".chain-title")).to_have_text(first)


def test_a_flow_is_switched_off(opened: Callable[..., Any], red: Path) -> None:
    shown = opened(red)
    rows = shown.locator("[data-panel=goodput] [data-series]")
    assert rows.count() == 3
    shown.get_by_role("checkbox", name=re.compile("^far")).uncheck()
    expect(rows).to_have_count(2)


def test_the_wheel_zooms_and_the_address_remembers(opened: Callable[..., Any], red: Path) -> None:
    shown = opened(red)
    box = shown.locator("[data-panel=queue] canvas").first.bounding_box()
    shown.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    shown.mouse.wheel(0, -600)
    expect(shown).to_have_url(re.compile("[#&]t="))
    low, high = re.search(r"t=([\d.]+)-([\d.]+)", shown.url).groups()
    assert 0 < float(low) < float(high) < 20
    shown.keyboard.press("0")
    expect(shown).not_to_have_url(re.compile("[#&]t="))


def test_two_results_have_a_difference(opened: Callable[..., Any], both: Path) -> None:
    shown = opened(both)
    assert shown.get_by_text("red").count() and shown.get_by_text("drop_tail").count()
    assert shown.get_by_text(re.compile("[Dd]ifference")).count()


def test_figures_stand_where_scripts_are_off(opened: Callable[..., Any], red: Path) -> None:
    shown = opened(red, java_script_enabled=False)
    assert shown.locator("#static-figures img").first.is_visible()
    shown = opened(red)
    assert not shown.locator("#static-figures img").first.is_visible()


@pytest.mark.parametrize("width", [360, 1600])
def test_nothing_is_wider_than_the_window(
    opened: Callable[..., Any], red: Path, width: int
) -> None:
    shown = opened(red)
    shown.set_viewport_size({"width": width, "height": 800})
    shown.wait_for_timeout(100)
    assert shown.evaluate("document.documentElement.scrollWidth") <= width


def test_a_minute_of_three_flows_takes_a_megabyte(tmp_path: Path) -> None:
    _first(record={"every": "10 ms"}).run(out=tmp_path / "minute")
    page.write([str(tmp_path / "minute")], tmp_path / "minute.html", Which())
    assert (tmp_path / "minute.html").stat().st_size < 1_000_000


_OVERLAPS = """() => {
  const seen = [...document.querySelectorAll('.dumbbell-network svg')]
    .filter(svg => svg.getBoundingClientRect().width > 0);
  const boxes = seen.flatMap(svg => [...svg.querySelectorAll('text')])
    .map(text => [text.textContent, text.getBoundingClientRect()]);
  const pairs = boxes.flatMap(([one, a], i) => boxes.slice(i + 1)
    .filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1
      && a.top < b.bottom - 3 && b.top < a.bottom - 3)
    .map(([other]) => [one, other]));
  const sizes = seen.map(svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width);
  return {drawings: seen.length, texts: boxes.length, pairs, scale: Math.min(...sizes)};
}"""
"""Texts of the drawings that overlap, without the space that lines leave above and below letters,
and the least scale of a drawing."""


@pytest.mark.parametrize("width", [360, 700, 1200])
def test_the_network_is_readable_at_each_width(browser: Any, tmp_path: Path, width: int) -> None:
    """All scenarios that ship, in the browser's own font."""
    files = sorted(Path("scenarios").glob("*.toml"))
    plans = [dumbbell.Scenario.from_file(file).check(points=1)[0]["plan"] for file in files]
    file = tmp_path / "networks.html"
    file.write_text("<meta charset=utf-8>" + "".join(map(network.inline, plans)), encoding="utf-8")
    shown = browser.new_page(viewport={"width": width, "height": 900})
    shown.goto(file.as_uri())
    found = shown.evaluate(_OVERLAPS)
    assert found["drawings"] == len(files) and found["texts"] > 5 * len(files)
    assert found["pairs"] == [] and found["scale"] >= 0.8
    shown.close()


_CANVASES = """
Object.fromEntries([...document.querySelectorAll("details.panel[open]")].map((panel) =>
  [panel.dataset.panel, panel.querySelector("canvas.base").toDataURL()]))
"""


def test_panels_outside_the_screen_are_drawn_in_full(opened: Callable[..., Any], red: Path) -> None:
    low = opened(red, viewport={"width": 1200, "height": 300})
    high = opened(red, viewport={"width": 1200, "height": 4000})
    assert low.evaluate(_CANVASES) == high.evaluate(_CANVASES)
    buckets = low.locator("details.panel[open][data-coarse]").evaluate_all(
        "panels => panels.map((panel) => [panel.dataset.panel, panel.dataset.coarse])"
    )
    assert dict(buckets)["goodput"] == "1"  # 200 rows, though nobody scrolled there.
    low.emulate_media(color_scheme="dark")
    # In one step: a frame after it may draw for the screen again, as no print follows.
    ratio, paper = low.locator("[data-panel=goodput] canvas.base").evaluate(
        "it => { dispatchEvent(new Event('beforeprint')); "
        "const style = getComputedStyle(document.documentElement); "
        "return [it.width / it.parentElement.clientWidth, style.getPropertyValue('--paper')] }"
    )
    assert (ratio, paper.strip()) == (2, "#fff")


def test_details_are_shown_of_few_flows_or_of_the_highlighted_one(
    opened: Callable[..., Any], red: Path, both: Path
) -> None:
    lines = "[data-panel=cwnd] .readout tr"
    assert opened(red).locator(lines, has_text="ssthresh").count() == 3
    shown = opened(both)  # Six flows.
    expect(shown.locator(lines, has_text="ssthresh")).to_have_count(0)
    shown.locator("[data-panel=cwnd] .name").first.click()
    expect(shown.locator(lines, has_text="ssthresh")).to_have_count(1)


def test_lines_of_a_panel_differ_without_color(opened: Callable[..., Any], red: Path) -> None:
    shown = opened(red)
    for panel in ("queue", "probability", "delay", "cwnd", "goodput"):
        looks = shown.locator(f"[data-panel={panel}] .readout .look").evaluate_all(
            "all => all.map((look) => look.innerHTML)"
        )
        assert len(set(looks)) == len(looks) > 1, panel


def test_a_title_stands_once(opened: Callable[..., Any], red: Path) -> None:
    assert opened(red).locator("h1").count() == 1
