"""`why` explains a drop by the threshold of a shared buffer with the numbers that decided."""

from __future__ import annotations

from pathlib import Path

import dumbbell
import pytest
from dumbbell.explain import why
from dumbbell.explain.why import decisions
from dumbbell.explain.why.finding import Decision
from helpers.recorded_runs import rows

SIZE, ALPHA, PACKET = 60_000, 0.5, 1500


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two senders through a switch; one of its queues has a limit of its own, too."""
    return _run(tmp_path_factory, {"kind": "red", "limit": "100 pkt"})


@pytest.fixture(scope="module")
def of_classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with classes at the other queue."""
    return _run(tmp_path_factory, {"kind": "prio"})


def _run(tmp_path_factory: pytest.TempPathFactory, queue: dict[str, str]) -> Path:
    out = tmp_path_factory.mktemp("shared") / "run"
    fast = {"rate": "100 Mbps", "delay": "1 ms"}
    slow = {"rate": "10 Mbps", "delay": "5 ms"}
    scenario = {
        "duration": "2 s",
        "record": {"packets": True},
        "host": [{"name": name} for name in ("a1", "a2", "b1", "b2")],
        "router": [{"name": "r", "shared_buffer": {"size": f"{SIZE} B", "alpha": ALPHA}}],
        "link": [
            {**fast, "between": ["a1", "r"]},
            {**fast, "between": ["a2", "r"]},
            {**slow, "between": ["r", "b1"], "queue": queue},
            {**slow, "between": ["r", "b2"], "queue": {"kind": "drop_tail", "limit": "3 pkt"}},
        ],
        "flow": [
            {"name": "f1", "from": "a1", "to": "b1", "cc": "newreno"},
            {"name": "f2", "from": "a2", "to": "b2", "cc": "newreno"},
        ],
    }
    dumbbell.Scenario(scenario, name="shared").run(out=out)
    return out


def test_each_such_drop_has_numbers_that_explain_it(recorded: Path) -> None:
    drops = rows(recorded, "signals").drop_nulls("threshold_bytes")
    assert drops.height > 0
    assert set(drops["reason"]) == {"overflow"}
    for drop in drops.iter_rows(named=True):
        used, free = drop["shared_used_bytes"], drop["shared_free_bytes"]
        assert used + free == SIZE
        assert drop["shared_alpha"] == ALPHA
        assert drop["threshold_bytes"] == int(ALPHA * (free - drop["ip_len_bytes"]))
        assert drop["held_bytes"] <= used
        assert drop["held_bytes"] + drop["ip_len_bytes"] > drop["threshold_bytes"]


def test_the_clause_has_these_numbers(recorded: Path) -> None:
    drops = rows(recorded, "signals").drop_nulls("threshold_bytes")
    drop = drops.row(0, named=True)
    d = why.ask(recorded, drop["flow"], packet=drop["packet"]).decision
    assert d is not None
    assert decisions.explained(d) == (
        f"it found {drop['queue_packets']} packets waiting ({drop['held_bytes']:,.0f} bytes); of "
        f"the switch's shared buffer of 60,000 bytes, {drop['shared_used_bytes']:,.0f} bytes were "
        f"used and {drop['shared_free_bytes']:,.0f} bytes free, and with the packet the queue "
        f"would have passed its threshold of {drop['threshold_bytes']:,.0f} bytes, alpha = 0.5 "
        "times what would then have been free"
    )


def test_of_classes_the_bytes_are_those_of_the_packets_own(of_classes: Path) -> None:
    drops = rows(of_classes, "signals").filter(queue="r->b1").drop_nulls("threshold_bytes")
    drop = drops.row(0, named=True)
    d = why.ask(of_classes, "f1", packet=drop["packet"]).decision
    assert d is not None
    assert decisions.explained(d).startswith(
        f"its queue held {drop['held_bytes']:,.0f} bytes of the {drop['queue_packets']} packets "
        "that waited at the port; of the switch's shared buffer"
    )


def test_a_drop_by_the_queues_own_limit_is_told_as_ever(recorded: Path) -> None:
    own = rows(recorded, "signals").filter(queue="r->b2").row(0, named=True)
    assert own["threshold_bytes"] is None
    d: Decision | None = why.ask(recorded, "f2", packet=own["packet"]).decision
    assert d is not None
    assert decisions.explained(d) == "it found 3 packets waiting, its limit is 3 packets"
