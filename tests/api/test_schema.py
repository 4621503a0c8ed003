"""The JSON Schema of scenario files, as a validator other than ours reads it."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from dumbbell import api
from dumbbell.language import new

SHIPPED = sorted((Path(__file__).parents[2] / "scenarios").glob("*.toml"))


@functools.cache
def validator() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(api.schema())
    return jsonschema.Draft202012Validator(api.schema())


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.name)
def test_a_shipped_scenario_is_valid(file: Path) -> None:
    validator().validate(tomllib.loads(file.read_text(encoding="utf-8")))


def test_a_new_scenario_is_valid(tmp_path: Path) -> None:
    file, _ = new.write_scenario(tmp_path / "new.toml")
    validator().validate(tomllib.loads(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("tables", "place", "said"),
    [
        ({"queue": {"kind": "red", "min_thr": "5 pkt"}}, "queue", "'min_thr' was unexpected"),
        ({"queue": {"kind": "red", "min_th": 5}}, "queue.min_th", "5 is not of type 'string'"),
        ({"queue": {"kind": "red", "min_th": "5"}}, "queue.min_th", "does not match"),
        ({"queue": {"kind": "rde"}}, "queue.kind", "'rde' is not one of"),
        ({"queue": {"min_thr": "5 pkt"}}, "queue", "'min_thr' is not one of"),
        ({"queue": "rde"}, "queue", "'rde' is not one of"),
        ({"queue": 5}, "queue", "5 is not one of"),
        ({"queue": {"kind": "fq_codel", "x": 1}}, "queue", "'x' was unexpected"),
        ({"flow": [{"cc": {"kind": "cubic", "x": 1}}]}, "flow.0.cc", "'x' was unexpected"),
        ({"flow": [{"cc": {"x": 1}}]}, "flow.0.cc", "'kind' is a required property"),
        ({"flow": [{"conditioner": "tbff"}]}, "flow.0.conditioner", "'tbff' is not one of"),
        (
            {"flow": [{"conditioner": [{"kind": "tbf", "x": 1}]}]},
            "flow.0.conditioner.0",
            "'x' was unexpected",
        ),
        (
            {"session": [{"size": {"kind": "exponential", "mean": "1 kB", "x": 1}}]},
            "session.0.size",
            "'x' was unexpected",
        ),
        (
            {"dumbbell": {"bottleneck": {"rate": "1 Mbsp"}}},
            "dumbbell.bottleneck.rate",
            "does not match",
        ),
        ({"stop": {"rule": "ci95 < 2%", "x": 1}}, "stop", "'x' was unexpected"),
        ({"cpu": {"rin": "4 pkt"}}, "cpu", "'rin' was unexpected"),
    ],
)
def test_a_mistake_is_one_error_at_its_place(tables: dict[str, Any], place: str, said: str) -> None:
    (error,) = validator().iter_errors({"duration": "1 s", **tables})
    assert ".".join(map(str, error.path)) == place
    assert said in error.message
    assert not error.context


def test_words_of_a_choice_are_valid() -> None:
    flow = {"cc": "cubic", "conditioner": ["tbf", {"kind": "token_bucket"}], "source": "bulk"}
    tables = {"queue": "red", "flow": [flow, {"conditioner": "tbf"}], "cpu": "server_2021"}
    validator().validate({"duration": "1 s", "stop": "ci95 < 2%", **tables})
    validator().validate({"extends": "first.toml", "queue": {"max_p": 0.2}})


def test_a_file_has_a_duration_or_extends_one_that_has() -> None:
    (error,) = validator().iter_errors({"queue": "red"})
    assert error.message == "'duration' is a required property"
