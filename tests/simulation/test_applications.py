"""Adaptive streaming and web pages: the shipped scenario, the tables, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import dumbbell
import pytest
from dumbbell import shipped
from dumbbell.present import tables
from dumbbell.validate.laws import streaming
from helpers import command

HEAD = 'duration = "30 s"\ndumbbell.bottleneck = { rate = "5 Mbps", delay = "10 ms" }\n[[flow]]\n'
DASH = {
    "segments",
    "video_bps",
    "switches",
    "start_up_s",
    "stalls",
    "stalled_s",
    "buffer_s",
    "qoe",
}
WEB = {"pages", "load_mean_s", "load_p50_s", "load_p95_s"}


def test_the_shipped_scenario_measures_players_and_a_reader() -> None:
    file = shipped.scenario("streaming")
    assert file is not None
    run = dumbbell.Scenario.from_file(file).run()
    assert run.json["conservation"]["ok"]
    for name in ("by_buffer", "by_throughput"):
        seen = run.flows[name].application
        assert set(seen) == DASH
        assert seen["segments"] > 20 and 0 < seen["start_up_s"] < 10
        assert 350e3 <= seen["video_bps"] <= 3e6
        # All that arrived was played or is in the buffer, and the rest of the time is waiting.
        played = 4 * seen["segments"] - seen["buffer_s"]
        assert seen["start_up_s"] + seen["stalled_s"] + played == pytest.approx(120, abs=0.05)
    reader = run.flows["reader"].application
    assert set(reader) == WEB
    assert reader["pages"] > 5 and 0.04 < reader["load_p50_s"] <= reader["load_p95_s"]


def test_a_dumbbell_without_such_flows_has_no_such_measures() -> None:
    run = dumbbell.Scenario.from_text(HEAD + 'name = "bulk"\n').run()
    assert run.flows["bulk"].application == {}
    assert "Applications" not in [grid.title for grid in tables.result_grids(run)]


def test_replications_have_means_of_the_measures() -> None:
    text = HEAD + 'name = "reader"\nsource = { kind = "web", think = "1 s" }\n'
    load = dumbbell.Scenario.from_text(text).run(replications=3).flows["reader"].application
    assert float(load["pages"]) > 5 and float(load["load_mean_s"]) > 0


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            'ladder = ["1 Mbps", "500 kbps"]',
            ["500 kbps is not above the rate before it", "ascending order"],
        ),
        ("ladder = []", ["there is no rate"]),
        ('ladder = ["1 Mbps", "2"]', ["2"]),
        ('buffer = "20 s", reservoir = "18 s"', ["not above the reservoir"]),
        ('abr = "bola"', ["bola", "bba"]),
    ],
)
def test_a_bad_ladder_is_shown_in_its_place(source: str, words: list[str], tmp_path: Path) -> None:
    file = tmp_path / "film.toml"
    file.write_text(f'{HEAD}name = "film"\nsource = {{ kind = "dash", {source} }}\n')
    done = command.dumbbell("check", file)
    said = done.stderr
    assert done.returncode == 2
    assert "film.toml:5:" in said and "──" in said
    assert all(word in said for word in words), said


@pytest.mark.parametrize("kind", ["dash", "web"])
def test_datagrams_are_refused(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "film.toml"
    file.write_text(f'{HEAD}source = "{kind}"\ntransport = "udp"\n')
    done = command.dumbbell("check", file)
    assert done.returncode == 2
    said = " ".join(done.stderr.replace("│", " ").split())
    assert f"{kind} waits for acknowledgments, and datagrams have none" in said


def test_the_law_of_bba_follows_its_map() -> None:
    """The transcription for `validate`, at the corners of the map."""
    choose = streaming.bba([1, 2, 3, 5], Fraction(10), Fraction(20))
    assert choose(3, Fraction(10)) == 0 and choose(0, Fraction(30)) == 3
    # f is 2 at 15 s: not yet above it. Down from the top only at the next lower rate.
    assert choose(0, Fraction(15)) == 0 and choose(0, Fraction(16)) == 1
    assert choose(3, Fraction(21)) == 3 and choose(3, Fraction(19)) == 2
    rungs = [choose(0, Fraction(level)) for level in range(31)]
    assert all(a <= b for a, b in pairwise(rungs))
