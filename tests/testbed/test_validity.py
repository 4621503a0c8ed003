"""The validity of live runs, as tables, pages and exit codes tell it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dumbbell import result
from dumbbell.cli.runs import run
from dumbbell.present import page, validity
from dumbbell.present.grids import to_text
from dumbbell.present.tables import result_tables
from helpers import simulated_kernels


@pytest.fixture(scope="module")
def simulated() -> dict[str, Any]:
    return simulated_kernels.two_runs()


def test_a_live_result_shows_its_validity_and_a_simulated_one_has_none(simulated) -> None:
    live = to_text(result_tables(result.Result(simulated_kernels.lived(simulated))))
    assert "Validity: all 2 runs are valid" in live
    assert "Validity" not in to_text(result_tables(result.Result(simulated)))
    one = to_text(
        result_tables(
            result.Result(simulated_kernels.lived(simulated["runs"][0] | {"duration_s": 2.0}))
        )
    )
    assert "Validity: valid, class exact" in one
    assert "123 456 in = 122 638 out + 818 dropped + 0 inside: exact" in one
    assert "half 4.4, 99 % 15.2, 99.9 % 247, most 612 us" in one


def test_a_run_that_is_not_valid_is_loud_everywhere(simulated, tmp_path: Path) -> None:
    bad = simulated_kernels.lived(simulated, simulated_kernels.LATE)
    assert "2 of 2 runs are NOT VALID" in to_text(result_tables(result.Result(bad)))
    assert simulated_kernels.LATE in run.what_failed(bad | {"failures": []})
    assert [run["valid"] for run in result.Result(bad).validity] == [False, False]
    for name in ("page.html", "page.md"):
        page.write(bad, tmp_path / name)
        assert "NOT VALID" in (tmp_path / name).read_text()
    assert "<b>" not in (tmp_path / "page.md").read_text()


def test_a_block_that_contradicts_the_result_counts(simulated) -> None:
    bad = simulated_kernels.lived(simulated, simulated_kernels.LATE) | {"valid": True, "code": 0}
    assert run._with_code(bad)["code"] == 5
    assert run._with_code(simulated_kernels.lived(simulated)).get("code") == 0


def test_an_account_that_does_not_balance_is_said() -> None:
    block = simulated_kernels.block("packets were lost")
    block["conservation"]["ok"] = False
    block["replay"]["mismatches"] = 3
    said = dict(validity.facts(block))
    assert "do NOT balance" in said["packets"]
    assert "3 DIFFER" in said["replay through the simulator's queues"]


def test_a_run_that_breaks_its_own_laws_is_not_valid_whatever_its_block_says(simulated) -> None:
    bad = simulated_kernels.lived(simulated)
    bad["runs"][1]["valid"] = False
    assert "1 of 2 runs are NOT VALID" in to_text(result_tables(result.Result(bad)))
    (line,) = validity.what_is_wrong(bad)
    assert "conservation" in line


def test_what_was_turned_away_is_said_by_name() -> None:
    block = simulated_kernels.block() | {
        "strangers": 3,
        "turned_away": {"no_flow": {"packets": 3, "first": "UDP to port 53"}},
    }
    said = dict(validity.facts(block))
    assert said["turned away: no_flow"] == "3, the first: UDP to port 53"
    assert not any("turned away" in what for what, _ in validity.facts(simulated_kernels.block()))


def test_half_a_block_is_no_reason_to_fail() -> None:
    assert (
        validity.runs({"validity": {"valid": False}})[0].verdict == "NOT VALID: no reason is given"
    )
    assert validity.facts({})
    assert validity.what_is_wrong({"validity": {"valid": False}}) == [
        "it is not valid, without a reason"
    ]


def test_the_class_its_bound_and_what_the_better_ones_lack_are_shown() -> None:
    missed = [{"class": "exact", "reasons": ["stalls may have moved the goodput"]}]
    more = {"class": "good", "required": "loose", "missed": missed, "warnings": ["a host waited"]}
    block = simulated_kernels.block() | more | {"bound_percent": {"goodput": 0.62, "wait": 0.1}}
    block["traffic"] = {
        "starved_share": 0.2,
        "window_limited_share": 0.0,
        "buffer_limited_share": 0.01,
    }
    block["calibration"] |= {
        "stalled_share": 0.004,
        "longest_stall_ms": 3.1,
        "expected_class": "loose",
    }
    said = dict(validity.facts(block))
    assert said["results are good to"] == "goodput within 0.62 %, mean wait within 0.1 %"
    assert said["not exact"] == "stalls may have moved the goodput"
    assert said["warning"] == "a host waited"
    assert said["hosts"].startswith("20 % of the time without a processor")
    assert said["stalls of this machine before the run"].endswith(
        "the longest 3.1 ms: class expected: loose"
    )
    assert (
        validity.Run(1, block).verdict
        == "valid, class good (goodput within 0.62 %, mean wait within 0.1 %)"
    )
