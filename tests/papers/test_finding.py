"""The sentences that a report begins with."""

from __future__ import annotations

import dataclasses
import math

import pytest
from dumbbell.reproduce import checks, finding, papers, verdict
from dumbbell.reproduce.document import ClaimRow
from dumbbell.reproduce.entries import Finding
from dumbbell.reproduce.predicate import Family

NUMBERS = {
    "gain": Family((24.0, 54.0), ((1.0, 3.0), (-0.5, -0.5))),
    "none": Family((0.0,), ((math.inf, 1.0),)),
}


def claim(verdict: str) -> list[ClaimRow]:
    return [{"id": "claim-1", "text": "", "verdict": verdict, "evidence": {}}]


@pytest.mark.parametrize(
    ("which", "words"),
    [
        (verdict.REPRODUCED, "reproduced"),
        (verdict.IN_PART, "reproduced in part"),
        (verdict.CONTRADICTED, "not reproduced"),
    ],
)
def test_a_sentence_has_the_range_of_the_means_and_the_verdict(which: str, words: str) -> None:
    one = Finding("claim-1", "RED gains {more} Mbit/s", {"more": "gain"})
    (said,) = finding.sentences([one], NUMBERS, claim(which))
    assert said == f"RED gains −0.5 to 2 Mbit/s: {words}."


def test_what_is_not_finite_not_judged_or_not_measured_has_no_sentence() -> None:
    infinite = Finding("claim-1", "It is {times}", {"times": "none"})
    unjudged = Finding("claim-2", "It is {times}", {"times": "gain[24]"})
    unmeasured = Finding("claim-1", "It is {times}", {"times": "ratio"})
    assert (
        finding.sentences([infinite, unjudged, unmeasured], NUMBERS, claim(verdict.REPRODUCED))
        == []
    )


def test_names_of_findings_are_checked() -> None:
    paper = papers.load("red-on-netfpga")
    known = checks.numbers(paper)
    for one, wrong in (
        (Finding("claim-99", "nothing"), "there is no such claim"),
        (Finding("claim-1", "{x}", {"x": "gian"}), "there is no number `gian`"),
        (Finding("claim-1", "{y}", {}), "`show` has no `y`"),
    ):
        altered = dataclasses.replace(paper, findings=(one,))
        assert any(wrong in said for said in checks._check_findings(altered, known))


@pytest.mark.parametrize("name", papers.names())
def test_every_paper_of_the_repository_begins_with_three_sentences(name: str) -> None:
    assert len(papers.load(name).findings) == 3
