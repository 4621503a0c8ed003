"""The machinery of a reproduction, on a stand-in laboratory whose truth is known."""

from __future__ import annotations

import html
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import broken_paper
from dumbbell import EnvironmentLacks, ScenarioError, api, figures
from dumbbell.reproduce import over_time, papers, work
from dumbbell.reproduce.verdict import VERDICTS
from dumbbell.rtl.tools import ICARUS
from dumbbell.studies.frame import publish
from helpers import lab
from helpers.reproduction import Page
from helpers.simulated_kernels import mark

PAPER = "red-on-netfpga"


@pytest.fixture
def reproduce(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(api, "run", lab.run)
    monkeypatch.setattr(
        figures, "save", mark
    )  # test_figures.py has the real one, which takes its time.
    monkeypatch.setattr(over_time, "record", lambda *_: None)  # It needs real runs.
    return lambda **options: work.reproduce(PAPER, quick=True, out=tmp_path / "report", **options)


def test_an_interrupt_while_the_report_is_written_is_too_late(
    reproduce: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write = publish.write_text

    def interrupted(*words: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        write(*words)

    monkeypatch.setattr(publish, "write_text", interrupted)
    summary = reproduce(cells=["t2-red-42-mbps"])
    written = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert written["cells"] == summary["cells"]


def test_the_paper_has_the_cells_of_the_print() -> None:
    paper = papers.load(PAPER)
    assert len(paper.cells) == 24
    fitted = {c.id for c in paper.cells.values() if c.fitted}
    assert fitted == {f"t2-dt-{b}-{kind}" for b in (24, 54) for kind in ("mbps", "share")}
    assert paper.cells["t2-red-42-mbps"].published == 20.0
    assert paper.cells["t2-red-42-mbps"].baseline == "t2-dt-42-mbps"
    # throughput over share: the totals that the print implies lie between 96 and 101 Mbit/s
    for scheme in ("dt", "red"):
        for b in (24, 30, 36, 42, 48, 54):
            mbps, share = (
                paper.cells[f"t2-{scheme}-{b}-{kind}"].published for kind in ("mbps", "share")
            )
            assert 96 < 100 * mbps / share < 101


def test_numbers_near_the_print_are_reproduced(reproduce) -> None:
    summary = reproduce()
    assert summary["valid"]
    assert summary["altered"] == []
    assert {c["verdict"] for c in summary["cells"] if c["fitted"]} == {None}
    mbps = [c for c in summary["cells"] if c["unit"] == "Mbit/s" and not c["fitted"]]
    assert {c["verdict"] for c in mbps} == {"reproduced"}
    assert all(
        c["pi95"][0] < c["ci95"][0] < c["value"] < c["ci95"][1] < c["pi95"][1]
        for c in summary["cells"]
    )
    verdicts = {c["id"]: c["verdict"] for c in summary["claims"]}
    assert verdicts["claim-3"] == verdicts["claim-4"] == verdicts["claim-5"] == "reproduced"
    assert verdicts["claim-2b"] == "contradicted"


@pytest.mark.parametrize("sabotage", ["queue=drop_tail", "queue.kind=drop_tail"])
def test_with_the_scheme_taken_out_no_gain_is_left(reproduce, sabotage: str) -> None:
    summary = reproduce(overrides=[sabotage])
    assert summary["altered"] == [sabotage]
    gains = [c for c in summary["claims"] if c["id"] != "claim-2b"]
    assert {c["verdict"] for c in gains} == {"contradicted"}
    effects = [c["effect"]["value"] for c in summary["cells"] if "effect" in c]
    assert effects == [0.0] * 12
    baselines = [p for p in summary["points"] if not p["scheme"]]
    assert all(p["overrides"][-1] != sabotage for p in baselines)


def test_an_override_that_is_not_the_schemes_changes_every_point(reproduce) -> None:
    summary = reproduce(overrides=["duration=30 s"])
    assert all("duration=30 s" in p["overrides"] for p in summary["points"])


def test_a_cell_alone_runs_its_point_and_its_baselines(reproduce) -> None:
    summary = reproduce(cells=["t2-red-36-mbps"])
    assert [c["id"] for c in summary["cells"]] == ["t2-red-36-mbps"]
    assert {p["id"] for p in summary["points"]} == {"red-36", "dt-36"}
    assert summary["claims"] == []
    with pytest.raises(ScenarioError, match="no cell `t2-red-37-mbps`"):
        reproduce(cells=["t2-red-37-mbps"])


def test_two_runs_are_the_least(reproduce) -> None:
    with pytest.raises(ScenarioError, match="--replications 2"):
        reproduce(replications=1)
    few = reproduce(replications=3)
    assert "reproduced" not in {c["verdict"] for c in few["cells"]}


def test_a_build_without_a_testbed_refuses_kernels_openly(reproduce, monkeypatch) -> None:
    from dumbbell import _native

    monkeypatch.delitem(_native.VERBS, "doctor")
    with pytest.raises(EnvironmentLacks, match="testbed"):
        reproduce(on="kernel")
    with pytest.raises(ScenarioError, match="selecting cells needs"):
        reproduce(on="kernel", cells=["t2-dt-36-mbps"])


def test_the_report_is_whole_and_needs_nothing_else(reproduce) -> None:
    summary = reproduce()
    text = Path(summary["report"]).read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    assert page.open == []
    assert page.loads == []
    assert "default-src 'none'; script-src 'sha256-" in html.unescape(text)
    assert "url(http" not in text
    assert "@import" not in text
    drawn = [figure for figure in summary["figures"] if "missing" not in figure]
    assert page.tags.count("figure") == len(drawn) == page.tags.count("figcaption")
    lacking = [
        (figure["id"], figure["verdict"]) for figure in summary["figures"] if figure not in drawn
    ]
    assert lacking == ([] if ICARUS.find() else [("fig-8", "not testable")])
    assert all(figure["id"] in page.ids for figure in summary["figures"])
    assert all(anchor[1:] in page.ids for anchor in page.anchors)
    assert len(page.ids) == len(set(page.ids))
    saved = {file.stem for file in (Path(summary["report"]).parent / "figures").glob("*.svg")}
    assert saved == {figure["id"] for figure in drawn}
    for cell in summary["cells"]:
        assert f"--cell {cell['id']}<" in text
    for entry in summary["claims"] + summary["assumptions"]:
        assert entry["id"] in page.ids
    for verdict in {c["verdict"] for c in summary["cells"] + summary["claims"]} & set(VERDICTS):
        assert f"</span> {verdict}</span>" in text, "the verdict is a word, not only a colour"
    assert json.loads(Path(summary["report"]).with_suffix(".json").read_text()) == summary


def test_a_broken_paper_is_refused_before_anything_runs(tmp_path: Path) -> None:
    folder = broken_paper(
        tmp_path,
        '[[cell]]\nid = "x"\nwhat = "w"\npublished = 1\ndecimals = 0\nunit = ""\npoint = "b"\n',
    )
    with pytest.raises(ScenarioError, match="cell `x`: there is no point `b`"):
        papers.read(folder)


def test_a_cell_with_a_missing_datum_is_not_testable(
    reproduce, monkeypatch: pytest.MonkeyPatch
) -> None:
    import msgspec
    from dumbbell.reproduce import judge

    paper = papers.load(PAPER)
    cell = msgspec.structs.replace(paper.cells["t2-red-24-mbps"], missing="the duration of a run")
    row = judge.cell(paper, {}, cell)
    assert (row["verdict"], row["value"], row["missing"]) == (
        "not testable",
        None,
        "the duration of a run",
    )


def test_papers_are_found_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my-paper").mkdir()
    (tmp_path / "my-paper" / "paper.toml").write_text("")
    monkeypatch.setenv("DUMBBELL_PAPERS", str(tmp_path))
    assert "my-paper" in papers.names()
    with pytest.raises(ScenarioError, match="did you mean `red-on-netfpga`"):
        papers.load("red-on-netfpag")
