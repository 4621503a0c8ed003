"""Hosts that cost, as Python and the command line show them."""

from __future__ import annotations

from typing import Any

import pytest
from dumbbell import Scenario, api
from dumbbell.errors import ScenarioError
from dumbbell.present.tables import result_grids

COSTLY: dict[str, Any] = {
    "duration": "1 s",
    "cpu": {"clock": "20 MHz", "per_packet": 10_000, "per_interrupt": 500},
    "dumbbell": {"bottleneck": {"rate": "20 Mbps", "delay": "2 ms"}},
    "flow": [{"name": "s"}],
}


def test_rows_of_processors_are_typed_combined_and_shown() -> None:
    one = Scenario(COSTLY).run()
    assert [h.name for h in one.hosts][:2] == ["s/sender/cpu_receive", "s/sender/cpu_send"]
    cpu = one.hosts["s/receiver/cpu_receive"]
    assert (cpu.host, cpu.direction) == ("s/receiver", "receive")
    assert cpu.cycles == 10_000 * cpu.packets + 500 * cpu.interrupts
    (shown,) = [g for g in result_grids(one) if g.title == "Hosts"]
    assert [row[:2] for row in shown.rows][2] == ["s/receiver", "receive"]
    several = Scenario({**COSTLY, "replications": 2}).run()
    assert float(several.hosts["s/receiver/cpu_receive"].cycles) == cpu.cycles, "nothing is random"
    assert len(several.summary("hosts")) == 8
    assert not Scenario({**COSTLY, "cpu": "none"}).run().hosts


def test_closed_forms_are_told_and_refused() -> None:
    (row,) = api.host_cost("header_2004", [1500])["rows"]
    assert row["receive_cycles_per_bit"] == pytest.approx(1200 / (8 * 1448))
    with pytest.raises(ScenarioError, match="server_2004"):
        api.host_cost("server_2005", [1500])
