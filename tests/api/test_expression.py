"""The expressions in which the catalogue writes laws and conditions."""

from __future__ import annotations

from typing import Any

import pytest
from dumbbell.language.expression import evaluate, names

VALUES: dict[str, Any] = {"q": 12, "level": 10.0, "p": 0.02, "class": 1, "target": "15 ms"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("p if q > level else 0", 0.02),
        ("min(1, (q / 2) ** 2) - -p", 1.02),
        ("q >= 12 and class == 1 and not target == '5 ms'", True),
        ("class_ * 3", 3),
        ("0 or target", "15 ms"),
        ("seconds(target) * 2", 0.03),
        ("q > level or nowhere", True),
        ("nowhere if q < level else sqrt(4)", 2.0),
    ],
)
def test_values(text: str, value: object) -> None:
    assert evaluate(text, VALUES.__getitem__) == value


def test_a_name_without_a_value_is_told_by_name() -> None:
    with pytest.raises(KeyError, match="nowhere"):
        evaluate("q + nowhere", VALUES.__getitem__)


@pytest.mark.parametrize(
    "text",
    ["q.real", "open('x')", "[q]", "q < p < level", "lambda: 1", "min(*q)", "q @ p", "q >", "q; p"],
)
def test_what_is_not_of_the_language_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^`"):
        evaluate(text, VALUES.__getitem__)


def test_the_names_of_an_expression() -> None:
    assert names("min(q, class) > level or seconds(target)") == {"q", "class", "level", "target"}
