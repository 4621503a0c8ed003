"""Decisions per second of a plugin: `python -m dumbbell.bench.plugin_speed mine.py`.

A run with it is compared with the same run without it, in CPU time: what is left is the time of its
decisions.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from .. import api
from ..errors import DumbbellError
from ..plugins.base import Own, name_of
from ..plugins.usable import usable


def measure(cls: type[Own], seconds: int = 60) -> tuple[float, int]:
    """(seconds of CPU time that its decisions took, decisions): arrivals of a queue,
    acknowledgments of a flow."""
    plain_queue = {"kind": "drop_tail", "limit": "100 pkt"}
    queue = {**plain_queue, "kind": name_of(cls)} if cls.kind == "aqm" else plain_queue
    cc = name_of(cls) if cls.kind == "cc" else "newreno"
    spent, mine = _run({"queue": queue, "flow": [{"cc": cc, "count": 3}]}, seconds, cls)
    plain, other = _run({"queue": plain_queue, "flow": [{"cc": "newreno", "count": 3}]}, seconds)
    # The rest of the run costs what its packets cost; how many there are depends on the algorithm.
    rest = plain * mine["packet_hops"] / other["packet_hops"]
    return max(spent - rest, 1e-9), mine["queues"][0]["arrivals"]


def _run(parts: dict[str, Any], seconds: int, *own: type[Own]) -> tuple[float, dict[str, Any]]:
    bottleneck = {"rate": "100 Mbps", "delay": "10 ms"}
    value = {"duration": f"{seconds} s", "dumbbell": {"bottleneck": bottleneck}, **parts}
    began = time.process_time()
    result = api.run(api.request({"value": value, "name": "speed"}), own=own)
    return time.process_time() - began, result


def main(words: list[str] | None = None) -> int:
    """Measures every algorithm of a file; returns the exit code, with what is wrong on standard
    error."""
    files = sys.argv[1:] if words is None else words
    if len(files) != 1:
        print(
            "name one file with plugins: python -m dumbbell.bench.plugin_speed mine.py",
            file=sys.stderr,
        )
        return 2
    try:
        _tell(usable(files[0]))
    except DumbbellError as error:
        print(error.rendered.rstrip("\n"), file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        return 130
    return 0


def _tell(algorithms: list[type[Own]]) -> None:
    for cls in algorithms:
        spent, decisions = measure(cls)
        each = 1e6 * spent / decisions
        print(f"{name_of(cls)}: {decisions / spent:,.0f} decisions a second, {each:.2f} us each")


if __name__ == "__main__":
    sys.exit(main())
