"""Live pages in a browser: they grow, and end as the page that `view` writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.command import dumbbell
from helpers.live.commands import command, port, refused
from helpers.live.packed import inflated, joined, numbers, same

RUN = ("run", "scenarios/first.toml", "-s", 'record.every="1 s"', "-s")
DATA = """() => [document.getElementById("dumbbell-view").textContent,
    [...document.querySelectorAll(".dumbbell-blob")].map((each) => each.textContent)]"""


@pytest.fixture
def shown(browser: Any) -> Iterator[Any]:
    """A page of the browser, whose script must not fail."""
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    failed: list[str] = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    yield page
    page.close()
    assert not failed


def says(page: Any, text: str) -> None:
    page.wait_for_function(
        "text => document.querySelector('#live p')?.textContent.includes(text)", arg=text
    )


LONGER = (1, 4, 16, 64)
"""Factors of a run's length: a fast machine needs a longer one to be seen in its middle."""


def told(news: list[Any]) -> list[Any]:
    return [json.loads(answer.body()) for answer in news]


def test_a_running_page_grows_and_ends_as_the_written_one(shown: Any, tmp_path: Path) -> None:
    asked, news = list[str](), list[Any]()
    shown.on("request", lambda request: asked.append(request.url))
    shown.on("response", lambda answer: news.append(answer) if "/news?" in answer.url else None)
    for factor in LONGER:
        out, seconds = tmp_path / f"run{factor}", 2000 * factor
        asked.clear()
        news.clear()
        with command(*RUN, f'duration="{seconds} s"', "--out", out) as (process, address):
            shown.goto(address)
            says(shown, "Run ended")
            assert process.wait(60) == 0
            assert refused(port(address))
        grew = [one for one in told(news) if one["pieces"]]
        if len(grew) > 1:
            break
    assert len(grew) > 1  # It was told of rows more than once.
    assert {url.partition("?")[0] for url in asked} <= {
        address,
        f"{address}news",
        f"{address}page",
        address.partition("/")[0] + "/favicon.ico",
    }
    assert dumbbell("view", out, "--out", tmp_path / "view.html").returncode == 0
    live = shown.evaluate(DATA)
    shown.goto((tmp_path / "view.html").as_uri())
    written = shown.evaluate(DATA)
    assert live == written
    pieces = joined([piece for one in grew for piece in one["pieces"]])
    tables, blobs = json.loads(written[0])["tables"], inflated(written[1])
    compared = 0
    for name in pieces.keys() - {one for one in pieces if "/goodput/" in one}:
        for column, values in pieces[name].items():
            same(values, numbers(tables[name]["columns"][column], blobs), column)
            compared += len(values)
    assert compared > seconds * 4


def test_the_ended_page_is_used_without_its_command(shown: Any) -> None:
    with command(*RUN, 'duration="20 s"') as (process, address):
        shown.goto(address)
        says(shown, "Run ended")
        assert process.wait(60) == 0
    window = shown.inner_text(".status")
    shown.keyboard.press("+")
    shown.wait_for_function(f"() => document.querySelector('.status').innerText != {window!r}")
    with shown.expect_download() as saved:
        shown.click("#live-save")
    text = Path(saved.value.path()).read_text(encoding="utf-8")
    assert saved.value.suggested_filename == "first.html"
    assert "connect-src" not in text.partition("</head>")[0]
    assert 'id="dumbbell-view"' in text


def test_the_window_follows_until_it_is_moved(shown: Any) -> None:
    with command(*RUN, 'duration="100000 s"') as (process, address):
        shown.goto(address)
        says(shown, "s of the run")
        first = _end(shown)
        shown.wait_for_function(
            "end => parseFloat(document.querySelector('.status').innerText.split(' to ')[1]) > end",
            arg=first,
        )
        assert shown.is_hidden("#live button")
        shown.keyboard.press("+")
        shown.wait_for_selector("#live button")
        moved = _end(shown)
        told = shown.inner_text("#live p")
        shown.wait_for_function(
            "text => document.querySelector('#live p').innerText != text", arg=told
        )
        assert _end(shown) == moved
        shown.keyboard.press("l")
        shown.wait_for_selector("#live button", state="hidden")
        shown.wait_for_function(
            "end => parseFloat(document.querySelector('.status').innerText.split(' to ')[1]) > end",
            arg=moved,
        )
        process.kill()
        says(shown, "The command is gone")


def _end(page: Any) -> float:
    return float(page.inner_text(".status").split(" to ")[1].split(" s")[0])


def test_the_table_of_a_sweep_grows(shown: Any, tmp_path: Path) -> None:
    news: list[Any] = []
    shown.on("response", lambda answer: news.append(answer) if "/news?" in answer.url else None)
    axis = "queue.limit=" + ",".join(f"{limit}pkt" for limit in range(20, 60, 5))
    words = ("sweep", "scenarios/first.toml", "-o", axis, "--threads", "1", "--no-store")
    for factor in LONGER:
        news.clear()
        with command(*words, "-s", f'duration="{500 * factor} s"') as (process, address):
            shown.goto(address)
            says(shown, "Run ended")
            assert process.wait(60) == 0
        tables = [one["table"] for one in told(news) if one["table"]]
        rows = [len(table["rows"]) for table in tables]
        if len(set(rows)) > 1:
            break
    assert rows == sorted(rows)
    assert len(set(rows)) > 1
    assert rows[-1] <= 8
    text = shown.inner_text("main")
    assert all(f"{limit}pkt" in text for limit in range(20, 60, 5))
    for row in tables[-1]["rows"]:
        assert row[0] in text


def test_a_failure_is_told(shown: Any, tmp_path: Path) -> None:
    plugin = tmp_path / "breaks.py"
    plugin.write_text(
        "from dumbbell import Aqm, PASS\n"
        "class Breaks(Aqm):\n"
        "    '''Breaks after a while.'''\n"
        "    name = 'breaks'\n"
        "    def arrive(self, cx, queue, packet, fits):\n"
        "        if cx.now > 20:\n"
        "            raise ValueError('it is late')\n"
        "        return PASS\n",
        encoding="utf-8",
    )
    words = (*RUN, 'duration="60 s"', "--use", plugin, "-s", 'queue={kind="breaks",limit="60 pkt"}')
    with command(*words) as (process, address):
        shown.goto(address)
        says(shown, "The command failed")
        assert "it is late" in shown.inner_text("#live p")
        assert process.wait(60) == 1
