"""The validation suite's laws of repair, marks and estimates, worked out by hand; and that lines
that scripts measure can fail."""

from __future__ import annotations

from typing import Any

import pytest
from dumbbell.validate import report, scripts
from dumbbell.validate.laws import pie
from dumbbell.validate.laws.tcp import control, dctcp, equilibria, estimates, repair
from dumbbell.validate.runner import Runner

CHECKS = {check.id: check for check in report.checks()}


def test_proportional_rate_reduction() -> None:
    """Twenty in flight, the first lost: RecoverFS is 18 (scripts/tcp/rfc9937-prr.dbs)."""
    assert repair.recover_fs(20, 3) == 18
    sent = [repair.in_proportion(n, 10, 18) for n in range(1, 13)]
    assert sent == [1, 1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6]
    assert repair.conserving(6, 0) == 6 and repair.conserving(9, 3) == 12


def test_reordering_windows() -> None:
    assert repair.reordering_window(0.1, 0.1) == 0.025
    assert repair.reordering_window(0.1, 0.1, 2) == pytest.approx(0.075)
    assert repair.reordering_window(0.1, 0.1, 9) == 0.1
    late = (0.02, 0.03, 0.05, 0.06, 0.09)
    assert [repair.needless(x, 0.1) for x in late] == [0, 1, 1, 2, 3]


def test_probes() -> None:
    assert repair.probe_timeout(0.1, 2, 1.0) == 0.2
    assert repair.probe_timeout(0.1, 1, 1.0) == pytest.approx(0.4)
    assert repair.probe_timeout(None, 2, 3.0) == 1.0
    assert repair.probe_timeout(0.1, 2, 0.15) == 0.15
    assert repair.tail_repaired(0.1, 1, 1.0) == pytest.approx(0.55)
    assert repair.tail_repaired(0.1, 2, 1.0) == pytest.approx(0.45)


def test_the_share_of_marks() -> None:
    assert [dctcp.left(alpha) for alpha in (0, 0.5, 1)] == [1, 0.75, 0.5]
    assert dctcp.window(0.1) == pytest.approx(20)
    # For a large window alpha is sqrt(2 / W), and the period sqrt(W / 2) (2010, section 3.3).
    assert dctcp.alpha_at_step(1e6) == pytest.approx((2 / 1e6) ** 0.5, rel=1e-3)
    assert dctcp.period(1e6) == pytest.approx((1e6 / 2) ** 0.5, rel=1e-3)
    alpha = dctcp.alpha_at_step(500)
    low = 501 * (1 - alpha / 2)
    # A marked round trip of W + 1 of what goes while the window rises to it.
    assert 501 / ((501**2 - low**2) / 2) == pytest.approx(alpha, rel=2e-3)
    assert (dctcp.longest(100), dctcp.longest(100, 7)) == (101, 107)


def test_equilibria() -> None:
    assert equilibria.extra(0.05, 50_000_000, 0.03, 1500) == pytest.approx(6.25)


def test_estimates() -> None:
    assert estimates.backlog(2, 4) == (1, 4)
    assert estimates.bandwidth(12_000_000, 1460, 1500) == pytest.approx(1_460_000)
    assert estimates.window_after_loss(1e6, 0.1) == pytest.approx(1e5)
    assert estimates.ack_rate(0.5, 15e6, 1500, 50) == pytest.approx(250_000)
    assert [estimates.warnings(share) for share in (0.7, 0.75)] == [1, 0]


def test_codel_s_delay() -> None:
    """Ten packets in each of 50 ms: 20 ms of growth in an interval and two round trips."""
    assert control.codel_delays(10, 0.05) == (0.005, pytest.approx(0.015))


def test_pie_has_its_table() -> None:
    """RFC 8033 section 4.2."""
    seen = [pie.scale(p) for p in (0, 9e-7, 1e-6, 9e-6, 5e-5, 5e-4, 5e-3, 0.05, 0.1, 0.5)]
    assert seen == [2048, 2048, 512, 512, 128, 32, 8, 2, 1, 1]
    assert pie.step(0.5, 0.025, 0.025) == pytest.approx(0.00125)
    assert pie.step(0.0, 0.015, 0.005) == pytest.approx(0.0125 / 2048)
    assert pie.decade(1e-6) == (0, 1e-6) and pie.decade(1.0) == (0.1, 1.0)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("prr.proportional.sack.delivered-25", "reduction=rfc6675"),
        ("prr.below.advances", "reduction=rfc6675"),
        ("rack.window.three-ahead", "dupack_threshold=5"),
        ("tlp.timeout.flight-1", "probe_ack_delay=100ms"),
        ("tlp.timeout.flight-2", "tail_loss_probe=false"),
    ],
)
def test_a_script_that_is_not_as_it_says_fails(monkeypatch: Any, line: str, field: str) -> None:
    run = scripts.run_text

    def sabotaged(text: str, name: str) -> scripts.Outcome:
        key = field.partition("=")[0]
        head, _, rest = text.partition("\n")
        words = [word for word in head.split() if not word.startswith(f"{key}=")]
        return run(" ".join([*words, field]) + "\n" + rest, name)

    check = CHECKS[line]
    assert report.validate([check], Runner())[0].verdict == "pass"
    monkeypatch.setattr(scripts, "run_text", sabotaged)
    assert report.validate([check], Runner())[0].verdict == "fail"
