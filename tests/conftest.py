"""Synthetic results with the shapes of real ones, for tests of what people see."""

from __future__ import annotations

import functools
import json
import math
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from dumbbell import api
from helpers.exports import SCENARIO, dumbbell
from helpers.results import conforming

if TYPE_CHECKING:
    import polars


LONGEST = (
    "test_contributing",
    "test_validate",
    "test_rtl",
    "test_rtl_mistakes",
    "test_docs",
    "test_cli",
    "test_transcription_red",
    "test_buffering_marker",
)
"""Files that take longest, in that order: begun first, so that no worker is left alone with one of
them at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, all others as they are."""
    places = {f"{name}.py": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweeps of a test keep their results with the test."""
    monkeypatch.setenv("DUMBBELL_STORE", str(tmp_path / "dumbbell-store"))


@pytest.fixture(autouse=True)
def own_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are as wide as in a pipe, whatever the runner of the tests exports."""
    monkeypatch.delenv("COLUMNS", raising=False)
    # pytest imports readline, which exports its width behind the back of `os.environ`.
    os.unsetenv("COLUMNS")


@pytest.fixture(autouse=True, scope="session")
def results_conform() -> Iterator[None]:
    """Every result that a test makes in this process has the published form."""
    run = api.run

    @functools.wraps(run)
    def checked(*args: Any, **options: Any) -> dict[str, Any]:
        return conforming(run(*args, **options))

    api.run = checked
    yield
    api.run = run


FLOWS = ("snd1", "snd2", "snd3")


def unsealed(directory: Path, **changes: Any) -> dict[str, Any]:
    """Makes a result one of an earlier release, without digests, and with `changes`; returns its
    summary."""
    file = directory / "summary.json"
    document = json.loads(file.read_text(encoding="utf-8")) | changes
    older = {key: value for key, value in document.items() if key not in ("digests", "blake3")}
    file.write_text(json.dumps(older, indent=2), encoding="utf-8")
    return older


def window(t: float, flow: int, together: bool) -> float:
    """A sawtooth; flows fall at the same time, or each at its own."""
    period = 4.0 if together else 3.0 + flow
    return 10 + 40 * ((t / period) % 1.0)


def write_series(directory: Path, seed: int, together: bool, seconds: float = 20.0) -> Path:
    """A run's `flows`, `queues` and `signals`."""
    import polars

    rng = random.Random(seed)
    times = [i / 10 for i in range(int(seconds * 10))]
    flows = [
        {
            "time_s": t,
            "flow": name,
            "cwnd_packets": window(t, i, together),
            "goodput_bps": 3e7 + 2e6 * rng.gauss(0, 1),
        }
        for t in times
        for i, name in enumerate(FLOWS)
    ]
    queues = [
        {
            "time_s": t,
            "queue": "bottleneck",
            "queue_packets": 18 + 12 * math.sin(t),
            "avg": 18 + 6 * math.sin(t - 0.5),
        }
        for t in times
    ]
    losers = (lambda k: FLOWS) if together else (lambda k: (FLOWS[k % 3],))
    signals = [
        {
            "time_s": 4.0 * k + 0.01 * j,
            "queue": "bottleneck",
            "flow": name,
            "reason": "overflow",
            "marked": False,
        }
        for k in range(1, int(seconds / 4))
        for j, name in enumerate(losers(k))
    ]
    directory.mkdir(parents=True, exist_ok=True)
    for name, rows in (("flows", flows), ("queues", queues), ("signals", signals)):
        polars.DataFrame(rows).write_parquet(directory / f"{name}.parquet")
    return directory


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A result directory with the series of three runs."""
    for seed in (1, 2, 3):
        write_series(tmp_path / f"run-{seed}", seed, together=True)
    return tmp_path


def broken_paper(tmp_path: Path, rest: str) -> Path:
    """A paper of one point, `a`, with what is wrong in `rest` of its `paper.toml`."""
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "scenario.toml").write_text("")
    (folder / "paper.toml").write_text(
        'title = "t"\ncitation = "c"\n[full]\nreplications = 5\n[quick]\nreplications = 5\n'
        '[[point]]\nid = "a"\nscenario = "scenario.toml"\n' + rest
    )
    return folder


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a run with packets of every sort of flow."""
    there = tmp_path_factory.mktemp("exports")
    (there / "net.toml").write_text(SCENARIO)
    dumbbell("run", there / "net.toml", "--out", there / "run")
    return there / "run"


@pytest.fixture(scope="session")
def summary(exported: Path) -> dict[str, dict[str, Any]]:
    """Its flows by name."""
    return {
        flow["name"]: flow for flow in json.loads((exported / "summary.json").read_text())["flows"]
    }


@pytest.fixture(scope="session")
def packets(exported: Path) -> polars.DataFrame:
    """Its packets."""
    import polars

    return polars.read_parquet(exported / "packets.parquet")


@pytest.fixture(scope="session")
def captures(exported: Path) -> dict[str, Path]:
    """A capture at each kind of place."""
    made = {}
    for at in ("sender", "receiver", "bottleneck"):
        made[at] = exported / f"{at}.pcapng"
        dumbbell("export", "pcapng", exported, "--at", at, "-o", made[at])
    return made
