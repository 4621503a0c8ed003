"""Studies on user-mode kernels: sweeps, comparisons, `diff`, `why`, `view` and papers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from dumbbell import api
from dumbbell.linux import kernels
from dumbbell.reproduce import papers
from dumbbell.reproduce.on_linux import plan_file
from helpers.command import document, dumbbell

SCENARIO = """
duration = "1500 ms"
warmup = "500 ms"
profile = "linux"
[dumbbell.bottleneck]
rate = "10 Mbps"
delay = "5 ms"
[queue]
kind = "drop_tail"
limit = "20 pkt"
[[flow]]
name = "a"
cc = "cubic"
rtt = "20 ms"
"""


@pytest.fixture(scope="module")
def kernel() -> None:
    """Skips where none was built, unless DUMBBELL_REQUIRE has `linux`."""
    if kernels.current() is None:
        required = "linux" in os.environ.get("DUMBBELL_REQUIRE", "")
        (pytest.fail if required else pytest.skip)("no kernel: dumbbell linux build")


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("linux") / "one.toml"
    file.write_text(SCENARIO)
    return file


@pytest.fixture(scope="module")
def recorded(kernel: None, scenario: Path) -> Path:
    """A run with its packets and the samples of its senders."""
    out = scenario.with_name("recorded")
    words = ("-s", "record.packets=true", "--record-every", "10 ms", "--out", out)
    document("run", scenario, "--on", "linux", *words, timeout_s=240)
    return out


@pytest.mark.usefixtures("kernel")
def test_a_sweep_is_kept_and_its_seeds_differ(scenario: Path, tmp_path: Path) -> None:
    words = ("sweep", scenario, "-o", "queue=drop_tail,red", "--on", "linux")
    more = ("--replications", 2, "--store", tmp_path / "store")
    first = document(*words, *more, timeout_s=300)
    assert first["from_store"] == 0
    prints = [run["fingerprint"] for point in first["points"] for run in point["runs"]]
    assert len(set(prints)) == 4
    again = document(*words, *more, timeout_s=120)
    assert again["from_store"] == 4
    assert [run["fingerprint"] for p in again["points"] for run in p["runs"]] == prints
    simulated = document("sweep", scenario, "-o", "queue=drop_tail,red", *more, timeout_s=60)
    assert simulated["from_store"] == 0  # What a kernel did is not what the simulator does.


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    ("verb", "words"),
    [
        ("sweep", ("-o", "flow.a.cc=cubic,jersey", "--no-store")),
        ("sweep", ("-o", "flow.a.ip=4,6", "--no-store")),
    ],
)
def test_what_the_kernel_lacks_ends_a_sweep_before_its_first_run(
    scenario: Path, verb: str, words: tuple[str, ...]
) -> None:
    refused = dumbbell(verb, scenario, "--on", "linux", *words, timeout_s=60)
    assert refused.returncode == 2, refused.stderr
    assert "flow `a`" in refused.stderr


def test_without_a_kernel_each_study_says_how_to_build_one(
    scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(kernels.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for words in (
        ("sweep", scenario, "-o", "queue=drop_tail,red", "--on", "linux", "--no-store"),
        ("compare", "drop_tail", "red", "-f", scenario, "--on", "linux", "--no-store"),
        ("diff", scenario, "--on", "sim,linux"),
        ("reproduce", "red-on-netfpga", "--on", "linux", "--quick"),
    ):
        refused = dumbbell(*words, timeout_s=120)
        assert refused.returncode == 4, refused.stderr
        assert "dumbbell linux build" in refused.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "--on", "linux"),
        ("compare", "--on", "sim,linux", "--class", "good"),
        ("compare", "--on", "sim,linux", "--live"),
        ("compare", "--on", "sim,linux", "--no-store"),
        ("reproduce", "red-on-netfpga", "--on", "linux", "--cell", "t2-dt-24-mbps"),
        ("reproduce", "red-on-netfpga", "--on", "linux", "--grid"),
        ("reproduce", "ea-red", "--on", "linux"),
    ],
)
def test_words_that_do_not_fit_are_refused(words: tuple[str, ...]) -> None:
    refused = dumbbell(*words, timeout_s=120)
    assert refused.returncode == 2, refused.stderr


@pytest.mark.usefixtures("kernel")
def test_simulator_and_kernel_are_compared_measure_by_measure(
    scenario: Path, tmp_path: Path
) -> None:
    words = ("--seeds", 2, "--store", tmp_path / "store", "--out", tmp_path / "page")
    found = document("compare", "--on", "sim,linux", "-f", scenario, *words, timeout_s=300)
    assert found["on"] == "linux"
    (row,) = found["cells"]
    assert (row["sim_runs"], row["kernel_runs"]) == (2, 2)
    total = next(one for one in row["measures"] if one["key"] == "total")
    assert total["verdict"] == "agrees"
    page = Path(found["page"]).read_text(encoding="utf-8")
    assert "user-mode Linux in virtual time" in page
    assert "real kernels" not in page.partition("rules of agreement")[0]


@pytest.mark.usefixtures("kernel")
def test_diff_shows_where_model_and_kernel_diverge(scenario: Path) -> None:
    made = dumbbell("diff", scenario, "--on", "sim,linux", "--json", timeout_s=240)
    found: dict[str, Any] = json.loads(made.stdout)
    assert made.returncode == (0 if found["alike"] else 3)
    assert found["packets"] > 100
    if not found["alike"]:
        where = found["divergence"]
        for place in ("sim", "linux"):
            assert where[place]["sample"]["cwnd_bytes"] > 0
            assert where[place]["sample"]["time_ps"] <= where["time_ps"]


def test_why_tells_a_drop_that_a_kernel_suffered(recorded: Path) -> None:
    from dumbbell.data import series

    packets = series.need(recorded, "packets")
    lost = packets.filter(packets["dropped_ps"].is_not_null())
    assert lost.height
    number = lost["packet"][0]
    told = document("why", recorded, "--flow", "a", "--packet", number)
    assert told["kind"] == "drop"
    assert told["decision"]["reason"] == "overflow"
    assert told["detection"]["how"] == "sampled"
    assert [sample["phase"] is not None for sample in told["samples"]] == [True, True]
    assert "probe" not in told["text"]
    fell = document("why", recorded, "--flow", "a", "--cwnd", "--time", "1.5 s")
    before, after = fell["samples"]
    assert after["cwnd_bytes"] < before["cwnd_bytes"]


def test_view_says_which_run_is_which_and_repeats_none(
    recorded: Path, scenario: Path, tmp_path: Path
) -> None:
    ours = tmp_path / "sim"
    document("run", scenario, "--out", ours, "--record-every", "10 ms")
    page = tmp_path / "both.html"
    assert dumbbell("view", ours, recorded, "--out", page, timeout_s=120).returncode == 0
    text = page.read_text(encoding="utf-8")
    assert "Linux in virtual time" in text
    bare = tmp_path / "bare"
    document("run", scenario, "--on", "linux", "--out", bare, timeout_s=240)
    made = dumbbell("view", bare, "--out", tmp_path / "bare.html", timeout_s=120)
    assert made.returncode == 0, made.stderr
    assert "cannot be repeated" in made.stderr


@pytest.mark.usefixtures("kernel")
def test_a_paper_has_a_column_for_linux_beside_the_simulators(tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "s.toml").write_text(SCENARIO)
    (folder / "rules.md").write_text("# Rules\n")
    (folder / "linux.toml").write_text(
        'full = { points = ["*"], replications = 2 }\nquick = { points = ["*"], replications = 2 }'
    )
    (folder / "paper.toml").write_text(PAPER)
    words = ("--on", "linux", "--store", tmp_path / "store", "--out", tmp_path / "out")
    found = document("reproduce", f"{folder}/", *words, timeout_s=300)
    cells = {cell["id"]: cell for cell in found["cells"]}
    assert cells["known"]["value"] == pytest.approx(9.6, rel=0.1)
    assert cells["known"]["simulated"]["value"] == pytest.approx(9.6, rel=0.1)
    assert cells["lacking"]["verdict"] == "not testable"
    assert "the kernel has no `jersey`" in cells["lacking"]["missing"]
    assert cells["lacking"]["simulated"]["verdict"] != "not testable"
    assert found["not_run"][0]["points"] == ["jersey"]
    page = Path(found["report"]).read_text(encoding="utf-8")
    assert "verdict, Linux" in page
    assert [claim["verdict"] for claim in found["claims"]] == ["not testable"]
    assert "its routers are not described" in page


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    ("name", "point", "earlier"),
    [
        ("red-on-netfpga", "dt-24", ()),
        ("jumbo-frames", "std-50", ()),
        ("tcp-cae", "newreno-1", ("flow.s.start=0 s", "flow.c.start=0 s")),
    ],
)
def test_the_settings_of_each_paper_are_such_that_the_kernel_has_them(
    name: str, point: str, earlier: tuple[str, ...]
) -> None:
    """A moment of one point. What the kernel does not have is refused before a run."""
    paper = papers.load(name)
    asked = plan_file.read(paper, True, None)
    own = asked.on_kernel(paper, paper.points[point])
    short = ("duration=100 ms", "warmup=0 s")
    overrides = [*own.overrides, *short, *earlier]
    wanted = api.request({"path": str(own.scenario)}, overrides, on="linux")
    assert api.run(wanted)["valid"]


PAPER = """
title = "Two controls"
citation = "Nobody, nowhere."
seed = 1
record = []
[full]
replications = 5
[quick]
replications = 5
[scheme]
owns = ["flow.a.cc"]
[[point]]
scenario = "s.toml"
entries = [
  { id = "cubic" },
  { id = "jersey", overrides = ["flow.a.cc=jersey"], scheme = true },
]
[[cell]]
unit = "Mbit/s"
measure = "flows.a.goodput_bps"
scale = 1e-6
entries = [
  { id = "known", what = "Goodput of CUBIC", published = "9.6", point = "cubic" },
  { id = "lacking", what = "Goodput of Jersey", published = "9.6", point = "jersey" },
]
[[claim]]
id = "claim-1"
text = "Its routers are fast."
missing = "its routers are not described"
"""
