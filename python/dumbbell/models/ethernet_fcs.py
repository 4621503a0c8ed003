"""The frame check sequence of Ethernet: CRC-32 of IEEE 802.3, and how long a frame it guards how
well.

A polynomial over GF(2) is a whole number whose bit i is the coefficient of x^i. A frame is one, its
first bit the highest power; a pattern of errors goes unnoticed where it is a multiple of the
generator. So all patterns of up to d - 1 wrong bits are found in frames shorter than the shortest
multiple with d terms: the Hamming distance is d there. The bounds are computed from the generator
here, not typed in (Koopman, 32-bit cyclic redundancy codes for Internet applications, DSN 2002, has
them in a table).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

GENERATOR = 0x104C11DB7
"""x^32 + x^26 + x^23 + x^22 + x^16 + x^12 + x^11 + x^10 + x^8 + x^7 + x^5 + x^4 + x^2 + x + 1 (IEEE
802.3, 3.2.9)."""
BITS = 32
"""Bits of the check sequence."""
FRAME = 6 + 6 + 2 + 4
"""Bytes of a frame besides its payload: addresses, type, check sequence. All of them are
guarded."""
_REFLECTED = int(f"{GENERATOR & 0xFFFFFFFF:032b}"[::-1], 2)
_ONES = 0xFFFFFFFF
_SHARDS = 8


def bitwise(data: bytes) -> int:
    """The check sequence, bit by bit as the standard has it: each byte's lowest bit first, begun
    with ones, inverted.

    As `zlib.crc32`, which it is compared with.
    """
    value = _ONES
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (_REFLECTED if value & 1 else 0)
    return value ^ _ONES


@cache
def table() -> tuple[int, ...]:
    """The change of the sequence by each byte (Sarwate 1988)."""
    found = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (_REFLECTED if value & 1 else 0)
        found.append(value)
    return tuple(found)


def by_table(data: bytes) -> int:
    """The check sequence, with a step for each byte."""
    value, steps = _ONES, table()
    for byte in data:
        value = value >> 8 ^ steps[(value ^ byte) & 0xFF]
    return value ^ _ONES


def remainder(polynomial: int, generator: int = GENERATOR) -> int:
    """The remainder of its division by the generator; 0 for a pattern of errors that goes
    unnoticed."""
    degree = generator.bit_length()
    while polynomial.bit_length() >= degree:
        polynomial ^= generator << polynomial.bit_length() - degree
    return polynomial


def powers(generator: int = GENERATOR) -> Iterator[int]:
    """The remainders of 1, x, x^2, ..."""
    top, value = 1 << generator.bit_length() - 1, 1
    while True:
        yield value
        value <<= 1
        if value & top:
            value ^= generator


def least_degree(terms: int, most: int = 100_000, generator: int = GENERATOR) -> int | None:
    """The least degree of a multiple of the generator with so many terms, 2, 3 or 4; None if it is
    beyond `most`.

    Of the multiples of least degree one has the term 1 (else divide by x). With two terms it is 1 +
    x^k, where the powers begin anew; with three x^k + 1 is an earlier power; with four x^k + 1 is
    the sum of two earlier ones.
    """
    if terms not in (2, 3, 4):
        raise ValueError(f"{terms} terms: only 2, 3 or 4 are supported")
    return {2: _two, 3: _three, 4: _four}[terms](most, generator)


def _two(most: int, generator: int) -> int | None:
    for k, value in enumerate(powers(generator)):
        if k > most:
            return None
        if k and value == 1:
            return k
    raise AssertionError("powers have no end")


def _three(most: int, generator: int) -> int | None:
    seen: set[int] = set()
    for k, value in enumerate(powers(generator)):
        if k > most:
            return None
        if k and value ^ 1 in seen:
            return k
        if k:
            seen.add(value)
    raise AssertionError("powers have no end")


def _four(most: int, generator: int) -> int | None:
    """Sums of pairs grow with the square, so that they are looked through by shards."""
    values = [value for value, _ in zip(powers(generator), range(most + 1), strict=False)][1:]
    found: int | None = None
    for shard in range(_SHARDS):
        pairs: set[int] = set()
        earlier: list[list[int]] = [[] for _ in range(_SHARDS)]
        for k, value in enumerate(values[:found], 1):
            if (value ^ 1) % _SHARDS == shard and value ^ 1 in pairs:
                found = k
                break
            pairs.update([value ^ other for other in earlier[(value ^ shard) % _SHARDS]])
            earlier[value % _SHARDS].append(value)
    return found


def order_is(n: int, factors: tuple[int, ...], generator: int = GENERATOR) -> bool:
    """True if x^n is the first power that is 1 again: n, and the primes that divide it. With it two
    wrong bits less than n apart are always found."""
    return _power(n, generator) == 1 and all(
        _power(n // factor, generator) != 1 for factor in factors
    )


def _power(n: int, generator: int) -> int:
    """x^n."""
    value, base = 1, 2
    while n:
        if n & 1:
            value = _product(value, base, generator)
        base, n = _product(base, base, generator), n >> 1
    return value


def _product(a: int, b: int, generator: int) -> int:
    total = 0
    while b:
        if b & 1:
            total ^= a
        a, b = a << 1, b >> 1
    return remainder(total, generator)


@cache
def guarded_bits(distance: int = 4) -> int:
    """The longest code, check sequence included, in which any `distance - 1` wrong bits are found,
    bits: 91639 for 4.

    One bit more, and the multiple of least degree with `distance - 1` terms fits in. distance: 4 or
    5.
    """
    degree = least_degree(distance - 1)
    if degree is None:
        raise ValueError(f"the generator has no such bound for a distance of {distance}")
    return degree


def guarded_frame() -> int:
    """The longest frame with a Hamming distance of 4, bytes with its check sequence: 11454."""
    return guarded_bits() // 8


def distance(frame: int) -> int:
    """The Hamming distance that a frame of so many bytes keeps, 4 or 3: up to two wrong bits are
    found in every IP packet, for x^n is 1 again only after 2^32 - 1 of them. (Frames below 376
    bytes have 5 and more.)"""
    return 4 if 8 * frame <= guarded_bits() else 3
