"""`new scenario` and `schema --install`."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import dumbbell as package
from helpers.command import document, dumbbell


def test_a_new_scenario_runs(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    assert dumbbell("new", "scenario", file).returncode == 0
    result = document("run", file, "-s", "duration=12 s")
    assert [flow["name"] for flow in result["flows"]] == ["near.1", "near.2", "far"]


def test_its_first_line_names_the_schema_beside_it(tmp_path: Path) -> None:
    written = document("new", "scenario", tmp_path / "first")["written"]
    file, schema = map(Path, written)
    assert file == tmp_path / "first.toml"
    found = re.match(r"#:schema (\./\S+)\n", file.read_text())
    assert found is not None
    assert (file.parent / found[1]).samefile(schema)
    rules = json.loads(schema.read_text())
    assert rules == package.api.schema()
    assert set(tomllib.loads(file.read_text())) <= set(rules["properties"])


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    kept, schema = tmp_path / "kept.toml", tmp_path / "dumbbell.schema.json"
    kept.write_text("mine")
    schema.write_text("mine, too")
    assert dumbbell("new", "scenario", kept).returncode == 1
    assert kept.read_text() == "mine"
    assert document("new", "scenario", tmp_path / "other")["written"] == [
        str(tmp_path / "other.toml")
    ]
    assert schema.read_text() == "mine, too"
    assert dumbbell("new", "scenario", tmp_path / "x.yaml").returncode == 2
    assert dumbbell("new", "scenario", tmp_path).returncode == 2


def test_an_installed_schema_describes_the_algorithms_of_a_folder(tmp_path: Path) -> None:
    assert dumbbell("new", "aqm", "mine", "--python", cwd=tmp_path).returncode == 0
    done = dumbbell("schema", "--install", tmp_path, "--use", tmp_path / "mine.py")
    assert done.returncode == 0
    kinds = json.loads((tmp_path / "dumbbell.schema.json").read_text())["$defs"]["queue"]
    assert "mine" in kinds["anyOf"][0]["enum"]
    assert dumbbell("schema", "--install", tmp_path, "--result").returncode == 2
    assert dumbbell("schema", "--install", tmp_path / "none").returncode == 2
