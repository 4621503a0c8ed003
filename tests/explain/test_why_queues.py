"""`why` has words of its own for the queues of the catalogue, with the numbers that decided."""

from __future__ import annotations

import re

import dumbbell
import pytest
from dumbbell.explain import why
from dumbbell.explain.why import decisions
from dumbbell.explain.why.finding import Decision
from dumbbell.explain.why.sentences import queues
from helpers import catalogue_checks
from helpers.recorded_runs import rows, run

QUEUES = dumbbell.catalogue.QUEUES


@pytest.fixture(scope="module")
def told_of_queues(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, list[tuple[Decision, str]]]:
    """Of every queue a decision for each reason that five flows gave it, and its clause."""
    told: dict[str, list[tuple[Decision, str]]] = {}
    for kind in QUEUES:
        for name in set(dumbbell.catalogue.kinds()[kind]) - {
            "red_rtl"
        }:  # Its words are those of red_hw.
            out = run(
                tmp_path_factory.mktemp("queues") / name,
                queue={"kind": name, "limit": "60 pkt"},
                duration="4 s",
                flow=[
                    {"name": "s", "count": 4, "cc": "sack"},
                    {"name": "far", "rtt": "80 ms", "cc": "sack"},
                ],
            )
            signals = rows(out, "signals")
            last = {row["reason"]: row for row in signals.iter_rows(named=True)}
            found = [
                why.ask(out, row["flow"], packet=row["packet"]).decision for row in last.values()
            ]
            told[name] = [(d, decisions.explained(d)) for d in found if d is not None]
            assert len(told[name]) == len(last) > 0
    return told


def test_every_queue_of_the_catalogue_has_its_own_words(
    told_of_queues: dict[str, list[tuple[Decision, str]]],
) -> None:
    for name, tellings in told_of_queues.items():
        page = dumbbell.catalogue.pages(*QUEUES)[name]
        own = bool(page.explained["clauses"] or page.explained["story"])
        for d, text in tellings:
            assert d.algorithm == name
            assert not own or "the decision used" not in text, text
            assert "nan" not in text
            assert "?" not in text


def test_the_pages_of_the_catalogue_can_be_told() -> None:
    catalogue_checks.check_explanations(list(dumbbell.catalogue.algorithms()))


def test_a_sentence_without_its_gauges_is_the_general_one() -> None:
    d = Decision(0, "core", "blue", {"d1": 0.02}, "", "early", False, 9, {"p_m": 0.5})
    assert decisions.explained(d) == "it found 9 packets waiting; the decision used p_m = 0.5"


def test_the_words_have_the_gauges_that_decided(
    told_of_queues: dict[str, list[tuple[Decision, str]]],
) -> None:
    decided = {
        "blue": ("early", "p_m", "coin"),
        "pie": ("early", "drop_prob", "coin"),
        "pi2": ("early", "p", "p_c"),
        "ea_red": ("early", "avg", "min_th", "max_th", "p_b", "p_a", "coin"),
        "adaptive_red": ("early", "avg", "max_p", "coin"),
        "rem": ("early", "price", "p", "coin"),
        "red_hw": ("early", "avg", "p", "draw"),
        "green": ("early", "n", "p"),
        "sfb": ("early", "p_min", "coin"),
        "fred": ("forced", "qlen", "avgcq", "avg"),
    }
    for name, (reason, *gauges) in decided.items():
        d, text = next((d, text) for d, text in told_of_queues[name] if d.reason == reason)
        said_numbers = [float(x) for x in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e-\d+)?", text)]
        for gauge in gauges:
            assert any(x == pytest.approx(d.gauges[gauge], rel=1e-3) for x in said_numbers), (
                name,
                gauge,
                text,
            )


def test_codel_names_its_control_law_and_red_variants_what_they_moved() -> None:
    gauges = {"sojourn": 0.0091, "count": 4.0, "lastcount": 1.0, "dropping": 1.0, "drop_next": 4.1}
    values = {"target": "5 ms", "interval": "100 ms", "ce_threshold": "0 s"}

    def clause(**changes: float) -> str:
        return decisions.explained(
            Decision(0, "core", "codel", values, "", "head", False, 9, {**gauges, **changes})
        )

    assert "waited 9.1 ms" in clause()
    assert "100 ms / sqrt(4) = 50 ms" in clause()  # RFC 8289 section 3.3: interval / sqrt(count).
    assert "for a whole interval of 100 ms, so CoDel began to signal" in clause(count=1.0)
    assert "at a count of 3" in clause(count=3.0, lastcount=3.0)
    red = {
        "avg": 6.0,
        "p_b": 0.02,
        "p_a": 0.03,
        "count": 9.0,
        "coin": 0.01,
        "min_th": 5.0,
        "max_th": 10.0,
    }
    moved = Decision(
        0, "core", "ea_red", {"min_th": "5 pkt", "max_th": "15 pkt"}, "", "early", False, 9, red
    )
    assert (
        "between min_th 5 and max_th 10 (at first 5 pkt and 15 pkt), so p_b = 0.02"
        in decisions.explained(moved)
    )
    classed = Decision(0, "core", "wred", {}, "", "early", False, 9, {**red, "class": 2.0})
    assert "between min_th 5 and max_th 10 in class 2, so" in decisions.explained(classed)


def test_sfbs_penalty_box_is_the_queues_not_a_conditioners() -> None:
    gauges = {"p_min": 1.0, "q_min": 9.0, "coin": 0.5, "tokens": 0.0}
    d = Decision(0, "core", "sfb", {"levels": 8}, "", "policed", False, 9, gauges)
    assert queues.speaker(d) == "the queue of `core` (sfb)"
    assert "the penalty box had no token" in decisions.explained(d)
    assert (
        queues.speaker(Decision(0, "core", "tbf", {}, "", "policed", False, 9, {}))
        == "the conditioner of `core` (tbf)"
    )
