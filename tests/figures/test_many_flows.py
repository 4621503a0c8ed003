"""Figures of one to a thousand flows: no warning, nothing at the border, legends inside."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import dumbbell
import matplotlib
import numpy as np
import polars as pl
import pytest
from dumbbell import figures
from dumbbell.figures import Source, View, crowd, style
from dumbbell.figures.crowd import members
from dumbbell.figures.style import lettering

LONG = "a-flow-with-a-name-that-nobody-would-want-to-read-in-a-legend"


def scenario(flows: list[dict[str, Any]], every: str = "50 ms", **record: Any) -> dict[str, Any]:
    """Flows through RED, recorded."""
    return {
        "duration": "4 s",
        "warmup": "1 s",
        "dumbbell": {"bottleneck": {"rate": "20 Mbps", "delay": "10 ms"}},
        "queue": {"kind": "red", "limit": "100 pkt"},
        "flow": flows,
        "record": {"every": every, **record},
    }


CASES = {
    "1": [{"name": "s"}],
    "3": [{"name": "near", "count": 2}, {"name": LONG, "rtt": "80 ms"}],
    "8": [{"name": f"{LONG}-{i}"} for i in range(8)],
    "12": [{"name": "s", "count": 12}],
    "60": [{"name": LONG, "count": 30}, {"name": "far", "count": 30, "cc": "cubic"}],
    "1000": [{"name": f"t{i}", "count": 125} for i in range(8)],
}


@pytest.fixture(scope="module", params=CASES)
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Source:
    """A recorded run with so many flows; of more than 60 only the series."""
    out = tmp_path_factory.mktemp("many") / "result"
    few = request.param != "1000"
    every = "50 ms" if few else "200 ms"
    tables = scenario(CASES[request.param], every, packets=few, acks=few, delays=few)
    dumbbell.Scenario(tables, check=False).run(out=out)
    return Source(out)


def pixels(figure: style.Figure) -> np.ndarray:
    """The figure as its PNG has it."""
    out = io.BytesIO()
    with matplotlib.rc_context(style.RC):
        figure.savefig(out, format="rgba", dpi=100)
        width, height = (round(100 * inches) for inches in figure.get_size_inches())
    return np.frombuffer(out.getvalue(), np.uint8).reshape(-1, width, 4)[:height]


def check(figure: style.Figure, what: str) -> None:
    """Nothing is drawn at the border, and legends and titles are inside."""
    image = pixels(figure)
    for edge in (image[:2], image[-2:], image[:, :2], image[:, -2:]):
        assert (edge == 255).all(), f"{what}: something is drawn at the border"
    whole = figure.bbox
    for axes in figure.axes:
        assert axes.get_window_extent().height > 60, f"{what}: the axes are squeezed"
        if (legend := axes.get_legend()) is not None:
            box = legend.get_window_extent()
            assert box.x0 >= whole.x0 and box.x1 <= whole.x1, f"{what}: the legend is cut"
            assert box.y0 >= whole.y0 and box.y1 <= whole.y1, f"{what}: the legend is cut"


def test_nothing_is_clipped_and_nothing_warns(source: Source) -> None:
    flows = source.flow_order
    drawn = [
        name
        for name, kind in figures.KINDS.items()
        if all(source.find(need) is not None for need in kind.needs)
        and (name != "scatter" or len(flows) > 1)
    ]
    assert {"cwnd", "goodput", "queue", "phase", "loss"} <= set(drawn)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in drawn:
            check(figures.KINDS[name].draw(source, View()), f"{name} of {len(flows)}")
        if len(flows) > crowd.MOST:
            for name in ("cwnd", "goodput", "loss"):
                check(figures.KINDS[name].draw(source, View((flows[-1],))), name)


def test_more_than_eight_flows_are_groups_of_their_templates() -> None:
    names = [*(f"b.{i}" for i in range(1, 8)), *(f"a.{i}" for i in range(1, 4))]
    found = members(names)
    assert [(m.label, m.grouped) for m in found] == [("b, 7 flows", True), ("a, 3 flows", True)]
    assert found[1].names == ("a.1", "a.2", "a.3")
    over = members(names, ["a.2"])
    assert [m.label for m in over] == ["b, 7 flows", "a, 3 flows", "a.2"]
    assert len({m.place for m in over}) == 3
    # Up to eight: each by itself, in the order of the scenario, with the look of its place.
    few = members(["z", "b", "a"], ["a", "z"])
    assert [(m.label, m.place, m.grouped) for m in few] == [("z", 0, False), ("a", 2, False)]


def test_without_templates_flows_are_groups_of_their_congestion_control() -> None:
    names = [f"flow{i}" for i in range(1, 11)]
    controls = {name: "cubic" if i % 2 else "bbr" for i, name in enumerate(names)}
    assert [m.label for m in members(names, controls=lambda: controls)] == [
        "bbr, 5 flows",
        "cubic, 5 flows",
    ]
    assert [m.label for m in members(names)] == ["all, 10 flows"]
    unnamed = [f"flow{i}.{j}" for i in (1, 2) for j in range(1, 6)]
    assert [m.label for m in members(unnamed)] == ["all, 10 flows"]


def test_a_band_has_the_percentiles_of_its_flows() -> None:
    rows = [
        {"time_s": t, "flow": f"s.{i}", "cwnd_packets": float(i + t)}
        for t in (0.0, 1.0)
        for i in range(11)
    ]
    _, axes = style.new()
    frame = pl.DataFrame(rows)
    ((time, high),) = crowd.lines(
        axes, [frame], "flow", "cwnd_packets", members([f"s.{i}" for i in range(11)])
    )
    (line,) = axes.lines
    assert time.tolist() == [0.0, 1.0]
    assert line.get_ydata().tolist() == [5.0, 6.0]
    assert high.tolist() == [9.0, 10.0]


def limits(values: list[float]) -> tuple[float, list[str]]:
    """The top of the axis over these values, a second apart, and the words in the axes."""
    _, axes = style.new()
    axes.plot(range(len(values)), values)
    lettering.from_zero(axes, [(range(len(values)), values)])
    return axes.get_ylim()[1], [text.get_text() for text in axes.texts]


def test_one_slow_start_does_not_set_the_axis() -> None:
    usual = [10.0, 20.0] * 50
    top, said = limits([1.0, 500.0, *usual])
    assert 20 < top < 30 and said == ["up to 500 at 1 s"]
    assert limits(usual) == (pytest.approx(21.6), [])
    # What happens often is shown whole.
    top, said = limits([10.0, 10.0, 10.0, 90.0] * 25)
    assert top > 90 and not said


def test_flows_have_the_order_of_the_scenario(tmp_path: Path) -> None:
    tables = scenario([{"name": "z"}, {"name": "b", "count": 2}, {"name": "a"}])
    result = dumbbell.Scenario(tables, check=False).run(out=tmp_path / "r")
    assert isinstance(result, dumbbell.Result)
    order = ["z", "b.1", "b.2", "a"]
    for drawn in (figures.recorded(tmp_path / "r"), figures.of_result(result)):
        legend = drawn["goodput"].axes[0].get_legend()
        assert [text.get_text() for text in legend.get_texts()] == order
        assert [a.get_ylabel().split("\n")[0] for a in drawn["cwnd"].axes] == order


def test_the_window_line_is_left_out_where_it_would_lie(tmp_path: Path) -> None:
    for every, there in (("50 ms", False), ("1 ms", True)):
        tables = scenario([{"name": "s", "rtt": "40 ms"}], every, packets=True)
        out = tmp_path / every.replace(" ", "")
        dumbbell.Scenario(tables, check=False).run(out=out)
        figure = figures.draw(Source(out), ["timeseq"], View())["timeseq"]
        texts = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        assert ("ACK + cwnd" in texts) == there
        said = "cwnd was recorded every 50 ms, the RTT is 40 ms"
        assert (said in figure.get_suptitle().replace("\n", " ")) == (not there)
