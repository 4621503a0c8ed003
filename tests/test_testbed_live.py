"""The testbed through the command line, on real kernels: short runs; nothing is asserted that a busy machine spoils."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from dumbbell import EnvironmentLacks, door

SCENARIO = """
duration = "1 s"
profile = "linux"
queue = { kind = "red", limit = "20 pkt", min_th = "4 pkt", max_th = "12 pkt" }
[dumbbell.bottleneck]
rate = "4 Mbps"
delay = "2 ms"
[[flow]]
name = "a"
cc = "sack"
[testbed]
calibrate = false
"""


def able() -> str | None:
    """Why there are no live runs here; None if there are."""
    try:
        can = door.doctor()["can"]
    except EnvironmentLacks as lack:
        return lack.rendered
    return None if can["kernel"] else "this machine cannot make namespaces: see `dumbbell doctor`"


@pytest.fixture(scope="module", autouse=True)
def kernels() -> None:
    """Skips, or fails where the machine must be able to."""
    why = able()
    if why is not None:
        (pytest.fail if "netns" in os.environ.get("DUMBBELL_REQUIRE", "") else pytest.skip)(why)


def dumbbell(*words: object) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "dumbbell", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, dict[str, Any]]:
    """A recorded run: its directory, the exit code, the document."""
    there = tmp_path_factory.mktemp("live")
    (there / "one.toml").write_text(SCENARIO)
    code, out, err = dumbbell(
        "run", there / "one.toml", "--on", "kernel", "--out", there / "run", "--record-every", "10 ms", "--json"
    )
    assert code in (0, 5), err
    return there / "run", code, json.loads(out)


def test_a_live_run_is_conserved_replayed_and_says_what_it_is_worth(ran) -> None:
    _, code, document = ran
    block = document["validity"]
    assert document["on"] == "kernel"
    assert block["conservation"]["ok"]
    assert block["replay"]["packets"] > 100
    assert block["replay"]["mismatches"] == 0
    assert block["valid"] is (code == 0)
    assert bool(block["reasons"]) is (code == 5)
    flow = document["flows"][0]
    assert 0 < flow["goodput_bps"] < 4e6


def test_its_log_replays_the_same_and_an_altered_one_is_found(ran) -> None:
    directory, _, document = ran
    code, out, err = dumbbell("replay", directory, "--json")
    assert code == 0, err
    assert json.loads(out)["packets"] == document["validity"]["replay"]["packets"]
    log = directory / "run.log"
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 1
    altered = directory / "altered.log"
    altered.write_bytes(content)
    assert dumbbell("replay", altered)[0] == 3


def test_a_program_runs_inside_and_its_code_comes_back(tmp_path: Path) -> None:
    words = ("shell", "--rate", "8Mbps", "--delay", "1ms", "-s", "testbed.calibrate=false", "--out", tmp_path, "--json")
    code, out, err = dumbbell(*words, "--", "sh", "-c", "readlink /proc/self/ns/net; exit 7")
    assert code == 7, err
    assert "net:[" in err  # What it prints goes aside, and it is elsewhere.
    assert str(Path("/proc/self/ns/net").readlink()) not in err
    assert json.loads(out)["program"]["exit_code"] == 7


def test_a_router_whose_core_is_taken_away_loses_its_class(tmp_path: Path) -> None:
    try:  # Only to learn whether it is permitted; the child that does it is another process.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except PermissionError:
        pytest.skip("real-time priority is not permitted here")
    file = tmp_path / "one.toml"
    file.write_text(SCENARIO.replace('"4 Mbps"', '"20 Mbps"'))
    script = Path(__file__).parents[1] / "bench" / "testbed_classes.py"
    core = max(os.sched_getaffinity(0))
    taker = subprocess.Popen([sys.executable, script, "--do", "core", str(core), "20", "20"])
    try:
        code, out, err = dumbbell("run", file, "--on", "kernel", "--class", "exact", "--json")
    finally:
        taker.kill()
        taker.wait()
    block = json.loads(out)["validity"]
    assert code == 5, err
    assert block["required"] == "exact"
    assert block["class"] != "exact"
    assert block["stalls"]["longest_ms"] > 10
    assert block["conservation"]["ok"] and block["replay"]["mismatches"] == 0
    assert any("a late router may have moved the mean wait" in reason for reason in block["reasons"])
