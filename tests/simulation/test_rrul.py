"""The scenario `rrul`: its load fills both directions, and its probes tell queues apart."""

from __future__ import annotations

import dumbbell
from dumbbell import shipped


def test_probes_wait_behind_a_tail_and_not_behind_fair_queues() -> None:
    file = shipped.scenario("rrul")
    assert file is not None
    scenario = dumbbell.Scenario.from_file(file).with_({"duration": "20 s"})
    fair = scenario.run()
    tail = scenario.with_({"queue.kind": "drop_tail"}).run()
    for run in (fair, tail):
        assert run.json["conservation"]["ok"]
        assert [flow.name for flow in run.flows[:8]] == [
            f"{way}.{i}" for way in ("down", "up") for i in (1, 2, 3, 4)
        ]
    # Behind tails the acknowledgments of one direction wait with the data of the other.
    assert all(queue.utilization > 0.95 for queue in fair.queues)
    for name in ("probe_down", "probe_up"):
        # 20 ms without a queue, and below a round trip of a full packet of each flow.
        assert 0.02 <= fair.flows[name].delay_p50_s < 0.06
        assert tail.flows[name].delay_p50_s > 5 * fair.flows[name].delay_p50_s
