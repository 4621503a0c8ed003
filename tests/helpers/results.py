"""Results against the JSON Schema that `dumbbell schema --result` publishes."""

from __future__ import annotations

from functools import cache
from typing import Any

from dumbbell import api
from jsonschema import Draft202012Validator

MOST = 8
"""Items of a list that are checked: the first, and the last two. To check each would take longer
than the runs."""


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(api.result_schema())


def conforming(document: dict[str, Any]) -> dict[str, Any]:
    """The document, which has the published form."""
    error = next(validator().iter_errors(_shortened(document)), None)
    assert error is None, f"{error.json_path}: {error.message[:500]}"
    return document


def _shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shortened(each) for key, each in value.items()}
    if isinstance(value, list):
        looked_at = value if len(value) <= MOST else value[: MOST - 2] + value[-2:]
        return [_shortened(each) for each in looked_at]
    return value
