"""The arrays behind the figures of a recorded run, compared with the records and with closed
forms."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import dumbbell
import numpy as np
import polars as pl
import pytest
from dumbbell import ScenarioError, cli, figures
from dumbbell.figures import Source, View, acks, delay, measured, phase, timeseq
from dumbbell.present.stats import wilson95

SCENARIO: dict[str, Any] = {
    "duration": "20 s",
    "warmup": "2 s",
    "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "10 ms"}},
    "queue": {"kind": "red", "limit": "80 pkt", "min_th": "5 pkt", "max_th": "25 pkt"},
    "flow": [{"name": "s", "count": 4, "start_spread": "1 s"}],
    "record": {"packets": True, "acks": True, "every": "10 ms"},
}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four flows through RED, everything recorded."""
    out = tmp_path_factory.mktemp("plots") / "result"
    dumbbell.Scenario(SCENARIO).run(out=out)
    return out


def rows(directory: Path, name: str) -> pl.DataFrame:
    frame = pl.read_parquet(directory / f"{name}.parquet")
    return frame.with_columns(pl.selectors.categorical().cast(pl.String))


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli._code([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_every_kind_is_drawn_and_written(
    result: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Those need sessions, markers, delays, two flows that are named: test_traffic.py,
    # test_profiles.py, test_delays.py.
    kinds = [kind for kind in figures.KINDS if kind not in ("fct", "markers", "delays", "scatter")]
    code, printed, _ = command(capsys, "plot", result, *kinds, "--out", tmp_path, "--json")
    written = {Path(p).name for p in json.loads(printed)["written"]}
    assert code == 0
    assert written == {f"{kind}.{suffix}" for kind in kinds for suffix in ("svg", "pdf", "png")}
    unasked = figures.draw(Source(result), [], View())
    assert list(unasked) == ["cwnd", "goodput", "queue", "delay", "acks"]


def test_the_time_sequence_graph_has_every_segment_of_its_part(result: Path) -> None:
    begin, end = 4.0, 5.0
    packets = rows(result, "packets").filter(
        (pl.col("flow") == "s.2") & pl.col("sent_ps").is_between(4e12, 5e12)
    )
    data = packets.filter((pl.col("from") == "sender") & (pl.col("payload_bytes") > 0))
    s = timeseq.sequence(Source(result), View(("s.2",), begin, end))
    assert s.flow == "s.2"
    first, again = data.filter(~pl.col("retransmit")), data.filter(pl.col("retransmit"))
    assert s.sent.low.tolist() == first["seq"].to_list()
    assert (s.sent.high - s.sent.low).tolist() == first["payload_bytes"].to_list()
    assert s.sent.time_s.tolist() == pytest.approx((first["sent_ps"] / 1e12).to_list(), abs=1e-9)
    assert s.again.low.tolist() == again["seq"].to_list()
    assert len(s.dropped.low) == data["dropped_ps"].drop_nulls().len()
    # What is acknowledged never goes back, and never beyond what was sent.
    time, acked = s.acks
    assert (np.diff(acked) >= 0).all() and time[0] <= begin < time[1] and time[-1] <= end
    assert acked.max() <= s.sent.high.max()
    # SACK ranges lie above what was acknowledged then.
    for t, low in zip(s.sacks.time_s, s.sacks.low, strict=True):
        assert low >= acked[np.searchsorted(time, t, side="right") - 1]


def test_the_whole_run_has_sack_ranges_and_repetitions(result: Path) -> None:
    s = timeseq.sequence(Source(result), View())
    mine = rows(result, "packets").filter(pl.col("flow") == s.flow)
    with_sack = mine.filter(
        (pl.col("from") == "receiver")
        & pl.col("options").str.starts_with("sack")
        & pl.col("delivered_ps").is_not_null()
    )
    assert len(s.sacks.low) == with_sack.height > 0
    assert (
        len(s.again.low)
        == mine.filter(pl.col("retransmit") & (pl.col("payload_bytes") > 0)).height
        > 0
    )
    figure = timeseq.timeseq(Source(result), View())
    assert figure.axes[0].get_ylabel() == "stream offset [MB]"


def test_queueing_delay_is_what_the_empty_path_does_not_take(result: Path) -> None:
    found = delay.delays(Source(result), View())
    assert [d.flow for d in found] == ["s.1", "s.2", "s.3", "s.4"]
    packets = rows(result, "packets")
    for d in found:
        mine = packets.filter(
            (pl.col("flow") == d.flow)
            & (pl.col("from") == "sender")
            & pl.col("delivered_ps").is_not_null()
        )
        assert len(d.one_way_s) == mine.height
        assert d.one_way_s[-1] == pytest.approx(
            (mine["delivered_ps"] - mine["sent_ps"]).max() / 1e12, rel=1e-12
        )
        # What is left is the bytes at 100, 10 and 100 Mbit/s and 12 ms of way.
        empty = (mine["ip_len_bytes"] * 8 * (1 / 10e6 + 2 / 100e6) + 12e-3).sum()
        assert d.one_way_s.sum() - d.queueing_s.sum() == pytest.approx(
            empty, abs=3e-12 * mine.height
        )
        assert d.queueing_s[0] == 0.0
        assert d.queueing_s[-1] < 80 * 1.2e-3 + 1.2e-3 + 1e-3


def test_the_spacings_are_those_of_the_packets(result: Path) -> None:
    found = acks.spacings(Source(result), View())
    assert [s.flow for s in found] == ["s.1", "s.2", "s.3", "s.4"]
    packets = rows(result, "packets").filter(
        (pl.col("from") == "receiver") & pl.col("delivered_ps").is_not_null()
    )
    for s in found:
        mine = packets.filter(pl.col("flow") == s.flow)
        assert s.sender_us.tolist() == pytest.approx(
            (mine["delivered_ps"].diff().drop_nulls() / 1e6).to_list()
        )
        assert s.receiver_us.tolist() == pytest.approx(
            (mine["sent_ps"].diff().drop_nulls() / 1e6).to_list()
        )
        assert s.acked_bytes[-1] == mine["ack"].max() - 1
    # Only acknowledgments go back, at 10 Mbit/s: nothing is lost, and no two come closer than one
    # takes on the wire.
    assert all(len(s.dropped_s) == 0 for s in found)
    assert min(s.sender_us.min() for s in found) >= 52 * 8 / 10 - 1e-6
    part = acks.spacings(Source(result), View(("s.2",), 4.0, 5.0))
    assert (
        [s.flow for s in part] == ["s.2"]
        and part[0].arrived_s[0] >= 4.0
        and len(part[0].arrived_s) < 1000
    )
    with pytest.raises(ScenarioError, match="no acknowledgment arrived in this part"):
        acks.acks(Source(result), View((), 21.0, 22.0))


def test_the_measured_curve_counts_each_arrival_and_each_signal_once(result: Path) -> None:
    m = measured.measured(Source(result), View())
    arrivals = rows(result, "hops").filter(pl.col("link") == "bottleneck").height
    signals = rows(result, "signals").filter(
        (pl.col("queue") == "bottleneck") & pl.col("reason").is_in(["early", "forced"])
    )
    assert sum(b.signals for b in m.bins) == signals.height > 50
    assert arrivals <= sum(b.arrivals for b in m.bins) <= arrivals + 10
    assert (m.red.min_th, m.red.max_th, m.red.max_p, m.spacing) == (5.0, 25.0, 0.1, "uniform")
    below = [b for b in m.bins if b.high <= m.red.min_th]
    assert below and sum(b.signals for b in below) == 0
    # In the random region as many as the law of spacing lets expect, within four standard
    # deviations.
    inside = [b for b in m.bins if b.low >= 7 and b.high <= 20 and b.arrivals >= 200]
    expected = sum(
        b.arrivals * measured.frequency(m.red((b.low + b.high) / 2), m.spacing) for b in inside
    )
    assert inside
    assert abs(sum(b.signals for b in inside) - expected) < 4 * math.sqrt(expected)


@pytest.mark.parametrize(
    ("spacing", "mean"),
    [("bernoulli", 50), ("uniform", 25), ("uniform_stored", 25.5), ("uniform_wait", 74.5)],
)
def test_the_mean_spacing_of_each_law(spacing: str, mean: float) -> None:
    assert 1 / measured.frequency(0.02, spacing) == pytest.approx(mean)
    assert measured.frequency(0.0, spacing) == 0.0
    assert measured.frequency(1.0, spacing) == 1.0


def test_wilsons_interval() -> None:
    # Brown, Cai, DasGupta, Statistical Science 16, 2001: the bounds solve |p - k/n| = z sqrt(p (1 -
    # p) / n).
    for k, n in ((0, 10), (1, 29), (15, 148), (10, 10)):
        for bound in wilson95(k, n):
            assert (bound - k / n) ** 2 == pytest.approx(
                1.959964**2 * bound * (1 - bound) / n, rel=1e-5, abs=1e-15
            )
    assert wilson95(0, 0) == (0.0, 1.0)


def test_the_phase_plot_pairs_equal_instants(result: Path) -> None:
    figure = phase.phase(Source(result), View(("s.3", "s.1"), 5.0, 6.0))
    axes = figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == (
        "cwnd of s.1 [packets]",
        "cwnd of s.3 [packets]",
    )
    (line,) = [c for c in axes.collections if hasattr(c, "get_segments")]
    flows = rows(result, "flows").filter(pl.col("time_s").is_between(5.0, 6.0))
    first = [
        flows.filter(pl.col("flow") == name)["cwnd_packets"].to_list() for name in ("s.1", "s.3")
    ]
    drawn = [tuple(segment[0]) for segment in line.get_segments()]
    assert drawn == list(zip(*first, strict=True))[:-1]
    alone = phase.phase(Source(result), View(("s.2",)))
    assert alone.axes[0].get_ylabel() == "queue at bottleneck [packets]"


def test_windows_show_reactions_where_they_happened(result: Path) -> None:
    figure = figures.draw(Source(result), ["cwnd"], View(("s.4",)))["cwnd"]
    (axes,) = figure.axes
    lines = {line.get_label(): line for line in axes.lines}
    reactions = rows(result, "reactions").filter(
        (pl.col("flow") == "s.4") & (pl.col("cause") == "loss")
    )
    marks = lines["loss found by acknowledgments"]
    assert marks.get_xdata().tolist() == reactions["time_s"].to_list()
    assert np.asarray(marks.get_ydata()) == pytest.approx(
        reactions["cwnd_bytes_before"].to_numpy() / 1460, rel=0.01
    )
    assert {"cwnd", "ssthresh"} <= lines.keys()


def test_the_queue_names_its_thresholds(result: Path) -> None:
    (axes,) = figures.draw(Source(result), ["queue"], View())["queue"].axes
    named = {text.get_text(): text.xy[1] for text in axes.texts if "_th" in text.get_text()}
    assert named == {"min_th": 5.0, "max_th": 25.0}


def test_a_run_is_repeated_for_what_was_not_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "bare"
    dumbbell.Scenario({**SCENARIO, "duration": "3 s", "record": {"every": "100 ms"}}).run(out=bare)
    fingerprint = dumbbell.Result.load(bare).json["fingerprint"]
    for kind in ("timeseq", "curve"):
        code, _, errors = command(capsys, "plot", bare, kind)
        assert code == 0 and "repeated" in errors and fingerprint in errors, errors


def test_a_wrong_kind_flow_or_part_is_refused(
    result: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, errors = command(capsys, "plot", result, "sequence")
    assert code == 2 and "there is no kind of figure `sequence`" in errors and "timeseq" in errors
    assert command(capsys, "plot", result, "timeseq", "--flow", "t")[0] == 2
    code, _, errors = command(capsys, "plot", result, "cwnd", "--from", "3 s", "--to", "2 s")
    assert code == 2 and "--from 3 s is not before --to 2 s" in errors
    code, _, errors = command(capsys, "plot", result, "cwnd", "--from", "3")
    assert code == 2 and "a time needs its unit: write --from 3s" in errors


def test_an_old_result_is_drawn_and_a_missing_column_is_named(result: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    rows(result, "flows").select("time_s", "flow", "cwnd_packets", "goodput_bps").write_parquet(
        old / "flows.parquet"
    )
    rows(result, "packets").drop("retransmit").write_parquet(old / "packets.parquet")
    drawn = figures.draw(Source(old), [], View())
    assert list(drawn) == ["cwnd", "goodput"]
    assert len(drawn["cwnd"].axes[0].get_legend().get_texts()) == 4
    with pytest.raises(
        ScenarioError, match="has no column retransmit: it was written by another release"
    ):
        figures.draw(Source(old), ["timeseq"], View())


def test_a_truncated_record_is_named(result: Path, tmp_path: Path) -> None:
    file = tmp_path / "packets.parquet"
    file.write_bytes((result / "packets.parquet").read_bytes()[:2000])
    for kinds in (["delay"], []):
        with pytest.raises(dumbbell.CheckFailed, match=f"{file} is damaged"):
            figures.draw(Source(tmp_path), kinds, View())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("-s", "max_p=banana"), "a number belongs here"),
        (("-s", "max_p"), "write KEY=VALUE"),
        (("-s", "max_p="), "write KEY=VALUE"),
        (("-s", "max_p=9"), "out of range"),
        (("extra",), "leave out extra"),
        (("--flow", "s.1"), "--flow does not apply"),
    ],
)
def test_a_curve_refuses_what_a_scenario_would(
    words: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["plot", "curve", "red", *words, "--out", str(tmp_path)])
    assert ended.value.code == 2
    assert says in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
