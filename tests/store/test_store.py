"""The store from outside: kills, two writers at once, damage, SIGTERM; and what a sweep says about
its runs."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell import api
from dumbbell.data import paired_seeds
from dumbbell.present import stats
from dumbbell.reproduce import papers
from helpers.command import document
from helpers.command import dumbbell as command
from helpers.stored import SCENARIO, rows, without_place

# Sixty runs that are over in a moment, with series, so that a kill may come between any two files.
AXES = ("--over", "queue.limit=20 pkt,30 pkt,40 pkt", "--replications", 20)
KILLS = 200
# What a store has when nobody is at work in it.
ENTRIES = {"store.json", "gate", "lock", "segments", "records"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SCENARIO)
    return path


# A process that has everything imported forks one child for each kill, so that 200 of them take
# seconds.
_KILLER = """
import json, os, random, signal, sys, time
from dumbbell import api
request, kills, seed = json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
chance, span = random.Random(seed), 0.03
for _ in range(kills):
    child = os.fork()
    if child == 0:
        api.run(request)
        os._exit(0)
    time.sleep(chance.uniform(0.0, span))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print(json.dumps([]), flush=True)
    # A machine may be slow or busy: kills come later while nothing is finished, sooner when
    # everything is.
    span *= {"none": 1.3, "all": 0.8, "some": 1.0}[sys.stdin.readline().strip()]
"""


def test_200_kills_lose_nothing_and_leave_nothing_half(file: Path, tmp_path: Path) -> None:
    store, whole = tmp_path / "store", tmp_path / "whole"
    points = [dumbbell.language.overrides.axis("queue.limit", ["20 pkt", "30 pkt", "40 pkt"])]
    wanted = api.request(
        {"path": str(file)},
        points,
        replications=20,
        store=str(store),
        record={"every": "100 ms", "drops": True},
    )
    right = api.run(wanted | {"store": str(whole)})
    expected = rows(whole)
    assert len(expected) == 60

    killer = subprocess.Popen(
        [sys.executable, "-c", _KILLER, json.dumps(wanted), str(KILLS), "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert killer.stdin is not None
    assert killer.stdout is not None
    seen: dict[str, str] = {}
    partly = 0
    for _ in range(KILLS):
        assert killer.stdout.readline() == "[]\n"
        now = rows(store)
        assert seen.items() <= now.items(), "a row that was there is gone, or is another"
        assert now.items() <= expected.items(), "a row is not what an undisturbed run gives"
        for key in now:  # A row's series are there, whole.
            (series,) = (store / "records").glob(f"{key}-*")
            listed = json.loads(now[key])["records"]
            assert {f.name: f.stat().st_size for f in series.iterdir()} == {
                n: f["bytes"] for n, f in listed.items()
            }
        came = "none" if not now else "all" if len(now) == len(expected) else "some"
        partly += came == "some"
        seen = now
        if len(now) == len(expected):  # Begin again, so that every kill may hit a run.
            _clear(store)
            seen = {}
        killer.stdin.write(f"{came}\n")
        killer.stdin.flush()
    assert killer.wait(timeout=10) == 0
    assert partly > KILLS / 4, "most kills should hit a sweep that is going on"

    last = api.run(wanted)
    assert last["from_store"] == len(seen)
    assert without_place(last) == without_place(right)
    assert rows(store) == expected
    assert api.store({"do": "check", "dir": str(store)})["ok"]
    left = {entry.name for entry in store.rglob("*") if entry.name.startswith(".")}
    assert left == set()
    # One more pass, with series to grow, clears what the last kill may have left; then there is
    # nothing.
    assert {entry.name for entry in store.iterdir()} == ENTRIES


def _clear(store: Path) -> None:
    """Empties a store, as by hand."""
    import shutil

    shutil.rmtree(store / "segments")
    shutil.rmtree(store / "records")
    (store / "segments").mkdir()
    (store / "records").mkdir()


def test_two_writers_at_once_are_both_right(file: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    words = ["sweep", file, *AXES, "--store", store, "--record-every", "100 ms", "--json"]
    both = [
        subprocess.Popen(
            [sys.executable, "-m", "dumbbell", *map(str, words)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    results = [json.loads(process.communicate(timeout=60)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert without_place(results[0]) == without_place(results[1])
    third = document(*words[:-1])
    assert third["from_store"] == 60
    assert without_place(third) == without_place(results[0])
    assert {entry.name for entry in store.iterdir()} == ENTRIES
    said = document("store", "gc", store)
    assert (said["kept"], said["segments"]) == (60, 1)
    assert without_place(document(*words[:-1])) == without_place(third)


# Looks after the store until it is told to end, and says how often it did.
_TIDIER = """
import json, select, sys
from dumbbell import api
store, n = sys.argv[1], 0
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    for action in ("gc", "check", "repair", "gc"):
        said = api.store({"do": action, "dir": store})
        assert action != "check" or said["ok"], said
        n += 1
print(n)
"""


def test_sweeps_lose_no_row_to_gc_and_repair_beside_them(file: Path, tmp_path: Path) -> None:
    sweeps = int(os.environ.get("DUMBBELL_STRESS", "2"))
    store = tmp_path / "store"
    request = api.request(
        {"path": str(file)}, replications=12, store=str(store), record={"every": "100 ms"}
    )
    api.run(request | {"replications": 1, "overrides": ["queue.limit=99 pkt"]})
    tidier = subprocess.Popen(
        [sys.executable, "-c", _TIDIER, str(store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert tidier.stdout is not None
    assert tidier.stdout.readline() == "ready\n"
    lost = 0
    for sweep in range(sweeps):
        wanted = request | {"overrides": [f"queue.limit={20 + sweep} pkt"]}
        assert len(api.run(wanted)["runs"]) == 12
        lost += 12 - api.run(wanted)["from_store"]
    said, _ = tidier.communicate("end")
    assert tidier.returncode == 0
    assert lost == 0, f"{lost} of {12 * sweeps} rows lost"
    assert int(said) > 0
    left = api.store({"do": "check", "dir": str(store)})
    assert (left["ok"], left["runs"]) == (True, 12 * sweeps + 1)
    assert {entry.name for entry in store.iterdir()} == ENTRIES


def test_damaged_series_are_named_with_the_exit_code_of_a_failed_check(
    file: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    words = ("sweep", file, *AXES[:2], "--record-every", "100 ms", "--store", store)
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


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_sweep_goes_on_where_it_stopped(
    file: Path, tmp_path: Path, end: signal.Signals
) -> None:
    store, out = tmp_path / "dumbbell-store", tmp_path / "out"
    words = ["sweep", file, *AXES, "-s", "duration=400 s", "--threads", 1, "--out", out]
    process = subprocess.Popen(
        [sys.executable, "-m", "dumbbell", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and (not store.exists() or len(rows(store)) < 2):
        time.sleep(0.02)
    process.send_signal(end)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stdout == ""
    assert "finished runs are in" in stderr
    assert "goes on from there" in stderr
    assert not out.exists()
    kept = len(rows(store))
    assert 2 <= kept < 60
    again = document(
        "sweep", file, "--over", "queue.limit=20 pkt", "-s", "duration=400 s", "--replications", 2
    )
    assert again["from_store"] == 2


def test_a_run_that_is_ended_by_sigterm_leaves_nothing(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["run", file, "-s", "duration=100000 s", "--record-every", "100 ms", "--out", out]
    process = subprocess.Popen(
        [sys.executable, "-m", "dumbbell", *map(str, words)], stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not list(out.glob(".growing-*")):
        time.sleep(0.02)
    process.terminate()
    assert "interrupted" in process.communicate(timeout=10)[1]
    assert process.returncode == 130
    assert not out.exists()


def test_sweep_keeps_and_run_does_not(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DUMBBELL_STORE")
    assert "from_store" not in document("run", file)
    assert "from_store" not in document("sweep", file, *AXES[:2], "--no-store")
    assert not (tmp_path / ".dumbbell").exists()
    assert document("sweep", file, *AXES[:2])["from_store"] == 0
    assert (tmp_path / ".dumbbell" / "store" / "store.json").exists()
    assert document("sweep", file, *AXES[:2])["from_store"] == 3
    assert (
        document("run", file, "-s", "queue.limit=20 pkt", "--store", ".dumbbell/store")[
            "from_store"
        ]
        == 1
    )
    text = command("sweep", file, *AXES[:2]).stdout
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
    assert command("store", "check").stdout == ".dumbbell/store: ok - 3 runs in 1 files\n"


def test_a_damaged_store_is_named_and_mended(file: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    words = ("sweep", file, *AXES[:2], "--store", store)
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
    assert command("store", "check", store).returncode == 3
    listed = command("store", "list", store)
    assert (listed.returncode, "1 rows cannot be read" in listed.stderr) == (0, True)
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
    document("sweep", file, *AXES[:2], "--store", store)
    (store / "store.json").write_text(text)
    assert command("sweep", file, *AXES[:2], "--store", store).returncode == code
    assert document("store", "check", store, code=code)["ok"] is False
    for action in ("check", "gc", "repair"):
        done = command("store", action, store)
        assert done.returncode == code
        assert "store" in done.stderr and "--store" not in done.stderr
    assert (store / "store.json").read_text() == text


def test_a_wrong_point_is_refused_or_a_row(file: Path) -> None:
    words = ("sweep", file, "--over", "queue.max_p=0.1,7")
    assert command(*words).returncode == 2
    said = document(*words, "--keep-going", code=1)
    assert "flows" in said["points"][0]
    assert said["points"][1]["error"]["code"] == 2
    done = command(*words, "--keep-going")
    assert done.returncode == 1
    assert "out of range" in done.stdout
    assert "point 2 (queue.max_p = 7)" in done.stderr


def test_replications_until_a_rule_holds(file: Path) -> None:
    said = document(
        "sweep", file, *AXES[:2], "--stop", "ci95(flows.s.1.goodput_bps) < 20%", "--most", 30
    )
    for point in said["points"]:
        values = [run["flows"][0]["goodput_bps"] for run in point["runs"]]
        assert len(values) == point["stop"]["runs"] >= 3
        below = [stats.interval(values[:n]) for n in range(3, len(values) + 1)]
        holds = [mean.half < 0.2 * mean.mean for mean in below if mean.half is not None]
        assert holds == [False] * (len(holds) - 1) + [point["stop"]["reached"]]
    assert command("sweep", file, "--stop", "ci95 < soon").returncode == 2
    assert command("run", file, "--most", 5).returncode == 2
    assert len(document("run", file, "--stop", "ci95 < 50%")["runs"]) == 3


def test_pairs_are_exact_on_synthetic_values() -> None:
    def point(kind: str, values: list[float]) -> dict[str, Any]:
        runs = [
            {"seed": i, "flows": [{"name": "a", "goodput_bps": x, "cc": "sack"}], "queues": []}
            for i, x in enumerate(values)
        ]
        return {"overrides": {"queue.kind": kind}, "runs": runs}

    points = [point("drop_tail", [10, 20, 30]), point("red", [11, 22, 33, 99])]
    base, red = paired_seeds.versus(points, "queue=drop_tail")
    # Differences 1, 2, 3: mean 2, s = 1, half = 4.302653 / sqrt 3; the seed that only one has is
    # left out.
    half = 4.302652729911275 / 3**0.5
    assert (red["baseline"], red["seeds"], red["goodput_bps"]["difference"]) == (1, 3, 2)
    assert red["goodput_bps"]["ci95"] == pytest.approx((2 - half, 2 + half), rel=1e-9)
    assert red["flows"][0]["goodput_bps"] == red["goodput_bps"]
    assert red["goodput_bps"]["ratio"] == pytest.approx(66 / 60)
    assert base["goodput_bps"] == {"difference": 0, "ci95": (0, 0), "ratio": 1, "n": 3}
    assert paired_seeds.versus(points, 2)[0]["goodput_bps"]["difference"] == -2
    for wrong in ("queue=blue", "cc=reno", "5", "queue"):
        with pytest.raises(dumbbell.ScenarioError):
            paired_seeds.versus(points, wrong)


def test_pairs_are_narrower_where_luck_is_shared(file: Path) -> None:
    """A constant rate that starts at random: what differs between seeds is the start, which both
    points share, so that the difference varies by a tenth of what either varies by."""
    source = {"kind": "cbr"}
    scenario = dumbbell.Scenario.from_file(file).with_(
        {"flow.0.start_spread": "800 ms", "flow.0.source": source}
    )
    sweep = scenario.sweep({"flow.0.source.rate": ["1 Mbps", "1.1 Mbps"]}, replications=12)
    _, block = sweep.versus("flow.0.source.rate=1 Mbps")
    low, high = block["goodput_bps"]["ci95"]
    assert 0 < low < high
    totals = [
        [sum(f["goodput_bps"] for f in run.json["flows"]) for run in result.runs]
        for _, result in sweep
    ]
    (a, b) = (stats.deviation(values) for values in totals)
    unpaired = stats.student_t(0.975, 22) * ((a**2 + b**2) / 12) ** 0.5  # Two samples, pooled.
    assert (high - low) / 2 < unpaired / 5


def test_a_baseline_for_every_other_axis(file: Path) -> None:
    words = (
        "sweep",
        file,
        "--over",
        "queue=drop_tail,red",
        "--over",
        "queue.limit=20 pkt,40 pkt",
        "--replications",
        3,
    )
    points = document(*words, "--baseline", "queue=drop_tail")["points"]
    assert [point["versus"]["baseline"] for point in points] == [1, 2, 1, 2]
    text = command(*words, "--baseline", "queue=drop_tail").stdout
    assert "Each point less its baseline" in text
    assert "12 of the runs were in" in text
    assert command(*words, "--baseline", "queue=blue").returncode == 2


def test_many_points_are_a_line_each(file: Path) -> None:
    limits = ",".join(f"{n} pkt" for n in range(20, 50))
    text = command("sweep", file, "--over", f"queue.limit={limits}", "-s", "duration=200 ms").stdout
    lines = text.splitlines()
    assert re.split(r"\s{2,}", lines[0])[:2] == ["queue.limit", "all flows [Mbps]"]
    assert len([line for line in lines if re.match(r"\d+ pkt ", line)]) == 30


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
    kept = api.store({"do": "check", "dir": str(tmp_path / "s")})
    assert (kept["runs"], kept["segments"]) == (
        sum(point["n"] for point in first["points"]),
        len(first["points"]),
    )
