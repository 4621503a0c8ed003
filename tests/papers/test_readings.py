"""Readings, predictions and the measures of synchrony, against truths worked out by hand."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import FLOWS, broken_paper
from dumbbell import ScenarioError
from dumbbell.reproduce import judge, papers, readings, work
from dumbbell.reproduce.figures import kinds
from dumbbell.reproduce.measures import synchrony
from dumbbell.reproduce.papers import Prediction
from helpers import lab
from helpers.reproduction import on_a_stand_in

PAPER = "red-on-netfpga"


@pytest.fixture(scope="module")
def reproduce(tmp_path_factory: pytest.TempPathFactory):
    """The stand-in laboratory, in which one reading alone swaps the schemes and one locks sender 1
    out."""

    def run(wanted: dict[str, Any], progress: Any = None) -> dict[str, Any]:
        result = lab.run(wanted, progress)
        for one in result["runs"]:
            mine = one["flows"][0]
            if "tcp.send_jitter=0 s" in wanted["overrides"]:
                mine["goodput_bps"] = 25e6 - mine["goodput_bps"]
            if "tcp.delayed_ack=each" in wanted["overrides"]:
                mine["goodput_bps"] *= 0
        return result

    return on_a_stand_in(PAPER, run, tmp_path_factory)


@pytest.fixture(scope="module")
def whole(reproduce) -> dict[str, Any]:
    """All of the paper, once."""
    return reproduce()


def test_the_reading_that_reverses_the_sign_is_the_one_named(whole) -> None:
    summary = whole
    rows = {row["id"]: row for row in summary["readings"]}
    assert next(iter(rows)) == "base"
    assert {name for name, row in rows.items() if row["sign_changes"]} == {
        "jitter-0",
        "jitter-0-refit",
    }
    assert {e["sign"] for e in rows["jitter-0"]["effect"]} == {"-"}
    assert rows["jitter-0"]["holds"] == 0
    assert (rows["base"]["holds"], rows["base"]["of"]) == (3, 3)
    assert [e["at"] for e in rows["base"]["effect"]] == [24, 36, 54]
    assert rows["jitter-0"]["verdict"] == "contradicted" != rows["base"]["verdict"]
    assert {name for name, row in rows.items() if row["verdict_changes"]} == {
        f"{name}{fit}" for name in ("jitter-0", "ack-each") for fit in ("", "-refit")
    }
    _, reverses, unsettled, kept, verdict = summary["readings_conclusion"]
    assert (
        "send jitter (jitter-0: − everywhere; jitter-0-refit: − everywhere; jitter-20: + everywhere"
        in reverses
    )
    assert "acknowledgements (ack-each: 0 everywhere; ack-each-refit: 0 everywhere)" in unsettled
    assert "spacing" in kept
    assert "changes in 4 of" in verdict


def test_the_effect_of_a_reading_is_paired_by_seed(whole) -> None:
    first = whole["readings"][0]["effect"][0]
    pairs = [
        [lab.one(scheme, 24, seed)["flows"][0]["goodput_bps"] / 1e6 for seed in range(1, 6)]
        for scheme in ("red", "drop_tail")
    ]
    expected = [a - b for a, b in zip(*pairs, strict=True)]
    assert first["mean"] == pytest.approx(sum(expected) / 5)
    assert first["n"] == 5


def test_a_reading_of_the_scheme_leaves_the_baseline_alone() -> None:
    paper = papers.load(PAPER)
    (spacing,) = (r for r in paper.readings.entries if r.id == "spacing-uniform")
    assert spacing.at(paper.points["red-36"]) == ("queue.spacing=uniform",)
    assert spacing.at(paper.points["dt-36"]) == ()
    for reading in paper.readings.entries:
        queue = [change for change in reading.changes if work.owned(paper, change)]
        assert reading.id == "in-service" or queue == [], (
            "what is the scheme's own changes the scheme only"
        )


@pytest.mark.parametrize(
    "options", [{"overrides": ["queue=drop_tail"]}, {"cells": ["t2-red-36-mbps"]}]
)
def test_without_the_scheme_or_the_claim_there_are_no_readings(reproduce, options: dict) -> None:
    summary = reproduce(**options)
    assert summary["readings"] == summary["readings_conclusion"] == []


def test_progress_ends_at_the_whole() -> None:
    paper = papers.load(PAPER)
    at = paper.quick.readings_at
    of_scheme = sum(
        not reading.changes for reading in paper.readings.entries
    )  # They leave Drop Tail's runs alone.
    assert readings.count(paper, at) == (2 * len(paper.readings.entries) - of_scheme) * len(at)
    assert set(readings.points(paper, ())) == {
        f"{s}-{b}" for s in ("dt", "red") for b in (24, 30, 36, 42, 48, 54)
    }


@pytest.mark.parametrize(
    ("low", "high", "expected"), [(1, 2, "+"), (-2, -1, "-"), (-1, 1, "0"), (0, 1, "0")]
)
def test_signs(low: float, high: float, expected: str) -> None:
    assert readings.sign([low, high]) == expected


def test_zero_contradicts_no_sign() -> None:
    assert readings.opposite("+", "-")
    assert not readings.opposite("+", "0")
    assert not readings.opposite("-", "-")


def test_errors_of_predictions() -> None:
    cells = {
        "a": {"id": "a", "value": 11.0, "published": 10.0},
        "b": {"id": "b", "value": 16.0, "published": 20.0},
        "c": {"id": "c", "value": None, "published": 1.0},
    }
    row = judge.prediction(Prediction("p", "a row", ("a", "b", "c")), cells)
    assert row["relative_errors"] == pytest.approx({"a": 0.1, "b": -0.2})
    assert row["rms"] == pytest.approx(((0.01 + 0.04) / 2) ** 0.5)
    assert judge.rms([]) is None


def test_predictions_hold_no_fitted_cell() -> None:
    paper = papers.load(PAPER)
    predicted = [name for p in paper.predictions for name in p.cells]
    assert sorted(predicted) == sorted(c.id for c in paper.cells.values() if not c.fitted)


def test_losses_are_timed_by_the_slowest_flow_and_after_the_warm_up(tmp_path: Path) -> None:
    import polars

    rows = [(0.5, "snd3"), (1.00, "snd1"), (1.02, "snd2"), (1.06, "snd3")]
    frame = [{"time_s": t, "flow": f, "marked": False} for t, f in rows] + [
        {"time_s": 1.0, "flow": "snd2", "marked": True}
    ]
    polars.DataFrame(frame).write_parquet(tmp_path / "signals.parquet")
    flows = [
        {"name": name, "srtt_mean_s": rtt}
        for name, rtt in zip(FLOWS, (0.03, 0.01, 0.01), strict=True)
    ]
    run = {"flows": flows, "warmup_s": 0.9, "duration_s": 3.0}
    assert synchrony.slowest_rtt_s(run) == 0.03
    assert synchrony.loss_synchrony(run, tmp_path) == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert synchrony.loss_synchrony(run | {"warmup_s": 0.0}, tmp_path) == pytest.approx(
        (1 / 3 + 2 / 3 + 1 / 3) / 3
    )


def test_windows_in_step_and_in_turns(tmp_path: Path) -> None:
    import polars

    def directory(name: str, shifts: tuple[int, ...]) -> Path:
        (tmp_path / name).mkdir()
        rows = [
            {"time_s": k / 100, "flow": flow, "cwnd_packets": float((k + shift) % 30)}
            for k in range(900)
            for flow, shift in zip(FLOWS, shifts, strict=True)
        ]
        polars.DataFrame(rows).write_parquet(tmp_path / name / "flows.parquet")
        return tmp_path / name

    run = {"warmup_s": 1.0}
    assert synchrony.cwnd_synchrony(run, directory("step", (0, 0, 0))) == pytest.approx(1)
    assert synchrony.cwnd_synchrony(run, directory("turns", (0, 10, 20))) < 0


def test_crossings() -> None:
    assert kinds.crossings((10, 20, 40), (2, -2, -1)) == [15]
    assert kinds.crossings((10, 20, 40), (2, 1, 3)) == []


def test_the_round_trip_times_in_use_are_the_least_of_the_stored_fit() -> None:
    folder = papers.load(PAPER).folder
    with (folder / "fit.csv").open(newline="") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    best = min(rows, key=lambda row: row["rms_relative_error"])
    flows = tomllib.loads((folder / "testbed.toml").read_text())["flow"]
    used = [float(flow["rtt"].removesuffix(" ms")) for flow in flows]
    assert used == [best["rtt_1_ms"], best["rtt_2_3_ms"], best["rtt_2_3_ms"]]
    (rtt,) = (a for a in papers.load(PAPER).assumptions if a.id == "rtt")
    assert f"over {len(rows)} points" in rtt.chosen_by


def test_a_reading_of_an_unknown_claim_is_refused(tmp_path: Path) -> None:
    folder = broken_paper(
        tmp_path,
        '[readings]\nabout = "claim-9"\neffect = "gain"\nwhat = "w"\nunit = ""\nover = "x"\n'
        '[[reading]]\nid = "r"\nchoice = "c"\nwhat = "w"\n',
    )
    with pytest.raises(ScenarioError, match="readings: there is no claim `claim-9`") as error:
        papers.read(folder)
    assert "no number `gain`" in str(error.value)


def test_refitted_readings_use_the_least_of_their_own_fit() -> None:
    paper = papers.load(PAPER)
    by_id = {reading.id: reading for reading in paper.readings.entries}
    files = sorted(paper.folder.glob("fit-*.csv"))
    assert {f"{file.stem.removeprefix('fit-')}-refit" for file in files} == {
        name for name in by_id if name.endswith("-refit")
    }
    for file in files:
        with file.open(newline="") as rows:
            best = min(csv.DictReader(rows), key=lambda row: float(row["rms_relative_error"]))
        name = file.stem.removeprefix("fit-")
        long, short = (f"{float(best[key]):g} ms" for key in ("rtt_1_ms", "rtt_2_3_ms"))
        times = (f"flow.0.rtt={long}", f"flow.1.rtt={short}", f"flow.2.rtt={short}")
        assert by_id[f"{name}-refit"].changes == (*by_id[name].changes, *times)


def test_a_claim_is_told_by_the_shorter_list() -> None:
    def row(name: str, verdict: str) -> dict[str, Any]:
        return {"id": name, "claims": {"c": verdict}}

    rows = [row("base", "contradicted"), row("a", "in part"), row("b", "contradicted")]
    assert readings.under_which(rows) == ["c holds under 1 of 3 readings: a (in part)."]
    rows = [row("base", "reproduced"), row("a", "in part"), row("b", "not testable")]
    assert readings.under_which(rows) == ["c holds under 2 of 3 readings, not under b."]
    assert readings.under_which(rows[:2]) == ["c holds under 2 of 2 readings."]
