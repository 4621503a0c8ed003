"""The pages of all kinds: one frame, the finding first, contents that lead somewhere, charts that
have their place, and nothing from elsewhere."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell.cli.results import kinds
from dumbbell.errors import ScenarioError
from dumbbell.reproduce import work
from dumbbell.studies import tables
from dumbbell.studies.compare import queues
from dumbbell.studies.sweep import page as sweep_page
from dumbbell.view import page as run_page
from dumbbell.view.results import Which
from helpers.command import document
from helpers.reproduction import SMALL, SMALL_TEXT, Page, small_paper

Made = tuple[Path, Path]
"""A folder of results, or the scenario of none, and the page that was written with it."""


def _sweep(home: Path) -> Made:
    (home / "few.toml").write_text(SMALL_TEXT, encoding="utf-8")
    axes = ("-o", "queue=drop_tail,red", "-o", "queue.limit=30 pkt,60 pkt")
    out = ("--replications", "3", "--out", str(home / "out"), "--page", str(home / "page.html"))
    document("sweep", str(home / "few.toml"), *axes, *out, "--no-store")
    return home / "out", home / "page.html"


def _run(home: Path) -> Made:
    dumbbell.Scenario(SMALL).run(out=home / "out")
    run_page.write([str(home / "out")], home / "page.html", Which())
    return home / "out", home / "page.html"


def _compare(home: Path) -> Made:
    options = queues.Options(
        schemes=["drop_tail", "red"],
        over=["rtt=20ms,80ms"],
        source={"text": SMALL_TEXT, "name": "few"},
        seeds=2,
    )
    queues.compare(options, home)
    return home, home / "index.html"


def _table(home: Path) -> Made:
    options = tables.Options(
        ccs=["newreno", "cubic"], rate=["10 Mbps"], ratios=[1.0, 4.0], time="4s", seeds=2
    )
    tables.survey("rtt-fairness", options, home)
    return home, home / "index.html"


def _mtu(home: Path) -> Made:
    path = ("--rate", "100Mbps", "--rtt", "20ms", "--loss", "0.001")
    effort = ("--mtu", "1500", "--mtu", "9000", "--time", "1s", "--seeds", "2", "--no-store")
    document("advise", "mtu", *path, *effort, "--out", home)
    return home, home / "index.html"


def _reproduction(home: Path) -> Made:
    work.reproduce(str(small_paper(home / "my-paper")), quick=True, out=home / "out")
    return home / "out", home / "out" / "report.html"


KINDS: dict[str, Callable[[Path], Made]] = {
    "run": _run,
    "sweep": _sweep,
    "compare": _compare,
    "table": _table,
    "mtu": _mtu,
    "reproduction": _reproduction,
}


@pytest.fixture(scope="module", params=KINDS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Results of a kind and their page."""
    return KINDS[request.param](tmp_path_factory.mktemp(request.param))


def _meta(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="dumbbell-view">(.*?)</script>', text)
    assert found
    meta: dict[str, Any] = json.loads(found[1])
    return meta


def test_a_page_is_whole_and_needs_nothing_else(made: Made) -> None:
    text = made[1].read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    assert page.open == []
    assert page.loads == [] or all(one.startswith("data:") for one in page.loads)
    assert "default-src 'none'; script-src 'sha256-" in html.unescape(text)
    assert "url(http" not in text and "@import" not in text
    assert len(page.ids) == len(set(page.ids))


def test_the_finding_comes_first_and_the_contents_lead_to_every_section(made: Made) -> None:
    text = made[1].read_text(encoding="utf-8")
    finding = text.index('<div class="finding">')
    assert text.index("<h1>") < finding < text.index("<nav") < text.index("<main>")
    assert re.search(r"<strong>[^<]{20,}\.\s*</strong>", text[finding:])
    nav = text[text.index("<nav") : text.index("</nav>")]
    led = re.findall(r'<a href="#([^"]+)">([^<]+)</a>', nav)
    main = text[text.index("<main>") : text.index("</main>")]
    assert led == re.findall(r'<section id="([^"]+)">\s*<h2>([^<]+)</h2>', main)
    assert len(led) >= 2
    page = Page()
    page.feed(text)
    assert {anchor[1:] for anchor in page.anchors} <= set(page.ids)


def test_every_chart_has_its_place_and_every_place_its_chart(made: Made) -> None:
    text = made[1].read_text(encoding="utf-8")
    meta = _meta(text)
    charts = [panel["id"] for panel in meta["panels"] if panel["kind"] == "points"]
    assert charts == re.findall(r'data-panel-place="([^"]+)"', text)
    for panel in meta["panels"]:
        for series in panel["series"]:
            assert series["column"] in meta["tables"][series["table"]]["columns"]
            assert series["look"] in meta["look"]
    if "over-time" in (child.name for child in made[0].iterdir()):
        assert 'id="time-page"' in text and any(p["kind"] == "time" for p in meta["panels"])


def test_view_writes_the_same_page_again(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, first = made
    monkeypatch.setenv("DUMBBELL_PAPERS", str(folder.parent))
    found = kinds.find(folder)
    if found is None:
        assert (folder / "summary.json").is_file()  # A run, which is no study.
        return
    kinds.write(found[0], folder, found[1], tmp_path / "again.html")
    again = (tmp_path / "again.html").read_text(encoding="utf-8")
    old, new = _meta(first.read_text(encoding="utf-8")), _meta(again)
    assert [panel["id"] for panel in new["panels"]] == [panel["id"] for panel in old["panels"]]
    titles = re.compile(r"<h[123][^>]*>.*?</h[123]>")
    assert titles.findall(again) == titles.findall(first.read_text(encoding="utf-8"))


def test_a_damaged_document_is_refused(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text("{", encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"results\.json cannot be read"):
        kinds.find(tmp_path)
    (tmp_path / "results.json").write_text('{"schemes": [], "best": []}', encoding="utf-8")
    found = kinds.find(tmp_path)
    assert found is not None
    with pytest.raises(ScenarioError, match="is not a comparison of queues of this version"):
        kinds.write(found[0], tmp_path, found[1], tmp_path / "page.html")


def test_kinds_are_told_apart() -> None:
    for kind in kinds.KINDS:
        others = [one for one in kinds.KINDS if one.file == kind.file and one is not kind]
        assert not any(other.keys <= kind.keys for other in others)


def test_a_sweep_of_twenty_points_is_small(tmp_path: Path) -> None:
    axes = {"queue.kind": ["drop_tail", "red", "codel", "pie"], "queue.limit": [20, 30, 40, 50, 60]}
    run = {
        "seed": 1, "fingerprint": "0", "valid": True, "jain": 1.0, "totals": {"goodput_bps": 9e6},
        "flows": [{"name": "a", "goodput_bps": 9e6, "throughput_bps": 9e6, "sent_packets": 9}],
        "queues": [{
            "name": "q", "kind": "red", "p99_sojourn_s": 0.1, "mean_sojourn_s": 0.05,
            "utilization": 0.9, "drops": {"overflow": 3}, "arrivals": 1000,
        }],
    }  # fmt: skip
    points = [
        {"overrides": {"queue.kind": kind, "queue.limit": f"{limit} pkt"}, "runs": [run, run]}
        for kind in axes["queue.kind"]
        for limit in axes["queue.limit"]
    ]
    data = {"name": "many", "version": "0", "points": points}
    sweep_page.write(data, tmp_path / "page.html", directory=tmp_path)
    assert (tmp_path / "page.html").stat().st_size < 500_000
