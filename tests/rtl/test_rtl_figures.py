"""The hardware's pictures: what a waveform says, and how the random draws remember, by hand and by
the page."""

from __future__ import annotations

import itertools

import pytest
from dumbbell.rtl import lags, tools
from dumbbell.rtl.drawings import curve, pipeline, random_draw, vcd, waveform
from dumbbell.rtl.transcription import LEAP, step
from helpers.rtl import needs


@pytest.fixture
def icarus() -> None:
    """Skips the test, or fails it where hardware is required."""
    needs(tools.ICARUS)


DUMP = """$timescale 1ns $end
$scope module bench $end
$var reg 1 ! clk $end
$var wire 8 " data [7:0] $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
0!
bxxxxxxxx "
$end
#4
1!
b1010 "
#8
0!
#12
1!
b0 "
b11 "
"""


def test_a_dump_is_read_as_it_was_written() -> None:
    signals = vcd.read(DUMP)
    clk, data = signals["clk"], signals["data"]
    assert (clk.bits, data.bits) == (1, 8)
    assert clk.rises() == [4, 12]
    assert [data.at(t) for t in (0, 3, 4, 11, 12, 99)] == [None, None, 10, 10, 3, 3]
    with pytest.raises(ValueError, match="not a value change dump"):
        vcd.read("nothing of the kind")


@pytest.mark.parametrize("way", lags.DRAWS[:2], ids=lambda way: way.name)
def test_the_whole_period_is_the_page_s(way: lags.Draw) -> None:
    states = lags.states(way.taps)
    assert len(states) == len(set(states.tolist())) == lags.PERIOD
    state = 1
    for i in range(5000):
        assert states[i] == state
        state = step(state, way.name == "paper")


def test_the_trinomial_drops_in_bursts_and_the_sound_draw_does_not() -> None:
    table = lags.table()
    at = {n: i for i, n in enumerate(lags.SPACINGS)}
    paper = table["paper"]
    assert paper[at[20]] == pytest.approx(0.25, abs=1e-3)
    assert paper[at[21]] == pytest.approx(0.25, abs=1e-3)
    assert paper[at[9]] < 0.0216
    assert max(table["dense"]) < 0.022
    assert all(0.0199 < x < 0.0201 for x in table["sound"])
    assert 0.019 < min(lags.after_packets()) < max(lags.after_packets()) < 0.0202


def test_a_lag_is_counted_by_hand() -> None:
    """Sound mode, over some of its packets: of those after a drop, as many are dropped as the page
    says on average."""
    low, state, hits = lags.threshold(0.5), 1, []
    for _ in range(3000):
        hits.append(state < low)
        for _ in range(LEAP):
            state = step(state)
    after = [b for a, b in itertools.pairwise(hits) if a]
    assert sum(after) / len(after) == pytest.approx(lags.again(lags.DRAWS[2], 9, 0.5), abs=0.05)


def test_frames_of_the_bus() -> None:
    assert lags.frame_bytes(9) == (61, 68)  # 64 bytes among them: a header, and 60 bytes in 8 words
    assert lags.frame_bytes(191)[0] <= 1518 <= lags.frame_bytes(191)[1]


def test_theory() -> None:
    assert [curve.theory(x) for x in (-1, 0, 3072, 6144)] == [0, 0, 0.01, 1]
    assert curve.theory(3072, gap=True) == pytest.approx(2 * 0.01 / 1.01)


def test_pictures_are_drawn() -> None:
    flat = {way.name: [0.02] * len(lags.SPACINGS) for way in lags.DRAWS}
    counted = [curve.Counted(x, 1000, x // 300) for x in range(0, 6000, 600)]
    for figure in (
        pipeline.draw(),
        random_draw.bursts(flat),
        random_draw.drop_curve(counted, counted),
    ):
        assert figure.axes


def test_figure_8_is_the_paper_s(icarus: None) -> None:
    signals = waveform.record()
    first, second = waveform.decided(signals)
    assert signals["avg_pkts"].at(first + 1) == 11266
    assert signals["region"].at(first + 1) == 1
    assert [signals["drop"].at(t + 1) for t in (first, second)] == [1, 0]
    edges = [t for t in signals["clk"].rises() if signals["out_wr"].at(t - 1) == 1]
    written = [signals["out_data"].at(t - 1) for t in edges]
    assert [word & 0xFF for word in written if word] == [60, *range(0xB1, 0xB9)], (
        "the second packet, whole, and no other"
    )
    assert "11266 (11.002 packets)" in waveform.caption(signals)
    assert waveform.draw(signals).axes


def test_the_core_drops_as_the_equation_says(icarus: None) -> None:
    counted = curve.count(decisions=1500)
    inside = [one for one in counted if 0 <= one.above < curve.WIDTH]
    expected = sum(one.decisions * curve.theory(one.above) for one in inside)
    assert abs(sum(one.drops for one in inside) - expected) < 4 * expected**0.5
    assert [one.share for one in counted if not 0 <= one.above < curve.WIDTH] == [0, 1, 1]
