"""`dumbbell.drive`: one queue by itself. That it is the simulator's is tested in
crates/dumbbell-sim/tests/drive.rs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell import PASS, DumbbellError, ScenarioError, api

BURST = {"time_ps": [0] * 6, "bytes": 1000}


def test_packets_are_served_in_turn_and_the_rest_is_dropped() -> None:
    table = dumbbell.drive(
        "drop_tail", {"limit": "3 pkt"}, arrivals=BURST, rate="8 Mbps", delay="5 ms"
    )
    assert table.column("queue_packets") == [0, 0, 1, 2, 3, 3]
    assert table.column("verdict") == ["pass"] * 4 + ["drop"] * 2
    assert table.column("reason") == [None] * 4 + ["overflow"] * 2
    assert table.column("left_ps") == [10**9, 2 * 10**9, 3 * 10**9, 4 * 10**9, None, None]
    assert table.column("arrived_ps")[:4] == [6 * 10**9, 7 * 10**9, 8 * 10**9, 9 * 10**9]
    assert table.column("dropped_ps")[4:] == [0, 0]


def test_rows_and_columns_are_the_same_arrivals() -> None:
    rows = [(0.001 * i, 500 + i, "ect0", i % 3) for i in range(50)]
    time_s, length, _, flow = zip(*rows, strict=True)
    columns = {"time_s": time_s, "bytes": length, "ecn": "ect0", "flow": flow}
    queue = dumbbell.Red(limit="30 pkt", w_q=0.5, ecn=True)
    one, other = (dumbbell.drive(queue, arrivals=given, rate="2 Mbps") for given in (rows, columns))
    assert one.rows() == other.rows()
    assert set(one.column("ecn")) == {"ect0"}
    assert "mark" in one.column("verdict")
    short = dumbbell.drive(queue, arrivals=[row[:2] for row in rows], rate="2 Mbps")
    assert set(short.column("ecn")) == {"not_ect"}
    assert "drop" in short.column("verdict")


def test_the_seed_is_that_of_a_scenario_with_a_link_called_port(tmp_path: Path) -> None:
    queue = {"kind": "red", "limit": "30 pkt", "w_q": 0.1}
    source = {"kind": "cbr", "rate": "9 Mbps", "packet": "972 B", "jitter": 1.0}
    link = {
        "between": ["a", "b"],
        "name": "port",
        "rate": "8 Mbps",
        "delay": "1 ms",
        "queue": queue,
    }
    scenario = dumbbell.Scenario(
        duration="2 s",
        host=[{"name": "a"}, {"name": "b"}],
        link=[link],
        flow=[{"from": "a", "to": "b", "source": source}],
        record={"packets": True, "drops": True},
        seed=5,
    )
    scenario.run(out=tmp_path)
    run = api.table([{"labels": {}, "file": str(tmp_path / "packets.parquet")}])
    arrivals = {"time_ps": run.column("sent_ps"), "bytes": run.column("ip_len_bytes")}
    alone = dumbbell.drive(queue, arrivals=arrivals, rate="8 Mbps", delay="1 ms", seed=5)
    end = 2 * 10**12
    for mine, theirs in (("dropped_ps", "dropped_ps"), ("arrived_ps", "delivered_ps")):
        expected = [t if t is not None and t <= end else None for t in alone.column(mine)]
        assert expected == run.column(theirs)
    assert alone.column("verdict").count("drop") > 20


def test_another_seed_is_another_chance() -> None:
    arrivals = {"time_s": [0.001 * i for i in range(500)], "bytes": 1000}
    words = {"arrivals": arrivals, "rate": "7.5 Mbps"}
    queue = dumbbell.Red(limit="60 pkt", w_q=0.1)
    one, again, other = (
        dumbbell.drive(queue, seed=s, **words).column("verdict") for s in (1, 1, 2)
    )
    assert one == again != other


def test_a_shaper_a_service_and_a_wire_come_along() -> None:
    table = dumbbell.drive(
        "drop_tail",
        arrivals=BURST,
        conditioner=dumbbell.Tbf(rate="8 kbps", burst="2 kB", limit="3 pkt"),
        service={"kind": "mahimahi", "trace": "1*1000"},
        impairment=[dumbbell.Bernoulli(loss=1.0)],
    )
    assert table.column("entered_ps") == [0, 0, 10**12, 2 * 10**12, 3 * 10**12, None]
    assert table.column("reason") == ["link"] * 5 + ["overflow"]


class Counting(dumbbell.Aqm):
    """Lets all in, and counts them."""

    name = "counting"
    seen = 0

    def arrive(self, cx: Any, queue: Any, packet: Any, fits: bool) -> Any:
        """One more."""
        self.seen += 1
        if self.seen > 4:
            raise ValueError("too many")
        return PASS

    def probe(self) -> dict[str, float]:
        """How many."""
        return {"seen": self.seen, "bytes": 7.0}


def test_an_algorithm_of_ones_own() -> None:
    queue = Counting(limit="10 pkt")
    table = dumbbell.drive(queue, arrivals={"time_s": [0, 1, 2], "bytes": 100}, rate="1 Mbps")
    assert table.column("seen") == [1, 2, 3]
    assert table.column("bytes") == [100] * 3
    assert table.column("probe_bytes") == [7.0] * 3
    with pytest.raises(DumbbellError, match="too many"):
        dumbbell.drive(queue, arrivals=BURST, rate="1 Mbps")


@pytest.mark.parametrize(
    ("arrivals", "said"),
    [
        ([(0, 0)], "arrival 0: no IP packet has 0 B"),
        ({"time_ps": [2**63], "bytes": [1500]}, "write at most 9e18 ps"),
        ({"time_ps": [2**64 - 1], "bytes": [1500]}, "write at most 9e18 ps"),
        ([(0, 65536)], "no IP packet has 65536 B"),
        ([(1, 100), (0.5, 100)], "arrival 1: it comes at 500000000000 ps, before"),
        ([(0, 100, "ect")], "`ect` is not a codepoint"),
        ([(0, 100), (1,)], "arrival 1 does not describe a packet"),
        ([(0, 100, "ce", 2**31)], "arrival 0: 2147483648 is not a flow number"),
        ([(-1, 100)], "-1 s is not a time"),
        ([(float("nan"), 100)], "nan s is not a time"),
        ({"time_s": [0], "length": [5]}, "not length"),
        ({"time_s": [0]}, "these are time_s"),
        ({"time_s": [0, 1], "bytes": [1]}, "different lengths"),
    ],
)
def test_what_is_no_packet_is_refused(arrivals: Any, said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        dumbbell.drive("drop_tail", arrivals=arrivals, rate="1 Mbps")


def test_a_queue_that_cannot_be_is_refused_as_in_a_scenario() -> None:
    for queue, parameters, words, said in [
        ("redd", {}, {"rate": "1 Mbps"}, "did you mean `red`"),
        ("red", {"max_pp": 1}, {"rate": "1 Mbps"}, "did you mean `max_p`"),
        ("red", {}, {}, "`rate` is missing"),
        ("red", {"max_p": 2}, {"rate": "1 Mbps"}, "max_p"),
    ]:
        with pytest.raises(ScenarioError, match=said):
            dumbbell.drive(queue, parameters, arrivals=[], **words)
    assert len(dumbbell.drive("red", arrivals=[], rate="1 Mbps")) == 0


@pytest.mark.parametrize(
    ("arrivals", "said"),
    [
        ([(0, -1)], "arrival 0: `bytes` is -1\nhelp: write a whole number from 1 to 65535"),
        ([(0, 100), (0, 10**12)], "arrival 1: `bytes` is 1000000000000"),
        ([(0, "a")], "arrival 0: `bytes` is 'a'"),
        ([(0, 1.5)], "arrival 0: `bytes` is 1.5"),
        ([("x", 10)], "x s is not a time"),
        ([(None, 10)], "None s is not a time"),
        ([(0, 10, "ect0", -1)], "arrival 0: `flow` is -1"),
        ([(0, 10, ["a"])], "is not a codepoint"),
        ({"time_ps": [-1], "bytes": 10}, "arrival 0: `time_ps` is -1"),
        ({"time_ps": [2**70], "bytes": 10}, "arrival 0: `time_ps` is 118"),
        ({"time_ps": ["a"], "bytes": 10}, "'a' ps is not a time"),
        ({"time_ps": [0], "bytes": 10.5}, "`bytes` of arrivals is 10.5"),
        ({"time_ps": 3, "bytes": 10}, "`time_ps` of arrivals is 3"),
        (3, "`rows` of arrivals is 3"),
        ([3], "arrival 0 does not describe a packet"),
    ],
)
def test_packets_that_cannot_be_are_errors_of_the_scenario(arrivals: Any, said: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        dumbbell.drive("drop_tail", {"limit": "9 pkt"}, arrivals=arrivals, rate="1 Mbps")
    assert said in str(refused.value)
