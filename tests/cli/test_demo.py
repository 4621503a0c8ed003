"""`demo`, and the scenarios that ship, by their names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dumbbell import cli, shipped

ROOT = Path(__file__).parents[2]


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    """What a command prints, and what it says on the side."""
    with pytest.raises(SystemExit) as end:
        cli.main(list(words))
    assert end.value.code == 0
    done = capsys.readouterr()
    return done.out, done.err


def test_it_writes_the_page_and_says_what_to_see(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out, _ = said(capsys, "demo", "--no-open")
    page = tmp_path / "dumbbell-demo" / "demo.html"
    assert "page: dumbbell-demo/demo.html (open it in a browser)" in out
    text = page.read_text(encoding="utf-8")
    assert "drop_tail" in text and "codel" in text and "<script" in text
    for queue in ("drop_tail", "codel"):
        assert (page.parent / queue / "summary.json").is_file()


def test_the_call_waits_behind_the_deep_buffer_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """What the command says in words: a tenth of the delay, for a few percent of the upload."""
    out, _ = said(capsys, "demo", "--no-open", "--out", str(tmp_path / "demo"), "--json")
    flows = {
        queue: {flow["name"]: flow for flow in result["flows"]}
        for queue, result in json.loads(out)["results"].items()
    }
    deep, short = flows["drop_tail"], flows["codel"]
    assert deep["call"]["delay_mean_s"] > 10 * short["call"]["delay_mean_s"]
    assert short["upload"]["goodput_bps"] > 0.95 * deep["upload"]["goodput_bps"]


def test_what_it_proposes_next_works(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out, _ = said(capsys, "demo", "--no-open")
    proposed = [line.split("  ")[1].split()[1:] for line in out.split("next:")[1].splitlines()[1:]]
    assert [words[0] for words in proposed] == ["run", "new", "reproduce"]
    for words in proposed[:2]:
        said(capsys, *words)


def test_a_browser_is_opened_only_if_wanted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: not opened.append(address))
    monkeypatch.setenv("DISPLAY", ":99")
    out = str(tmp_path / "demo")
    said(capsys, "demo", "--no-open", "--out", out)
    assert opened == []
    shown, _ = said(capsys, "demo", "--out", out)
    assert opened == [(tmp_path / "demo" / "demo.html").as_uri()]
    assert "open it" not in shown


def test_a_name_is_a_scenario_that_ships_unless_a_file_has_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out, notes = said(capsys, "check", "first")
    assert out.startswith("first: ok - 3 flows")
    assert str(ROOT / "scenarios" / "first.toml") in notes
    (tmp_path / "first").write_text((ROOT / "scenarios" / "last-hop.toml").read_text())
    out, notes = said(capsys, "check", "first")
    assert out.startswith("first: ok - 1 flow ")
    assert notes == ""


def test_what_ships_is_at_the_root_of_a_checkout() -> None:
    for name in ("papers", "rtl", "scenarios"):
        assert shipped.folder(name) == ROOT / name
    assert set(shipped.scenarios()) == {file.stem for file in (ROOT / "scenarios").glob("*.toml")}
    assert shipped.title(shipped.scenarios()["last-hop"]).startswith("A wired path")


def test_every_folder_that_ships_is_packed() -> None:
    packed = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for link in (Path(shipped.__file__).parent).iterdir():
        if link.is_symlink():
            # Of the exercises all but the answers.
            files = "*.ipynb" if link.name == "classroom" else "**/*"
            assert f'"python/dumbbell/shipped/{link.name}/{files}"' in packed
