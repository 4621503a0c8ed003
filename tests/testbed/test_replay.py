"""`replay`: what it says of a log, and of a summary that does not fit it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dumbbell.cli.runs import replay as replay_command
from dumbbell.testbed import verbs
from helpers import simulated_kernels
from helpers.command import exit_code


def test_a_replay_that_differs_ends_with_3(monkeypatch, capsys, tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert exit_code("replay", log) == 2
    log.touch()
    said = {
        "packets": 4000,
        "mismatches": 0,
        "first_mismatch": None,
        "verdict": "same",
        "seed": 1,
        "fingerprint": "0",
    }
    monkeypatch.setattr(verbs, "replay", lambda wanted: dict(said))
    assert exit_code("replay", log) == 0
    assert "same: 4 000 packets" in capsys.readouterr().out
    said |= {
        "mismatches": 1,
        "verdict": "differs",
        "first_mismatch": {"packet": 17, "live": "drop", "replay": "pass"},
    }
    assert exit_code("replay", log) == replay_command.DIFFERS == 3
    assert "packet: 17" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda run: None, None),
        (
            lambda run: run["validity"].update(valid=True, reasons=["it was late"]),
            "contradicts its class",
        ),
        (lambda run: run["validity"].update({"class": None}), "contradicts its class"),
        (
            lambda run: run["validity"].update({"class": "loose", "required": "good"}),
            "plan requires loose",
        ),
        (lambda run: run["validity"].update({"valid": False}), "claims to be valid"),
        (lambda run: run["validity"]["lateness_us"].update(p99=3.0), "the log has 15.2 us"),
        (lambda run: run["validity"]["replay"].update(packets=5), "it has 5 packets"),
        (lambda run: run.update(fingerprint="beef"), "the log gives f00d"),
        (
            lambda run: run.update(fingerprint="beef", duration_s=1.0),
            None,
        ),  # It ended with its program.
        (
            lambda run: (run["validity"].pop("required"), run["validity"].pop("class")),
            None,
        ),  # An older release.
    ],
)
def test_a_replay_checks_what_the_summary_says(
    change, words: str | None, monkeypatch, capsys, tmp_path: Path
) -> None:
    run = {
        "seed": 1,
        "fingerprint": "f00d",
        "valid": True,
        "validity": simulated_kernels.block() | {"required": "loose"},
    }
    change(run)
    (tmp_path / "summary.json").write_text(json.dumps(run))
    (tmp_path / "run.log").touch()
    packets = simulated_kernels.BLOCK["replay"]["packets"]
    said = {
        "packets": packets,
        "mismatches": 0,
        "verdict": "same",
        "seed": 1,
        "fingerprint": "f00d",
    }
    said |= {"required": "loose", "duration_s": 60.0, "lateness_us": {"p99": 15.1}}
    monkeypatch.setattr(verbs, "replay", lambda wanted: said | {"lateness_us": {"p99": 15.2}})
    assert exit_code("replay", tmp_path) == (3 if words else 0)
    out = capsys.readouterr().out
    assert (words or "agrees with it") in out
    assert words or "do not prove who wrote it" in out


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({}, 0, "agrees with it"),
        ({"fingerprint": "beef"}, 3, "the log gives f00d"),
        # It ended with its program, after the last packet came out, and before.
        ({"duration_s": 1.0}, 0, "agrees with it"),
        ({"fingerprint": "beef", "duration_s": 1.0}, 0, "was not compared"),
    ],
)
def test_the_summary_of_a_run_in_virtual_time_is_found_though_it_has_no_validity(
    change: dict[str, object], code: int, words: str, monkeypatch, capsys, tmp_path: Path
) -> None:
    run = {"seed": 1, "on": "linux", "fingerprint": "f00d", "valid": True, "duration_s": 60.0}
    (tmp_path / "summary.json").write_text(json.dumps(run | change))
    (tmp_path / "run.log").touch()
    said = {"packets": 7, "mismatches": 0, "verdict": "same", "seed": 1, "duration_s": 60.0}
    monkeypatch.setattr(verbs, "replay", lambda wanted: said | {"fingerprint": "f00d"})
    assert exit_code("replay", tmp_path) == code
    out = capsys.readouterr().out
    assert words in out
    assert "no summary.json" not in out
    assert "outside the router" not in out
