"""When algorithms signal: one queue alone against the law that its page states, transcribed from
its source."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell import aqm_response
from dumbbell.aqm_response import laws
from dumbbell.aqm_response.measure import Curve
from dumbbell.aqm_response.theory import Instants, Over, Response
from dumbbell.cli import main
from dumbbell.figures import aqm_response as drawing
from dumbbell.figures import style
from helpers import catalogue_checks

PACKETS = 50_000
WITHOUT = {"fred"}
"""AQMs of the catalogue without a closed law: FRED's depends on what each flow has in the queue."""


def outside(curve: Curve) -> float:
    """The part of the measured shares that have the law outside their 95 % interval."""
    missed = [s for s in curve.shares if not s.interval[0] - 1e-9 <= s.law <= s.interval[1] + 1e-9]
    return len(missed) / len(curve.shares)


def named(shape: type) -> list[str]:
    # The model's law is that of the RTL, which tests of its own compare with it.
    return [
        name
        for name, law in aqm_response.known().items()
        if isinstance(law, shape) and name != "red_rtl"
    ]


def test_every_aqm_has_a_law_or_a_reason_to_have_none() -> None:
    catalogue_checks.check_laws(list(dumbbell.catalogue.algorithms()))
    assert set(dumbbell.catalogue.kinds()["aqm"]) - set(aqm_response.known()) == WITHOUT


@pytest.mark.parametrize("name", named(Over))
def test_signals_follow_the_law_of_the_quantity(name: str) -> None:
    curve = aqm_response.measure(name, packets=PACKETS)
    assert len(curve.shares) > 10
    # Of 40 intervals of 95 % more than 7 miss once in 300 seeds.
    assert outside(curve) <= 7 / 40
    assert (
        max(s.law for s in curve.shares) > 0.2 and min(s.law for s in curve.shares) == 0
    ) or name == "green"


@pytest.mark.parametrize("name", named(Response))
def test_probabilities_answer_as_the_law_says(name: str) -> None:
    curve = aqm_response.measure(name)
    largest = max(abs(value) for value in curve.law)
    assert largest > 0
    for measured, law in zip(curve.gauge, curve.law, strict=True):
        assert measured == pytest.approx(law, abs=0.02 * largest), name
    assert outside(curve) <= 7 / 40


@pytest.mark.parametrize("name", named(Instants))
def test_signals_come_when_the_law_says(name: str) -> None:
    curve = aqm_response.measure(name)
    assert len(curve.times) > 300
    assert list(curve.times) == pytest.approx(list(curve.law[: len(curve.times)]), abs=1e-9)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("red", {"max_p": 0.3, "gentle": True, "min_th": "10 pkt", "max_th": "30 pkt"}),
        ("red", {"spacing": "bernoulli", "max_p": 0.5}),
        ("red", {"spacing": "uniform_wait", "max_p": 0.2}),
        ("red", {"spacing": "uniform_stored", "max_p": 0.2}),
        ("red", {"byte_mode": True, "mean_packet_size": "500 B"}),
        ("red", {"byte_drop": "mean_size", "mean_packet_size": "2 kB", "max_p": 0.3}),
        (
            "red",
            {
                "byte_drop": "ns2",
                "mean_packet_size": "800 B",
                "spacing": "uniform_wait",
                "max_p": 0.2,
            },
        ),
        ("red_hw", {"max_p": 0.18}),
        ("red_hw", {"gap": True, "max_p": 0.18}),
        ("red_hw", {"mode": "paper", "threshold": "constant", "max_p": 0.1}),
        ("drop_tail", {"limit": "17 pkt"}),
        ("pi", {"byte_mode": True, "mean_packet_size": "400 B", "byte_drop": "ns2"}),
        ("rem", {"byte_mode": True, "mean_packet_size": "2 kB", "byte_drop": "mean_size"}),
        ("blue", {"byte_mode": True, "mean_packet_size": "500 B", "byte_drop": "mean_size"}),
        ("blue", {"d1": 0.01, "freeze_time": "25 ms"}),
        ("pie", {"target": "30 ms", "tupdate": "30 ms", "derandomize": False}),
        ("codel", {"target": "10 ms", "interval": "50 ms"}),
        ("pi2", {"alpha": 0.3, "beta": 1.0}),
    ],
)
def test_other_parameters_move_both_alike(name: str, changes: dict[str, Any]) -> None:
    curve = aqm_response.measure(name, changes, packets=PACKETS)
    if curve.shares:
        assert outside(curve) <= 7 / 40
    else:
        assert list(curve.times) == pytest.approx(list(curve.law[: len(curve.times)]), abs=1e-9)


@pytest.mark.parametrize(
    ("name", "key", "value"), [("red", "max_p", 0.15), ("red", "spacing", "bernoulli")]
)
def test_a_law_with_other_parameters_is_seen(
    name: str, key: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    law = aqm_response.known()[name]
    assert isinstance(law, Over)
    wrong = replace(
        law, law=lambda gauges, p: laws.red(gauges, replace(p, values={**p.values, key: value}))
    )
    monkeypatch.setitem(aqm_response.known(), name, wrong)
    assert outside(aqm_response.measure(name, packets=PACKETS)) > 1 / 3


@pytest.mark.parametrize("spacing", ["bernoulli", "uniform", "uniform_stored", "uniform_wait"])
@pytest.mark.parametrize("p_b", [0.013, 0.1, 0.15, 0.3, 0.45, 0.5, 0.7])
def test_the_frequency_is_one_over_the_mean_spacing(spacing: str, p_b: float) -> None:
    """Against the sum over k of the chance that the k packets after a signal have none."""

    def p_a(k: int) -> float:
        x = k * p_b
        if spacing == "uniform":
            return min(1.0, p_b / (1 - x)) if x < 1 - 1e-12 else 1.0
        if spacing == "uniform_wait":
            return 0.0 if x < 1 - 1e-12 else min(1.0, p_b / (2 - x)) if x < 2 - 1e-12 else 1.0
        return p_b

    survives, mean = 1.0, 0.0
    for k in range(1, 5000):
        mean += survives
        survives = max(0.0, 1 - k * p_b) if spacing == "uniform_stored" else survives * (1 - p_a(k))
    assert laws.frequency(p_b, spacing) == pytest.approx(1 / mean, rel=1e-9)


@pytest.mark.parametrize("name", ["drop_tail", "pi2", "codel"])
def test_each_shape_is_drawn(name: str) -> None:
    curve = aqm_response.measure(name, packets=20_000)
    text = style.svg(drawing.signalling(curve), name)
    assert "<svg" in text
    assert "law" in drawing.differs(curve)


def test_the_command_writes_and_says_how_far_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["plot", "curve", "blue", "-s", "d1=0.005", "--out", str(tmp_path)])
    assert ended.value.code in (0, None)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "curve-blue.pdf",
        "curve-blue.png",
        "curve-blue.svg",
    ]
    assert "95 % interval" in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(WITHOUT | {"cubic"}))
def test_what_has_no_law_is_refused(name: str) -> None:
    with pytest.raises(dumbbell.ScenarioError, match="has no law"):
        aqm_response.measure(name)
