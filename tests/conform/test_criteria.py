"""The tables of criteria: each is complete, quotes its section, and has scenarios that run."""

from __future__ import annotations

import tomllib
from typing import cast

import pytest
from dumbbell import api
from dumbbell.conform import documents, scenarios, work
from dumbbell.conform.criterion import Criterion
from dumbbell.conform.sections import sections
from dumbbell.conform.subject import Kind, Subject
from dumbbell.errors import ScenarioError

KINDS = ("cc", "aqm")
PLAIN = {"cc": "cubic", "aqm": "codel"}


def every() -> list[tuple[Kind, Criterion]]:
    return [
        (cast(Kind, kind), one) for kind in KINDS for one in documents.criteria(cast(Kind, kind))
    ]


def test_each_section_of_the_documents_has_a_criterion() -> None:
    assert {one.section for _, one in every()} == set(sections())


@pytest.mark.parametrize(
    ("document", "numbers"),
    [
        ("rfc9743", [f"5.1.{i}" for i in range(1, 6)] + [f"5.2.{i}" for i in range(1, 4)]),
        ("rfc9743", ["5.3.1", "5.3.2", *(f"6.{i}" for i in range(1, 5))]),
        ("rfc9743", [f"7.{i}" for i in range(1, 12)]),
        ("bbr", [f"A.{i}" for i in range(1, 23)]),
        ("tcpeval", [f"4.4.{i}" for i in range(1, 7)]),
    ],
)
def test_no_section_is_left_out(document: str, numbers: list[str]) -> None:
    there = {one.number for one in sections().values() if one.document.key == document}
    assert set(numbers) <= there


def test_each_criterion_has_a_bound_with_a_reason_or_says_why_nothing_is_run() -> None:
    subjects = {kind: Subject.read(cast(Kind, kind), name) for kind, name in PLAIN.items()}
    for kind, one in every():
        assert one.id.startswith(f"{one.section}."), one.id
        assert sections()[one.section].quote.endswith((".", "].")), one.section
        if one.scenario is None:
            assert one.excuse(subjects[kind]), one.id
        else:
            assert one.bound_text and len(one.why) > 20 and one.number, one.id


@pytest.mark.parametrize(("kind", "name"), PLAIN.items())
def test_each_scenario_can_be_planned(kind: Kind, name: str) -> None:
    """An algorithm that every network takes: what cannot be planned is a mistake of the table."""
    subject = Subject.read(kind, name)
    wanted = work._Wanted()
    for one in documents.criteria(kind):
        if one.scenario is None:
            continue
        wanted.add(one.scenario(subject))
        if one.against:
            wanted.add(one.scenario(subject.as_other(one.against)))
    found = [key for network in work._BASES for key in work._rows(wanted, network, work.Options())]
    assert not wanted.refused
    assert len(found) == len(wanted.rows)


def test_the_scenario_of_a_criterion_makes_its_number_again() -> None:
    subject = Subject.read("cc", "cubic")
    one = documents.find("cc", "rfc9743.7.4.waste")
    outcome = work.conform([(subject, one)], work.Options(seeds=2))[0][0]
    text = scenarios.text(one, subject, 2)
    answer = api.run(api.request({"text": text, "name": "again"}))
    assert one.measure is not None
    again = [one.measure(run) for run in answer["runs"]]
    assert list(outcome.values) == again


def test_the_other_scenario_of_a_quotient_is_that_of_the_other_algorithm() -> None:
    one = documents.find("aqm", "rfc7928.10.wait")
    text = scenarios.text(one, Subject.read("aqm", "codel"), 5, other=True)
    assert tomllib.loads(text)["queue"]["kind"] == "drop_tail"
    assert tomllib.loads(text)["replications"] == 5


def test_a_pattern_that_matches_nothing_is_refused_with_what_is_near() -> None:
    with pytest.raises(ScenarioError, match=r"did you mean `rfc9743\.5"):
        documents.select("cc", ["rfc9743.5.1.1.los"])


def test_an_algorithm_of_the_other_kind_is_refused() -> None:
    with pytest.raises(ScenarioError, match="this is a queue"):
        Subject.read("cc", "codel")
    with pytest.raises(ScenarioError, match="this is a congestion control"):
        Subject.read("aqm", "cubic")
