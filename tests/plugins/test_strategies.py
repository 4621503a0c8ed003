"""The strategies and their `drive`: the catalogue's algorithms and transcriptions of them under any
trace."""

from __future__ import annotations

import subprocess
import sys

import dumbbell
import pytest
from dumbbell.validate import strategies as st
from helpers.plugin_examples import PaperRed, PlainTail, Reno5681
from hypothesis import HealthCheck, given, settings

QUICK = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


@QUICK
@given(st.traffic())
def test_red_in_python_decides_as_the_catalogues(trace: list[st.Arrival]) -> None:
    words = {"limit": "12 pkt", "min_th": "2 pkt", "max_th": "6 pkt", "w_q": 0.1, "ecn": True}
    assert st.drive(PaperRed(**words), trace) == st.drive(dumbbell.Red(**words), trace)


def test_the_traces_reach_each_decision() -> None:
    trace = [st.Arrival(0.004, 1000, ecn="ect0" if i % 2 else "not_ect") for i in range(400)]
    fates = st.drive(
        dumbbell.Red(limit="12 pkt", min_th="2 pkt", max_th="6 pkt", w_q=0.1, ecn=True), trace
    )
    assert {"early", "forced"} <= {fate.why for fate in fates}
    assert any(fate.marked == "early" for fate in fates)
    mine = st.drive(
        PaperRed(limit="12 pkt", min_th="2 pkt", max_th="6 pkt", w_q=0.1, ecn=True), trace
    )
    assert mine == fates


@QUICK
@given(st.traffic(max_packets=120))
def test_a_random_victim_is_drawn_alike(trace: list[st.Arrival]) -> None:
    mine = st.drive(PlainTail(limit="4 kB", victim="random"), trace)
    assert mine == st.drive(dumbbell.DropTail(limit="4 kB", victim="random"), trace)


@QUICK
@given(st.acks())
def test_a_window_in_python_is_the_catalogues(life: list[st.Event]) -> None:
    mine, theirs = st.drive(Reno5681(), life), st.drive("newreno", life)
    assert [w.cwnd for w in mine] == [w.cwnd for w in theirs]


@QUICK
@given(st.queues(), st.traffic(max_packets=60))
def test_every_queue_accounts_for_every_packet(
    queue: dict[str, object], trace: list[st.Arrival]
) -> None:
    fates = st.drive(queue, trace)
    assert [fate.packet for fate in fates] == list(range(len(trace)))
    times = [fate.time for fate in fates if fate.time is not None]
    assert times == sorted(times)


@settings(QUICK, max_examples=10)
@given(st.scenarios())
def test_any_small_scenario_is_valid(scenario: dumbbell.Scenario) -> None:
    assert scenario.run().json["valid"]


def test_what_breaks_a_rule_is_told() -> None:
    class Stubborn(dumbbell.CongestionControl):
        """Never gives way."""

        def on_ack(self, ack: object, orders: object) -> None: ...
        def on_congestion(self, event: object, orders: object) -> None: ...

    with pytest.raises(
        dumbbell.DumbbellError,
        match="stubborn broke a rule at event 1: after a timeout cwnd is 10000",
    ):
        st.drive(Stubborn(), [st.Event("loss"), st.Event("timeout")])
    with pytest.raises(dumbbell.ScenarioError, match="`lost` is not one of the choices"):
        st.drive(Stubborn(), [st.Event("lost")])
    with pytest.raises(dumbbell.ScenarioError, match="did you mean `red`"):
        st.drive("redd", [st.Arrival(0.0, 100)])


def test_without_hypothesis_the_lack_is_told() -> None:
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "import dumbbell\n"
        "assert dumbbell.strategies.drive('red', [dumbbell.strategies.Arrival(0.0, 100)])[0].kind "
        "== 'sent'\n"
        "try: dumbbell.strategies.traffic()\n"
        "except dumbbell.EnvironmentLacks as e: assert 'pip install hypothesis' in str(e) and "
        "e.code == 4\n"
        "else: raise SystemExit('no error')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
