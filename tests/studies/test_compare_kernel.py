"""The simulator and real kernels beside each other: rules, kept runs, what is laid out, and the
page.

Kernels are stood in for by the simulator (`simulated_kernels.py`), so that what differs is known.
"""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from dumbbell import InvalidRun, ScenarioError, api, figures
from dumbbell.cli import main
from dumbbell.cli.studies import compare_kernel as cli
from dumbbell.studies.compare.kernel import agreement, conditions, explain, measures, page, work
from dumbbell.testbed import attempts, live_runs
from helpers import simulated_kernels
from helpers.simulated_kernels import mark

SCENARIO = """
duration = "4 s"
warmup = "1 s"
profile = "linux"
queue = { kind = "drop_tail", limit = "20 pkt" }
[dumbbell.bottleneck]
rate = "5 Mbps"
delay = "5 ms"
[[flow]]
name = "a"
start_spread = "200 ms"
[[flow]]
name = "b"
start_spread = "200 ms"
"""


@pytest.fixture(autouse=True)
def own_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that are stood in for need not wait for real ones."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "two.toml"
    path.write_text(SCENARIO)
    return path


@pytest.mark.parametrize(
    ("sim", "kernel", "floor", "verdict", "by"),
    [
        ([100.0, 101.0, 99.0], [109.0, 109.5, 110.0], 0.0, "agrees", "within 10 %"),
        ([100.0, 101.0, 99.0], [112.0, 112.5, 113.0], 0.0, "differs", None),
        ([100.0, 130.0, 70.0], [140.0, 150.0, 130.0], 0.0, "agrees", "intervals overlap"),
        ([0.0, 0.0], [0.0, 0.0], 0.0, "agrees", "both below the floor"),
        ([0.3, 0.3], [0.5, 0.5], 0.5, "agrees", "both below the floor"),
        ([100.0], [111.0], 0.0, "too few runs", None),
        ([100.0, 101.0], [100.0], 0.0, "too few runs", None),
        ([0.0], [0.0, 0.0], 0.5, "too few runs", None),
        ([100.0], [], 0.0, "not measured", None),
        ([0.0, 0.0], [40.0, 41.0], 2.0, "differs", None),
    ],
)
def test_the_rules(
    sim: list[float], kernel: list[float], floor: float, verdict: str, by: str | None
) -> None:
    row = agreement.compare(sim, kernel, floor)
    assert (row["verdict"], row["by"]) == (verdict, by)


def test_wide_intervals_say_little() -> None:
    assert agreement.compare([100.0, 130.0, 70.0], [140.0, 150.0, 130.0], 0.0)["weak"] is True
    assert agreement.compare([100.0, 101.0], [105.0, 104.0], 0.0)["weak"] is False


def test_the_interval_of_a_ratio() -> None:
    # Equal relative spread on both sides, n = 5: ln r +- t(8) s sqrt(2 / 5), Welch's freedom being
    # the pooled one.
    values = [0.9, 0.95, 1.0, 1.05, 1.1]
    row = agreement.compare(values, [2 * x for x in values], 0.0)
    step = 2.306004135 * math.sqrt(0.00625 * 2 / 5)
    assert row["ratio"] == pytest.approx(2.0)
    assert row["ratio_ci95"] == pytest.approx([2 * math.exp(-step), 2 * math.exp(step)], rel=1e-6)
    assert agreement.compare([1.0, 1.0], [2.0, 2.0], 0.0)["ratio_ci95"] == [2.0, 2.0]
    assert agreement.compare([1.0], [2.0], 0.0)["ratio_ci95"] is None


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        (2.0, 1.05, "closes"),
        (2.0, 1.3, "narrows"),
        (2.0, 1.6, "does not explain"),
        (1.0, 2.0, "nothing to explain"),
    ],
)
def test_experiments_are_judged(before: float, after: float, outcome: str) -> None:
    rows = [agreement.compare([1.0, 1.0], [x, x], 0.0) for x in (before, after)]
    assert agreement.explained(*rows) == outcome


def test_experiments_are_read() -> None:
    one = explain.read("srtt.a=kernel:tcp.sack=false; tcp.frto=false")
    assert (one.measure, one.side, one.overrides) == (
        "srtt.a",
        "kernel",
        ["tcp.sack=false", "tcp.frto=false"],
    )
    assert explain.read("queue=queue.limit=9 pkt").side == "sim"
    for wrong in ("queue", "queue=x", "charm=a=b"):
        with pytest.raises(ScenarioError, match="help: write"):
            explain.read(wrong)


def test_measures_have_names_that_can_be_asked_for(file: Path) -> None:
    run = api.run(api.request({"path": str(file)}))
    known = measures.of_run(run)
    found = measures.values(run)
    assert found["total"] == sum(flow["goodput_bps"] for flow in run["flows"])
    assert [m.key for m in measures.asked("share", known)] == ["share.a", "share.b"]
    assert [m.key for m in measures.asked("share.b", known)] == ["share.b"]
    assert {m.key for m in known} == found.keys()


def test_a_grid_is_laid_out_and_wrong_values_are_named() -> None:
    wish = conditions.Options(
        rate=["5Mbps", "10Mbps"],
        rtt=["10ms"],
        aqm=["drop_tail", "red"],
        cc=["cubic"],
        buffer=["2bdp"],
    )
    study = conditions.read(wish)
    assert [cell.label for cell in study.cells][1] == "5Mbps, RTT 10ms, red, buffer 2bdp, cubic"
    plan = api.plan(api.request(dict(study.source), study.cells[1].overrides))["points"][0]["plan"]
    assert plan["links"][0]["aqm"]["kind"] == "red"
    assert study.asked is None
    with pytest.raises(ScenarioError, match="nonsense"):
        conditions.read(conditions.Options(aqm=["nonsense"]))
    with pytest.raises(ScenarioError, match="not a time"):
        conditions.read(conditions.Options(rtt=["10"]))


def test_words_between_commas() -> None:
    assert cli.split("drop_tail,red:min_th=5pkt,max_th=9pkt,codel") == [
        "drop_tail",
        "red:min_th=5pkt,max_th=9pkt",
        "codel",
    ]
    assert cli.split(None) == []


def test_conditions_are_interleaved_in_a_balanced_order() -> None:
    laid = live_runs.interleaved(["dt", "red"], 3)
    assert [name for name, _ in laid] == ["dt", "red", "red", "dt", "dt", "red"]


def test_a_ledger_survives_a_kill(tmp_path: Path) -> None:
    kept = attempts.Attempts(tmp_path)
    kept.keep("a", 1, {"valid": True, "validity": {"valid": True}}, "one", False)
    with (tmp_path / "runs.jsonl").open("a") as half:
        half.write('{"key": "b", "run": {')
    again = attempts.Attempts(tmp_path)
    assert (len(again.attempts("a")), again.attempts("b"), again.torn) == (1, [], 1)
    again.keep("b", 1, {"validity": {"valid": False}}, "two", False)
    last = attempts.Attempts(tmp_path)
    assert [one.valid for one in last.attempts("a") + last.attempts("b")] == [True, False]


def test_a_run_is_kept_under_its_plan_its_seed_and_its_release() -> None:
    keys = {attempts.key_of({"a": a}, {}, seed, "1") for a, seed in ((1, 1), (1, 2), (2, 1))}
    assert len(keys | {attempts.key_of({"a": 1}, {}, 1, "2")}) == 4
    assert attempts.key_of({"a": 1, "b": 2}, {}, 1, "1") == attempts.key_of(
        {"b": 2, "a": 1}, {}, 1, "1"
    )


@pytest.fixture
def command(monkeypatch, tmp_path: Path, capsys):
    """`compare --on sim,kernel` with kernels whose queue is twice as long and whose seed 2 is never
    valid."""
    asked: list[dict[str, Any]] = []
    lives = simulated_kernels.testbed(
        lambda wanted: [simulated_kernels.LATE] if wanted["seed"] == 2 else []
    )

    def run(wanted: dict[str, Any], progress: Any = None, own: Any = ()) -> dict[str, Any]:
        if wanted.get("on") == "kernel":
            asked.append(wanted)
            wanted = wanted | {"overrides": ["queue.limit=40 pkt", *wanted["overrides"]]}
        return lives(wanted, progress, own)

    monkeypatch.setattr(api, "need_testbed", lambda function="doctor": None)
    monkeypatch.setattr(api, "run", run)
    monkeypatch.setattr(figures, "save", mark)

    def call(*words: object, code: int = 0) -> dict[str, Any]:
        with pytest.raises(SystemExit) as ended:
            main(
                [
                    *map(
                        str, ["compare", "--on", "sim,kernel", *words, "--out", tmp_path / "page"]
                    ),
                    "--json",
                ]
            )
        printed = capsys.readouterr()
        assert ended.value.code == code, printed.err
        return json.loads(printed.out) | {"asked": list(asked), "err": printed.err}

    return call


def test_a_difference_is_found_explained_and_resumed(command, file: Path, tmp_path: Path) -> None:
    words = (
        "-f",
        file,
        "--explain",
        "queue=queue.limit=40 pkt",
        "--explain",
        "total=queue.limit=40 pkt",
    )
    found = command(*words)
    (row,) = found["cells"]
    by_key = {m["key"]: m for m in row["measures"]}
    assert by_key["queue.bottleneck"]["verdict"] == "differs"
    assert by_key["total"]["verdict"] == "agrees"
    assert (row["sim_runs"], row["kernel_runs"]) == (3, 2)
    assert [(e["measure"], e["outcome"]) for e in row["experiments"]] == [
        ("queue.bottleneck", "closes"),
        ("total", "nothing to explain"),
    ]
    assert [one["seed"] for one in found["not_valid"]] == [2]
    assert [wanted["seed"] for wanted in found["asked"]] == [1, 2, 3, 2]
    assert {wanted["threads"] for wanted in found["asked"]} == {1}
    page = Path(found["page"]).read_text(encoding="utf-8")
    assert simulated_kernels.LATE in page
    assert "weak evidence" in page
    names = {Path(name).name for name in found["figures"]}
    assert {"queue.svg", "cwnd.svg", "goodput.svg", "ratios.svg"} <= names
    assert len(command(*words)["asked"]) == 4  # What is kept is not run again.


def test_another_profile_is_said_and_a_grid_has_a_map(command, file: Path) -> None:
    found = command(
        "-f", file, "-s", "profile=rfc", "--aqm", "drop_tail,codel", "--seeds", "2", "--seed", "3"
    )
    assert found["profile_asked"] == "rfc"
    assert any("`rfc`" in note for note in found["notes"])
    assert [row["at"] for row in found["cells"]] == [{"aqm": "drop_tail"}, {"aqm": "codel"}]
    assert any("agreement.svg" in name for name in found["figures"])


def test_one_valid_run_gives_no_verdict(command, file: Path) -> None:
    found = command("-f", file, "--seeds", "2", code=5)  # Seed 2 is never valid.
    assert (
        found["tally"]["agrees"],
        found["tally"]["differs"],
        found["cells"][0]["kernel_runs"],
    ) == (0, 0, 1)
    assert {m["verdict"] for m in found["cells"][0]["measures"]} == {"too few runs"}
    assert any("1 of 2 live runs are valid" in note for note in found["notes"])
    assert "too few valid runs" in page.sentence(found)


def test_where_no_run_is_valid_nothing_is_compared(command, file: Path, monkeypatch) -> None:
    monkeypatch.setattr(api, "run", simulated_kernels.testbed(lambda _: [simulated_kernels.LATE]))
    found = command("-f", file, "--seeds", "2", code=5)
    assert {m["verdict"] for m in found["cells"][0]["measures"]} == {"not measured"}


def test_the_required_class_is_laid_over_both_sides(command, file: Path) -> None:
    found = command("-f", file, "--seeds", "2", "--seed", "3", "--class", "good")
    assert all("testbed.class=good" in wanted["overrides"] for wanted in found["asked"])


@pytest.mark.parametrize(
    "words",
    [
        ["--on", "kernel"],
        ["--rtt", "10ms"],
        ["--on", "sim,kernel", "red"],
        ["--on", "sim,kernel", "--against", "ns2"],
        ["--on", "sim,kernel", "--no-store"],
        ["--on", "sim,kernel", "--use", "own.py"],
        ["--on", "sim,kernel", "--seeds", "1"],
        ["--class", "good"],
    ],
)
def test_words_that_do_not_fit_are_refused(words: list[str], capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["compare", *words])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "help: " in said or "--seeds" in said or "--on" in said


def test_a_row_is_whole_though_the_system_takes_it_in_pieces(tmp_path: Path, monkeypatch) -> None:
    class Pieces(io.FileIO):
        """Takes seven bytes at a time."""

        def write(self, data) -> int:
            return super().write(bytes(data[:7]))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", lambda self, mode, buffering: Pieces(self, mode))
        attempts.Attempts(tmp_path).keep(
            "a", 1, {"valid": True, "validity": {"valid": True}}, "one", False
        )
    again = attempts.Attempts(tmp_path)
    assert (again.torn, again.attempts("a")[0].valid) == (0, True)


def test_a_run_must_itself_be_valid_and_not_only_its_block() -> None:
    run = simulated_kernels.lived({"valid": True})
    assert attempts.Kept(run, 0.0, 1, None).valid
    broken = attempts.Kept(run | {"valid": False}, 0.0, 1, None)
    assert not broken.valid
    assert "conservation" in broken.reasons[0]
    assert not attempts.Kept({"validity": {"valid": True}}, 0.0, 1, None).valid


def test_orders_that_mean_the_same_have_runs_of_their_own(
    tmp_path: Path, monkeypatch, file: Path
) -> None:
    monkeypatch.setattr(api, "run", simulated_kernels.testbed())
    same = [
        live_runs.Order(name, {"path": str(file)}, overrides, 1)
        for name, overrides in (("dt", []), ("red", ["queue=drop_tail", "queue.limit=20 pkt"]))
    ]
    one = live_runs.LiveRunner(attempts.Attempts(tmp_path))
    first = one.jobs(same)
    one.run(first)
    assert one.made == 2
    assert len({job.key for job in first}) == 2
    assert not {job.key for job in first} & {
        job.key for job in one.jobs(same)
    }  # An experiment of the same study.
    anew = live_runs.LiveRunner(attempts.Attempts(tmp_path))
    assert [job.key for job in anew.jobs(same)] == [job.key for job in first]
    assert anew.left_s(first) == 0


def test_what_the_testbed_is_asked_for_and_what_it_measures_are_in_the_key(
    monkeypatch, file: Path
) -> None:
    def key(*overrides: str) -> str:
        made = live_runs.LiveRunner(attempts.Attempts(file.parent / "none"))
        return made.jobs([live_runs.Order("one", {"path": str(file)}, list(overrides), 1)])[0].key

    asked = ((), ("testbed.class=loose",), ("testbed.sample=20 ms",), ("testbed.wait=sleep",))
    keys = {key(*overrides) for overrides in asked}
    assert len(keys) == len(asked)
    monkeypatch.setattr(attempts, "LIVE_VERSION", attempts.LIVE_VERSION + 1)
    assert key() not in keys


def test_no_time_is_left_for_another_attempt(tmp_path: Path, monkeypatch, file: Path) -> None:
    monkeypatch.setattr(api, "run", simulated_kernels.testbed(lambda _: [simulated_kernels.LATE]))
    said: list[str] = []
    order = live_runs.Order("one", {"path": str(file)}, [], 1)
    tight = live_runs.LiveRunner(attempts.Attempts(tmp_path), tell=said.append, budget_s=1.0)
    assert not tight.run(tight.jobs([order]))[0].valid
    assert tight.made == 1
    assert "no time for another attempt" in said[-1]


def test_runs_that_were_not_valid_are_tried_anew_if_asked(
    tmp_path: Path, monkeypatch, file: Path
) -> None:
    states = iter([[simulated_kernels.LATE]] * 3 + [[]])
    monkeypatch.setattr(api, "run", simulated_kernels.testbed(lambda _: next(states)))
    orders = [live_runs.Order("one", {"path": str(file)}, [], 1)]
    made = []
    for again in (False, False, True, True):
        one = live_runs.LiveRunner(attempts.Attempts(tmp_path), again=again)
        made.append((one.run(one.jobs(orders))[0].valid, one.made))
    assert made == [(False, 2), (False, 0), (True, 2), (True, 0)]


def test_a_refusal_before_the_run_is_a_run_that_is_not_valid(
    tmp_path: Path, monkeypatch, file: Path
) -> None:
    def refuse(wanted: dict[str, Any], progress: Any = None, own: Any = ()) -> dict[str, Any]:
        raise InvalidRun(
            "  x too much\n  help: less",
            {"problems": [{"cause": "the rate is beyond this machine"}]},
        )

    monkeypatch.setattr(api, "run", refuse)
    one = live_runs.LiveRunner(attempts.Attempts(tmp_path))
    kept = one.run(one.jobs([live_runs.Order("one", {"path": str(file)}, [], 1)]))[0]
    assert kept.run["validity"]["reasons"] == ["the rate is beyond this machine"]


def test_what_the_kernel_has_not_ends_the_study(tmp_path: Path, monkeypatch, file: Path) -> None:
    failed = {"code": 2, "failures": [{"message": "flow `a`, `cc`: the kernel has no `tahoe`"}]}
    monkeypatch.setattr(api, "run", lambda wanted, progress=None, own=(): failed)
    one = live_runs.LiveRunner(attempts.Attempts(tmp_path))
    with pytest.raises(ScenarioError, match="tahoe"):
        one.run(one.jobs([live_runs.Order("one", {"path": str(file)}, [], 1)]))


def test_the_work_module_needs_a_testbed(file: Path, tmp_path: Path, monkeypatch) -> None:
    from dumbbell import EnvironmentLacks, _native

    monkeypatch.delitem(_native.VERBS, "doctor")
    with pytest.raises(EnvironmentLacks):
        work.compare(conditions.Options(source={"path": str(file)}), work.How(store=tmp_path))
