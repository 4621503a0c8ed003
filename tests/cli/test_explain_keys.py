"""`dumbbell explain` of keys of the scenario language."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import pytest
from dumbbell import Scenario, catalogue, errors
from dumbbell.language import keys
from helpers.command import document, dumbbell


def test_a_key_has_its_meaning_unit_default_source_and_places() -> None:
    key = document("explain", "tcp.ecn")
    assert key["meaning"] == "Explicit congestion notification."
    assert (key["default"], key["source"]) == ("off", "RFC 3168")
    assert "RFC 3168" in key["choices"]["rfc3168"]
    assert {"tcp.ecn", "flow.tcp.ecn"} <= set(key["places"])
    rate = dumbbell("explain", "dumbbell.bottleneck.rate").stdout
    assert 'rate, as in "100 Mbps"' in rate
    assert '[dumbbell.bottleneck]\n    rate = "100 Mbps"' in rate


def test_a_key_of_a_list_needs_no_number() -> None:
    assert document("explain", "flow.0.rtt") == document("explain", "flow.rtt")
    assert document("explain", "flow.rtt")["example"].startswith("[[flow]]\n")


def test_a_table_lists_its_keys() -> None:
    said = dumbbell("explain", "flow").stdout
    table = {key.name for key in keys.every() if key.path.rpartition(".")[0] == "flow"}
    assert {"rtt", "cc", "count"} <= table
    assert table <= set(said.split())


def test_a_word_alone_names_a_key_wherever_it_stands() -> None:
    found = {key["key"] for key in document("explain", "rtt")["keys"]}
    assert {"flow.rtt", "queue.rtt"} <= found


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("flow.rt", "flow.rtt"),
        ("queue.limits", "queue.limit"),
        ("floww.rtt", "flow"),
        ("duraton", "duration"),
        ("coodel", "codel"),
        ("queue.nope", None),
        ("nope", None),
    ],
)
def test_an_unknown_key_has_a_suggestion_if_one_is_near(written: str, near: str | None) -> None:
    error = document("explain", written, code=2)["error"]
    assert error["nearest"] == ([near] if near else [])


def test_no_algorithm_hides_a_table() -> None:
    assert not catalogue.names() & {key.name for key in keys.top() if key.keys}


def examples() -> Iterator[tuple[str, str]]:
    for key in keys.every():
        if key.example():
            yield key.path, key.example()


def test_the_language_accepts_every_example() -> None:
    """Each stands where its path says, and a scenario of nothing else is right in names, types and
    units."""
    refused = []
    seen = dict.fromkeys(examples())
    for path, text in seen:
        value = tomllib.loads(text)
        for word in path.split("."):
            value = value[0] if isinstance(value, list) else value
            value = value[word]
        try:
            Scenario.from_text(text)
        except errors.ScenarioError as error:
            refused.append((path, str(error)))
    assert len(seen) > 1000
    assert refused == []
