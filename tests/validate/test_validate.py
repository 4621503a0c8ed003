"""The validation suite: its rule, that its laws stand alone, that it can fail, and that its quick
part passes."""

from __future__ import annotations

import ast
import itertools
import json
import math
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell import api, cli
from dumbbell.errors import InvalidRun, ScenarioError
from dumbbell.scenario import Scenario
from dumbbell.validate import report
from dumbbell.validate.check import Check, CheckResult
from dumbbell.validate.measured import Measured
from dumbbell.validate.runner import Runner, farthest

PACKAGE = Path(dumbbell.__file__).parent / "validate"


def check(
    expected: float = 10.0, tolerance: float = 0.1, value: float = 10.0, **words: object
) -> Check:
    def measure(runner: object) -> Measured:
        return Measured(value)

    return Check("a.b", "a law", expected, tolerance, measure, **words)  # type: ignore[arg-type]


def verdict(measured: Measured | None, **words: object) -> str:
    return CheckResult(check(**words), measured, 0.0).verdict  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        (Measured(10.0), "pass"),
        (Measured(9.0), "pass"),
        (Measured(11.001), "fail"),
        (Measured(10.0, (9.1, 10.9)), "pass"),
        (Measured(10.0, (8.9, 11.1)), "fail"),
        (Measured(10.5, (9.9, 11.1)), "fail"),
        (Measured(math.nan), "fail"),
        (Measured(10.0, (math.nan, math.nan)), "fail"),
        (None, "fail"),
    ],
)
def test_the_whole_interval_must_lie_within(measured: Measured | None, expected: str) -> None:
    assert verdict(measured) == expected


def test_tolerances_are_fractions_or_in_the_unit() -> None:
    assert check(-4.0, 0.25).bounds == (-5.0, -3.0)
    assert check(-4.0, 0.25, absolute=True).bounds == (-4.25, -3.75)
    assert verdict(Measured(0.1 + 0.2), expected=0.3, tolerance=0.0) == "fail"
    for expected, tolerance in [(0.0, 0.1), (math.nan, 0.1), (1.0, -0.1), (1.0, math.inf)]:
        with pytest.raises(ValueError):
            check(expected, tolerance)


def test_too_few_runs_say_nothing() -> None:
    with pytest.raises(ValueError, match="at least 5"):
        Measured.of([1.0, 1.0, 1.0, 1.0])
    measured = Measured.of([1.0, 2.0, 3.0, 4.0, 5.0])
    half = 2.776445 * math.sqrt(2.5 / 5)  # Student's t, 4 degrees of freedom.
    assert measured.ci95 == pytest.approx((3 - half, 3 + half))


def test_laws_import_nothing_of_dumbbell() -> None:
    files = list((PACKAGE / "laws").glob("**/*.py"))
    assert len(files) > 1
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0 or _stays(file, node), f"{file.name}: {ast.unparse(node)}"
                names = [] if node.level else [node.module or ""]
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "__import__",
                "importlib.import_module",
            ):
                raise AssertionError(f"{file.name} imports by name")
            else:
                continue
            assert not any(name.split(".")[0] in ("dumbbell", "importlib") for name in names), (
                file.name
            )


def _stays(file: Path, node: ast.ImportFrom) -> bool:
    """True if a relative import stays within the laws."""
    return file.parents[node.level - 1].is_relative_to(PACKAGE / "laws")


def test_expectations_are_not_typed_in() -> None:
    """Every `expected` is a name, an attribute or a call of `laws`; a number alone is a definition
    (0, 1)."""
    for section, module in report.SECTIONS.items():
        for node in ast.walk(ast.parse((PACKAGE / f"{module.replace('.', '/')}.py").read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Check":
                given = {k.arg: k.value for k in node.keywords}.get(
                    "expected", (node.args + [None] * 3)[2]
                )
                if isinstance(given, ast.Constant):
                    assert given.value in (0, 1), f"{section}: {ast.unparse(given)} is typed in"


def test_names_are_of_one_form_and_unique() -> None:
    for one in report.checks():
        assert one.id == one.id.lower() or "." in one.id
        assert " " not in one.id and len(one.law) < 200, one.id


def test_patterns_choose() -> None:
    every = report.checks()
    some = report.select(every, ["mm1.*"])
    assert some and all(one.id.startswith("mm1.") for one in some)
    assert all(one.quick for one in report.select(every, quick=True))
    with pytest.raises(ScenarioError, match=r"did you mean `mm1\.\*`"):
        report.select(every, ["mm2.*"])


def test_a_scenario_is_run_once_however_many_checks_measure_it() -> None:
    runner, runs = Runner(), []
    for _ in range(3):
        runner.cached(("run", {"a": 1}), lambda: runs.append(1))
    runner.cached(("run", {"a": 2}), lambda: runs.append(2))
    assert runs == [1, 2]


RECORDED = {
    "duration": "1 s",
    "dumbbell": {"bottleneck": {"rate": "1 Mbps", "delay": "1 ms"}},
    "flow": [{"name": "s"}],
    "record": {"every": "100 ms", "packets": True},
}


def test_all_tables_of_records_come_from_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    run = Scenario.run

    def counted(scenario: Scenario, **options: Any) -> Any:
        runs.append(options)
        return run(scenario, **options)

    monkeypatch.setattr(Scenario, "run", counted)
    runner = Runner()
    assert len(runner.recorded(RECORDED).table("queues")) >= 10
    assert len(runner.recorded(RECORDED).table("packets")) > 10
    assert len(runs) == 1


def test_every_run_must_conserve_packets(monkeypatch: pytest.MonkeyPatch) -> None:
    run = api.run

    def leaking(*request: Any) -> Any:
        data = run(*request)
        data["conservation"]["ok"] = False
        return data

    monkeypatch.setattr(api, "run", leaking)
    with pytest.raises(InvalidRun, match="conservation does not hold with seed 1"):
        Runner().run(RECORDED, seeds=1)
    with pytest.raises(InvalidRun, match="conservation does not hold with seed 1"):
        Runner().recorded(RECORDED)


@pytest.mark.parametrize("values", list(itertools.permutations([1.0, 5.0, math.nan])))
def test_a_run_without_a_number_is_the_worst(values: tuple[float, ...]) -> None:
    assert math.isnan(farthest(values, 1.0).value)
    assert farthest([value for value in values if value == value], 1.0) == Measured(5.0, n=2)


def _main(monkeypatch: pytest.MonkeyPatch, *checks: Check) -> int:
    monkeypatch.setattr(report, "checks", lambda: list(checks))
    with pytest.raises(SystemExit) as ended:
        cli.main(["validate", "--json"])
    return int(ended.value.code or 0)


def test_a_wrong_expectation_fails_with_3_and_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first line that there is, with its expectation moved by three tolerances, and no other
    change."""
    right = report.select(report.checks(), ["md1.rho-0.5.L"])[0]
    wrong = Check(
        "wrong",
        right.law,
        right.expected * (1 + 3 * right.tolerance),
        right.tolerance,
        right.measure,
    )
    assert _main(monkeypatch, right, wrong) == 3
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert [check["verdict"] for check in document["checks"]] == ["pass", "fail"]
    assert document["failed"] == ["wrong"]
    assert "wrong failed: expected" in err


def test_what_cannot_be_measured_fails_and_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(runner: Runner) -> Measured:
        raise ZeroDivisionError("no arrivals")

    assert _main(monkeypatch, Check("x", "a law", 1.0, 0.0, broken)) == 3
    (check,) = json.loads(capsys.readouterr().out)["checks"]
    assert (check["verdict"], check["measured"]) == ("fail", None)
    assert "no arrivals" in check["error"]


def test_an_interrupt_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(runner: Runner) -> Measured:
        raise KeyboardInterrupt

    assert _main(monkeypatch, Check("x", "a law", 1.0, 0.0, interrupted)) == 130


def test_there_are_enough_lines() -> None:
    every = report.checks()
    assert len(every) >= 115
    assert len([one for one in every if one.quick]) >= 100


def test_the_quick_checks_pass() -> None:
    results = report.validate(report.select(report.checks(), quick=True), Runner(quick=True))
    failed = {
        result.check.id: (result.measured, result.error)
        for result in results
        if result.verdict != "pass"
    }
    assert not failed
