"""Markers against their transcriptions (transcriptions/markers.py): the same packets, color by
color and to the picosecond."""

from __future__ import annotations

import random

import dumbbell
import pytest
from transcriptions import markers, philox

COLORS = {10: "green", 12: "yellow", 14: "red"}


def _traffic(seed: int, count: int) -> list[tuple[int, int]]:
    """Bursts and pauses of packets of many sizes, around 1 Mbit/s."""
    rng, at, packets = random.Random(seed), 0, []
    for _ in range(count):
        at += 0 if rng.random() < 0.4 else int(rng.expovariate(1 / 12e9))
        packets.append((at, rng.randint(40, 1500)))
    return packets


def _driven(
    packets: list[tuple[int, int]], edge: dict[str, object], seed: int = 1
) -> dumbbell.Table:
    times, sizes = zip(*packets, strict=True)
    arrivals = {"time_ps": times, "bytes": sizes}
    return dumbbell.drive(
        "drop_tail",
        {"limit": "unlimited"},
        arrivals=arrivals,
        rate="1 Tbps",
        mtu="1500 B",
        conditioner=edge,
        seed=seed,
    )


@pytest.mark.parametrize("size", [0, 1, 3, 7])
def test_the_data_buffer_marks_and_holds_as_the_paper_says(size: int) -> None:
    for seed in range(5):
        packets, rate = _traffic(seed, 2000), 900_001 + 50_000 * seed
        table = _driven(
            packets,
            {"kind": "data_buffer", "rate": f"{rate} bps", "burst": "4 kB", "size": f"{size} pkt"},
        )
        found = list(zip(table.numbers("entered_ps"), table.numbers("entered_dscp"), strict=True))
        expected = [
            (at, 10 if color == "IN" else 12)
            for at, color in markers.marked(packets, rate, 4000, size)
        ]
        assert found == expected
        assert 50 < sum(dscp == 12 for _, dscp in found) < 1950, "both happen"


def test_the_token_bucket_is_the_data_buffer_without_a_buffer() -> None:
    packets = _traffic(9, 2000)
    table = _driven(packets, {"kind": "token_bucket", "rate": "1000003 bps", "burst": "4 kB"})
    expected = [
        10 if color == "IN" else 12 for _, color in markers.marked(packets, 1_000_003, 4000, 0)
    ]
    assert list(table.numbers("entered_dscp")) == expected


@pytest.mark.parametrize("peak", [None, 600_000])
def test_the_sliding_window_colours_as_the_rfc_says(peak: int | None) -> None:
    packets, rate = _traffic(4, 3000), 400_000
    kind = {"kind": "tsw2cm"} if peak is None else {"kind": "tsw3cm", "peak_rate": f"{peak} bps"}
    table = _driven(packets, {**kind, "rate": f"{rate} bps", "window": "200 ms"}, seed=7)
    stream = philox.Uniform(7, "port/edge.0")
    expected = markers.tsw(
        packets, rate / 8, float("inf") if peak is None else peak / 8, 0.2, stream.bits32
    )
    assert [COLORS[int(dscp)] for dscp in table.numbers("entered_dscp")] == expected
    assert {"green", "yellow"} | ({"red"} if peak else set()) == set(expected)
