"""What a store keeps, and what is said of one that is damaged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from dumbbell import api
from dumbbell.reproduce import papers
from helpers.command import document
from helpers.command import dumbbell as command
from helpers.stored import scenario_file

AXIS = ("--over", "queue.limit=20 pkt,30 pkt,40 pkt")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return scenario_file(tmp_path)


def test_sweep_keeps_and_run_does_not(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DUMBBELL_STORE")
    assert "from_store" not in document("run", file)
    assert "from_store" not in document("sweep", file, *AXIS, "--no-store")
    assert not (tmp_path / ".dumbbell").exists()
    assert document("sweep", file, *AXIS)["from_store"] == 0
    assert (tmp_path / ".dumbbell" / "store" / "store.json").exists()
    assert document("sweep", file, *AXIS)["from_store"] == 3
    assert (
        document("run", file, "-s", "queue.limit=20 pkt", "--store", ".dumbbell/store")[
            "from_store"
        ]
        == 1
    )
    text = command("sweep", file, *AXIS).stdout
    assert "3 of the runs were in .dumbbell/store" in text
    listed = document("store", "list")["runs"]
    assert [(run["state"], run["seed"], run["name"]) for run in listed] == [
        ("done", 1, "small")
    ] * 3
    table = command("store", "list").stdout.splitlines()
    assert table[0].split() == ["key", "scenario", "seed", "took", "fingerprint", "changes"]
    changes = sorted(line.split()[-2:] for line in table[2:5])
    assert changes == [[f"queue.limit={limit}", "pkt"] for limit in (20, 30, 40)]
    assert table[-1] == "3 runs in .dumbbell/store"
    assert command("store", "check").stdout == ".dumbbell/store: ok - 3 runs in 1 file\n"


def test_damaged_series_are_named_with_the_exit_code_of_a_failed_check(
    file: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    words = ("sweep", file, *AXIS, "--record-every", "100 ms", "--store", store)
    document(*words)
    series = sorted((store / "records").glob("*/flows.parquet"))[0]
    data = bytearray(series.read_bytes())
    data[len(data) // 2] ^= 1
    series.write_bytes(data)
    done = command("store", "check", store)
    assert done.returncode == 3
    assert "store repair" in done.stderr
    said = document("store", "check", store, code=3)
    assert (said["records_lost"], str(series) in said["problems"][0]["cause"]) == (1, True)
    again = document(*words)
    assert again["from_store"] == 2
    assert any(str(series) in note for note in again["notes"])
    assert document("store", "check", store)["ok"]


def test_a_damaged_store_is_named_and_mended(file: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    words = ("sweep", file, *AXIS, "--store", store)
    document(*words)
    (segment,) = (store / "segments").glob("*.jsonl")
    segment.write_text(re.sub(r'"seed":1', '"seed":2', segment.read_text(), count=1))
    refused = command(*words)
    assert (refused.returncode, refused.stdout) == (3, "")
    assert (
        f"{segment}, line 1" in refused.stderr.replace("\n", "").replace("    ", "")
        or "line 1" in refused.stderr
    )
    assert "store repair" in refused.stderr
    assert document(*words, code=3)["error"]["problems"][0]["line"] == 1
    checked = command("store", "check", store)
    assert (checked.returncode, ": 1 problem - " in checked.stdout) == (3, True)
    listed = command("store", "list", store)
    assert (listed.returncode, "1 row cannot be read" in listed.stderr) == (0, True)
    assert "store repair" in command("store", "gc", store).stderr
    assert document("store", "repair", store)["moved"] == 1
    assert command("store", "check", store).returncode == 0
    assert document(*words)["from_store"] == 2
    assert command("store", "check", tmp_path).returncode == 2


@pytest.mark.parametrize(
    ("text", "code"), [("{", 3), ('{"version": 99}', 3), ('{"format": 99, "id": "x"}', 1)]
)
def test_a_store_that_does_not_say_what_it_is(
    text: str, code: int, file: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    document("sweep", file, *AXIS, "--store", store)
    (store / "store.json").write_text(text)
    assert command("sweep", file, *AXIS, "--store", store).returncode == code
    assert document("store", "check", store, code=code)["ok"] is False
    for action in ("check", "gc", "repair"):
        done = command("store", action, store)
        assert done.returncode == code
        assert "store" in done.stderr and "--store" not in done.stderr
    assert (store / "store.json").read_text() == text


def test_a_reproduction_may_keep_its_runs(tmp_path: Path) -> None:
    cell = next(iter(papers.load("red-on-netfpga").cells))
    words = (
        "reproduce",
        "red-on-netfpga",
        "--quick",
        "--cell",
        cell,
        "--replications",
        2,
        "--store",
        tmp_path / "s",
    )
    first, second = (
        document(*words, "--out", tmp_path / name, timeout_s=120) for name in ("a", "b")
    )
    assert first["cells"] == second["cells"]
    kept = api.call("store", {"do": "check", "dir": str(tmp_path / "s")})
    assert (kept["runs"], kept["segments"]) == (
        sum(point["n"] for point in first["points"]),
        len(first["points"]),
    )
