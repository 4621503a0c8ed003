"""CRC-32: known values, the bounds by algebra, and that a frame longer than the bound does let
three bits pass."""

from __future__ import annotations

import random
import zlib

import pytest
from dumbbell.models import ethernet_fcs
from dumbbell.validate.laws import crc as published


def test_three_ways_are_one() -> None:
    assert (
        ethernet_fcs.bitwise(b"123456789")
        == ethernet_fcs.by_table(b"123456789")
        == published.fcs(b"123456789")
        == 0xCBF43926
    )
    rng = random.Random(2)
    for length in (0, 1, 3, 4, 46, 300):
        data = rng.randbytes(length)
        assert ethernet_fcs.bitwise(data) == ethernet_fcs.by_table(data) == zlib.crc32(data)
        assert length < 4 or published.fcs(data) == zlib.crc32(data)


def test_the_generator_is_the_standards() -> None:
    assert sum(1 << e for e in published.GENERATOR_EXPONENTS) == ethernet_fcs.GENERATOR


def test_the_bound_of_distance_4_is_sharp() -> None:
    """Three wrong bits that go unnoticed exist one bit beyond it, and pass a real frame's check."""
    bits = ethernet_fcs.guarded_bits()
    assert bits == published.code_bits(4) == 91639
    assert ethernet_fcs.guarded_frame() == 11454
    values = [value for value, _ in zip(ethernet_fcs.powers(), range(bits + 1), strict=False)]
    middle = values.index(values[bits] ^ 1)
    assert ethernet_fcs.remainder(1 << bits | 1 << middle | 1) == 0
    frame = bytearray(random.Random(3).randbytes(11500))
    sent = zlib.crc32(frame)
    for at in (
        40,
        40 + bits - middle,
        40 + bits,
    ):  # In the order in which bits are sent, the highest power first.
        frame[at // 8] ^= 1 << at % 8
    assert zlib.crc32(frame) == sent
    assert [ethernet_fcs.distance(n) for n in (64, 1518, 11454, 11455, 65553)] == [4, 4, 4, 3, 3]


@pytest.mark.parametrize(
    ("generator", "terms", "degree"),
    [(0b1011, 2, 7), (0b1011, 3, 3), (0x107, 2, 127), (0b1011, 4, 4)],
)
def test_least_degrees_of_small_codes(generator: int, terms: int, degree: int) -> None:
    """Hamming's (7, 4) code, and CRC-8 of ATM's header (ITU-T I.432): against trying all."""
    assert ethernet_fcs.least_degree(terms, 200, generator) == degree
    if degree < 10:
        tried = [
            p
            for p in range(1, 1 << degree + 1)
            if p.bit_count() == terms and ethernet_fcs.remainder(p, generator) == 0
        ]
        assert min(p.bit_length() for p in tried) - 1 == degree


def test_what_is_not_known_is_said() -> None:
    assert ethernet_fcs.least_degree(3, 1000) is None
    assert ethernet_fcs.least_degree(2, 1000) is None
    with pytest.raises(ValueError, match="2, 3 or 4"):
        ethernet_fcs.least_degree(5)
