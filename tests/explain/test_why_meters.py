"""`dumbbell why` of a packet that an edge dropped: each meter tells what it judges by."""

from __future__ import annotations

from pathlib import Path

import dumbbell
import polars as pl
import pytest
from dumbbell import catalogue
from dumbbell.explain import why
from dumbbell.explain.why import decisions
from dumbbell.explain.why.finding import Decision

KINDS = catalogue.kinds()
METERS = [*KINDS["meter"], *(name for name in KINDS["conditioner"] if name != "tbf")]


@pytest.mark.parametrize("name", METERS)
def test_every_meter_has_a_sentence_of_its_own_with_its_contract(name: str) -> None:
    defaults = {p.name: p.default for p in catalogue.find(name)[0].parameters}
    told = decisions.explained(Decision(0, "core", name, defaults, "", "policed", False, 0, {}))
    assert "the reserved rate" in told and "the edge drops what is out of profile" in told
    rate = "cir" if "cir" in defaults else "rate"
    assert "2 Mbps" in decisions.explained(
        Decision(0, "core", name, {**defaults, rate: "2 Mbps"}, "", "policed", False, 0, {})
    )
    assert "?" not in told


def test_a_policed_packet_is_told_about(tmp_path: Path) -> None:
    scenario = dumbbell.Scenario(
        duration="5 s",
        warmup="1 s",
        record={"packets": True, "drops": True, "flows": True},
        dumbbell={
            "bottleneck": {
                "rate": "10 Mbps",
                "delay": "5 ms",
                "conditioner": {
                    "kind": "token_bucket",
                    "rate": "1 Mbps",
                    "burst": "8 kB",
                    "out": "drop",
                },
            }
        },
        flow=[{"name": "s"}],
    )
    scenario.run(seed=1, replications=1, out=tmp_path)
    packets = pl.read_parquet(tmp_path / "packets.parquet")
    drop = packets.filter(pl.col("dropped_ps").is_not_null()).row(0, named=True)
    text = why.told(why.ask(tmp_path, "s", packet=drop["packet"]))
    assert "the conditioner of `bottleneck` (token_bucket) dropped packet" in text
    assert (
        "its bucket (8 kB at 1 Mbps) had too few tokens for it, and the edge drops what is out of "
        "profile" in text
    )
