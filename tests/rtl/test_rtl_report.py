"""What the hardware's commands say: counterexamples, coverage, progress, and what they leave
behind."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from dumbbell.rtl.synthesis import size
from dumbbell.rtl.verify import check, counterexample, coverage, lockstep
from helpers.rtl import RTL


def packet(number: int, core: dict[str, Any] | None = None, **model: Any) -> dict[str, Any]:
    """A step of a trace; core: the outputs that are not the model's."""
    said = {
        "before": 11264,
        "avg": 11266,
        "min": 6144,
        "max": 12288,
        "region": "random",
        "slope": 27962,
        "p": 34964,
    }
    said |= {"credit": None, "draw": 40000, "drop": False, **model}
    answer = {name: said[name] for name in ("avg", "region", "draw", "drop")} | {"qid": 3}
    shown = {"qid": 3, "qlen": 12, "class": 0, "idle": 0, "tick": False}
    return {
        "packet": number,
        "presented": shown,
        "model": said,
        "core": None if core is None else answer | core,
    }


def shrunk(*steps: Any, left_out: int = 0, fails: int = 1) -> dict[str, Any]:
    """A failure whose shortest stimulus is this."""
    queue = {"queue": 3, "class": 0, "avg": 11264, "min": 6144, "max": 12288, "slope": 27962}
    long = {"credit": 1 << 20, "lower": 1 << 21, "upper": 1 << 21, "due": True}
    start = {"enable": True, "draw": 77, "queues": [queue | long, queue | {"queue": 4}]}
    trace = {"left_out": left_out, "start": start, "steps": list(steps)}
    return {
        "actions": left_out + len(steps),
        "fails": {"what": "drop_o is 1", "packet": fails},
        "trace": trace,
    }


def test_the_model_stands_beside_the_core() -> None:
    writes = [
        {"register": name, "class": 0, "queue": 3, "value": 0x3FFFFF}
        for name in ("min", "max", "slope", "lower")
    ]
    writes += [
        {"register": "enable", "value": 1},
        {"register": "min", "class": 0, "queue": 4, "value": 1},
    ]
    said = counterexample.lines(
        shrunk({"reset": 2}, {"write": writes}, packet(0, {}), packet(1, {"drop": True}))
    )
    text = "\n".join(said)
    assert max(map(len, said)) <= counterexample.WIDTH
    assert "write queue 3 class 0: min 4194303, max 4194303, slope 4194303, lower 4194303" in text
    assert "write enable 1" in text and "write 1 registers of other queues" in text
    assert next(line for line in said if line.lstrip().startswith("0 ")).endswith("same")
    row = next(line for line in said if line.lstrip().startswith("1 "))
    assert " ".join(row.split()) == "1 3 0 12 11266 6144 12288 random 34964 40000 no drop yes"
    assert "average    11264 -> 11266 (11.0020 packets)" in text
    assert "p = 34964 (0.016672)" in text
    assert "drop       no   <- the core has yes" in text
    assert "left out" not in text


def test_a_long_counterexample_begins_with_the_state() -> None:
    said = counterexample.lines(
        shrunk(packet(40, None, credit=5, p=None, region="force"), left_out=70, fails=40)
    )
    text = "\n".join(said)
    assert "70 earlier steps are omitted" in text
    assert "queue 3 class 0: avg 11264, min 6144, max 12288, slope 27962" in text
    assert "queue 4" not in text  # which the packet that fails is not of
    assert max(map(len, said)) <= counterexample.WIDTH
    assert "no answer" in text and "the core gave no decision" in text
    assert any(line.split()[-4:] == ["credit", "draw", "drop", "core"] for line in said)


def test_a_failure_that_does_not_come_again_says_so() -> None:
    first = {"mode": "sound", "packet": 1, "clock": 2, "what": "avg_o is 1", "shrunk": None}
    found = {
        "packets": 1,
        "clocks": 2,
        "seed": 1,
        "shares": {},
        "short_of": [],
        "skipped": [],
        "first_mismatch": first,
    }
    assert "the failure did not recur" in lockstep.summary(found)[-1]


def test_coverage_sums_up_what_it_missed_and_says_what_was_asked() -> None:
    missed = [
        f"red_avg.sv:{line} TOP.core.u_avg toggle acc[{bit}]"
        for line in (54, 60)
        for bit in range(9)
    ]
    found = {"ok": False, "share": 0.9, "least": 0.94, "points": 180, "kinds": {}, "missed": missed}
    said = coverage.lines(found | {"wrongly_excluded": [], "packets": 300_000, "enough": False})
    assert "300000 packets were run; the required share applies to 2000000" in said[1]
    assert said[2] == "  18 points missed (--json has them all):"
    assert said[3:5] == [
        f"       9  red_avg.sv:{line} toggle: acc[0], acc[1], acc[2], acc[3], acc[4], and 4 more"
        for line in (54, 60)
    ]
    assert said[-1] == "FAILED: the coverage is too low"
    assert len(said) == 6


@pytest.mark.parametrize("fails", [False, True])
def test_check_leaves_a_directory_only_for_a_trace(
    fails: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met = {"mismatches": 0, "packets": 1, "short_of": []}
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(check.tools.Tool, "need", lambda self: "there")
    monkeypatch.setattr(check.tools, "versions", dict)
    monkeypatch.setattr(check, "linting", lambda: {"findings": [], "looks": 1})
    monkeypatch.setattr(check, "edited", lambda: None)
    monkeypatch.setattr(lockstep, "run", lambda **_: met)

    def proving(work: Path, _: Any) -> list[dict[str, Any]]:
        (work / "property-base.vcd").touch()  # covers write one, too
        return [
            {"verdict": "failed", "trace": str(work / "property-base.vcd")}
            if fails
            else {"verdict": "proved"}
        ]

    monkeypatch.setattr(check, "proving", proving)
    found = check.check(1, 1, None, None)
    assert found["ok"] is not fails
    assert [Path(proof["trace"]).exists() for proof in found["proofs"] if "trace" in proof] == [
        True
    ] * fails
    assert bool(list(tmp_path.iterdir())) is fails


def test_synthesis_tells_of_each_design(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUMBBELL_RTL", str(RTL))
    count = size.Counts("core", "core", "red_core", {}, "ecp5", 1, 2, 3, 0, 4, 1, {}, "yosys")
    monkeypatch.setattr(size.YOSYS.__class__, "need", lambda self: "there")
    monkeypatch.setattr(size, "_count", lambda design, family: count)
    heard: list[str] = []
    assert len(size.counts([size.Design("core")], ["ecp5", "xc7"], heard.append)) == 2
    assert sorted(heard) == ["ecp5: core, 1 LUTs, 4 FFs", "xc7: core, 1 LUTs, 4 FFs"]
