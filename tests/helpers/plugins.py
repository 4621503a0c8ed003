"""What the tests of a user's own algorithms share: sources, a network, and running them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import dumbbell

HEAD = "import dumbbell\nfrom dumbbell import PASS, MARK, SIGNAL, drop, mark, signal, evict\n\n\n"
HALF_FULL = (
    HEAD
    + '''class HalfFull(dumbbell.Aqm):
    """Drops with probability p when the queue is more than half full."""

    p: float = dumbbell.parameter(0.1, "The probability of a drop.", at_least=0, at_most=1)

    def arrive(self, cx, queue, packet, fits):
        if queue.fullness > 0.5 and cx.rng.unit() < self.p:
            return drop("early")
        return PASS
'''
)
NET: dict[str, Any] = {
    "duration": "5 s",
    "dumbbell": {"bottleneck": {"rate": "5 Mbps", "delay": "10 ms"}},
    "flow": [{"cc": "newreno", "count": 3}],
}
TOML = """duration = "2 s"
dumbbell.bottleneck = { rate = "5 Mbps", delay = "10 ms" }
flow = [{ cc = "newreno", count = 3 }]
"""


def run(**words: Any) -> Any:
    return dumbbell.Scenario({**NET, **words}).run().json


def dumbbell_command(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dumbbell", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120)


def body(lines: str, head: str = "class Mine(dumbbell.Aqm):\n    '''Mine.'''\n") -> str:
    return HEAD + head + "".join(f"    {line}\n" for line in lines.splitlines())


CC = "class Mine(dumbbell.CongestionControl):\n    '''Mine.'''\n"
ARRIVE = "def arrive(self, cx, queue, packet, fits):\n"
ON_CONGESTION = "def on_congestion(self, event, orders):\n    pass\n"
BROKEN_FILES = {
    "syntax": ("def (:\n", "invalid syntax (mine.py, line 1)"),
    "byte 0": ("x = 1\0\n", "cannot contain null bytes"),
    "import": ("import nothing_of_that_name\n", "No module named 'nothing_of_that_name'"),
    "raises": ("raise RuntimeError('no')\n", "RuntimeError: no (mine.py, line 1"),
    "empty": ("x = 1\n", "has no algorithm"),
    "abstract": (HEAD + "class Mine(dumbbell.Aqm):\n    pass\n", "Mine does not define arrive"),
    "annotation": (
        body("p: list = []\n" + ARRIVE + "    return PASS"),
        "parameter `p` is annotated with list",
    ),
    "default": (
        body("p: float = 'x'\n" + ARRIVE + "    return PASS"),
        "parameter `p` is a float, and its default is 'x'",
    ),
    "no default": (body("p: float\n" + ARRIVE + "    return PASS"), "Mine.p has no default"),
    "catalogue": (
        body("name = 'red'\n" + ARRIVE + "    return PASS"),
        "brings `red`, and one of the catalogue",
    ),
}

USES = 'queue = { kind = "half_full", limit = "20 pkt" }\n' + TOML
"""A scenario with the queue of `HALF_FULL`."""
RUNAWAY = "import sys\nsys.setrecursionlimit(10**9)\ndef deeper(n):\n    return deeper(n + 1)\n"
"""A function that calls itself without end."""
