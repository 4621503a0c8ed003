"""Writes `cellular.trace`: a minute of a made-up cellular downlink in Mahimahi's format.

    python scenarios/traces/make_cellular.py

Nothing in it was measured. Each 20 ms the rate takes a step of a random walk in its logarithm
between 0.3 and 16 Mbit/s, about a mean of 5; now and then there is an outage of 0.1 to 1.5 s, as at
a handover. Opportunities of 1500 bytes fall into the milliseconds at random, with the rate's mean.
"""

from __future__ import annotations

import math
import random
from pathlib import Path

SECONDS = 60
SLOT_MS = 20
LOW, MEAN, HIGH = 0.3, 5.0, 16.0


def opportunities(seed: int) -> list[int]:
    """Milliseconds, in order."""
    rng = random.Random(seed)
    lines: list[int] = []
    rate, outage = MEAN, 0
    for slot in range(SECONDS * 1000 // SLOT_MS):
        pull = 0.02 * math.log(MEAN / rate)
        rate = min(HIGH, max(LOW, rate * math.exp(pull + rng.gauss(0, 0.12))))
        if outage == 0 and rng.random() < 0.002:
            outage = rng.randint(100, 1500) // SLOT_MS
        if outage > 0:
            outage -= 1
            continue
        per_ms = rate * 1e6 / 8 / 1500 / 1000
        for ms in range(slot * SLOT_MS + 1, (slot + 1) * SLOT_MS + 1):
            whole = int(per_ms) + (rng.random() < per_ms % 1)
            lines += [ms] * whole
    if not lines or lines[-1] != SECONDS * 1000:
        lines.append(SECONDS * 1000)  # The last line is where the trace begins again.
    return lines


if __name__ == "__main__":
    text = "".join(f"{ms}\n" for ms in opportunities(seed=1))
    Path(__file__).with_name("cellular.trace").write_text(text)
