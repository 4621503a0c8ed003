"""Sessions, closed loops and completion times as Python sees them, and the checks of the validation
suite for them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell import cli
from dumbbell.figures import completions
from dumbbell.present import network
from dumbbell.studies.compare.queues import metrics
from dumbbell.validate.laws import traffic

WEB: dict[str, Any] = {
    "duration": "8 s",
    "warmup": "1 s",
    "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "10 ms"}},
    "queue": {"kind": "drop_tail", "limit": "60 pkt"},
    "flow": [
        {"name": "bulk"},
        {"name": "pages", "source": {"kind": "request_response", "think": "50 ms", "exchanges": 5}},
        {
            "name": "film",
            "source": {
                "kind": "video",
                "ladder": ["300 kbps", "1 Mbps"],
                "chunk": "1 s",
                "start_up": "2 s",
            },
        },
        {"name": "never", "source": "request_response", "start": "7.999 s"},
    ],
    "session": [
        {
            "name": "web",
            "load": 0.3,
            "size": {"kind": "bounded_pareto", "shape": 1.2, "min": "1 kB", "max": "200 kB"},
        }
    ],
    "record": {"completions": True},
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result directory with two replications."""
    out = tmp_path_factory.mktemp("traffic") / "out"
    dumbbell.Scenario(WEB).run(replications=2, out=out)
    return out


def test_a_saved_result_tells_of_sessions_and_applications(saved: Path) -> None:
    result = dumbbell.Result.load(saved)
    assert [flow.name for flow in result.flows] == ["bulk", "pages", "film", "never"]
    web = result.sessions["web"]
    assert float(web.flows) >= float(web.finished) > 100
    assert (
        len(web.completion_percentiles_s) == 101
        and web.p99_completion_s == web.completion_percentiles_s[99]
    )
    assert sum(float(row.flows) for row in web.by_size) == pytest.approx(float(web.flows))
    pages, film = result.flows["pages"], result.flows["film"]
    assert pages.application["responses"] is not None and float(pages.application["responses"]) == 5
    assert pages.completion_s is not None and float(pages.completion_s) > 4 * 0.05
    assert film.completion_s is None and set(film.application) >= {"chunks", "stalls", "stalled_s"}
    assert result.flows["bulk"].completion_s is None and result.flows["bulk"].application == {}
    assert result.flows["never"].application["latency_p50_s"] is None
    text = result.table()
    assert "Sessions" in text and "Sizes of web" in text and "Applications" in text
    assert "Sessions" in result._repr_html_()


def test_records_and_summaries_agree(saved: Path) -> None:
    result = dumbbell.Result.load(saved)
    rows = result.series("completions")
    for run in result.runs:
        mine = [
            took
            for seed, start, took in zip(
                rows.column("seed"),
                rows.column("start_s"),
                rows.numbers("completion_s"),
                strict=True,
            )
            if seed == run.json["seed"] and start >= 1.0
        ]
        session = run.sessions["web"]
        done = [took for took in mine if took == took]
        assert (len(mine), len(done)) == (session.flows, session.finished)
        assert sum(done) / len(done) == pytest.approx(session.mean_completion_s, rel=1e-12)
        assert sorted(done)[math.ceil(0.99 * len(done)) - 1] == session.p99_completion_s
    ideal, took = rows.numbers("ideal_s"), rows.numbers("completion_s")
    assert all(a <= b for a, b in zip(ideal, took, strict=True) if b == b)
    summary = result.summary("sessions")
    assert summary.column("session") == ["web", "web"] and "by_size" not in summary.columns


def _plot(directory: Path, *words: str) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["plot", str(directory), "fct", *words])
    assert ended.value.code == 0


def test_a_figure_of_one_run_and_of_several_schemes(saved: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    _plot(saved, "--seed", "1")
    assert (saved / "figures" / "fct.svg").stat().st_size > 10_000
    sweep = {
        **WEB,
        "duration": "4 s",
        "flow": [],
        "sweep": {"grid": {"queue.kind": ["drop_tail", "codel"]}},
    }
    dumbbell.Scenario(sweep).run(out=tmp_path / "two")
    _plot(tmp_path / "two")
    text = (tmp_path / "two" / "figures" / "fct.svg").read_text()
    assert text.count("line2d") > 6
    with pytest.raises(dumbbell.ScenarioError, match="no transfer finished"):
        polars = pytest.importorskip("polars")
        completions(
            {"none": [polars.read_parquet(saved / "seed-1" / "completions.parquet").clear()]}
        )


def test_a_plan_is_shown_with_one_flow_of_a_session() -> None:
    plan = dumbbell.Scenario(WEB).check(points=1)[0]["plan"]
    shown = network.for_people(plan)
    assert len(shown["flows"]) == 5 and shown["flows"][-1]["name"].startswith("web.1 … web.")
    assert len(shown["links"]) == 2 + 4 * 5
    assert [network.base_rtt(shown, f) for f in shown["flows"]] == [
        network.base_rtt(plan, f) for f in [*plan["flows"][:4], plan["flows"][4]]
    ]
    assert "web.1/sender" in network.drawing(shown)


def test_schemes_are_judged_by_completion_times() -> None:
    study = {**WEB, "duration": "3 s", "record": {}, "flow": [{"name": "bulk"}]}
    run = dumbbell.Scenario(study).run().json
    assert metrics.completion_s(run, run["queues"][0]) == run["sessions"][0]["p99_completion_s"]
    assert (
        metrics.goodput_bps(run, {})
        == run["totals"]["goodput_bps"]
        > run["flows"][0]["goodput_bps"]
    )
    assert metrics.completion_s({**run, "sessions": []}, {}) is None
    alone = {**study, "flow": []}
    run = dumbbell.Scenario(alone).with_(["session.web.cc=cubic"]).run().json
    assert (run["flows"], run["jain"]) == ([], None) and run["totals"]["goodput_bps"] > 0


def test_laws_of_sizes_have_their_integrals() -> None:
    for shape, least, most in ((1.2, 1000.0, 1e5), (0.7, 10.0, 1e4), (2.5, 1.0, 100.0)):
        r = (least / most) ** shape
        steps = 200_000
        grid = [least * (most / least) ** (i / steps) for i in range(steps + 1)]
        beyond = [((least / x) ** shape - r) / (1 - r) for x in grid]
        area = least + sum(
            (b - a) * (p + q) / 2
            for a, b, p, q in zip(grid, grid[1:], beyond, beyond[1:], strict=False)
        )
        assert traffic.bounded_pareto_mean(shape, least, most) == pytest.approx(area, rel=1e-6)
    assert traffic.log_normal_mean(1.0, math.sqrt(2 * math.log(3))) == pytest.approx(3.0)


def test_slow_start_by_hand() -> None:
    """1000 B at 1 Mbps take 8 ms, acknowledgments and access links no time; a way of 100 ms, a
    window of 2.

    One segment: 108 ms. Two: 116 ms. Three: the first acknowledgment is there after 208 ms, the
    third segment at 316.
    """

    def took(n: int) -> float:
        return traffic.slow_start_s(n, 2, 1000, 0, 1e18, 1e6, 0.1)

    assert [took(n) for n in (1, 2, 3, 6, 7)] == pytest.approx([0.108, 0.116, 0.316, 0.34, 0.524])


def test_transfers_of_one_segment_are_m_d_1() -> None:
    """M/D/1 at load 0.5: a service of 1 s and half a service of waiting."""
    assert traffic.first_windows_s(0.5, [1.0], 0.0) == pytest.approx(1.5)
    # Two sizes: E[S^2] = 5 / 2 of times 1 and 2; W = lambda E[S^2] / 2 / (1 - rho).
    assert traffic.first_windows_s(0.4, [1.0, 2.0], 3.0) == pytest.approx(
        0.4 * 2.5 / 2 / 0.4 + 1.5 + 3
    )
    assert traffic.wire_s(2921, 1460, 40, 8.0) == 2921 + 3 * 40
