"""Frames: how well Ethernet's check sequence protects them, and up to which length.

The bounds follow from the generator by algebra: no multiple of it with d - 1 terms is shorter than
the bound. Published values are compared with what `dumbbell.crc` computes. Random error patterns
check both.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterator
from functools import partial

from ....models import ethernet_fcs
from ...check import Check
from ...laws import crc as published
from ...runner import once

CODE = "CRC-32 of IEEE 802.3"
DRAWN = 200
"""Patterns of each kind; the least that can go unnoticed beyond the bound is one in 2^32, which
none would show."""


def _same() -> float:
    """The share of drawn frames on which the table, the shift register and zlib agree."""
    rng = random.Random(1)
    frames = [rng.randbytes(rng.randrange(64, 600)) for _ in range(100)]
    return sum(
        ethernet_fcs.by_table(f) == ethernet_fcs.bitwise(f) == zlib.crc32(f) for f in frames
    ) / len(frames)


def noticed(kind: str) -> float:
    """The share of drawn patterns of errors after which a frame of the bound's length does not fit
    its sequence."""
    rng, bits = random.Random(kind), 8 * ethernet_fcs.guarded_frame()
    body = rng.randbytes(ethernet_fcs.guarded_frame() - 4)
    frame = body + ethernet_fcs.by_table(body).to_bytes(4, "little")
    found = 0
    for _ in range(DRAWN):
        damaged = bytearray(frame)
        for at in _PATTERNS[kind](rng, bits):
            damaged[at // 8] ^= 1 << at % 8  # The lowest bit of a byte is sent first.
        found += ethernet_fcs.by_table(bytes(damaged[:-4])) != int.from_bytes(
            damaged[-4:], "little"
        )
    return found / DRAWN


def _scattered(rng: random.Random, bits: int) -> list[int]:
    """One to three wrong bits anywhere."""
    return rng.sample(range(bits), rng.randint(1, 3))


def _burst(rng: random.Random, bits: int) -> list[int]:
    """Wrong bits within 32, the first and the last of them wrong."""
    length = rng.randint(1, ethernet_fcs.BITS)
    start = rng.randrange(bits - length)
    inner = [start + i for i in range(1, length - 1) if rng.random() < 0.5]
    return sorted({start, *inner, start + length - 1})


_PATTERNS: dict[str, Callable[[random.Random, int], list[int]]] = {
    "scattered": _scattered,
    "burst": _burst,
}


def _codes() -> Iterator[Check]:
    for distance, quick in ((4, True), (5, False)):
        yield Check(
            f"crc.distance-{distance}.bits",
            f"{CODE}: the longest code with a Hamming distance of {distance} (Koopman 2002, table "
            f"1)",
            published.code_bits(distance),
            0.0,
            once(("crc", distance), partial(ethernet_fcs.guarded_bits, distance), float),
            "bits",
            quick=quick,
        )
    yield Check(
        "crc.distance-4.frame",
        f"{CODE}: the longest frame in which any three bit errors are detected, including the "
        "check sequence",
        published.frame_bytes(),
        0.0,
        once("crc frame", ethernet_fcs.guarded_frame, float),
        "B",
    )
    yield Check(
        "crc.period",
        f"{CODE}: x^n is 1 first at n = 2^32 - 1, so the generator is primitive: any two bit "
        "errors are detected in every packet",
        1,
        0.0,
        once(
            "crc period", lambda: ethernet_fcs.order_is(2**32 - 1, published.PERIOD_FACTORS), float
        ),
    )
    yield Check(
        "crc.check-value",
        f"{CODE} of the digits 1 to 9, by long division",
        published.fcs(published.CHECK),
        0.0,
        once("crc check", lambda: ethernet_fcs.by_table(published.CHECK), float),
    )
    yield Check(
        "crc.ways",
        "A table, a shift register and zlib compute the same check sequence",
        1,
        0.0,
        once("ways", _same, float),
    )
    for kind, text in (
        ("scattered", "one to three bit errors, at 11454 B"),
        ("burst", "bursts of up to 32 bits"),
    ):
        yield Check(
            f"crc.noticed.{kind}",
            f"{CODE} detects all of these: {text} (random samples; the bound above is the proof)",
            1,
            0.0,
            once(("crc noticed", kind), partial(noticed, kind), float),
        )


CHECKS = list(_codes())
