"""What people see at 80, 100 and 140 columns, as files in `golden`.

    UPDATE_GOLDEN=1 python -m pytest tests/present/test_golden.py

writes them; read the difference before it is committed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dumbbell.cli.options import show
from dumbbell.cli.studies import reproduce
from helpers.command import document, exit_code
from helpers.reproduction import SMALL_TEXT
from rich.cells import cell_len

GOLDEN = Path(__file__).with_name("golden")
WIDTHS = (80, 100, 140)

MANY = SMALL_TEXT.replace("count = 2", 'count = 200\ncc = "cubic"').replace(
    'name = "far"', 'name = "far"\ncount = 99'
)
MANY_QUEUES = 'duration = "1 s"\n[[host]]\nname = "a"\n' + "".join(
    f'[[router]]\nname = "r{i}"\n[[host]]\nname = "b{i}"\n'
    f'[[link]]\nbetween = ["a", "r{i}"]\nrate = "{10 + 10 * (i % 2)} Mbps"\ndelay = "1 ms"\n'
    f'queue = {{ kind = "{("drop_tail", "codel")[i % 2]}", limit = "20 pkt" }}\n'
    f'[[link]]\nbetween = ["r{i}", "b{i}"]\nrate = "1 Gbps"\ndelay = "1 ms"\n'
    f'[[flow]]\nname = "f{i}"\nfrom = "a"\nto = "b{i}"\n'
    for i in range(24)
)
AXES = (
    "-o",
    "queue=drop_tail,red,codel,pie",
    "-o",
    "queue.limit=20 pkt,30 pkt,40 pkt,50 pkt,60 pkt",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    there = tmp_path_factory.mktemp("golden")
    for name, text in (("few", SMALL_TEXT), ("many", MANY), ("queues", MANY_QUEUES)):
        (there / f"{name}.toml").write_text(text)
    return there


COMMANDS: dict[str, tuple[str, ...]] = {
    "run-few": ("run", "few.toml", "--replications", "3"),
    "run-many": ("run", "many.toml", "--measures"),
    "run-queues": ("run", "queues.toml"),
    "sweep-few": ("sweep", "few.toml", "-o", "queue=drop_tail,red", "--replications", "3"),
    "sweep-many": ("sweep", "few.toml", *AXES, "--replications", "3"),
    "sweep-baseline": (
        *("sweep", "few.toml", "-o", "queue=drop_tail,red", "--replications", "3"),
        *("--baseline", "queue=drop_tail", "--columns", "goodput,p99_delay,flows.far.share"),
    ),
    "sweep-errors": ("sweep", "few.toml", "-o", "queue.max_p=0.1,7", "--keep-going"),
    "show-few": ("show", "few.toml"),
    "show-many": ("show", "many.toml"),
    "show-queues": ("show", "queues.toml"),
    "store-list": ("store", "list"),
    "sharing": ("sharing", "few.toml"),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", COMMANDS)
def test_commands(
    name: str,
    width: int,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("DUMBBELL_STORE", f"store-of-{name}-{width}")
    monkeypatch.setattr("dumbbell.cli.runs.store.time_text", lambda _: "1 ms")
    if name == "store-list":
        exit_code("sweep", "few.toml", *AXES[:2])
        capsys.readouterr()
    code = exit_code(*COMMANDS[name])
    assert code == (1 if name == "sweep-errors" else 0)
    checked(name, width, capsys.readouterr().out)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", ["list", "doctor", "help"])
def test_longer_commands_fit_too(
    command: str,
    width: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What they print depends on the catalogue and the machine."""
    monkeypatch.setenv("COLUMNS", str(width))
    words = ["help", "sweep"] if command == "help" else [command]
    assert exit_code(*words) in (0, 4)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 20
    assert max(map(cell_len, lines)) <= width


SUMMARY: dict[str, Any] = {
    "title": "RED on NetFPGA",
    "altered": [],
    "quick": False,
    "finding": ["RED halves the queue: 12 packets, printed 13. Reproduced."],
    "cells": [
        {
            "id": f"throughput-{i}",
            "published": 93.1 + i,
            "decimals": 1,
            "value": 93.2 + 1.1 * i,
            "pi95": [92.1, 94.4],
            "unit": "Mbit/s",
            "verdict": verdict,
        }
        for i, verdict in enumerate(("reproduced", "in part", "contradicted", "not testable", None))
    ],
    "claims": [
        {
            "id": "queue-is-shorter",
            "verdict": "reproduced",
            "text": "RED keeps the mean queue shorter than Drop Tail does at every buffer size, at "
            "the same throughput.",
        }
    ],
    "readings": [],
    "wall_s": 1.5,
    "report": "results/report.html",
}


def studied(name: str, folder: Path) -> Callable[[], None]:
    """What prints a study's document."""
    file, out = folder / "few.toml", folder / name
    if name == "compare":
        from dumbbell.studies.compare.queues.page import lines

        words = ("compare", "drop_tail", "red", "codel", "--cc", "cubic", "sack", "-f", file)
    else:
        from dumbbell.studies.tables.page import lines  # type: ignore[assignment]

        words = ("table", "rtt-fairness", "--cc", "reno", "cubic", "--ratio", "1", "2", "4")
        words += ("--time", "5s")
    found = document(*words, "--seeds", 3, "--no-store", "--out", out)
    return lambda: show(*found["finding"], "", *lines(found), "")


@pytest.mark.parametrize("name", ["compare", "table", "reproduce"])
def test_studies(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = (lambda: reproduce._print(SUMMARY)) if name == "reproduce" else studied(name, folder)
    for width in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        told()
        checked(name, width, capsys.readouterr().out)


def checked(name: str, width: int, printed: str) -> None:
    """The text is the golden one, but for the time that a run took; no line is too wide."""
    text = re.sub(r"\bin \d+(?:\.\d+)? (?:ns|us|ms|s|min)\b", "in 1 ms", printed)
    assert all(cell_len(line) <= width for line in text.splitlines())
    golden = GOLDEN / f"{name}-{width}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_a_sweep_of_20_points_takes_at_most_30_lines() -> None:
    for width in WIDTHS:
        assert len((GOLDEN / f"sweep-many-{width}.txt").read_text().splitlines()) <= 30


def test_many_flows_and_links_take_few_lines() -> None:
    for name in ("run-many", "run-queues", "show-many", "show-queues"):
        for width in WIDTHS:
            assert len((GOLDEN / f"{name}-{width}.txt").read_text().splitlines()) < 60
