"""The pages of the laboratory by what their scenarios do: every button runs, every control makes a
scenario, and what the words claim is what is measured."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from dumbbell import api, catalogue
from dumbbell.view.lab import forms

LAB = Path(__file__).parents[2] / "web" / "lab"
PAGES = {
    path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted(LAB.glob("*.toml"))
}
TOLD = sorted(name for name in PAGES if name != "lab")
SEEDS = (1, 2, 3)
"""That of the page, and two more: no claim is the luck of one seed."""


@cache
def _result(name: str, button: str, seed: int) -> Mapping[str, Any]:
    about = PAGES[name]
    text = forms.filled(about, forms.states(about)[button])
    source = {"text": text, "name": f"{name}.toml"}
    return api.run(api.request(source, [f"seed={seed}"]))


def test_there_are_ten_explorables() -> None:
    assert len(TOLD) == 10


def test_pages_have_an_order_that_begins_with_the_laboratory() -> None:
    places = sorted((about["place"], name) for name, about in PAGES.items())
    assert [place for place, _ in places] == list(range(len(PAGES)))
    assert places[0][1] == "lab"


@pytest.mark.parametrize("name", TOLD)
def test_every_button_makes_a_claim_or_serves_one(name: str) -> None:
    about = PAGES[name]
    found = forms.claims(about)
    buttons = [one["button"] for one in about["words"] if "button" in one]
    assert len(set(buttons)) == len(buttons)
    assert set(buttons) == {one.under for one in found} | {one.button for one in found}


@pytest.mark.parametrize("name", TOLD)
def test_what_the_words_claim_is_measured(name: str) -> None:
    found = [
        (seed, *claim.holds(lambda button, seed=seed: _result(name, button, seed)))
        for seed in SEEDS
        for claim in forms.claims(PAGES[name])
    ]
    assert [f"seed {seed}: {words}" for seed, holds, words in found if not holds] == []


@pytest.mark.parametrize("name", TOLD)
def test_every_button_gives_a_valid_run(name: str) -> None:
    for button in forms.states(PAGES[name]):
        assert _result(name, button, 1)["valid"], button


def _ends(about: Mapping[str, Any]) -> list[dict[str, forms.Value]]:
    """The page's beginning with each control moved to each of its ends, or to each choice."""
    moved: list[tuple[str, forms.Value]] = []
    for slider in about.get("slider", ()):
        moved += [(slider["id"], slider[end]) for end in ("min", "max")]
    for choice in about.get("choice", ()):
        names = [one["value"] for one in choice.get("options", ())] or choice.get("only", [])
        moved += [(choice["id"], value) for value in names]
    return [{**forms.first(about), name: value} for name, value in moved]


@pytest.mark.parametrize("name", sorted(PAGES))
def test_every_control_makes_a_scenario(name: str) -> None:
    for values in _ends(PAGES[name]):
        text = forms.filled(PAGES[name], values)
        assert re.findall(r"\{[\w*]+\}", text) == []
        api.call("plan", {"source": {"text": text, "name": f"{name}.toml"}})


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_state_is_within_its_controls(name: str) -> None:
    about = PAGES[name]
    sliders = {one["id"]: one for one in about.get("slider", ())}
    choices = {one["id"]: one for one in about.get("choice", ())}
    known = {
        "queues": {name for kind in catalogue.QUEUES for name in catalogue.kinds()[kind]},
        "controls": set(catalogue.kinds()["cc"]),
    }
    for values in [forms.first(about), *forms.states(about).values()]:
        for key, value in values.items():
            if key in sliders:
                assert sliders[key]["min"] <= float(value) <= sliders[key]["max"], (key, value)
            elif options := choices[key].get("options"):
                assert value in {one["value"] for one in options}, (key, value)
            else:
                of = known[choices[key]["of"]]
                only = set(choices[key].get("only", of))
                assert only <= of, only - of
                assert value in only, (key, value)


def test_a_false_claim_is_found() -> None:
    about = {
        "words": [
            {"button": "a", "set": {}, "claim": [{"measure": "jain", "above": 0.5}]},
            {"button": "b", "set": {}, "claim": [{"measure": "jain", "below": "a", "times": 0.5}]},
        ]
    }
    above, below = forms.claims(about)
    results: dict[str, Mapping[str, Any]] = {"a": {"jain": 0.9}, "b": {"jain": 0.6}}
    assert above.holds(results.__getitem__)[0]
    holds, words = below.holds(results.__getitem__)
    assert not holds and "which must be below 0.45" in words
    assert not above.holds({"a": {"jain": 0.4}}.__getitem__)[0]


def test_the_scenario_of_values() -> None:
    about = {
        "scenario": "a = {n}\nloss = {loss}\n\n[more]\nb = {3*n}\n{kind}\n",
        "slider": [
            {"id": "n", "value": 2},
            {"id": "loss", "value": 0.5, "factor": 0.01, "without": "line"},
        ],
        "choice": [
            {
                "id": "kind",
                "value": "x",
                "options": [{"value": "x", "label": "X", "text": "c = {n}"}],
            }
        ],
    }
    assert (
        forms.filled(about, forms.first(about)) == "a = 2\nloss = 0.005\n\n[more]\nb = 6\nc = 2\n"
    )
    assert "loss" not in forms.filled(about, {**forms.first(about), "loss": 0})
