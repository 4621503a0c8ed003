"""The best size of a buffer: both definitions, their intervals, the law over a grid; and the model
of the sawtooth."""

from __future__ import annotations

import math
import random

import pytest
from dumbbell import ScenarioError
from dumbbell.reproduce import predicate
from dumbbell.reproduce.measures import buffer_size, sawtooth
from dumbbell.reproduce.predicate import Family

AT = (0.0, 1.0, 2.0, 4.0, 8.0)


def test_a_peak_is_no_measurement() -> None:
    """2 is within 1 % of the largest, which is at 4; 1 is not."""
    assert buffer_size.best(AT, [1.0, 1.1, 1.195, 1.2, 1.1]) == 2
    assert buffer_size.nearest(AT, [0.3, 0.2, 0.108, 0.1, 0.2]) == 2


def test_an_interval_holds_what_the_noise_allows() -> None:
    rng = random.Random(3)
    runs = [
        [mean + 0.02 * rng.gauss(0, 1) for _ in range(20)] for mean in (1.0, 1.1, 1.19, 1.2, 1.0)
    ]
    low, high = buffer_size.interval(AT, runs)
    assert 1 < low <= buffer_size.size(AT, runs) <= high < 8
    exact = [[mean] * 5 for mean in (1.0, 1.1, 1.2, 1.2, 1.0)]
    assert buffer_size.interval(AT, exact) == (2, 2)
    with pytest.raises(ValueError, match="two runs"):
        buffer_size.interval(AT, [[1.0]] * 5)


def test_words_of_predicates() -> None:
    family = Family(AT, ((1.0, 1.0), (1.1, 1.1), (1.2, 1.2), (1.2, 1.2), (1.0, 1.0)))
    assert predicate.holds("best(x) > 1 and best_low(x) >= 2 and best_high(x) < 3", {"x": family})
    assert predicate.evaluate("nearest(abs(x - 1.1) / 1.1)", {"x": family}).one() == 1
    assert (
        predicate.evaluate(
            "nearest_low(abs(x - 1.1)) + nearest_high(abs(x - 1.1))", {"x": family}
        ).one()
        == 2
    )
    with pytest.raises(ScenarioError, match="two runs"):
        predicate.evaluate("best_low(x)", {"x": Family((0.0, 1.0), ((1.0,), (2.0,)))})


def curve(best: float, at: tuple[float, ...]) -> list[list[float]]:
    """A total that rises to its best size and falls slowly, three runs alike."""
    return [[1 + 2 * min(1.0, x / best) - 0.01 * max(0.0, x - best)] * 3 for x in at]


def test_a_law_is_found_again() -> None:
    at = tuple(0.25 * x for x in range(401))
    cells = [(1e6 * r, 1e-3 * t) for r in (1, 2, 4) for t in (20, 40, 80)]

    def size(cell: buffer_size.Cell) -> float:
        return 0.9 * cell[0] * cell[1] / 8000

    fit = buffer_size.fit(at, {cell: curve(size(cell), at) for cell in cells}, 8000)
    assert fit.law.coefficient == pytest.approx(0.9, rel=0.15)
    assert (fit.law.rate, fit.law.rtt) == pytest.approx((1, 1), abs=0.1)
    assert fit.low == fit.high == fit.law  # runs that are alike leave the bootstrap nothing
    assert max(fit.held_rate, fit.held_rtt) < 0.3


def test_other_exponents_are_told_from_proportional() -> None:
    sizes = {(r, t): 3 * r**0.5 * t**2 for r in (1.0, 2.0, 3.0) for t in (10.0, 20.0, 50.0)}
    law = buffer_size.law(sizes, {cell: cell[0] * cell[1] for cell in sizes})
    assert (law.rate, law.rtt) == pytest.approx((0.5, 2))
    held = buffer_size._held_out(sizes, {cell: cell[0] * cell[1] for cell in sizes}, 1)
    assert held > 1  # twice, and more


def test_no_buffer_best_everywhere_follows_no_law() -> None:
    sizes = {(r, t): 0.0 for r in (1.0, 2.0) for t in (10.0, 20.0)}
    law = buffer_size.law(sizes, {cell: cell[0] * cell[1] for cell in sizes})
    assert (law.rate, law.rtt) == pytest.approx((0, 0))


FLOW = sawtooth.Flow(rate=125, rtt=0.06, bucket=5, out_loss=0.04)


@pytest.mark.parametrize("places", [0, 1, 3, 8, 20])
def test_the_models_cycle_against_small_steps(places: float) -> None:
    """Without bursts and timeouts: the same fluid, integrated in small steps of the window."""
    made, low = FLOW.rate * FLOW.rtt, 3.0
    for _ in range(60):
        out = length = lost = kept = 0.0
        window, step = low, 1e-3
        while out < 1 / FLOW.out_loss:
            if window < made:
                rate = window / FLOW.rtt
                spare = (FLOW.rate - rate) * FLOW.rtt * step
                lost += max(0.0, kept + spare - FLOW.bucket)
                kept = min(FLOW.bucket, kept + spare)
            elif kept > 0:
                rate = window / FLOW.rtt
                kept -= (rate - FLOW.rate) * FLOW.rtt * step
            else:
                rate = max(FLOW.rate, (window - places) / FLOW.rtt)
            past = window / rate * step
            if kept <= 0 and window > made:
                out += (rate - FLOW.rate) * past
            length += past
            window += step
        if abs(window / 2 - low) < 1e-3:
            break
        low = window / 2
    told = sawtooth.throughput(FLOW, places)
    assert told.tokens_lost == pytest.approx(lost / (FLOW.rate * length), abs=0.005)
    assert told.total == pytest.approx(
        (FLOW.rate * length - lost + 1 / FLOW.out_loss - 1) / length, rel=0.01
    )


def test_without_a_reservation_the_model_is_the_square_root_law() -> None:
    """Mathis and others 1997: sqrt(3 / 2p) / RTT for one acknowledgment a packet."""
    told = sawtooth.throughput(sawtooth.Flow(rate=1e-6, rtt=0.1, bucket=0, out_loss=0.001), 0)
    assert told.total == pytest.approx(math.sqrt(3 / (2 * 0.001)) / 0.1, rel=0.01)


def test_the_model_rises_and_falls() -> None:
    """Bursts that the bucket cannot hold: places save tokens, and then only cost delay."""
    flow = sawtooth.Flow(rate=125, rtt=0.06, bucket=5, out_loss=0.04, kappa=1)
    totals = [sawtooth.throughput(flow, places).total for places in range(21)]
    lost = [sawtooth.throughput(flow, places).tokens_lost for places in range(21)]
    assert lost[0] == pytest.approx(1 - 5 / 7.5)
    assert lost == sorted(lost, reverse=True)
    best = totals.index(max(totals))
    assert 0 < best < 20
    assert sawtooth.best_size(flow, list(range(21)), 0.01) <= best
