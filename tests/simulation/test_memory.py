"""Memory does not grow with the duration of a run when only the summary is recorded."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import resource, sys
from dumbbell import api
text = '''
schema = 1
duration = "{duration} s"
profile = "ns2"
tcp = {{ receive_window = "200 pkt" }}
[dumbbell]
bottleneck = {{ rate = "100 Mbps", delay = "5 ms" }}
access = {{ rate = "1 Gbps", delay = "1 ms" }}
[queue]
kind = "red"
limit = "60 pkt"
[[flow]]
count = 5
'''.format(duration=sys.argv[1])
result = api.run(api.request({"text": text, "name": "memory"}, threads=1))
assert result["valid"] and result["packet_hops"] > 10_000 * float(sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_kib(seconds: int) -> int:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(seconds)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_memory_does_not_grow_with_duration() -> None:
    """Twenty times the time, some ten million packet-hops, in at most four more MiB."""
    short, long = peak_kib(10), peak_kib(200)
    assert long < short + 4096, f"{short} KiB for 10 s, {long} KiB for 200 s"
