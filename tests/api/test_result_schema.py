"""The published schema of results: it takes every result, names every measurement that one has, and
refuses what is none. `conftest.results_conform` checks the results of all other tests with it."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from dumbbell import Result, Scenario, api
from dumbbell.data import measurements
from helpers.command import document
from helpers.results import conforming, validator
from helpers.scenarios import MARKED, build

ROOT = Path(__file__).resolve().parents[2]

SESSION = {
    "duration": "3 s",
    "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "5 ms"}},
    "session": [{"name": "web", "size": "20 kB", "load": 0.3}],
}


def results() -> list[dict[str, Any]]:
    """Results that have every measurement between them."""
    everything = {
        **MARKED,
        "warmup": "100 ms",
        "record": {"every": "100 ms", "delays": True, "acks": True},
    }
    shipped = [
        Scenario.from_file(ROOT / "scenarios" / name).with_({"duration": "2 s", "warmup": "0 s"})
        for name in ("duplex-mismatch.toml", "host-limited.toml")
    ]
    return [Scenario(words).run().json for words in (everything, SESSION)] + [
        scenario.run().json for scenario in shipped
    ]


def test_the_schema_is_one_and_the_command_prints_it() -> None:
    schema = document("schema", "--result")
    type(validator()).check_schema(schema)
    assert schema == api.result_schema()


def test_every_measurement_occurs_in_a_result() -> None:
    seen: dict[str, set[str]] = {}

    def look(value: Any, rule: dict[str, Any]) -> None:
        if "$ref" in rule:
            name = rule["$ref"].removeprefix("#/$defs/")
            rule = api.result_schema()["$defs"][name]
            if "properties" in rule and isinstance(value, dict):
                seen.setdefault(name, set()).update(value)
        for key, of in rule.get("properties", {}).items():
            if isinstance(value, dict) and key in value:
                look(value[key], of)
        for item in value if isinstance(value, list) and "items" in rule else ():
            look(item, rule["items"])

    for result in results():
        look(result, api.result_schema())
    for row in ("flow", "queue", "totals", "acks", "host", "session", "sizes", "conservation"):
        assert set(measurements.of(row)) <= seen[row], row
    of_tokens = {f"tokens_{what}_packets" for what in ("made", "lost", "mean")}
    assert set(measurements.of("marker")) - of_tokens <= seen["marker"]


def test_replications_and_sweeps_have_the_published_form() -> None:
    assert conforming(build().run(replications=2).json)["runs"]
    sweep = build().sweep({"queue.max_p": [0.1, 0.2]}, replications=2)
    assert len(conforming(sweep.json)["points"]) == 2


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda d: d["flows"][0].pop("goodput_bps"), "$.flows[0]"),
        (lambda d: d["flows"][0].update(marks=None), "$.flows[0].marks"),
        (lambda d: d["flows"][0].update(burstiness=1.0), "$.flows[0]"),
        (lambda d: d["queues"][0].update(mean_pakets=1), "$.queues[0]"),
        (lambda d: d["queues"][0]["drops"].update(early=0.5), "$.queues[0].drops.early"),
        (lambda d: d.pop("totals"), "$"),
    ],
)
def test_what_is_no_result_is_refused(change: Any, place: str) -> None:
    result = build().run()
    assert isinstance(result, Result)
    wrong = copy.deepcopy(result.json)
    change(wrong)
    assert [error.json_path for error in validator().iter_errors(wrong)] == [place]
