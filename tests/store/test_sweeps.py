"""What a sweep says of its points: replications, pairs of seeds, baselines, wrong points."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell.data import paired_seeds
from dumbbell.present import stats
from helpers.command import document
from helpers.command import dumbbell as command
from helpers.stored import scenario_file

AXIS = ("--over", "queue.limit=20 pkt,30 pkt,40 pkt")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return scenario_file(tmp_path)


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
        "sweep", file, *AXIS, "--stop", "ci95(flows.s.1.goodput_bps) < 20%", "--most", 30
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
    assert "Paired differences of the points" in text
    assert "12 of the runs were in" in text
    assert command(*words, "--baseline", "queue=blue").returncode == 2


def test_many_points_are_a_line_each(file: Path) -> None:
    limits = ",".join(f"{n} pkt" for n in range(20, 50))
    text = command("sweep", file, "--over", f"queue.limit={limits}", "-s", "duration=200 ms").stdout
    lines = text.splitlines()
    assert re.split(r"\s{2,}", lines[0])[:2] == ["queue.limit", "goodput [Mbps]"]
    assert len([line for line in lines if re.match(r"\d+ pkt ", line)]) == 30
