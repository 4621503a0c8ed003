"""RED in hardware as a queue: packet by packet against the page transcribed in Python, and its
draws' memory."""

from __future__ import annotations

import math
import random
from typing import Any

import dumbbell
import pytest
from dumbbell import api
from dumbbell.errors import ScenarioError
from dumbbell.rtl.transcription import (
    ALPHA,
    DRAW,
    GLOBALS,
    LARGEST,
    LEAST,
    LOWER,
    MAX,
    MIN,
    SLOPE,
    UPPER,
    Core,
)

PACKETS = 4000
CLOCK_PS = 8000
SIZE = 100
SEED = 4711
CURVE = {"min_th": "2 pkt", "max_th": "22 pkt", "max_p": 0.3}
CURVES = [
    CURVE,
    {**CURVE, "max_p": 0.2},
    {**CURVE, "min_th": "4 pkt", "max_th": "24 pkt"},
    {**CURVE, "max_p": 0.5},
]
BASE: dict[str, Any] = {**CURVE, "weight_shift": 4, "lfsr_seed": SEED}
ADAPTIVE = {"adaptive": True, "interval": "90 us", "alpha": 0.02, "bottom": 0.05, "top": 0.4}
DSCP = ["be", "af11", "af22", "af43", "ef"]


def slope(max_p: float, wide: int) -> int:
    return math.floor(max_p * 2**33 / wide)


def core_of(changes: dict[str, Any]) -> Core:
    """The transcription with the registers that the configuration means."""
    constant = changes.get("threshold") == "constant"
    classes = changes.get("classes", [CURVE])
    core = Core(
        w=4,
        paper=changes.get("mode") == "paper",
        constant=constant,
        gap=changes.get("gap", False),
        classes=len(classes),
        adapt=changes.get("adaptive", False),
    )
    for number, curve in enumerate(classes):
        low, high = (round(float(curve[key].split()[0]) * 1024) for key in ("min_th", "max_th"))
        rise = round(curve["max_p"] * 2**21) if constant else slope(curve["max_p"], high - low)
        targets = [low + round(part * (high - low)) for part in (0.4, 0.6)]
        for table, value in zip(
            (MIN, MAX, SLOPE, LOWER, UPPER), (low, high, rise, *targets), strict=True
        ):
            core.write(table, 8 * number, value)
    if core.adapt:
        for register, max_p in ((ALPHA, 0.02), (LEAST, 0.05), (LARGEST, 0.4)):
            core.write(GLOBALS, register, slope(max_p, 20 * 1024))
    core.write(GLOBALS, DRAW, SEED)
    return core


def trace() -> tuple[list[int], list[str]]:
    """Instants [ps], about a packet's transmission (100 clocks) from each other, with bursts and
    pauses; codepoints."""
    rng, now, times = random.Random(10), 0, []
    for k in range(PACKETS):
        mean = (60_000, 790_000, 1_500_000)[k // 40 % 3]
        now += round(rng.expovariate(1 / mean)) + (rng.random() < 0.01) * 200_000_000
        times.append(now)
    return times, rng.choices(DSCP, k=PACKETS)


CASES: dict[str, dict[str, Any]] = {
    "sound": {},
    "paper": {"mode": "paper"},
    "constant": {"threshold": "constant", "mode": "paper"},
    "gap": {"gap": True},
    "classes": {"classes": CURVES},
    "adaptive": ADAPTIVE,
    "idle": {"idle_half_life": "40 us"},
    "all": {"mode": "paper", "gap": True, "classes": CURVES, "idle_half_life": "40 us", **ADAPTIVE},
}


@pytest.mark.parametrize("case", CASES)
def test_every_packet_is_decided_as_the_page_says(case: str) -> None:
    changes = CASES[case]
    times, dscp = trace()
    queue = {"kind": "red_hw", "limit": "30 pkt", **BASE, **changes}
    table = dumbbell.drive(
        queue, arrivals={"time_ps": times, "bytes": SIZE, "dscp": dscp}, rate="1 Gbps", mtu="1500 B"
    )
    columns = {
        name: table.column(name) for name in ("queue_packets", "verdict", "reason", "left_ps")
    }
    seen = {name: table.numbers(name) for name in ("avg", "draw", "region", "p")}
    core, free, ticks = core_of(changes), 0, 1
    last_clock = 0
    empty_since: int | None = 0
    leaves = 0
    counted = {"drop": 0, "pass": 0, "resting": 0}
    for k, now in enumerate(times):
        clock = max(now // CLOCK_PS, free)
        free = clock + 1 + math.ceil((SIZE + 14) / 8)
        core.clock(clock - last_clock)
        last_clock = clock
        if core.adapt and now >= ticks * 90_000_000:
            ticks = now // 90_000_000 + 1
            core.tick()
        if empty_since is None and leaves <= now:
            empty_since = leaves // CLOCK_PS
        idle = 0
        if empty_since is not None and "idle_half_life" in changes:
            idle = max(0, min(63, clock // 2500 - empty_since // 2500))
            counted["resting"] += idle > 0
            empty_since = clock
        precedence = int(dscp[k][3]) if dscp[k].startswith("af") else 0
        qlen = columns["queue_packets"][k]
        assert isinstance(qlen, int)
        expected = core.decide(0, qlen, precedence if "classes" in changes else 0, idle)
        early = columns["verdict"][k] == "drop" and columns["reason"][k] in ("early", "forced")
        found = (
            early,
            round(seen["region"][k]),
            round(seen["avg"][k] * 1024),
            round(seen["draw"][k] * 2**21),
        )
        assert found == (expected.drop, expected.region, expected.avg, expected.draw), (
            f"packet {k} of {case}"
        )
        counted["drop" if early else "pass"] += 1
        if columns["verdict"][k] == "pass":
            left = columns["left_ps"][k]
            assert isinstance(left, int)
            leaves, empty_since = left, None
    assert counted["drop"] > PACKETS / 50
    assert counted["pass"] > PACKETS / 3
    assert counted["resting"] > (50 if "idle_half_life" in changes else -1)


def test_the_papers_register_drops_in_bursts_and_ours_does_not() -> None:
    told = api.rtl_lags("paper", range(18, 23), 0.02)
    assert told["threshold"] == 41943
    assert told["p"] == 41942 / (2**21 - 1)
    shares = [row["probability"] for row in told["rows"]]
    assert shares == pytest.approx([0.125, 0.207, 0.25, 0.25, 0.125], abs=0.001)
    assert [row["spacing"] for row in told["rows"]] == [18, 19, 20, 21, 22]
    sound = api.rtl_lags("sound", range(1, 65), 0.02)["rows"]
    assert max(row["probability"] for row in sound) < 0.0202
    free = api.rtl_lags("dense_free", range(9, 201), 0.02)["rows"]
    assert 0.022 < max(row["probability"] for row in free) < 0.025
    with pytest.raises(ScenarioError, match="paper"):
        api.rtl_lags("papers", range(1, 2), 0.02)
