"""The paper on TCP CAE: what is printed, verdicts on a stand-in whose truth is known, its scheme
taken out."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest
from dumbbell import ScenarioError, api, figures
from dumbbell.data import series
from dumbbell.reproduce import papers, work
from dumbbell.reproduce.measures import ack_path, cwnd
from dumbbell.reproduce.measures.measure import of_run
from helpers import two_way
from helpers.reproduction import Page
from helpers.simulated_kernels import mark

PAPER = "tcp-cae"
SABOTAGE = "flow.s.cc.threshold=0"
GAINS = ["claim-2", "claim-3", "claim-4", "claim-7", "claim-8", "claim-9", "claim-19", "claim-20"]
"""What CAE is said to gain."""
MS = 10**9


@pytest.fixture
def reproduce(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(api, "run", two_way.run)
    monkeypatch.setattr(figures, "save", mark)
    return lambda **options: work.reproduce(PAPER, quick=True, out=tmp_path / "report", **options)


def test_the_paper_has_what_is_printed() -> None:
    cells = papers.load(PAPER).cells
    printed = {
        name: cell.published
        for name, cell in cells.items()
        if not name.startswith(("reno-", "newreno-"))
    }
    assert printed == {
        "over-reno-1": 20,
        "over-newreno-1": 150,
        "over-westwood-1": 450,
        "over-newreno-5": 100,
    }
    # what the three gains at 1 % imply of the others among themselves
    for name, ratio in (("reno-over-newreno-1", 2.5 / 1.2), ("reno-over-westwood-1", 5.5 / 1.2)):
        assert cells[name].published == pytest.approx(100 * (ratio - 1), abs=0.05)
    assert cells["newreno-over-westwood-1"].published == pytest.approx(100 * (5.5 / 2.5 - 1))
    assert cells["over-newreno-1"].baseline_published == pytest.approx(
        100 * (2.5 / 1.2 - 1), abs=0.001
    )


def test_every_expression_speaks_of_numbers_that_exist() -> None:
    paper = papers.load(PAPER)
    known = {*paper.numbers, *paper.derived}
    texts = [
        text
        for claim in paper.claims
        for text in (claim.reproduced, claim.in_part, *claim.show.values())
    ]
    assert papers.reach(paper, filter(None, texts)) <= known
    lines = [
        line for picture in paper.pictures for line in picture.options.get("lines", {}).values()
    ]
    assert {name for line in lines for name in line["numbers"]} <= known


def test_every_point_and_reading_is_a_scenario() -> None:
    paper = papers.load(PAPER)
    for name, point in paper.points.items():
        if name.endswith(("-1", "-0")):
            api.plan(api.request({"path": str(point.scenario)}, [*point.overrides]))
    cae = paper.points["cae-1"]
    for reading in paper.readings.entries:
        api.plan(api.request({"path": str(cae.scenario)}, [*cae.overrides, *reading.at(cae)]))


def test_gains_as_printed_are_reproduced(reproduce) -> None:
    summary = reproduce()
    assert {c["id"]: c["verdict"] for c in summary["cells"]} == {
        "over-reno-1": "reproduced",
        "over-newreno-1": "reproduced",
        "over-westwood-1": "reproduced",
        "over-newreno-5": "in part",  # the stand-in gains 150 % there too
        "reno-over-newreno-1": "reproduced",
        "reno-over-westwood-1": "reproduced",
        "newreno-over-westwood-1": "reproduced",
    }
    claims = {claim["id"]: claim["verdict"] for claim in summary["claims"]}
    assert {claims[name] for name in GAINS} == {"reproduced"}
    assert claims["claim-16"] == claims["claim-18"] == "not testable"
    assert (
        claims["claim-21"] == "reproduced"
    )  # ACKs are on their way when the stand-in's timers expire
    page = Page()
    page.feed(Path(summary["report"]).read_text(encoding="utf-8"))
    assert page.open == page.loads == []
    assert len(page.ids) == len(set(page.ids))


def test_with_the_scheme_taken_out_no_gain_is_left(reproduce) -> None:
    summary = reproduce(overrides=[SABOTAGE])
    claims = {claim["id"]: claim["verdict"] for claim in summary["claims"]}
    assert {name: claims[name] for name in GAINS} == dict.fromkeys(GAINS, "contradicted")
    of_cae = [
        c
        for c in summary["cells"]
        if c["id"] in ("over-reno-1", "over-newreno-1", "over-westwood-1")
    ]
    assert [c["effect"]["value"] for c in of_cae] == [0.0] * 3
    assert summary["readings"] == []
    changed = {p["id"] for p in summary["points"] if p["overrides"][-1] == SABOTAGE}
    assert changed == {p.id for p in papers.load(PAPER).points.values() if p.scheme}


def test_the_scheme_taken_out_is_reno_packet_by_packet(tmp_path: Path) -> None:
    """No stand-in: the simulator gives both points the same history."""
    options = {"cells": ["over-newreno-5", "over-reno-1"], "replications": 2, "out": tmp_path}
    summary = work.reproduce(PAPER, overrides=[SABOTAGE, "duration=15 s"], **options)
    prints = {p["id"]: p["fingerprint"] for p in summary["points"]}
    assert prints["cae-1"] == prints["reno-1"]
    row = next(c for c in summary["cells"] if c["id"] == "over-reno-1")
    assert (row["value"], row["effect"]["ci95"], row["verdict"]) == (
        0.0,
        [0.0, 0.0],
        "contradicted",
    )


@pytest.mark.parametrize(
    "where", [[], ["flow.m.from=D", "flow.c.from=D", "flow.c.source.rate=9.6325 Mbps"]]
)
def test_two_writings_of_figure_3_are_one(where: list[str]) -> None:
    """`parts.py` and the catalogue's `cae` give one history, which is not Reno's."""
    changes = ["duration=30 s", "link.wireless.impairment.0.loss=0.05", "tcp.min_rto=10 ms", *where]
    source = {"path": str(papers.load(PAPER).folder / "figure4.toml")}

    def of(control: str) -> str:
        wanted = api.request(
            source, [*changes, f"flow.s.cc.kind={control}"], seed=3, replications=3
        )
        return str(api.run(wanted)["fingerprint"])

    assert of("cae_parts") == of("cae") != of("reno")


def test_the_record_has_as_many_warnings_as_the_control_counts(tmp_path: Path) -> None:
    request = api.request(
        {"path": str(papers.load(PAPER).points["cae-1"].scenario)},
        ["flow.s.cc.kind=cae", "duration=25 s", *papers.load(PAPER).record],
        seed=5,
        out=str(tmp_path),
    )
    run = api.run(request)
    own = cwnd.reactions(tmp_path)
    last = dict(pair.split("=") for pair in own["control"][-1].split())
    told = ack_path.estimates(ack_path.history(tmp_path))
    before = [e for e in told if e.at_ps <= own["time_s"][-1] * 1e12]
    counted = (
        sum(e.warned and not b.warned for b, e in itertools.pairwise(before)) + before[0].warned
    )
    assert counted == float(last["backoffs"]) > 0
    assert of_run("series:warnings", run, tmp_path) >= counted


def test_a_timeout_is_told_by_what_the_receiver_had(tmp_path: Path) -> None:
    """1 came after its timeout; 711 before, and its ACK is on its way at 350 ms; all ACKs of 1421
    were lost."""
    two_way.write_packets(
        tmp_path,
        data=[(1, 310 * MS), (711, 320 * MS), (1421, 400 * MS)],
        acks=[(310 * MS, 330 * MS, 711), (320 * MS, 360 * MS, 1421), (400 * MS, None, 2131)],
    )
    timeouts = [(0.3, 1), (0.35, 711), (0.45, 1421)]
    rows = [{"time_s": t, "una": una, "cause": "timeout"} for t, una in timeouts]
    window = {"phase_before": "open", "cwnd_bytes_before": 1420, "cwnd_bytes": 710}
    two_way.write_reactions(tmp_path, [row | window for row in rows])
    found = ack_path.history(tmp_path)
    assert [ack_path.kind_of(found, t, una) for t, una in found.timeouts] == ["due", "late", "lost"]
    counts = {
        name: of_run(f"series:{name}", {}, tmp_path)
        for name in ("needless_timeouts", "late_timeouts")
    }
    assert counts == {"needless_timeouts": 2, "late_timeouts": 1}
    assert of_run("series:lost_timeouts", {}, tmp_path) == 1
    assert of_run("series:ack_loss", {}, tmp_path) == pytest.approx(1 / 3)
    assert of_run("series:ack_wait", {}, tmp_path) == pytest.approx(0.010)


def test_the_estimate_by_hand(tmp_path: Path) -> None:
    """ACKs 10 ms apart that arrive 10, 20, 20, 10 and 1 ms apart: 1, 0.5, 0.5, 1, 10; one warning,
    for 30 of 61 ms."""
    arrivals = [0, 10, 30, 50, 60, 61]
    acks = [(10 * k * MS, at * MS + 100 * MS, 711) for k, at in enumerate(arrivals)]
    two_way.write_packets(tmp_path, [(1, 0)], acks)
    two_way.write_reactions(tmp_path, [])
    told = ack_path.estimates(ack_path.history(tmp_path))
    assert [e.performance for e in told] == pytest.approx([1, 0.5, 0.5, 1, 10])
    assert [e.warned for e in told] == [False, True, True, False, False]
    run = {"duration_s": 0.17}
    assert of_run("series:warnings", run, tmp_path) == 1
    assert of_run("series:warnings_per_ack", run, tmp_path) == pytest.approx(1 / 6)
    assert of_run("series:warned_time", run, tmp_path) == pytest.approx(30 / 60)
    assert of_run("series:warned_timeouts", run, tmp_path) == 0


FALL = {"phase_before": "open", "cwnd_bytes_before": 2130, "cwnd_bytes": 710}


def test_after_a_timeout_the_estimate_begins_anew(tmp_path: Path) -> None:
    """The gap of 200 ms around a timeout is not compared; the warning that stood still stands at
    it."""
    acks = [
        (0, 100 * MS, 1),
        (10 * MS, 120 * MS, 711),
        (20 * MS, 320 * MS, 1421),
        (30 * MS, 330 * MS, 2131),
    ]
    two_way.write_packets(tmp_path, [(1, 0)], acks)
    two_way.write_reactions(tmp_path, [{"time_s": 0.3, "una": 711, "cause": "timeout", **FALL}])
    told = ack_path.estimates(ack_path.history(tmp_path))
    assert [(e.performance, e.warned) for e in told] == [(0.5, True), (1, False)]
    assert of_run("series:warned_timeouts", {}, tmp_path) == 1


def test_the_window_is_ns2s(tmp_path: Path) -> None:
    """In a fast recovery the inflation does not count; a window that a reaction found may be the
    peak."""
    rows = [
        (1, 710, "open", 0),
        (10, 7100, "open", 1),
        (13, 9230, "recovery", 1),
        (5, 3550, "open", 1),
    ]
    names = ("cwnd_packets", "cwnd_bytes", "phase", "sent_bytes")
    told = [dict(zip(names, row, strict=True)) for row in rows]
    beside = {"flow": "s", "ssthresh_bytes": 3550}
    two_way.write_flows(
        tmp_path, [{"time_s": 0.01 * k, **row, **beside} for k, row in enumerate(told)]
    )
    reaction = {
        "time_s": 0.015,
        "una": 1,
        "cause": "loss",
        "phase_before": "open",
        "cwnd_bytes": 3550,
    }
    fall = {"time_s": 0.02, "una": 1, "cause": "timeout", **FALL}
    again = fall | {"time_s": 0.03, "cwnd_bytes_before": 710}
    two_way.write_reactions(tmp_path, [reaction | {"cwnd_bytes_before": 8520}, fall, again])
    assert cwnd.cwnd_samples(tmp_path)[1] == [10, 5, 5]
    assert of_run("series:window_mean", {}, tmp_path) == pytest.approx(20 / 3)
    assert of_run("series:window_peak", {}, tmp_path) == 12
    assert of_run("series:falls_to_one", {}, tmp_path) == 1


def test_an_estimate_is_held_against_what_arrived(tmp_path: Path) -> None:
    """1420 bytes arrived in the second before 1.5 s, 710 in that before 2.1 s; the estimates were
    1000 and 2195."""
    two_way.write_packets(tmp_path, [(1, 400 * MS), (711, 1000 * MS), (1421, 1400 * MS)], [])
    rows = [
        (1.5, "loss", "cwnd=1 bwe=1000"),
        (2.1, "timeout", "bwe=2195 cwnd=1"),
        (2.2, "recovered", "cwnd=1"),
    ]
    told = [
        {"time_s": t, "una": 1, "cause": cause, "control": shown, **FALL}
        for t, cause, shown in rows
    ]
    two_way.write_reactions(tmp_path, told)
    assert of_run("series:estimate_error", {}, tmp_path) == pytest.approx(
        abs((1000 + 2195) / (1420 + 710) - 1)
    )
    two_way.write_reactions(tmp_path, told[2:])
    with pytest.raises(ScenarioError, match="has no loss"):
        of_run("series:estimate_error", {}, tmp_path)


def test_measures_without_a_record_say_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="has no packets"):
        of_run("series:needless_timeouts", {}, tmp_path)
    with pytest.raises(ScenarioError, match="has no reactions"):
        of_run("series:falls_to_one", {}, tmp_path)


def test_lost_acknowledgements_are_counted(tmp_path: Path) -> None:
    """A law: where a share p is lost on the reverse path, and nothing else, p is counted; and none
    is late."""
    changes = [
        "flow.m.count=0",
        "flow.c.count=0",
        "link.wireless.impairment.0.loss=0",
        "duration=15 s",
    ]
    changes += ["link.wireless.reverse.impairment.0.loss=0.2", *papers.load(PAPER).record]
    source = {"path": str(papers.load(PAPER).folder / "figure4.toml")}
    run = api.run(api.request(source, changes, seed=1, out=str(tmp_path)))
    acks = len(ack_path.history(tmp_path).acks)
    assert of_run("series:ack_loss", run, tmp_path) == pytest.approx(
        0.2, abs=4 * (0.16 / acks) ** 0.5
    )
    assert of_run("series:ack_wait", run, tmp_path) == pytest.approx(0, abs=1e-9)
    assert series.read(tmp_path, "packets") is not None


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(papers.load(PAPER).folder))
    import search

    yield search
    sys.modules.pop("search")


def test_the_search_tells_the_printed_order(search) -> None:
    begin = ["reverse", "1.0", "varied", "20", "0.2 s", "exact", "data", "0.01"]
    timeouts = dict.fromkeys(search.CONTROLS, 1.0)
    clear = {
        "reno": [2.0, 2.1, 2.2],
        "newreno": [1.0, 1.1, 1.2],
        "westwood": [0.5, 0.6, 0.7],
        "cae": [3.0, 3.1, 3.2],
    }

    def row(goodputs: dict[str, list[float]]) -> dict[str, str]:
        return dict(zip(search.COLUMNS, search.row(begin, goodputs, timeouts), strict=True))

    as_printed, noisy, even = (
        row(clear),
        row(clear | {"cae": [1.0, 6.0, 3.0]}),
        row(clear | {"cae": clear["reno"]}),
    )
    assert [search.order_of(r) for r in (as_printed, even)] == [
        "cae > reno > newreno > westwood",
        "reno = cae > newreno > westwood",
    ]
    assert [(r["printed_order"], r["clear"]) for r in (as_printed, noisy, even)] == [
        ("yes", "yes"),
        ("yes", "no"),
        ("no", "no"),
    ]
    assert as_printed["cae_over_reno"] == f"{100 * (9.3 / 6.3 - 1):.1f}"
    counted = search.count([as_printed, even])
    assert (
        counted["printed order"],
        counted["CAE first"],
        counted["CAE as Reno"],
        counted["Westwood last"],
    ) == (
        1,
        1,
        1,
        2,
    )


def test_the_stored_search_is_of_this_grid(search) -> None:
    stored = {tuple(row[: search.COLUMNS.index("reno_mbps")]) for row in search._stored()}
    assert stored == {tuple(begin) for begin, _ in search.points()}


def test_the_search_has_every_point_of_its_grid(search) -> None:
    points = list(search.points())
    assert (
        len(points)
        == len({tuple(begin) for begin, _ in points})
        == len({tuple(c) for _, c in points})
    )
    for begin, changes in points[:: len(points) // 20]:
        api.plan(api.request({"path": str(search.HERE / "figure4.toml")}, changes))
        assert len(begin) == search.COLUMNS.index("reno_mbps")
