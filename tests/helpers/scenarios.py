"""Scenarios that tests of several parts run."""

from __future__ import annotations

from typing import Any

import dumbbell

SCENARIO = """
duration = "4 s"
warmup = "1 s"
queue = { kind = "red", limit = "36 pkt", min_th = "limit / 6", max_th = "limit / 3" }
[dumbbell.bottleneck]
rate = "10 Mbps"
delay = "5 ms"
[[flow]]
name = "a"
rtt = "40 ms"
[[flow]]
name = "b"
count = 2
"""

LIVE = """
duration = "1 s"
profile = "linux"
queue = { kind = "red", limit = "20 pkt", min_th = "4 pkt", max_th = "12 pkt" }
[dumbbell.bottleneck]
rate = "4 Mbps"
delay = "2 ms"
[[flow]]
name = "a"
cc = "sack"
[testbed]
calibrate = false
"""
"""Of a run on real kernels: one flow for a second."""

WORDS = {
    "name": "three",
    "duration": "4 s",
    "warmup": "1 s",
    "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "5 ms"}},
    "flow": [{"name": "a", "rtt": "40 ms"}, {"name": "b", "count": 2}],
}


def build() -> dumbbell.Scenario:
    return dumbbell.Scenario(
        WORDS, queue=dumbbell.Red(limit="36 pkt", min_th="limit / 6", max_th="limit / 3")
    )


MARKED: dict[str, Any] = {
    "duration": "1 s",
    "dumbbell": {
        "bottleneck": {
            "rate": "10 Mbps",
            "delay": "5 ms",
            "conditioner": {"kind": "token_bucket", "per": "flow"},
        }
    },
    "flow": [{"name": "gold", "reserved": "1 Mbps", "rtt": "20 ms"}, {"name": "be"}],
}


def simulate(*flows: dict[str, Any], seed: int = 1, **words: Any) -> dict[str, Any]:
    """One run of a dumbbell: `rate`, `delay` and `reverse` of its bottleneck, and words of a
    scenario."""
    link = {
        key: words.pop(key) for key in ("rate", "delay", "reverse", "impairment") if key in words
    }
    network = {"bottleneck": {"rate": "10 Mbps", "delay": "10 ms", **link}}
    defaults = {"duration": "20 s", "dumbbell": network, "seed": seed}
    result = dumbbell.Scenario({**defaults, **words, "flow": list(flows)}).run().json
    assert result["conservation"]["ok"]
    return result
