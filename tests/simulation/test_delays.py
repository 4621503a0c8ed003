"""Delays of datagrams and connections, the voice that they make, path sharing, and the figures of
all that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dumbbell
import numpy as np
import polars
import pytest
from dumbbell import figures
from dumbbell.figures import distributions
from dumbbell.models import emodel


def scenario(**words: Any) -> dumbbell.Scenario:
    """A call and two connections over a bottleneck of 5 Mbps."""
    return dumbbell.Scenario(
        {
            "duration": "12 s",
            "warmup": "2 s",
            "queue": {"kind": "drop_tail", "limit": "30 pkt"},
            "dumbbell": {"bottleneck": {"rate": "5 Mbps", "delay": "8 ms"}},
            "flow": [
                {"name": "voice", "source": {"kind": "cbr", "rate": "64 kbps", "packet": "160 B"}},
                {"name": "a"},
                {"name": "b", "start": "1 s"},
            ],
            **words,
        }
    )


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[dumbbell.Result, Path]:
    out = tmp_path_factory.mktemp("delays") / "out"
    record = {"every": "50 ms", "delays": True, "packets": True}
    result = scenario(record=record).run(out=out)
    assert isinstance(result, dumbbell.Result)
    return result, out


def test_delays_are_those_of_the_packets(recorded: tuple[dumbbell.Result, Path]) -> None:
    result, out = recorded
    packets = polars.read_parquet(out / "packets.parquet").filter(polars.col("from") == "sender")
    bins = polars.read_parquet(out / "delays.parquet")
    for flow in result.flows:
        mine = packets.filter(polars.col("flow") == flow.name)
        there = mine.filter(polars.col("delivered_ps") >= 2 * 10**12).sort("delivered_ps")
        delay = ((there["delivered_ps"] - there["sent_ps"]).to_numpy() * 1e-12).astype(float)
        min_s = float(flow.delay_min_s)  # type: ignore[arg-type]
        assert min_s == pytest.approx(delay.min(), abs=1e-12)
        max_s = float(flow.delay_max_s)  # type: ignore[arg-type]
        assert max_s == pytest.approx(delay.max(), abs=1e-12)
        mean_s = float(flow.delay_mean_s)  # type: ignore[arg-type]
        assert mean_s == pytest.approx(delay.mean(), rel=1e-9)
        p99 = np.sort(delay)[int(np.ceil(0.99 * len(delay))) - 1]
        assert p99 - 1e-12 <= float(flow.delay_p99_s) <= p99 * 33 / 32  # type: ignore[arg-type]
        assert bins.filter(polars.col("flow") == flow.name)["packets"].sum() == len(delay)


def test_rows_count_packets_and_a_peak_is_the_largest_step(
    recorded: tuple[dumbbell.Result, Path],
) -> None:
    result, out = recorded
    rows = (
        polars.read_parquet(out / "flows.parquet").filter(polars.col("flow") == "a").sort("time_s")
    )
    signals = polars.read_parquet(out / "signals.parquet")
    lost = signals.filter((polars.col("flow") == "a") & (polars.col("from") == "sender"))
    last = rows.tail(1)
    assert last["lost_packets"][0] == lost.filter(polars.col("time_s") < last["time_s"][0]).height
    steps = rows.filter(polars.col("time_s") >= 2 - 1e-9)["received_bytes"].diff().drop_nulls()
    peak = float(result.flows["a"].peak_throughput_bps)  # type: ignore[arg-type]
    assert peak == pytest.approx(steps.max() * 8 / 0.05)  # type: ignore[operator]
    mean = float(result.flows["a"].throughput_bps)
    burstiness = float(result.flows["a"].burstiness)  # type: ignore[arg-type]
    assert burstiness == pytest.approx(peak / mean)
    queue = result.queues["bottleneck"]
    assert float(queue.max_bytes) <= 30 * 1500 and 0 < float(queue.mean_bytes) < float(
        queue.max_bytes
    )


def test_results_are_the_same_with_and_without_records(
    recorded: tuple[dumbbell.Result, Path],
) -> None:
    result, _ = recorded
    again = scenario(record={"every": "50 ms", "delays": True}).run()
    assert again.json["flows"] == result.json["flows"]
    plain = scenario().run().json["flows"]
    assert (
        "delay_min_s" in plain[0] and "delay_min_s" not in plain[1] and "burstiness" not in plain[1]
    )


def test_only_the_named_connections_are_measured() -> None:
    flows = scenario(record={"delays": ["b"]}).run().json["flows"]
    assert ["jitter_s" in f for f in flows] == [True, False, True]
    with pytest.raises(dumbbell.ScenarioError, match="no flow named `c`"):
        scenario(record={"delays": ["c"]}).run()


def test_the_rating_of_nothing_is_that_of_the_recommendation() -> None:
    # G.107: with all its default values R = 93.2; annex B: that is a score of 4.41.
    assert emodel.rating(0) == pytest.approx(93.2, abs=0.05)
    assert emodel.mos(93.2) == pytest.approx(4.41, abs=0.005)
    assert (emodel.mos(-1), emodel.mos(101)) == (1.0, 4.5)
    # Ie,eff by itself: 95 Ppl / (Ppl + Bpl).
    assert emodel.rating(0) - emodel.rating(0, 0.02) == pytest.approx(95 * 2 / (2 + 25.1))
    assert emodel.rating(0.2) < emodel.rating(0.1) < emodel.rating(0.02)
    with pytest.raises(dumbbell.ScenarioError, match="codec"):
        emodel.rating(0.1, codec="mp3")


def test_a_flow_without_delays_has_no_voice() -> None:
    result = scenario().run()
    assert emodel.quality(result.flows["voice"]).mos > 3
    with pytest.raises(dumbbell.ScenarioError, match=r"record\.delays"):
        emodel.quality(result.flows["a"])


def test_sharing_needs_no_run() -> None:
    found = scenario().sharing()
    assert found["most_shared"] == ["bottleneck"]
    assert [f["shared_links"] for f in found["flows"]] == [1, 1, 1]
    assert found["matrix"][0][0] == 1 and found["matrix"][0][1] == pytest.approx(
        1 / found["flows"][0]["links"]
    )


def test_figures_draw_what_was_measured(recorded: tuple[dumbbell.Result, Path]) -> None:
    _, out = recorded
    source, view = figures.Source(out), figures.View(flows=("a", "b"), from_s=3.0)
    drawn = figures.draw(source, ["loss", "scatter"], view)
    drawn |= figures.draw(source, ["delays"], figures.View())
    assert set(drawn) == {"loss", "scatter", "delays"}
    x, y = distributions.rates(source, view, ("a", "b"))
    assert len(x) == 180 and np.all(x + y <= 5.5e6) and np.corrcoef(x, y)[0, 1] < -0.5
    with pytest.raises(dumbbell.ScenarioError, match="two flows"):
        distributions.scatter(source, figures.View(flows=("a",)))
    with pytest.raises(dumbbell.ScenarioError, match="no times"):
        distributions.delays(source, view)
