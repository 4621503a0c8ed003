"""Whenever a run on user-mode kernels ends, nothing of it is left; and it needs no privilege."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from dumbbell.linux import kernels
from helpers import stored
from helpers.command import document
from helpers.live import guests
from helpers.live.guests import BULK, ended

NOBODY = 65534


@pytest.fixture(scope="module", autouse=True)
def kernel() -> Path:
    return guests.needed()


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("leftovers") / "two.toml"
    file.write_text(BULK)
    return file


def _shared_memory() -> set[str]:
    return (
        {entry.name for entry in Path("/dev/shm").iterdir()} if Path("/dev/shm").exists() else set()
    )


@pytest.mark.parametrize(
    ("ending", "code", "later_s"),
    [
        (signal.SIGINT, 130, 1.0),
        (signal.SIGKILL, -signal.SIGKILL, 1.0),
        (signal.SIGKILL, -signal.SIGKILL, 0.0),
        (signal.SIGKILL, -signal.SIGKILL, 0.2),
    ],
)
def test_a_run_that_is_ended_leaves_no_process_and_no_file(
    scenario: Path, tmp_path: Path, ending: signal.Signals, code: int, later_s: float
) -> None:
    """`later_s` after its guest was started: at once, it boots; later, the run is in its middle."""
    before = _shared_memory()
    words = ("run", scenario, "--on", "linux", "-s", "duration=600s")
    with guests.running(words, tmp_path) as (process, found):
        groups = guests.groups(found)
        time.sleep(later_s)
        process.send_signal(ending)
        process.communicate(timeout=120)
    assert process.returncode == code
    guests.wait_for(lambda: not guests.members(groups))
    assert list(tmp_path.iterdir()) == []
    assert _shared_memory() <= before


def test_a_sweep_that_is_interrupted_leaves_its_finished_rows_and_nothing_else(
    scenario: Path, tmp_path: Path
) -> None:
    """One point is over in a moment, and the other would take minutes."""
    before = _shared_memory()
    temporary, store = tmp_path / "temporary", tmp_path / "store"
    temporary.mkdir()
    words = (
        "sweep",
        scenario,
        "--on",
        "linux",
        "--store",
        store,
        "--threads",
        2,
        "-s",
        "warmup=0s",
    )
    with guests.running((*words, "-o", "duration=1s,600s"), temporary) as (process, _):
        guests.wait_for(lambda: len(_rows(store)) == 1 or process.poll() is not None)
        assert process.poll() is None
        groups = guests.groups(guests.guests_of(process.pid))
        assert groups, "the long run has no guest"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    guests.wait_for(lambda: not guests.members(groups))
    assert list(temporary.iterdir()) == []
    assert _shared_memory() <= before
    kept = _rows(store)
    again = document(*words, "-o", "duration=1s", timeout_s=240)
    assert again["from_store"] == 1
    assert again["points"][0]["fingerprint"] == kept[0]["fingerprint"]
    assert document("store", "check", store)["problems"] == []


def _rows(store: Path) -> list[dict[str, Any]]:
    return [json.loads(row) for row in stored.rows(store).values()]


def test_an_ordinary_user_gets_the_fingerprint_of_root(
    kernel: Path, scenario: Path, tmp_path: Path
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can be two users")
    words = ("run", scenario, "--on", "linux", "-s", "duration=2s")
    own = document(*words, timeout_s=240)
    # Root's folders are nobody's business: the kernel, the scenario and the cache are copies.
    home = Path("/var/tmp") / f"dumbbell-nobody-{os.getpid()}"
    home.mkdir()
    try:
        shutil.copy(kernel, home / "linux")
        shutil.copy(scenario, home / "two.toml")
        for entry in (home, *home.iterdir()):
            shutil.chown(entry, NOBODY, NOBODY)
        # The interpreter may lie where only root can read; that one right nobody keeps.
        reads = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
        prefix = (*("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"), *reads)
        environment = {
            "HOME": home,
            "XDG_CACHE_HOME": home / "cache",
            "TMPDIR": home,
            kernels.VARIABLE: home / "linux",
        }
        words = ("run", home / "two.toml", *words[2:], "--json")
        told = ended(words, environment, prefix=prefix)
        assert told.returncode == 0, told.stderr
        assert f'"{own["fingerprint"]}"' in told.stdout
    finally:
        shutil.rmtree(home)
