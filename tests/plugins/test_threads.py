"""A run that was asked for several threads and keeps one says why."""

from __future__ import annotations

from pathlib import Path

import dumbbell
from helpers.command import dumbbell as command
from helpers.plugin_examples import PlainTail
from helpers.plugins import NET
from helpers.scenarios import SCENARIO

HEAD = "one thread: "


def of_threads(notes: list[str]) -> list[str]:
    return [note for note in notes if note.startswith(HEAD)]


def test_pythons_algorithms_keep_one_thread() -> None:
    scenario = dumbbell.Scenario({**NET, "queue": PlainTail(limit="12 pkt"), "duration": "1 s"})
    one, two = (scenario.run(threads=threads).json for threads in (1, 2))
    assert of_threads(one["notes"]) == []
    assert of_threads(two["notes"]) == [
        f"{HEAD}the algorithms are Python's, which one thread at a time can run"
    ]
    assert one["fingerprint"] == two["fingerprint"]


def test_the_reason_is_a_line_on_stderr(tmp_path: Path) -> None:
    (tmp_path / "three.toml").write_text(SCENARIO)
    words = ["run", tmp_path / "three.toml"]
    asked, not_asked, quiet = (
        command(*words, *more).stderr
        for more in (["--threads", "2"], [], ["--threads", "2", "--quiet"])
    )
    note = f"note: {HEAD}too few packets pass within the delay between parts of the network"
    assert asked.splitlines().count(note) == 1
    assert HEAD not in not_asked + quiet
