"""The tests of the buses (cocotb on Icarus Verilog): each build's, as `dumbbell.rtl.verify.bus`
runs them."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from dumbbell.rtl import tools
from dumbbell.rtl.verify import bus
from helpers.rtl import needs

NAMES = [bench.name for bench in bus.BENCHES]


@pytest.fixture(scope="module")
def outcomes() -> dict[str, list[bus.Outcome]]:
    needs(tools.ICARUS, tools.COCOTB, tools.AXI)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return dict(zip(NAMES, threads.map(lambda name: bus.run([name]), NAMES), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_the_bus(name: str, outcomes: dict[str, list[bus.Outcome]]) -> None:
    assert outcomes[name]
    failed = {outcome.test: outcome.text for outcome in outcomes[name] if not outcome.passed}
    assert not failed, "\n".join(f"{test}\n{text}" for test, text in failed.items())
