"""The command line's contract: exit codes, one JSON document, errors with their fix, and speed of
the first page."""

from __future__ import annotations

import ast
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import dumbbell as dumbbell_package
import pytest
from helpers.command import document, dumbbell
from helpers.scenarios import SCENARIO


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "three.toml"
    path.write_text(SCENARIO)
    return path


def imported_by(*words: str) -> tuple[set[str], subprocess.CompletedProcess[str]]:
    """The packages that a command has imported when it ends, and what it printed."""
    script = (
        "import sys\n"
        "from dumbbell.cli import main\n"
        f"try: main({list(words)!r})\n"
        "finally: print({m.partition('.')[0] for m in sys.modules}, file=sys.stderr)\n"
    )
    # Python's environment: readline may have set the width of a terminal in that of C.
    environment = dict(os.environ)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment
    )
    imported = ast.literal_eval(done.stderr.splitlines()[-1])
    assert "dumbbell" in imported
    return imported, done


LIBRARIES = {"cyclopts", "rich", "msgspec", "numpy", "polars", "matplotlib"}


def test_the_first_page_imports_no_library() -> None:
    """It comes at once because nothing but the standard library is imported for it."""
    imported, done = imported_by("--help")
    assert not imported & LIBRARIES
    assert all(
        f"  {name} " in done.stdout
        for name in ("run", "check", "show", "sweep", "explain", "reproduce")
    )


def test_the_version_imports_no_library() -> None:
    imported, done = imported_by("--version")
    assert done.stdout == f"{dumbbell_package.__version__}\n"
    assert not imported & {*LIBRARIES, "inspect", "dataclasses", "ctypes"}
    assert imported_by("-V")[1].stdout == done.stdout


def test_a_check_imports_no_library(file: Path) -> None:
    """With plain words it does not wait for the parser, whether the scenario is good or not."""
    bad = file.with_name("bad.toml")
    bad.write_text(SCENARIO.replace("max_th", "max_ht"))
    for words, code in (((str(file),), 0), ((str(file), "--json"), 0), ((str(bad),), 2)):
        imported, done = imported_by("check", *words)
        assert done.returncode == code
        assert imported & {*LIBRARIES, "inspect", "dataclasses"} == set()


def test_a_check_says_the_same_with_the_parser(file: Path) -> None:
    """`--on sim` is the default, and takes the long way."""
    warned = file.with_name("warned.toml")
    warned.write_text(SCENARIO.replace('"4 s"', '"1100 ms"'))
    for path in (file, warned, file.with_name("missing.toml")):
        for words in ((), ("--deny-warnings", "--json")):
            short, long = (dumbbell("check", path, *words, *more) for more in ((), ("--on", "sim")))
            assert (short.returncode, short.stdout, short.stderr) == (
                long.returncode,
                long.stdout,
                long.stderr,
            )
    assert dumbbell("check", file, "--json", "--json").returncode == 2
    assert "there is no option --jsn" in dumbbell("check", file, "--jsn").stderr
    assert "is missing" in dumbbell("check").stderr


def test_run_measures_flows_and_queues(file: Path) -> None:
    result = document("run", file)
    assert result["valid"] is True
    assert result["conservation"]["ok"] is True
    assert [f["name"] for f in result["flows"]] == ["a", "b.1", "b.2"]
    assert sum(f["share"] for f in result["flows"]) == pytest.approx(1)
    (queue,) = result["queues"]
    assert queue["name"] == "bottleneck"
    assert queue["kind"] == "red"
    assert 0 < sum(f["throughput_bps"] for f in result["flows"]) <= 10e6
    assert 0.5 < queue["utilization"] <= 1
    assert queue["arrivals"] >= queue["departures"]


def test_the_same_seed_gives_the_same_run_and_another_seed_another(file: Path) -> None:
    prints = [document("run", file, "--seed", seed)["fingerprint"] for seed in (1, 1, 2)]
    assert prints[0] == prints[1] != prints[2]


def test_threads_change_nothing(file: Path) -> None:
    one, two = (document("run", file, "--replications", 4, "--threads", n) for n in (1, 2))
    assert one["fingerprint"] == two["fingerprint"]


def test_replications_give_intervals(file: Path) -> None:
    result = document("run", file, "--replications", 3)
    goodput = result["flows"][0]["goodput_bps"]
    assert goodput["n"] == 3
    assert goodput["ci95"][0] <= goodput["mean"] <= goodput["ci95"][1]
    assert len({run["fingerprint"] for run in result["runs"]}) == 3


def test_people_get_tables_with_units(file: Path) -> None:
    done = dumbbell("run", file, "-s", 'allow=["W005", "W012"]')
    assert done.returncode == 0
    assert "goodput [Mbps]" in done.stdout
    assert "mean [pkt]" in done.stdout
    assert done.stderr == ""


def test_an_override_and_a_typo(file: Path) -> None:
    changed = document("run", file, "-s", "queue=drop_tail", "-s", "queue.limit=20 pkt")
    assert changed["queues"][0]["kind"] == "drop_tail"
    assert changed["queues"][0]["max_packets"] <= 20
    done = dumbbell("run", file, "-s", "queue.max_pp=0.1")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "did you mean `max_p`?" in done.stderr
    error = document("check", file, "-s", "queue.max_pp=0.1", code=2)["error"]
    assert error["code"] == 2
    assert error["problems"][0]["key"] == "queue.max_pp"


def test_a_bare_number_is_refused_with_its_line_and_fix(tmp_path: Path) -> None:
    path = tmp_path / "bare.toml"
    path.write_text(SCENARIO.replace('"5 ms"', "5"))
    done = dumbbell("check", path)
    assert done.returncode == 2
    assert "delay = 5" in done.stderr
    assert '"5 ms"' in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("frobnicate",),
        ("run",),
        ("run", "no-such-file.toml"),
        ("run", "x.toml", "--no-such-option"),
        ("run", "x.toml", "--seed", "many"),
        ("explain", "rde"),
        ("reproduce", "no-such-paper"),
        ("plot", "no-such-directory"),
        ("plot", "curve", "fred"),
    ],
)
def test_usage_errors_end_with_2_and_one_document(words: tuple[str, ...]) -> None:
    done = dumbbell(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr != ""
    assert "Traceback" not in done.stderr
    assert document(*words, code=2)["error"]["code"] == 2


def test_a_paper_without_an_experiment_for_kernels_says_which_has_one() -> None:
    done = dumbbell("reproduce", "ea-red", "--on", "kernel")
    assert done.returncode == 2
    assert "red-on-netfpga" in done.stderr


def test_ctrl_c_ends_with_130_and_leaves_nothing(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = [
        "run",
        file,
        "-s",
        "duration=100000 s",
        "--replications",
        "64",
        "--record-every",
        "100 ms",
        "--out",
        out,
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "dumbbell", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=10)
    assert process.returncode == 130
    assert stdout == ""
    assert "interrupted" in stderr
    assert "Traceback" not in stderr
    assert not out.exists()


def test_out_can_be_plotted_later(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "result"
    result = document("run", file, "--replications", 2, "--record-every", "100ms", "--out", out)
    assert json.loads((out / "summary.json").read_text())["fingerprint"] == result["fingerprint"]
    written = document("plot", out)["written"]
    assert {Path(p).name for p in written} >= {"cwnd.svg", "queue.pdf", "goodput.png"}
    assert all(Path(p).stat().st_size > 1000 for p in written)


def test_a_sweep_runs_every_combination(file: Path) -> None:
    over = ("--over", "queue.kind=red,drop_tail", "--over", "queue.limit=20 pkt,40 pkt")
    points = document("sweep", file, *over)["points"]
    assert [p["overrides"]["queue.limit"] for p in points] == ["20 pkt", "40 pkt"] * 2
    assert [p["queues"][0]["kind"] for p in points] == ["red", "red", "drop_tail", "drop_tail"]
    assert len({p["fingerprint"] for p in points}) == 4


def test_show_draws_and_gives_the_plan(file: Path) -> None:
    text = dumbbell("show", file).stdout
    assert "left ══ 10 Mbps, 5 ms ══ right" in text
    assert "queue at left: red, 36 pkt" in text
    assert "40 ms" in text
    plan = document("show", file)["plan"]
    assert len(plan["flows"]) == 3
    assert dumbbell("show", file, "--dot").stdout.startswith("digraph")


def test_a_scenario_from_stdin() -> None:
    done = dumbbell("check", "-", stdin=SCENARIO)
    assert done.returncode == 0
    assert "3 flows" in done.stdout


def test_list_and_explain() -> None:
    from dumbbell import catalogue
    from dumbbell.cli.algorithms.explain import algorithm_page

    names = document("list")
    kinds = {
        "aqm",
        "qdisc",
        "cc",
        "meter",
        "conditioner",
        "impairment",
        "service",
        "source",
        "paper",
        "scenario",
    }
    assert set(names) == kinds
    assert {"drop_tail", "red"} <= set(names["aqm"])
    assert "red-on-netfpga" in names["paper"]
    assert "bufferbloat" in names["scenario"]
    for kind in kinds - {"paper", "scenario"}:
        for name in names[kind]:
            page = algorithm_page(catalogue.find(name)[0])[0]
            assert page["idea"]
            assert page["sources"]
            assert all(p["doc"] for p in page["parameters"])
    for name in ("red", "fq_codel", "constant"):
        assert document("explain", name)["name"] == name
    text = dumbbell("explain", "red").stdout
    assert "max_p (avg - min_th)" in text
    assert "Provenance" in text
    assert "min_rto" in dumbbell("explain", "tcp").stdout
    assert document("explain", "linux")["profile"] == "linux"


def test_every_page_fits_a_screen_with_all_that_there_is_to_say() -> None:
    from dumbbell import catalogue
    from dumbbell.cli.algorithms.explain import algorithm_page, bounded, shared_with_red
    from dumbbell.present.grids import to_text

    for algorithm in catalogue.algorithms():
        page = to_text(algorithm_page(algorithm)[1])
        # A screen; what has more parameters than a screen has room for takes three lines for each.
        assert len(page.splitlines()) <= max(45, 3 * len(algorithm.parameters)), algorithm.name
        words, shared = " ".join(page.split()), shared_with_red(algorithm)
        for parameter in algorithm.parameters:
            # What is left out where no value is: its words say what holds then.
            assert parameter.default is not None or re.search(
                "default|where none is written", parameter.doc
            )
            assert parameter.source
            assert parameter.name in words
            assert parameter in shared or bounded(parameter) in words


def test_a_variant_of_red_names_what_it_shares_and_all_has_a_row_for_each() -> None:
    from dumbbell import catalogue
    from dumbbell.cli.algorithms.explain import algorithm_page, bounded, shared_with_red
    from dumbbell.present.grids import to_text

    assert "As in red" in dumbbell("explain", "dt_red").stdout
    assert "As in red" not in dumbbell("explain", "dt_red", "--all").stdout
    red = {p.name: p for p in catalogue.find("red")[0].parameters}
    for name in ("ea_red", "dt_red", "adaptive_red", "feng_red", "wred", "gred"):
        algorithm = catalogue.find(name)[0]
        shared = shared_with_red(algorithm)
        page, every = (
            " ".join(to_text(algorithm_page(algorithm, flag)[1]).split()) for flag in (False, True)
        )
        told = page.partition("a row for each): ")[2].partition("Sources:")[0]
        assert len(shared) > 5
        for p in algorithm.parameters:
            assert (p in shared) == (red.get(p.name) == p)
            assert (f" {p.name} " in f" {told}") == (p in shared)
            assert bounded(p) in every
            assert p.source in every
    # RED-like is not RED: CHOKe's parameters mean other things, and what is alike keeps its row.
    assert not shared_with_red(catalogue.find("choke")[0])


def test_bounds_are_said_in_few_words() -> None:
    from dumbbell.catalogue import Parameter
    from dumbbell.cli.algorithms.explain import bounded

    def p(bounds: str, *choices: str) -> Parameter:
        return Parameter("x", "", 1, "", bounds, "", choices)

    assert bounded(p("at least 0 and at most 1")) == "0 to 1"
    assert bounded(p("above 0 and at most 0.5")) == "above 0 to 0.5"
    assert bounded(p("at least 0")) == "at least 0"
    assert bounded(p("", "mult", "add")) == "mult | add"


def test_explain_sends_a_paper_to_reproduce() -> None:
    assert "dumbbell reproduce red-on-netfpga" in dumbbell("explain", "red-on-netfpga").stderr


def test_schema_is_json_schema() -> None:
    schema = document("schema")
    assert "duration" in schema["properties"]
    assert json.loads(dumbbell("schema").stdout) == schema


def test_doctor_knows_what_is_here() -> None:
    report = document("doctor")
    assert report["ok"] is True
    assert report["cores"] == os.cpu_count()


WHOLE_S = 10 * 60
"""Simulated time of a point of the whole reproduction: ten runs of a minute."""


def test_a_quick_reproduction_is_a_sixth_of_the_whole(tmp_path: Path) -> None:
    summary = document("reproduce", "red-on-netfpga", "--quick", "--out", tmp_path, timeout_s=600)
    simulated = [point["n"] * point["duration_s"] for point in summary["points"]]
    assert 0 < max(simulated) <= WHOLE_S / 6
    assert len(summary["readings"]) > 20
    assert summary["readings_conclusion"]
    assert summary["valid"] is True
    assert len(summary["cells"]) == 24
    assert Path(summary["report"]).exists()


def test_with_the_scheme_taken_out_every_effect_is_exactly_zero(tmp_path: Path) -> None:
    summary = document(
        "reproduce",
        "red-on-netfpga",
        "--quick",
        "--out",
        tmp_path,
        "-s",
        "queue=drop_tail",
        timeout_s=600,
    )
    assert {c["effect"]["value"] for c in summary["cells"] if "effect" in c} == {0.0}
    gains = [c for c in summary["claims"] if c["id"] != "claim-2b"]
    assert {c["verdict"] for c in gains} == {"contradicted"}
    prints = {p["id"]: p["fingerprint"] for p in summary["points"]}
    assert prints["red-36"] == prints["dt-36"]
