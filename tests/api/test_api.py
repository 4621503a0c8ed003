"""The Python API: the same words as a file, the same runs."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import dumbbell
import pytest
from helpers.scenarios import SCENARIO, WORDS, build


def test_the_api_and_a_file_are_the_same_run(tmp_path: Path) -> None:
    file = tmp_path / "three.toml"
    file.write_text(SCENARIO)
    ways = [
        dumbbell.Scenario.from_file(file),
        dumbbell.Scenario.from_text(SCENARIO, "three"),
        build(),
    ]
    plans = [scenario.check()[0]["plan"] for scenario in ways]
    for plan in plans:
        plan.pop("name")
    assert plans[0] == plans[1] == plans[2]
    assert len({scenario.run().fingerprint for scenario in ways}) == 1


def test_a_scenario_has_the_name_that_it_was_given() -> None:
    named = dumbbell.Scenario(WORDS, name="first steps")
    assert (named.size()["name"], named.run().json["name"]) == ("first steps", "first steps")
    assert repr(named) == "<Scenario first steps>"
    assert dumbbell.Scenario(WORDS).run().json["name"] == "three"
    assert dumbbell.Scenario({**WORDS, "name": None}).run().json["name"] == "scenario"


WRONG = {
    "key": ({"duraton": "60 s"}, "did you mean `duration`"),
    "unit": ({"duration": "60 bananas"}, "known are ps"),
    "type": ({"seed": "one"}, "seed"),
    "flow's key": ({"flow": [{"rttt": "10 ms"}]}, "did you mean `rtt`"),
    "algorithm": ({"flow": [{"cc": "neureno"}]}, "did you mean `newreno`"),
    "parameter": ({"queue": {"kind": "red", "max_tj": "3 pkt"}}, "did you mean `max_th`"),
    "impairment": (
        {
            "dumbbell": {
                "bottleneck": {**WORDS["dumbbell"]["bottleneck"], "impairment": ["bernouli"]}
            }
        },
        "bernoulli",
    ),
    "conditioner": (
        {
            "dumbbell": {
                "bottleneck": {
                    **WORDS["dumbbell"]["bottleneck"],
                    "conditioner": [{"kind": "tbf", "rat": "1 Mbps"}],
                }
            }
        },
        "did you mean `rate`",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_words_are_refused_at_once_as_a_run_refuses_them(what: str) -> None:
    words, says = WRONG[what]
    with pytest.raises(dumbbell.ScenarioError) as at_once:
        dumbbell.Scenario({**WORDS, **words})
    assert says in str(at_once.value)
    later = dumbbell.Scenario({**WORDS, **words}, check=False)
    with pytest.raises(dumbbell.ScenarioError) as at_the_run:
        later.run()
    assert str(at_once.value) == str(at_the_run.value)


def test_files_texts_changes_and_sweeps_are_checked_at_once_too(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("duraton = '1 s'\n")
    for refused in (
        lambda: dumbbell.Scenario.from_file(tmp_path / "nope.toml"),
        lambda: dumbbell.Scenario.from_file(file),
        lambda: dumbbell.Scenario.from_text("duration = 1\n[queue"),
        lambda: build().with_({"queue.max_tj": "3 pkt"}),
        lambda: dumbbell.Scenario({**WORDS, "sweep": {"grid": {"queue.kind": ["rad"]}}}),
    ):
        with pytest.raises(dumbbell.ScenarioError):
            refused()
    assert dumbbell.Scenario.from_file(file, check=False) is not None
    assert dumbbell.Scenario.from_text("duraton = 1", check=False) is not None


def test_a_new_scenario_may_lack_what_comes_later_and_is_not_planned() -> None:
    part = dumbbell.Scenario(duration="1 s", flow=[{"count": 900_000}])
    whole = part.with_({"dumbbell.bottleneck": WORDS["dumbbell"]["bottleneck"], "flow.0.count": 1})
    assert whole.run().valid
    with pytest.raises(dumbbell.ScenarioError, match="no network"):
        part.run()


def test_results_have_numbers_with_intervals() -> None:
    result = build().run(replications=3)
    goodput = result.flows["a"].goodput_bps
    assert isinstance(goodput, dumbbell.Interval)
    assert goodput.low <= float(goodput) <= goodput.high
    assert goodput.n == 3
    assert [run.flows["a"].goodput_bps for run in result.runs] == [
        r["flows"][0]["goodput_bps"] for r in result.json["runs"]
    ]
    assert result.valid
    assert "goodput [Mbps]" in result.table()
    assert isinstance(build().run().flows[0].goodput_bps, float)
    with pytest.raises(AttributeError, match="there is no `goodput_mbps`"):
        _ = result.flows[0].goodput_mbps
    with pytest.raises(KeyError, match=r"b\.1"):
        _ = result.flows["c"]


def test_a_scenario_does_not_change() -> None:
    scenario = build()
    before = scenario.run().fingerprint
    other = scenario.with_({"queue": dumbbell.DropTail(limit="20 pkt")})
    assert other.run().queues[0].kind == "drop_tail"
    assert scenario.run().fingerprint == before


def test_a_sweep() -> None:
    sweep = build().sweep({"queue.limit": ["24 pkt", "48 pkt"], "queue.kind": ["red", "drop_tail"]})
    assert len(sweep) == 4
    overrides, result = next(iter(sweep))
    assert overrides == {"queue.limit": "24 pkt", "queue.kind": "red"}
    assert result.queues["bottleneck"].kind == "red"


def test_errors_say_where_and_what_to_write() -> None:
    with pytest.raises(dumbbell.ScenarioError, match="did you mean `max_th`") as caught:
        build().with_({"queue.max_tj": "3 pkt"}).check()
    assert caught.value.code == 2
    assert caught.value.detail["problems"][0]["key"] == "queue.max_tj"


def test_a_class_for_each_algorithm_with_its_documented_defaults() -> None:
    signature = inspect.signature(dumbbell.Red)
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in signature.parameters.values())
    assert signature.parameters["min_th"].default == "5 pkt"
    assert "min_th: " in dumbbell.Red.__doc__
    with pytest.raises(TypeError, match="there are min_th, max_th"):
        dumbbell.Red(minth="5 pkt")
    with pytest.raises(AttributeError, match="no algorithm class `Rde`"):
        _ = dumbbell.Rde
    for algorithm in dumbbell.catalogue.algorithms():
        assert hasattr(dumbbell, dumbbell.algorithms.class_name(algorithm.name))
    # `in` is a word of Python's own.
    assert dumbbell.TcpMarking(in_="af21").as_dict() == {"kind": "tcp_marking", "in": "af21"}


def test_the_stub_is_python_and_has_every_class() -> None:
    from dumbbell.present import stubs

    text = stubs.text()
    compile(text, "algorithms.pyi", "exec")
    assert "class Red(Spec):" in text
    assert "min_th: str = '5 pkt'" in text


# What a session loads only when something asks for it; each costs tens of milliseconds.
HEAVY = (
    "matplotlib",
    "polars",
    "numpy",
    "rich",
    "cyclopts",
    "asyncio",
    "IPython",
    "pandas",
    "pyarrow",
    "jinja2",
)


@pytest.mark.parametrize(
    "code",
    [
        "import dumbbell",
        "import dumbbell; dumbbell.Scenario(duration='1 s'); dumbbell.Red(min_th='5 pkt'); "
        "dir(dumbbell)",
        "import dumbbell; s = "
        "dumbbell.Scenario.from_file('scenarios/first.toml').with_({'duration': '11 s'}); "
        "print(len(s.run(record_every='1 s').series('flows').rows()))",
        "import dumbbell.cli, sys; sys.argv[1:] = ['--help']; code = dumbbell.cli.main()",
    ],
)
def test_importing_is_light(code: str) -> None:
    then = f"import sys\nprint('heavy:', *{{*{HEAVY!r}}} & {{*sys.modules}})"
    whole = f"try:\n    {code}\nexcept SystemExit:\n    pass\n{then}"
    root = Path(__file__).resolve().parents[2]
    said = subprocess.run(
        [sys.executable, "-c", whole], capture_output=True, text=True, check=True, cwd=root
    ).stdout
    assert said.endswith("heavy:\n")


def test_completion_knows_what_there_is() -> None:
    names = dir(dumbbell)
    assert {
        "Scenario",
        "Result",
        "Sweep",
        "Table",
        "Red",
        "DropTail",
        "figures",
        "catalogue",
    } <= set(names)
    assert all(getattr(dumbbell, name) is not None for name in names)
    assert set(dumbbell.figures.__dir__()) >= {"of_result", "over_sweep", "save"}
    result = build().run()
    assert {"goodput_bps", "interval"} <= set(dir(result.flows[0]))
    assert result.flows._ipython_key_completions_() == ["a", "b.1", "b.2"]


def test_progress_is_told_and_an_interrupt_stops() -> None:
    heard: list[tuple[int, int, float]] = []
    build().run(replications=2, progress=lambda *state: heard.append(state))
    assert heard[-1] == (2, 2, 1.0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"out": 3}, "out=3 is no path"),
        ({"store": b"kept"}, "store=b'kept' is no path"),
        ({"progress": 3}, "progress=3 shows no progress"),
        ({"record_acks": 3}, "record_acks=3 names no flows"),
        ({"record_delays": "far"}, "record_delays='far' names no flows"),
        ({"record_every": b"1 s"}, "bytes is not JSON serializable"),
    ],
)
def test_options_of_another_type_are_errors_with_a_fix(options: dict, said: str) -> None:
    with pytest.raises(dumbbell.ScenarioError) as refused:
        build().run(**options)
    assert said in str(refused.value)
    assert "\nhelp: write " in str(refused.value)


@pytest.mark.parametrize("given", [[1], 3, "first.toml", [("duration", "1 s")]])
def test_what_is_no_scenario_is_an_error_with_a_fix(given: object) -> None:
    with pytest.raises(dumbbell.ScenarioError) as refused:
        dumbbell.Scenario(given)
    assert str(refused.value).startswith(f"{given!r} is not a scenario\nhelp: write a dictionary")


@pytest.mark.parametrize("given", [3, "queue.max_p=0.1"])
def test_changes_of_another_type_are_errors_with_a_fix(given: object) -> None:
    with pytest.raises(dumbbell.ScenarioError) as refused:
        build().with_(given)
    assert str(refused.value).startswith(f"{given!r} replaces no values\nhelp: write a dictionary")


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        (3, "3 has no axes of a sweep"),
        (["seed"], "['seed'] has no axes of a sweep"),
        ({"seed": 3}, "`seed` is 3, and not a list of values"),
        ({"queue.kind": "red"}, "`queue.kind` is 'red', and not a list of values"),
    ],
)
def test_axes_of_another_type_are_errors_with_a_fix(axes: object, said: str) -> None:
    with pytest.raises(dumbbell.ScenarioError) as refused:
        build().sweep(axes)
    assert str(refused.value).startswith(f"{said}\nhelp: write a list of values for each key")


def test_values_of_another_type_are_errors_with_a_fix() -> None:
    said = r"no scenario has a value such as b'1 s', of type `bytes`\nhelp: write "
    with pytest.raises(dumbbell.ScenarioError, match=said):
        dumbbell.Scenario({"duration": b"1 s"})
    with pytest.raises(dumbbell.ScenarioError, match=said):
        build().with_({"duration": b"1 s"})
    with pytest.raises(dumbbell.ScenarioError, match="keys must be str"):
        dumbbell.Scenario({b"duration": "1 s"})
