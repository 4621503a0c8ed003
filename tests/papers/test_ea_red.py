"""The paper on ea-RED: what is printed of it, verdicts on a stand-in whose truth is known, and its
scheme taken out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import broken_paper
from dumbbell import ScenarioError, api
from dumbbell.reproduce import papers, work
from dumbbell.reproduce.measures import fairness
from dumbbell.reproduce.measures.measure import of_run
from helpers import many_flows
from helpers.reproduction import Page, on_a_stand_in

PAPER = "ea-red"
SABOTAGE = ["queue.kind=red", "queue.min_th=5 pkt", "queue.max_th=45 pkt"]
GAINS = ["claim-4", "claim-5", "claim-6", "claim-7", "claim-8", "claim-9", "claim-12", "claim-13"]
"""What ea-RED is said to gain."""


@pytest.fixture(scope="module")
def reproduce(tmp_path_factory: pytest.TempPathFactory):
    return on_a_stand_in(PAPER, many_flows.run, tmp_path_factory)


@pytest.fixture(scope="module")
def whole(reproduce) -> dict[str, Any]:
    """All of the paper, once."""
    return reproduce()


def test_the_paper_has_what_is_printed() -> None:
    cells = papers.load(PAPER).cells
    printed = {name: cell.published for name, cell in cells.items()}
    assert printed == {
        "fig3-100-over-red": 25,
        "fig3-200-over-td": 33.6,
        "fig3-200-over-red": 21.25,
        "fig4-100-over-red": 28.8,
        "fig4-150-over-td": 13.3,
        "fig4-150-over-red": 41.42,
        "total-td": 10600,
        "total-red": 10950,
        "total-ea": 11250,
        "total-red-over-td": 3.3,
        "total-ea-over-td": 6.1,
    }
    # what the print implies of RED against Drop Tail: 1.10 at 200, which denies claim 3, and 0.80
    # at 150
    assert cells["fig3-200-over-td"].baseline_published == pytest.approx(
        100 * (1.336 / 1.2125 - 1), abs=1e-3
    )
    assert cells["fig4-150-over-td"].baseline_published == pytest.approx(
        100 * (1.133 / 1.4142 - 1), abs=1e-3
    )
    assert printed["total-red-over-td"] == round(100 * (10950 / 10600 - 1), 1)
    assert printed["total-ea-over-td"] == round(100 * (11250 / 10600 - 1), 1)


def test_every_size_of_the_crowd_is_split_into_its_groups() -> None:
    for name, point in papers.load(PAPER).points.items():
        flows = many_flows.read(list(point.overrides))[1]
        if name.startswith(("s-", "d-")):
            assert flows == int(name.rpartition("-")[2])
        groups = [o for o in point.overrides if o.startswith("flow.")]
        assert len(groups) == (3 if point.scenario.name == "dynamic.toml" else 1)


def test_gains_near_the_print_are_reproduced(whole) -> None:
    summary = whole
    cells = {cell["id"]: cell for cell in summary["cells"]}
    assert cells["fig4-100-over-red"]["value"] == pytest.approx(100 * (0.80 / 0.60 - 1), abs=0.5)
    assert cells["fig4-100-over-red"]["verdict"] == "in part"  # 33 % for 28.8 %
    assert (
        cells["fig3-200-over-td"]["verdict"] == "in part"
    )  # 29 % for 33.6 %, of which RED has nothing
    assert cells["fig4-150-over-td"]["verdict"] == "contradicted"  # more than twice 13.3 %
    assert cells["total-ea"]["verdict"] == cells["total-td"]["verdict"] == "reproduced"
    claims = {claim["id"]: claim["verdict"] for claim in summary["claims"]}
    assert (
        claims["claim-4"]
        == claims["claim-5"]
        == claims["claim-7"]
        == claims["claim-8"]
        == "reproduced"
    )
    assert claims["claim-3"] == "reproduced"
    assert claims["claim-9"] == claims["claim-13"] == "contradicted"


def test_every_claim_and_gain_is_judged_under_every_reading(whole) -> None:
    summary = whole
    paper = papers.load(PAPER)
    assert [row["id"] for row in summary["readings"]] == [
        "base",
        *(r.id for r in paper.readings.entries),
    ]
    for row in summary["readings"]:
        assert list(row["claims"]) == list(paper.readings.claims)
        assert list(row["cells"]) == list(paper.readings.cells)
    assert [e["at"] for e in summary["readings"][0]["effect"]] == [100, 150, 200]
    told = [
        line for line in summary["readings_conclusion"] if line.startswith("claim-4 holds under")
    ]
    assert len(told) == 1
    page = Page()
    page.feed(Path(summary["report"]).read_text(encoding="utf-8"))
    assert page.open == page.loads == []
    assert "under-which" in page.ids
    assert {f"#reading-{row['id']}" for row in summary["readings"]} <= set(page.anchors)
    assert all(anchor[1:] in page.ids for anchor in page.anchors)
    assert len(page.ids) == len(set(page.ids))


def test_with_the_scheme_taken_out_no_gain_is_left(reproduce) -> None:
    summary = reproduce(overrides=SABOTAGE)
    assert {c["id"]: c["verdict"] for c in summary["claims"] if c["id"] in GAINS} == dict.fromkeys(
        GAINS, "contradicted"
    )
    of_ea = [
        c
        for c in summary["cells"]
        if "red-over" not in c["id"] and c["id"] not in ("total-td", "total-red")
    ]
    assert [c["effect"]["value"] for c in of_ea] == [0.0] * 8
    assert all(c["effect"]["ci95"] == [0.0, 0.0] for c in of_ea)
    assert summary["readings"] == []
    changed = {p["id"] for p in summary["points"] if p["overrides"][-3:] == SABOTAGE}
    assert changed == {p.id for p in papers.load(PAPER).points.values() if p.scheme}


@pytest.mark.parametrize("kind", ["s", "d"])
def test_the_scheme_taken_out_is_red_packet_by_packet(kind: str, tmp_path: Path) -> None:
    """No stand-in: the simulator gives both points the same history."""
    cell = {"s": "fig4-100-over-red", "d": "fig3-100-over-red"}[kind]
    summary = work.reproduce(PAPER, overrides=SABOTAGE, cells=[cell], replications=2, out=tmp_path)
    prints = {p["id"]: p["fingerprint"] for p in summary["points"]}
    assert prints[f"{kind}-ea-100"] == prints[f"{kind}-red-100"]
    (row,) = summary["cells"]
    assert (row["value"], row["effect"]["ci95"], row["verdict"]) == (
        0.0,
        [0.0, 0.0],
        "contradicted",
    )
    whole = work.reproduce(PAPER, cells=[cell], replications=2, out=tmp_path)
    prints = {p["id"]: p["fingerprint"] for p in whole["points"]}
    assert prints[f"{kind}-ea-100"] != prints[f"{kind}-red-100"]


def test_the_buffer_is_the_ports_and_changes_every_point(reproduce) -> None:
    summary = reproduce(overrides=["queue.limit=75 pkt"])
    assert all("queue.limit=75 pkt" in p["overrides"] for p in summary["points"])


def test_a_reading_of_a_tag_leaves_the_others_alone() -> None:
    paper = papers.load(PAPER)
    by_id = {reading.id: reading for reading in paper.readings.entries}
    red, ea, td = (paper.points[f"s-{kind}-100"] for kind in ("red", "ea", "td"))
    assert by_id["not-gentle"].at(red) == by_id["not-gentle"].at(ea) == ("queue.gentle=false",)
    assert by_id["not-gentle"].at(td) == ()
    assert by_id["bytes-red"].at(ea) == ()
    assert by_id["buffer-75-70"].at(red)[-1] == "queue.max_th=70 pkt"
    assert by_id["buffer-75-70"].at(ea)[-1] == "queue.max_lim=70 pkt"
    assert by_id["trickle"].at(red) == ()


def test_jain_by_hand() -> None:
    assert fairness.jain([3, 3, 3]) == pytest.approx(1)
    assert fairness.jain([1, 0, 0, 0]) == pytest.approx(1 / 4)
    assert fairness.jain([1, 2, 3]) == pytest.approx(36 / (3 * 14))
    assert fairness.jain([0, 0]) == 0
    assert fairness.variation([1, 3]) == pytest.approx(0.5)
    assert fairness.zeros([0, 2, 0]) == 2
    assert fairness.jain(many_flows.goodputs(0.7, 20)) == pytest.approx(0.7)


def test_jain_is_what_a_result_says() -> None:
    """Two implementations, one index."""
    source = {"path": str(papers.load(PAPER).points["s-td-100"].scenario)}
    one = api.run(api.request(source, ["flow.a.count=30", "duration=10 s"], seed=1, replications=1))
    assert of_run("jain:flows.*.goodput_bps", one, None) == pytest.approx(
        of_run("jain", one, None), rel=1e-12
    )


def test_measures_over_flows_by_pattern() -> None:
    run = {
        "flows": [{"name": name, "x": x} for name, x in (("a.1", 1.0), ("a.2", 2.0), ("b.1", 4.0))]
    }
    assert of_run("flows.a*.x", run, None) == 3
    assert of_run("flows.*.x", run, None) == 7
    assert of_run("jain:flows.a*.x", run, None) == pytest.approx(9 / 10)
    with pytest.raises(ScenarioError, match="there is no `geni`; there are series, jain"):
        of_run("geni:flows.*.x", run, None)
    with pytest.raises(ScenarioError, match="there is no `c\\*`"):
        of_run("flows.c*.x", run, None)


def test_jain_among_active_flows(tmp_path: Path) -> None:
    """Flow b stops at 10 s; c starts after 10 s; a is there throughout."""
    import polars

    delivered = {"a.1": (0, 300, 400), "b.1": (0, 100, 150), "c.1": (0, 0, 300)}
    sent = {"a.1": (0, 300, 400), "b.1": (0, 150, 150), "c.1": (0, 0, 300)}
    rows = [
        {"time_s": t, "flow": f, "delivered_bytes": delivered[f][k], "sent_bytes": sent[f][k]}
        for k, t in enumerate((0.0, 10.0, 20.0))
        for f in delivered
    ]
    (tmp_path / "seed-1").mkdir()
    polars.DataFrame(rows).write_parquet(tmp_path / "seed-1" / "flows.parquet")
    (tmp_path / "scenario.toml").write_text(
        '[[flow]]\nname = "a"\n[[flow]]\nname = "b"\nstop = "10 s"\n'
    )
    first, second = fairness.jain([300, 100]), fairness.jain([100, 300])
    assert fairness.active_jain({}, tmp_path / "seed-1") == pytest.approx((first + second) / 2)


def test_a_cell_of_an_unknown_number_is_refused(tmp_path: Path) -> None:
    cell = (
        '[[cell]]\nid = "x"\nwhat = "w"\npublished = 1\ndecimals = 0\nunit = ""\nof = "gian[100]"\n'
    )
    with pytest.raises(ScenarioError, match="cell `x`: there is no number `gian`"):
        papers.read(broken_paper(tmp_path, cell))
