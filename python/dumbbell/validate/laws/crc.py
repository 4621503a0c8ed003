"""The published parameters of CRC-32 (IEEE 802.3), and its check value from polynomial long
division alone."""

from __future__ import annotations

GENERATOR_EXPONENTS = (32, 26, 23, 22, 16, 12, 11, 10, 8, 7, 5, 4, 2, 1, 0)
"""The exponents of the generator's terms (IEEE 802.3, 3.2.9)."""

GUARDED_DATA_BITS = {5: 2974, 4: 91607}
"""The longest data with a Hamming distance of so much, bits without the check sequence: Koopman,
32-bit cyclic redundancy codes for Internet applications, DSN 2002, table 1."""

PERIOD_FACTORS = (3, 5, 17, 257, 65537)
"""The prime factors of 2^32 - 1, the order of x: the generator is primitive (ibid.)."""

CHECK = b"123456789"
"""The standard input for comparing implementations (Williams, A painless guide to CRC, 1993)."""


def code_bits(distance: int) -> int:
    """Returns the bits of this longest data with the check sequence."""
    return GUARDED_DATA_BITS[distance] + 32


def frame_bytes() -> int:
    """The longest whole frame with a Hamming distance of 4."""
    return code_bits(4) // 8


def fcs(data: bytes) -> int:
    """The check sequence by the words of the standard: the message as a polynomial, its first 32
    bits complemented, times x^32, modulo the generator, complemented; bytes with the lowest bit
    first, the remainder highest power first.
    """
    generator = sum(1 << e for e in GENERATOR_EXPONENTS)
    bits = [byte >> i & 1 for byte in data for i in range(8)] + [0] * 32
    for i in range(32):
        bits[i] ^= 1
    value = int("".join(map(str, bits)), 2)
    while value.bit_length() > 32:
        value ^= generator << value.bit_length() - 33
    return int(f"{value ^ 0xFFFFFFFF:032b}"[::-1], 2)
