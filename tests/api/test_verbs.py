"""The table of verbs: what Python calls is in it, and what is in it Python calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from dumbbell import ScenarioError, _native, api, errors

PACKAGE = Path(api.__file__).parent


def called(file: Path) -> Iterator[str]:
    """The verbs that a file calls by name."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else None
            name = node.func.id if isinstance(node.func, ast.Name) else name
            first = node.args[0]
            if name in {"call", "ask"} and isinstance(first, ast.Constant):
                yield str(first.value)


def test_the_package_calls_the_verbs_that_there_are() -> None:
    names = {verb for file in PACKAGE.rglob("*.py") for verb in called(file)}
    assert names == set(_native.VERBS)


def test_each_verb_says_what_it_does_and_what_it_is_asked() -> None:
    table = api.verbs()
    assert {name: verb["interruptible"] for name, verb in table["verbs"].items()} == _native.VERBS
    for name, verb in table["verbs"].items():
        assert verb["about"][0].isupper() and verb["about"].endswith("."), name
        schema = verb["request"]
        while "$ref" in schema:
            schema = table["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        assert schema.keys() & {"properties", "items", "anyOf", "allOf"} or name in {
            "catalogue",
            "doctor",
            "result_schema",
            "warnings",
            "schema",
            "test",
        }, name
    assert table["verbs"]["table"]["answer"] == "table"
    assert table["verbs"]["run"]["answer"] == "document"


def test_an_unknown_verb_and_a_wrong_request_are_refused() -> None:
    with pytest.raises(errors.DumbbellError, match=r"no verb `stor`[^?]*did you mean `store`"):
        api.call("stor", {})
    with pytest.raises(ScenarioError, match=r"there is no key `dri` here[^?]*did you mean `dir`"):
        api.call("store", {"do": "check", "dri": "x"})
    with pytest.raises(ScenarioError, match="`dir` is missing"):
        api.call("store", {"do": "check"})
    with pytest.raises(ScenarioError, match="`packets`: this is a string"):
        api.call("rtl_lockstep", {"packets": "many"})
    with pytest.raises(ScenarioError, match="the request cannot be read"):
        api.call("store", {"do": "check", "dir": "\udcff"})


def test_the_answer_has_the_type_that_was_asked_for() -> None:
    table = api.table([{"labels": {"seed": 1}, "rows": [{"a": 1.5}]}])
    assert table.column("a") == [1.5]
    with pytest.raises(TypeError, match="`catalogue` returns dict"):
        api.call("catalogue", {}, list)
