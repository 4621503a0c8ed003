"""The process in which a run of ours is measured: a scenario as JSON in, `{"result", "cost"}` out.

The same scenario is run twice. The first time all flows start at once and a nanosecond later it is
over, so that it costs the reading, the planning and the building; what the second costs more is the
run.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

from .... import api
from ...frame.design import Plan, Scenario
from ...frame.runs import Answer


def main() -> None:
    """Reads a scenario from stdin."""
    text = sys.stdin.read()
    _run(shortest(_LEAST))  # Loads everything that is loaded once.
    bare = _peak()
    scenario = json.loads(text)
    _, setup_s = _run(shortest(scenario))
    setup = max(bare, _peak())
    result, both_s = _run(scenario)
    peak = max(setup, _peak())
    cost = {
        "run_s": both_s - setup_s,
        "setup_s": setup_s,
        "setup_bytes": setup - bare,
        "peak_bytes": peak - bare,
    }
    print(json.dumps({"result": result, "cost": cost}))


_LEAST: Scenario = {
    "dumbbell": {"bottleneck": {"rate": "1 Mbps", "delay": "1 ms"}},
    "flow": [{"name": "a"}],
}


def shortest(scenario: Plan) -> Scenario:
    """The scenario with a duration of almost nothing."""
    flows = [{**flow, "start": "0 s"} for flow in scenario["flow"]]
    return {**scenario, "flow": flows, "duration": "1 ns", "warmup": "0 s"}


def _run(scenario: Scenario) -> tuple[Answer, float]:
    wanted = api.request({"value": scenario, "name": "compare"}, threads=1)
    began = time.process_time()
    result = api.run(wanted)
    return result, time.process_time() - began


def _peak() -> int:
    """The most memory that this process has had, bytes.

    The kernel counts pages in batches for each core, so a later answer can be some 100 kB below an
    earlier one.
    """
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text(encoding="utf-8"))
    return int(found[1]) * 1024 if found else 0


if __name__ == "__main__":
    main()
