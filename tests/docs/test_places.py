"""One scenario in five places: the page and what is kept agree, and each difference has a cause or
is said to be open."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import places
import places_page as page
import places_runs as runs
import places_scenarios as scenarios
import pytest

PAGE = page.PAGE.read_text(encoding="utf-8")
KEPT = {place: runs.kept(place) for place in scenarios.PLACES}


def cells() -> list[page.Compared]:
    """Every cell of the page."""
    rows = [row for kept in KEPT.values() for row in kept.values()]
    return [
        cell for each in scenarios.ALL for cell in page.compared(each, page.samples(rows, each))
    ]


def test_the_page_is_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "agreement.md"
    copy.write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(page, "PAGE", copy)
    page.write()
    assert copy.read_text(encoding="utf-8") == PAGE


def test_each_place_ran_what_it_is_asked_for() -> None:
    """No run is missing, none is of another input, and all of a place are of one recipe."""
    for scenario, place, seed in runs.runs(scenarios.ALL, list(scenarios.PLACES), None):
        row = KEPT[place].get((scenario.name, place, seed))
        assert row is not None, (scenario.name, place, seed)
        assert row["input"] == runs.input_of(scenario, place, seed), (scenario.name, place)
    for rows in KEPT.values():
        assert len({row["recipe"] for row in rows.values()}) == 1


def test_there_are_a_hundred_cells_in_every_place() -> None:
    found = cells()
    assert len(found) >= 100
    assert {cell.place for cell in found} == {"linux", "kernel", "rtl", "ns2"}


def test_each_difference_has_a_cause_or_is_open() -> None:
    """What is bold in the tables is named below them, once."""
    causes = tomllib.loads(page.CAUSES.read_text(encoding="utf-8"))
    differ = [cell for cell in cells() if cell.differs]
    body = PAGE.partition("<!-- measured: places -->")[2]
    bold = re.findall(r"\| (\*\*[^|]*\*\*) (?=\|)", body)
    assert len(bold) == len(differ)
    for cell in differ:
        part = body.partition(f"| `{cell.scenario}` |")[2].partition("\n### ")[0]
        title = scenarios.PLACES[cell.place].title
        items = part.replace("\n  ", " ").splitlines()
        notes = [line for line in items if line.startswith(f"- {title}, ")]
        told = [line for line in notes if re.search(rf"\b{cell.measure} [+−]\d+ %", line)]
        assert len(told) == 1, (cell.scenario, cell.place, cell.measure)
        cause = page.cause_of(cell, causes)
        assert ("**open**" if cause == page.OPEN else cause) in told[0]
    unknown = sum(page.cause_of(cell, causes) == page.OPEN for cell in differ)
    assert f"and {unknown} are open." in body.replace("\n", " ")


def test_no_cause_is_left_over() -> None:
    """Each entry of places.toml explains some difference that is there."""
    causes = tomllib.loads(page.CAUSES.read_text(encoding="utf-8"))
    used = {page.cause_of(cell, causes) for cell in cells() if cell.differs}
    assert {each["cause"] for each in causes["cause"]} <= used


def test_where_a_scenario_cannot_run_the_page_says_why() -> None:
    for scenario in scenarios.ALL:
        part = PAGE.partition(f"| `{scenario.name}` |")[2].partition("\n### ")[0]
        for place, why in scenario.absent.items():
            if scenarios.PLACES[place].beside:
                assert f"- –, {scenarios.PLACES[place].title}: {why}." in part


def test_datagrams_run_again_as_they_are_kept() -> None:
    """12 Mbit/s over 10: nothing is left to chance, and a sixth is dropped."""
    scenario = next(each for each in scenarios.ALL if each.name == "udp-drop_tail")
    again = runs.of_ours(runs.result(scenario, "sim", 1))
    assert again == KEPT["sim"]["udp-drop_tail", "sim", 1]["measures"]
    assert again["drops"] == pytest.approx(1 / 6, abs=1e-4)
    assert again["goodput"] == pytest.approx(10 * 1472 / 1500, rel=1e-4)


def compared(theirs: float, spread: float) -> page.Compared:
    ours = tuple(10.0 + spread * (-1) ** seed for seed in range(20))
    others = tuple(theirs + spread * (-1) ** seed for seed in range(4))
    return page.Compared("s", "linux", "goodput", ours, others)


def test_a_cell_is_marked_beyond_five_percent_and_the_seeds() -> None:
    assert str(compared(10.4, 0.01)) == "10.400 ± 0.018"
    assert str(compared(9.4, 0.01)) == "**9.400 ± 0.018**"
    assert str(compared(9.4, 2.0)).endswith(" ~")
    assert compared(10.4, 0.01).ratio == pytest.approx(0.04)
    nothing = page.Compared("s", "linux", "drops", (0.0, 0.0), (0.0, 0.0))
    assert not nothing.far
    some = page.Compared("s", "linux", "drops", (0.0, 0.0), (0.1, 0.1))
    assert some.differs


def test_the_first_cause_that_covers_a_cell() -> None:
    causes = {
        "cause": [
            {"place": ["kernel"], "cause": "another place"},
            {"scenario": ["s"], "measure": ["queue"], "cause": "another measure"},
            {"scenario": ["s", "t"], "cause": "this"},
            {"cause": "too late"},
        ]
    }
    assert page.cause_of(compared(9.4, 0.01), causes) == "this"
    assert page.cause_of(compared(9.4, 0.01), {"cause": []}) == page.OPEN


def test_what_is_refused() -> None:
    with pytest.raises(SystemExit) as found:
        places.main(["--place", "moon"])
    assert found.value.code == 2
