"""CAKE's filter of acknowledgments in a network: what it drops, and that records change nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dumbbell.scenario import Scenario


def _scenario(ack_filter: str, **bottleneck: Any) -> dict[str, Any]:
    """A transfer on 10 Mbit/s; its acknowledgments come back on 100 kbit/s. COBALT does nothing."""
    link = {"rate": "10 Mbps", "delay": "10 ms", "reverse": {"rate": "100 kbps"}, **bottleneck}
    cake = {"kind": "cake", "limit": "1000 pkt", "rtt": "1000 s", "ack_filter": ack_filter}
    tcp = {"delayed_ack": "each", "ecn": "rfc3168"}
    return {
        "duration": "10 s",
        "warmup": "1 s",
        "dumbbell": {"bottleneck": link},
        "queue": {"kind": "codel", "limit": "100 pkt", "ecn": True},
        "queue_reverse": cake,
        "flow": [{"name": "s", "cc": "cubic", "tcp": tcp}],
    }


LOSSY = {"impairment": [{"kind": "bernoulli", "loss": 0.01}]}


@pytest.mark.parametrize("ack_filter", ["conservative", "aggressive"])
def test_what_is_dropped_is_told_by_what_comes_later(ack_filter: str, tmp_path: Path) -> None:
    """Each acknowledgment that is dropped has no SACK blocks, and a later one acknowledges more
    with the same echo; none between them has another."""
    scenario = _scenario(ack_filter, **LOSSY) | {"record": {"packets": True}}
    result = Scenario(scenario).run(seed=1, replications=1, out=tmp_path)
    acks = [row for row in result.series("packets").rows() if row["from"] == "receiver"]
    dropped = [i for i, row in enumerate(acks) if row["reason"] == "evicted"]
    assert len(dropped) > 500
    assert any("sack" in (row["options"] or "") for row in acks)
    assert any("E" in row["flags"] for row in acks)
    for i in dropped:
        row = acks[i]
        assert "sack" not in (row["options"] or ""), row
        for later in acks[i + 1 :]:
            assert later["flags"] == row["flags"], (row, later)
            if later["ack"] > row["ack"]:
                break
        else:
            raise AssertionError(row)


def test_records_do_not_change_what_is_dropped(tmp_path: Path) -> None:
    """Records put a number beside each packet, which the filter does not take for an option."""
    scenario = _scenario("aggressive", **LOSSY)
    plain = Scenario(scenario).run(seed=1, replications=1)
    recorded = Scenario(scenario | {"record": {"packets": True}}).run(
        seed=1, replications=1, out=tmp_path
    )
    assert plain.json["fingerprint"] == recorded.json["fingerprint"]
