"""Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC 2011).

The streams are those that ARCHITECTURE.md describes: keyed by a run's seed and the name of a part,
such as `bottleneck/red`.
"""

from __future__ import annotations

WORD = 0xFFFF_FFFF
LONG = 0xFFFF_FFFF_FFFF_FFFF


def philox(counter: list[int], key: list[int]) -> list[int]:
    """One block: ten rounds over a counter of four words with a key of two."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        low_high = 0xD251_1F53 * c0
        other = 0xCD9E_8D57 * c2
        c0, c1, c2, c3 = (
            (other >> 32) ^ c1 ^ k0,
            other & WORD,
            (low_high >> 32) ^ c3 ^ k1,
            low_high & WORD,
        )
        k0, k1 = (k0 + 0x9E37_79B9) & WORD, (k1 + 0xBB67_AE85) & WORD
    return [c0, c1, c2, c3]


def split_mix(x: int) -> int:
    """The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)."""
    z = (x + 0x9E37_79B9_7F4A_7C15) & LONG
    z = ((z ^ (z >> 30)) * 0xBF58_476D_1CE4_E5B9) & LONG
    z = ((z ^ (z >> 27)) * 0x94D0_49BB_1331_11EB) & LONG
    return z ^ (z >> 31)


def fnv_1a(text: str) -> int:
    """FNV-1a, 64 bits."""
    h = 0xCBF2_9CE4_8422_2325
    for byte in text.encode():
        h = ((h ^ byte) * 0x0000_0100_0000_01B3) & LONG
    return h


class Uniform:
    """The numbers in [0, 1) that the part `name` draws in the run with `seed`: 53 of 64 bits
    each."""

    def __init__(self, seed: int, name: str) -> None:
        key = split_mix(split_mix(seed) ^ fnv_1a(name))
        self.key = [key & WORD, key >> 32]
        self.block = 0
        self.words: list[int] = []

    def __call__(self) -> float:
        return ((self._word() << 32 | self._word()) >> 11) / 2**53

    def bits32(self) -> int:
        """32 of its bits."""
        return self._word()

    def _word(self) -> int:
        if not self.words:
            self.words = philox([self.block & WORD, self.block >> 32, 0, 0], self.key)
            self.block += 1
        return self.words.pop(0)
