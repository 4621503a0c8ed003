"""One comparison for several files of tests: its network, and both ways to ask for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from dumbbell.studies.compare.queues.work import Options, compare

NET = """duration = "6 s"
warmup = "1 s"
queue = { kind = "red", limit = "40 pkt", min_th = "6 pkt" }

[dumbbell.bottleneck]
rate = "5 Mbps"
delay = "10 ms"

[[flow]]
name = "near"
count = 2
start_spread = "1 s"

[[flow]]
name = "far"
rtt = "90 ms"
start_spread = "1 s"
"""


def run(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dumbbell", "compare", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=cwd)


def compared(net: Path, *schemes: str, **more: Any) -> dict[str, Any]:
    wish = {"source": {"path": str(net)}, "seeds": 3, **more}
    return compare(Options(schemes=schemes, **wish), net.parent / "page")
