"""`red_rtl` where people meet it: listed everywhere, run where Verilator is, and what to install
where it is not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell import api
from dumbbell.errors import EnvironmentLacks, ScenarioError
from dumbbell.rtl import tools
from dumbbell.rtl.verify import lockstep, vectors
from dumbbell.testbed import verbs

SCENARIO = """
duration = "1 s"
[dumbbell]
bottleneck = { rate = "8 Mbps", delay = "5 ms" }
[queue]
kind = "red_rtl"
limit = "40 pkt"
[[flow]]
name = "s"
"""


@pytest.fixture
def able() -> None:
    """Skips where RTL cannot run, or fails if it must."""
    for tool in (tools.VERILATOR, tools.COMPILER):
        if tool.find() is None:
            (pytest.fail if "rtl" in os.environ.get("DUMBBELL_REQUIRE", "") else pytest.skip)(
                f"no {tool.name}"
            )


def command(*words: object, **environ: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "dumbbell", *map(str, words)]
    return subprocess.run(
        line, capture_output=True, text=True, env={**os.environ, **environ}, timeout=300
    )


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """An environment without Verilator."""
    (tmp_path / "bin").mkdir()
    return {"PATH": str(tmp_path / "bin"), "DUMBBELL_CACHE": str(tmp_path / "cache")}


def test_without_verilator_it_is_listed_and_planned_and_a_run_says_what_to_install(
    bare: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "one.toml"
    file.write_text(SCENARIO)
    listed = json.loads(command("list", "--json", **bare).stdout)
    assert "red_rtl" in json.dumps(listed)
    assert "SystemVerilog" in command("explain", "red_rtl", **bare).stdout
    assert command("check", file, **bare).returncode == 0
    done = command("run", file, **bare)
    assert done.returncode == 4
    assert "verilator" in done.stderr
    assert "apt-get install" in done.stderr
    assert command("run", file, "-s", "queue.kind=red_hw", **bare).returncode == 0


@pytest.mark.usefixtures("able")
def test_without_a_compiler_its_package_is_named(tmp_path: Path) -> None:
    file = tmp_path / "one.toml"
    file.write_text(SCENARIO)
    done = command("run", file, CXX="no-such-compiler", DUMBBELL_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 4
    assert "apt-get install g++" in " ".join(done.stderr.split())


def test_lockstep_where_there_is_no_verilator(bare: dict[str, str]) -> None:
    script = "from dumbbell.rtl.verify import lockstep\nlockstep.run(packets=1000)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, **bare},
        timeout=60,
    )
    assert EnvironmentLacks.__name__ in done.stderr


@pytest.mark.usefixtures("able")
@pytest.mark.parametrize("mode", ["sound", "paper"])
def test_the_rtl_and_its_model_say_the_same_of_each_packet(mode: str) -> None:
    arrivals: dict[str, Any] = {"time_ps": [11_000_000 * k for k in range(5000)], "bytes": 1500}
    made = {"limit": "60 pkt", "mode": mode, "max_p": 0.1, "weight_shift": 5}
    tables = [
        dumbbell.drive(name, made, arrivals=arrivals, rate="900 Mbps")
        for name in ("red_hw", "red_rtl")
    ]
    model, rtl = (table.to_polars() if hasattr(table, "to_polars") else table for table in tables)
    import polars

    model, rtl = polars.DataFrame(model), polars.DataFrame(rtl)
    assert model.equals(rtl)
    assert model["verdict"].n_unique() > 1


@pytest.mark.usefixtures("able")
def test_lockstep_says_what_it_saw() -> None:
    heard: list[float] = []
    found = lockstep.run(packets=200_000, seed=4, modes=["sound", "paper"], progress=heard.append)
    assert (found["mismatches"], found["first_mismatch"], found["seed"]) == (0, None, 4)
    assert found["packets"] >= 200_000
    assert all(share >= 0.1 for share in found["shares"].values())
    assert [row["mode"] for row in found["modes"]] == ["sound", "paper"]
    assert heard
    assert "all decisions are bit-identical" in lockstep.summary(found)[-1]


@pytest.mark.usefixtures("able")
def test_a_fault_in_the_rtl_is_told_with_a_short_stimulus(tmp_path: Path) -> None:
    core = Path(__file__).parents[2] / "rtl" / "red" / "core"
    shutil.copytree(core, tmp_path / "core")
    average = tmp_path / "core" / "red_avg.sv"
    text = average.read_text()
    assert "avg_q <= acc[" in text
    average.write_text(text.replace("avg_q <= acc[", "avg_q <= ~22'd1 & acc["))
    found = lockstep.run(packets=100_000, modes=["sound"], dut=[tmp_path / "core" / "red_core.sv"])
    first = found["first_mismatch"]
    assert found["mismatches"] == 1
    assert "avg_o is " in first["what"]
    assert first["shrunk"]["actions"] <= 8
    said = lockstep.summary(found)
    assert any("DIFFERS in mode sound" in line for line in said)
    trace = first["shrunk"]["trace"]
    fails = first["shrunk"]["fails"]["packet"]
    culprit = next(step for step in trace["steps"] if step.get("packet") == fails)
    # The fault clears a bit of the average: the model's inside is whole, and all else of the core's
    # follows from it.
    assert culprit["core"]["avg"] == culprit["model"]["avg"] & ~1 != culprit["model"]["avg"]
    assert culprit["model"]["max"] > culprit["model"]["min"]
    assert any(f"<- the core has {culprit['core']['avg']}" in line for line in said)
    assert max(map(len, said)) <= 100


def test_what_is_asked_wrongly_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="not a mode"):
        lockstep.run(modes=["loud"])
    with pytest.raises(ScenarioError, match="not an option"):
        vectors.write(tmp_path / "v", modes=["sound+green"])
    with pytest.raises(ScenarioError):
        api.call("rtl_lockstep", {"packet": 3})


def test_vectors_of_several_modes_have_a_directory_each(tmp_path: Path) -> None:
    one = vectors.write(tmp_path / "one", packets=100)
    assert sorted(p.name for p in (tmp_path / "one").iterdir()) == sorted(
        Path(f).name for f in one["files"]
    )
    two = vectors.write(tmp_path / "two", packets=100, modes=["sound", "paper+gap"])
    assert {Path(f).parent.name for f in two["files"]} == {"sound", "paper_gap"}
    assert all(Path(f).is_file() for f in two["files"])


@pytest.mark.usefixtures("able")
def test_real_tcp_between_real_hosts_meets_the_rtl(tmp_path: Path) -> None:
    try:
        can = verbs.doctor()["can"]["kernel"]
    except EnvironmentLacks:
        can = False
    if not can:
        (pytest.fail if "netns" in os.environ.get("DUMBBELL_REQUIRE", "") else pytest.skip)(
            "no namespaces here"
        )
    file = tmp_path / "live.toml"
    file.write_text(SCENARIO + "[testbed]\ncalibrate = false\n")
    out = tmp_path / "run"
    done = command("run", file, "--on", "kernel", "--out", out, "--record-every", "10 ms", "--json")
    assert done.returncode in (0, 5), done.stderr  # Too late with a packet: no matter here.
    block = json.loads(done.stdout)["validity"]
    assert block["replay"]["packets"] > 100
    assert block["replay"]["mismatches"] == 0
    log = next(out.rglob("run.log"))
    again = command("replay", log, "--json")
    assert json.loads(again.stdout)["verdict"] == "same", again.stderr
