"""Two-way traffic: its laws as they are printed, that other traffic fails them, and the record of
the reverse path in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from conftest import unsealed
from dumbbell import cli
from dumbbell.validate import report
from dumbbell.validate.checks.tcp import two_way
from dumbbell.validate.laws.tcp import two_way as laws
from dumbbell.validate.runner import Runner

CHECKS = {check.id: check for check in two_way.CHECKS}


def test_the_ratio_is_the_rfc_s() -> None:
    # RFC 3449, section 2: 10 Mbit/s and 50 kbit/s, 1000-byte data, 40-byte acknowledgments: k = 8.
    assert laws.bandwidth_ratio(10e6, 50e3, 1000, 40) == pytest.approx(8)
    assert laws.acked_by_one(10e6, 50e3, 960, 40) == pytest.approx(8)
    assert (
        laws.acked_by_one(10e6, 1e6, 960, 40, 2) == 2
    )  # The receiver holds more back than the link.
    # The bound and the ratio say the same: with k segments to an acknowledgment both links are
    # full.
    assert laws.ack_clocked(10e6, 50e3, 960, 40, 8) == pytest.approx(9.6e6)
    assert laws.ack_clocked(10e6, 50e3, 960, 40, 4) == pytest.approx(4.8e6)


def test_the_passport_has_them_all_and_they_hold() -> None:
    assert set(CHECKS) < {check.id for check in report.checks()}
    lines = report.validate(CHECKS.values(), Runner(quick=True))
    assert [line.check.id for line in lines if line.verdict != "pass"] == []


@pytest.mark.parametrize(
    ("check", "change"),
    [
        ("asymmetric.ratio-100.acked-1.goodput", {"reverse": {"rate": "101 kbps"}}),
        ("asymmetric.ratio-100.spacing", {"reverse": {"rate": "100.1 kbps"}}),
        ("asymmetric.ratio-100.lost.acked", {"rate": "9.9 Mbps"}),
        ("two_way.in-phase.W-20.P-5.ahead", {"delay": "37 ms"}),
        ("two_way.out-of-phase.W-60-30.P-5", {"rate": "10.2 Mbps"}),
    ],
)
def test_another_link_fails_the_line(
    check: str, change: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Other(Runner):
        def run(self, scenario: Any, *rest: Any, **words: Any) -> Any:
            link = scenario["dumbbell"]["bottleneck"] | change
            return super().run(
                {**scenario, "dumbbell": scenario["dumbbell"] | {"bottleneck": link}},
                *rest,
                **words,
            )

    (line,) = report.validate([CHECKS[check]], Other(quick=True))
    assert line.error is None and line.verdict == "fail", line


BOTH: dict[str, Any] = {
    "duration": "10 s",
    "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "10 ms"}},
    "queue": {"kind": "drop_tail", "limit": "30 pkt"},
    "flow": [{"name": "ahead"}, {"name": "back", "direction": "reverse"}],
}


def test_acknowledgements_are_asked_for_in_python() -> None:
    scenario = dumbbell.Scenario(BOTH)
    result = scenario.run(record_acks=["back"])
    assert isinstance(result, dumbbell.Result)
    assert result.flows["ahead"].acks is None
    acks = result.flows["back"].acks
    assert acks is not None and acks.name == "back"
    rows = result.series("acks").rows()
    assert {row["flow"] for row in rows} == {"back"} and len(rows) == acks.sent
    assert "Acknowledgments" in result.table() and "Acknowledgments" in result._repr_html_()
    columns = result.summary("flows").columns
    assert "acks_compressed_share" in columns
    plain = scenario.run()
    assert isinstance(plain, dumbbell.Result)
    assert "Acknowledgments" not in plain.table() and plain.fingerprint == result.fingerprint
    with pytest.raises(dumbbell.ScenarioError, match=r"run\(record_acks=True\)"):
        plain.series("acks")


def test_replications_have_intervals_and_a_store_keeps_the_record(tmp_path: Path) -> None:
    flows = [{**BOTH["flow"][0], "start_spread": "1 s"}, BOTH["flow"][1]]
    scenario = dumbbell.Scenario({**BOTH, "duration": "4 s", "flow": flows})
    for again in (0, 2):
        result = scenario.run(
            record_acks=True, replications=2, store=tmp_path / "store", out=tmp_path / "out"
        )
        assert result.json["from_store"] == again
        acks = result.flows[0].acks
        assert acks is not None and isinstance(
            acks.compressed_share, dumbbell.present.stats.Interval
        )
        assert acks.compressed_share.n == 2
        assert (tmp_path / "out" / "seed-1" / "acks.parquet").exists()
    loaded = dumbbell.Result.load(tmp_path / "out")
    assert loaded.flows[0].acks is not None and loaded.flows[0].acks.as_dict() == acks.as_dict()


def test_a_way_back_that_is_too_slow_is_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = {"reverse": {"rate": "100 kbps"}, **BOTH["dumbbell"]["bottleneck"]}
    slow = {**BOTH, "flow": BOTH["flow"][:1], "dumbbell": {"bottleneck": words}}
    found = {one["code"]: one["message"] for one in dumbbell.Scenario(slow).size()["warnings"]}
    assert "`bottleneck_reverse` carries 240 acknowledgments" in found["W015"]
    file = tmp_path / "slow.toml"
    link = (
        'dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms", reverse = { rate = "100 '
        'kbps" } }'
    )
    file.write_text(f'duration = "1 s"\n{link}\nflow = [{{ name = "s" }}]\n')
    assert cli._code(["check", str(file)]) == 0
    assert "acknowledgments of 52 B a second" in "".join(capsys.readouterr())


def test_a_summary_with_damaged_acknowledgements_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    dumbbell.Scenario({**BOTH, "duration": "2 s"}).run(record_acks=True, out=out)
    document = unsealed(out)
    document["flows"][0]["acks"]["lost"] = "two"
    (out / "summary.json").write_text(json.dumps(document))
    with pytest.raises(dumbbell.CheckFailed, match=r"acks\.lost"):
        dumbbell.Result.load(out)


def test_why_tells_of_an_acknowledgement_what_the_record_does(tmp_path: Path) -> None:
    """The neighbor, the spacings and the new bytes of the sentence are those of the record of
    acknowledgments, which is made as the run goes on."""
    from dumbbell.explain import why

    out = tmp_path / "out"
    wire = {"impairment": [{"kind": "bernoulli", "loss": 0.02}]}
    link = {**BOTH["dumbbell"]["bottleneck"], "reverse": wire}
    scenario = {
        **BOTH,
        "dumbbell": {"bottleneck": link},
        "record": {"packets": ["ahead"], "acks": True},
    }
    result = dumbbell.Scenario(scenario).run(out=out)
    assert isinstance(result, dumbbell.Result)
    acks = [row for row in result.series("acks").rows() if row["flow"] == "ahead"]
    pairs = [row for row in acks if row["pair_spacing_receiver_us"]]
    tight = next(
        row for row in pairs if 2 * row["spacing_sender_us"] < row["pair_spacing_receiver_us"]
    )
    loose = next(
        row for row in pairs if row["spacing_sender_us"] > 2 * row["pair_spacing_receiver_us"]
    )
    for row, word in ((tight, "compressed"), (loose, "stretched")):
        found = why.ask(out, "ahead", packet=row["packet"], sender=False)
        assert found.way_back is not None
        assert found.way_back.spacing_sender_ps == pytest.approx(row["spacing_sender_us"] * 1e6)
        assert found.way_back.spacing_receiver_ps == pytest.approx(
            row["pair_spacing_receiver_us"] * 1e6
        )
        assert found.way_back.newly_acked_bytes == row["newly_acked_bytes"]
        assert f"so they were {word} on the path" in why.told(found)
    lost = next(row for row in acks if row["dropped_ps"] is not None)
    after = next(
        row for row in acks if row["packet"] > lost["packet"] and row["arrived_ps"] is not None
    )
    text = why.told(why.ask(out, "ahead", packet=lost["packet"], sender=False))
    assert (
        f"packet {after['packet']}, sent" in text
        and f"acknowledged {after['newly_acked_bytes']:,} bytes" in text
    )
