"""`diff` on runs whose first difference is known, and against a search through the records in plain
Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dumbbell
import polars as pl
import pytest
from conftest import unsealed
from dumbbell import DumbbellError, ScenarioError, cli
from dumbbell.explain import diff

BASE = """
duration = "4 s"
profile = "ns2"
tcp = { receive_window = "unlimited" }
queue = { kind = "drop_tail", limit = "20 pkt" }

[dumbbell.bottleneck]
rate = "10 Mbps"
delay = "10 ms"

[[flow]]
name = "s"
count = 2
start_spread = "1 s"
"""
RED = ["queue.kind=red"]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    file = tmp_path / "base.toml"
    file.write_text(BASE)
    return file


def words(name: str, directory: Path) -> pl.DataFrame:
    return pl.read_parquet(directory / f"{name}.parquet").with_columns(
        pl.col(pl.Categorical).cast(pl.String)
    )


def run(file: Path, out: Path, *overrides: str) -> Path:
    dumbbell.Scenario.from_file(file).with_([*overrides, "record.packets=true"]).run(out=out)
    return out


def happened(directory: Path, end: int) -> dict[tuple[Any, ...], int]:
    """Everything that the records say happened, with its instant: for a search without polars."""
    made: dict[tuple[Any, ...], int] = {}
    for p in words("packets", directory).iter_rows(named=True):
        who = (p["flow"], p["from"], p["packet"])
        made[(*who, "sent", p["seq"], p["ack"], p["retransmit"])] = p["sent_ps"]
        made[(*who, "delivered", p["delivered_ps"], p["ce_on_arrival"])] = (
            p["delivered_ps"] or end + 1
        )
    for h in words("hops", directory).iter_rows(named=True):
        where = (h["flow"], h["from"], h["packet"], h["link"])
        made[(*where, "came", h["arrived_ps"], h["backlog_packets"])] = h["arrived_ps"]
        made[(*where, "dropped", h["dropped_ps"], h["reason"])] = h["dropped_ps"] or end + 1
        made[(*where, "left", h["departed_ps"])] = h["departed_ps"] or end + 1
    return {what: at for what, at in made.items() if at <= end}


@pytest.mark.parametrize(
    "overrides",
    [
        ["queue.limit=21 pkt"],
        [*RED, "queue.w_q=0.01"],
        ["tcp.initial_window=3 pkt"],
        ["tcp.limited_transmit=false"],
        ["flow.s.cc=reno"],
        ["flow.s.rtt=30 ms"],
        ["tcp.delayed_ack=second"],
        ['dumbbell.bottleneck.impairment=[{ kind = "bernoulli", loss = 0.01 }]'],
    ],
)
def test_the_parting_is_the_earliest_difference(
    base: Path, tmp_path: Path, overrides: list[str]
) -> None:
    a, b = run(base, tmp_path / "a"), run(base, tmp_path / "b", *overrides)
    parting = diff.compare(a, b).parting
    in_a, in_b = (happened(x, 4 * 10**12) for x in (a, b))
    alone = [
        at
        for mine, other in ((in_a, in_b), (in_b, in_a))
        for what, at in mine.items()
        if other.get(what) != at
    ]
    assert parting is not None and parting.time_ps == min(alone)
    assert all(step["time_ps"] <= parting.time_ps for step in parting.before)
    assert (
        diff.compare(b, a).parting is not None
        and diff.compare(b, a).parting.time_ps == parting.time_ps
    )


def test_a_longer_queue_parts_where_the_shorter_one_first_overflows(
    base: Path, tmp_path: Path
) -> None:
    a = run(base, tmp_path / "a")
    first = (
        words("packets", a)
        .filter(pl.col("reason") == "overflow")
        .sort("dropped_ps")
        .row(0, named=True)
    )
    parting = diff.compare(base, overrides=["queue.limit=21 pkt"]).parting
    assert parting is not None
    assert (parting.time_ps, parting.kind, parting.only) == (first["dropped_ps"], "dropped", "a")
    assert (parting.flow, parting.sender, parting.packet) == (first["flow"], True, first["packet"])
    assert parting.a.hop is not None and parting.b.hop is not None
    assert (parting.a.hop["reason"], parting.b.hop["reason"]) == ("overflow", None)
    assert parting.a.hop["backlog_packets"] == parting.b.hop["backlog_packets"] == 20


def test_a_larger_initial_window_parts_at_the_packet_that_it_allows(base: Path) -> None:
    parting = diff.compare(base, overrides=["tcp.initial_window=3 pkt"]).parting
    assert parting is not None
    # The SYN is the first packet.
    assert (parting.kind, parting.only, parting.packet) == ("sent", "b", 4)
    text = diff.told(diff.compare(base, overrides=["tcp.initial_window=3 pkt"]))
    assert "packet 4 of" in text


def test_what_red_saw_is_told(base: Path, tmp_path: Path) -> None:
    """The parting is a drop by RED; its numbers are those of the row of that packet in
    signals.parquet."""
    red = tmp_path / "red.toml"
    red.write_text(BASE.replace('kind = "drop_tail"', 'kind = "red"'))
    compared = diff.compare(red, overrides=["queue.max_p=0.13"])
    parting = compared.parting
    assert parting is not None and (parting.kind, parting.only) == ("dropped", "b")
    assert parting.a.gauges is None and parting.b.gauges is not None
    b = run(red, tmp_path / "b", "queue.max_p=0.13")
    row = words("signals", b).filter(
        (pl.col("flow") == parting.flow) & (pl.col("packet") == parting.packet)
    )
    assert {
        k: row[k][0] for k in ("avg", "p_b", "coin", "count")
    }.items() <= parting.b.gauges.items()
    assert parting.b.gauges["coin"] < parting.b.gauges["p_a"]
    assert compared.plans == (("links.bottleneck.aqm.config.max_p", 0.1, 0.13),)


def test_runs_with_one_fingerprint_are_alike_and_no_others(base: Path, tmp_path: Path) -> None:
    recorded = run(base, tmp_path / "recorded")
    dumbbell.Scenario.from_file(base).run(out=tmp_path / "bare")
    compared = diff.compare(recorded, tmp_path / "bare")
    assert compared.alike and compared.a.fingerprint == compared.b.fingerprint
    assert (compared.a.repeated, compared.b.repeated) == (False, True)
    assert not diff.compare(recorded, base, seed=None, overrides=["seed=2"]).alike


def test_runs_of_different_length_are_compared_to_the_end_of_the_shorter(base: Path) -> None:
    compared = diff.compare(base, overrides=["duration=3 s"])
    assert compared.alike and compared.until_ps == 3 * 10**12
    assert compared.plans == (("duration", "4 s", "3 s"),)


def test_points_and_seeds_of_results(base: Path, tmp_path: Path) -> None:
    swept = dumbbell.Scenario.from_file(base).with_(
        ["sweep.grid={ 'queue.limit' = ['20 pkt', '21 pkt'] }"]
    )
    swept.run(out=tmp_path / "sweep", replications=2)
    assert diff.compare(tmp_path / "sweep", base, point=1, seed=2).alike
    assert not diff.compare(tmp_path / "sweep", base, point=2, seed=2).alike
    assert diff.compare(
        tmp_path / "sweep", base, point=2, seed=1, overrides=["queue.limit=21 pkt"]
    ).alike


def test_a_result_that_is_another_run_now_is_no_answer(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    dumbbell.Scenario.from_file(base).run(out=out)
    unsealed(out)
    (out / "scenario.toml").write_text(
        (out / "scenario.toml").read_text().replace("20 pkt", "19 pkt")
    )
    with pytest.raises(DumbbellError, match="another build"):
        diff.compare(out, base)


def test_wrong_questions(base: Path, tmp_path: Path) -> None:
    run(base, tmp_path / "out")
    for arguments in (
        {"b": tmp_path / "out", "overrides": ["seed=2"]},
        {"b": base, "point": 1},
        {"b": tmp_path / "nothing"},
        {"b": base, "overrides": ["sweep.grid={ 'queue.limit' = ['20 pkt', '21 pkt'] }"]},
    ):
        with pytest.raises(ScenarioError):
            diff.compare(base, **arguments)


def test_the_command(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli._code(["diff", str(base), str(base)]) == 0
    assert "A and B are identical" in capsys.readouterr().out
    assert cli._code(["diff", str(base), "-s", "queue.limit=21 pkt"]) == 3
    shown = capsys.readouterr().out
    for said in (
        "A and B diverge at",
        "dropped (overflow) with 20 packets waiting",
        "queued with 20",
        "The last events in both",
    ):
        assert said in " ".join(shown.split()), said
    assert cli._code(["diff", str(base), "-s", "queue.limit=21 pkt", "--json"]) == 3
    document = json.loads(capsys.readouterr().out)
    assert not document["alike"] and document["parting"]["from"] == "sender"
    assert document["parting"]["kind"] == "dropped" and len(document["parting"]["before"]) == 6
    assert cli._code(["diff", str(base)]) == 2
    assert cli._code(["diff", str(base), "nothing-here"]) == 2
