"""A sweep's table, its page, and its folder: `sweep`, `plot` and `export csv`."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import dumbbell as package
import pytest
from dumbbell.data import best, metrics
from dumbbell.errors import ScenarioError
from dumbbell.present import points
from dumbbell.studies.sweep import axes, figures
from helpers.command import document, dumbbell
from helpers.scenarios import SCENARIO

AXES = ("-o", "queue=drop_tail,red", "-o", "queue.limit=20 pkt,30 pkt,40 pkt")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sweep") / "three.toml"
    path.write_text(SCENARIO)
    return path


@pytest.fixture(scope="module")
def folder(file: Path) -> Path:
    """A sweep of 6 points with 2 seeds each."""
    out = file.parent / "out"
    document("sweep", file, *AXES, "--replications", 2, "--no-store", "--out", out)
    return out


def point(values: list[float], **overrides: Any) -> dict[str, Any]:
    """A point whose runs have these goodputs [bit/s]."""
    runs = [
        {"seed": seed, "flows": [{"goodput_bps": x}], "queues": [], "jain": 1.0}
        for seed, x in enumerate(values)
    ]
    return {"overrides": overrides, "runs": runs, "valid": True}


def table_of(*of: dict[str, Any], names: tuple[str, ...] = ()) -> Any:
    return points.sweep_grid(package.Sweep({"points": list(of)}), names)


def rows(*of: dict[str, Any], names: tuple[str, ...] = ("goodput",)) -> list[list[str]]:
    return [list(row) for row in table_of(*of, names=names).rows]


def test_the_best_point_is_the_one_of_compare() -> None:
    """Unpaired the samples overlap widely; seed by seed they are 1 to 2 Mbit/s apart."""
    a, b = [10e6, 20e6, 30e6, 40e6], [9e6, 18e6, 29e6, 38.5e6]
    found = rows(point(a, queue="red"), point(b, queue="pie"))
    assert found == [["red", "25 ± 21*"], ["pie", "23.62 ± 20 "]]
    assert best.standing({"a": dict(enumerate(a)), "b": dict(enumerate(b))}, 1, 0).best == "a"


def test_a_tie_is_marked_and_a_column_in_which_all_tie_is_not() -> None:
    near, far = [10e6, 12e6, 14e6], [1e6, 2e6, 3e6]
    found = rows(
        point(near, queue="a"), point([11e6, 11e6, 14.5e6], queue="b"), point(far, queue="c")
    )
    assert [row[1][-1] for row in found] == ["~", "~", " "]
    found = rows(point(near, queue="a"), point(near, queue="b"))
    assert all(row[1][-1].isdigit() for row in found)


def test_one_seed_marks_nothing_and_says_so() -> None:
    grid = table_of(point([1e6], q="a"), point([2e6], q="b"))
    assert [row[1] for row in grid.rows] == ["1", "2"]
    assert "One seed" in grid.notes[0]


def test_a_point_without_a_result_is_a_row_and_lost_runs_are_counted() -> None:
    failed = {"overrides": {"q": "c"}, "error": {"message": "7 is\nout of range"}, "valid": False}
    partly = point([1e6, 2e6], q="b")
    partly["runs"].append({"seed": 9, "error": {"message": "it broke"}})
    partly["valid"] = False
    found = rows(point([1e6, 2e6], q="a"), partly, failed)
    assert found[0][-1] == "2"
    assert found[1][-1] == "2 of 3, NOT VALID"
    assert found[2] == ["c", "error: 7 is out of range"]


def test_axes_have_short_heads_that_are_told_apart() -> None:
    assert points.axis_heads(["dumbbell.bottleneck.rate", "queue"]) == ["bottleneck.rate", "queue"]
    same = ["a.queue.limit", "b.queue.limit"]
    assert points.axis_heads(same) == same


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("goodput", "goodput_bps"),
        ("goodput_bps", "goodput_bps"),
        ("p99_delay", "p99_sojourn_s"),
        ("mean_delay", "mean_sojourn_s"),
        ("delay", "mean_sojourn_s"),
        ("loss", "loss_share"),
        ("srtt", "srtt_mean_s"),
        ("utilization", "utilization"),
        ("flows.far.share", "flows.far.share"),
        ("queues.r1.out.p99_delay", "queues.r1.out.p99_sojourn_s"),
        ("sessions.web.p99_completion", "sessions.web.p99_completion_s"),
    ],
)
def test_metrics_are_found_by_their_names(name: str, key: str) -> None:
    assert metrics.find(name).key == key


def test_every_number_of_the_registry_is_a_metric() -> None:
    from dumbbell.data import measurements

    for row in ("queue", "totals", "session", "flow"):
        for key, one in measurements.of(row).items():
            if one.annotation.startswith("Number"):
                assert metrics.find(key).key == key


@pytest.mark.parametrize("name", ["goodputt", "flows.share", "flows.a.shar", "queues..share"])
def test_an_unknown_metric_is_refused_before_anything_runs(name: str, file: Path) -> None:
    with pytest.raises(ScenarioError, match="no measurement"):
        metrics.find(name)
    done = dumbbell("sweep", file, *AXES, "-s", "duration=100000 s", "--columns", name)
    assert done.returncode == 2
    assert done.stdout == ""


def test_the_table_and_all_of_it(file: Path) -> None:
    words = ("sweep", file, *AXES, "--replications", 2)
    table = dumbbell(*words, "--columns", "goodput,flows.a.share").stdout.splitlines()
    assert re.split(r"\s{2,}", table[0].strip()) == [
        "queue",
        "queue.limit",
        "goodput [Mbps]",
        "a share [%]",
    ]
    assert len(table) < 12
    verbose = dumbbell(*words, "--verbose").stdout
    assert verbose.count("Flows\n") == 6
    assert "-- queue = red  queue.limit = 40 pkt" in verbose


def test_python_has_the_same_table(folder: Path) -> None:
    sweep = package.Sweep.load(folder)
    table = sweep.table(["goodput", "p99_delay"], width=60)
    assert table.splitlines()[0].split()[:2] == ["queue", "queue.limit"]
    assert max(map(len, table.splitlines())) <= 60
    assert "loss" in sweep.table()


def test_the_tidy_file_has_a_row_for_each_point_seed_and_entity(folder: Path) -> None:
    found = list(csv.DictReader(io.StringIO(dumbbell("export", "csv", folder).stdout)))
    assert len(found) == 6 * 2 * (1 + 3 + 1)
    data = json.loads((folder / "summary.json").read_text())
    for row in found:
        at = data["points"][int(row["point"]) - 1]
        run = next(run for run in at["runs"] if run["seed"] == int(row["seed"]))
        assert {key: row[key] for key in at["overrides"]} == at["overrides"]
        assert row["valid"] == "true"
        if row["entity"] == "run":
            assert float(row["jain"]) == run["jain"]
            continue
        (one,) = (one for one in run[f"{row['entity']}s"] if one["name"] == row["name"])
        for key, value in one.items():
            if isinstance(value, float):
                assert float(row[key]) == value
        if row["entity"] == "queue":
            assert int(row["drops_early"]) == one["drops"]["early"]
            assert row["srtt_mean_s"] == ""


def test_one_kind_of_entity_and_a_file(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "queues.csv"
    done = document("export", "csv", folder, "--table", "summary_queues", "-o", out)
    assert done["rows"] == 12 and done["bytes"] == out.stat().st_size
    header, *_ = out.read_text().splitlines()
    assert "mean_sojourn_s" in header and "srtt_mean_s" not in header


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("export", "csv", "SWEEP", "--table", "queues"), "the folder of its point"),
        (("export", "csv", "SWEEP", "--table", "summary_cats"), "summary_flows"),
        (("export", "csv", "SWEEP", "--flow", "a"), "--flow does not apply to a sweep"),
        (("plot", "SWEEP", "--x", "queue.min_th"), "it has queue, queue.limit"),
        (("plot", "SWEEP", "--x", "queue", "--by", "queue"), "name two axes"),
        (("plot", "SWEEP", "--y", "collisions"), "has collisions"),
        (("plot", "SWEEP", "cwnd", "--y", "goodput"), "leave out cwnd"),
        (("plot", "SWEEP/point-1", "--y", "goodput"), "does not hold one"),
        (("sweep", "FILE", "--page", "x.pdf"), "ends with .html"),
    ],
)
def test_what_does_not_fit_is_refused(
    words: tuple[str, ...], said: str, folder: Path, file: Path
) -> None:
    given = [word.replace("SWEEP", str(folder)).replace("FILE", str(file)) for word in words]
    done = dumbbell(*given)
    assert done.returncode == 2
    assert said in done.stderr.replace("\n", " ")


def test_a_sweep_is_drawn_along_an_axis(folder: Path, tmp_path: Path) -> None:
    words = ("plot", folder, "--x", "queue.limit", "--y", "goodput,p99_delay", "--by", "queue")
    written = document(*words, "--out", tmp_path)["written"]
    assert {Path(path).suffix for path in written} == {".svg", ".pdf", ".png"}
    assert document("plot", folder, "--out", tmp_path)["written"] == written


def test_lines_and_bands_are_the_means_and_their_intervals(folder: Path) -> None:
    sweep = package.Sweep.load(folder)
    found = sweep.json["points"]
    along, others = axes.chosen(axes.read(found), None, None)
    assert (along.key, along.unit, [axis.key for axis in others]) == (
        "queue.limit",
        "pkt",
        ["queue"],
    )
    figure = figures.over_axis(found, [metrics.find("goodput")], along, others)
    (panel,) = figure.axes
    tail, red = panel.lines
    assert list(tail.get_xdata()) == list(red.get_xdata()) == [20, 30, 40]
    expected = [points.total_goodput(result) for _, result in sweep][:3]
    assert [y * 1e6 for y in tail.get_ydata()] == pytest.approx([one.mean for one in expected])
    band = panel.collections[0].get_paths()[0].vertices[:, 1]
    assert min(band) * 1e6 == pytest.approx(min(one.low for one in expected))
    assert max(band) * 1e6 == pytest.approx(max(one.high for one in expected))


def test_names_stand_along_an_axis_and_a_failed_point_is_a_gap() -> None:
    failed = {"overrides": {"queue": "b", "n": 1}, "error": {"message": "no"}}
    of = [point([1e6, 2e6], queue="a", n=1), failed, point([3e6, 4e6], queue="c", n=1)]
    along, others = axes.chosen(axes.read(of), "queue", None)
    figure = figures.over_axis(of, [metrics.find("goodput")], along, others)
    (panel,) = figure.axes
    assert [text.get_text() for text in panel.get_xticklabels()] == ["a", "b", "c"]
    assert list(panel.lines[0].get_xdata()) == [0, 2]


def test_the_page_needs_nothing_else(file: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    document("sweep", file, *AXES, "--replications", 2, "--page", page, "--no-store")
    text = page.read_text()
    assert text.count("<svg") == 2  # A figure along each axis.
    assert not re.search(r'(?:src|href)="(?!#)', text)
    assert "drop_tail" in text and "p99 delay [ms]" in text
    assert "dumbbell sweep" in text
