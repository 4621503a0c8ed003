"""A link with bit errors: larger packets are lost more often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...check import Check
from ...laws import losses
from ...readings import Run
from ...runner import mean_over_seeds

HEADER, RATE = 28, 8_000_000
"""Bytes of UDP over IPv4; bit/s of payload, so that a packet of 1000 B of payload leaves each
millisecond."""
SHARE = 0.05
"""Five seeds with at least 2 000 losses each leave less than a twentieth of it."""


def _wire(impairment: dict[str, Any], seconds: int, payload: int = 1000) -> dict[str, Any]:
    link = {
        "between": ["a", "b"],
        "rate": "1 Gbps",
        "delay": "1 ms",
        "queue": {"kind": "drop_tail", "limit": "unlimited"},
        "impairment": [impairment],
    }
    source = {"kind": "cbr", "rate": f"{RATE} bps", "packet": f"{payload} B"}
    return {
        "duration": f"{seconds} s",
        "host": [{"name": "a"}, {"name": "b"}],
        "link": [link],
        "flow": [{"from": "a", "to": "b", "source": source}],
    }


def _share(run: Run) -> float:
    flow = run["flows"][0]
    return float(flow["lost_packets"] / flow["sent_packets"])


def _checks() -> Iterator[Check]:
    for payload in (100, 1472):
        rate = 1e-5
        size = payload + HEADER
        yield Check(
            id=f"loss.bit-error.{size}-bytes",
            law="a packet with a bit error is lost: 1 - (1 - rate)^(8 L)",
            expected=losses.bit_errors(rate, size),
            tolerance=SHARE,
            measure=mean_over_seeds(
                _wire({"kind": "bit_error", "rate": rate}, 200, payload), _share
            ),
        )


CHECKS: list[Check] = list(_checks())
