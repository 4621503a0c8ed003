"""Shipped scenarios, and those of papers and studies, give no warning that they do not allow."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from dumbbell import api
from dumbbell.cli import main

ROOT = Path(__file__).resolve().parents[2]
NET = next(one["example"] for one in api.warnings() if one["code"] == "W002")


NETWORKS = {"dumbbell", "parking_lot", "link", "extends"}
"""Keys of which each scenario has one; the other files of papers have none."""
SCENARIOS = [
    path
    for pattern in ("scenarios/*.toml", "papers/*/*.toml", "python/dumbbell/studies/**/*.toml")
    for path in sorted(ROOT.glob(pattern))
    if NETWORKS & tomllib.loads(path.read_text(encoding="utf-8")).keys()
]


def test_the_files_of_papers_are_among_them() -> None:
    names = {path.name for path in SCENARIOS if path.parent.parent.name == "papers"}
    assert {"network.toml", "experiment2.toml", "figure4.toml", "testbed.toml"} <= names
    assert not {"paper.toml", "campaign.toml"} & names


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_a_shipped_scenario_gives_none(path: Path) -> None:
    planned = api.plan(api.request({"path": str(path)}, points=0))
    assert [one["code"] for one in planned["warnings"]] == []


def ended(words: list[str]) -> int:
    with pytest.raises(SystemExit) as end:
        main(words)
    return int(end.value.code or 0)


def test_check_prints_them_and_may_deny_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "net.toml"
    file.write_text(NET)
    assert ended(["check", str(file)]) == 0
    assert "warning[W002]: the buffer of `bottleneck`" in capsys.readouterr().err
    assert ended(["check", str(file), "--deny-warnings"]) == 2
    capsys.readouterr()
    assert ended(["check", str(file), "--json", "--deny-warnings"]) == 2
    printed = json.loads(capsys.readouterr().out)
    [one] = printed["warnings"]
    assert not printed["ok"] and (one["code"], one["key"], one["line"]) == (
        "W002",
        "queue.limit",
        4,
    )
    assert ended(["check", str(file), "--deny-warnings", "-s", 'allow=["W002"]']) == 0


def test_the_profile_is_judged_with_real_kernels_only() -> None:
    text = {"text": next(one["example"] for one in api.warnings() if one["code"] == "W013")}
    codes = [
        [one["code"] for one in api.plan(api.request(text, points=0, on=on))["warnings"]]
        for on in ("sim", "kernel")
    ]
    assert codes == [[], ["W013"]]


def test_explain_explains_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["explain", "w012"]) == 0
    assert "W012 (few-epochs)" in capsys.readouterr().out
    assert ended(["explain", "W999"]) == 2
