"""Autocorrelation of the random draw: exact, by running through its whole period.

A register of 21 bits that is stepped once a clock shows 20 of its bits again in the next clock,
each moved up by one. Taken as a number it is therefore no independent draw: a small one is followed
by a small one. How much of it is left when the next packet comes depends on the polynomial, and on
how many steps are between two packets. With 2^21 - 1 states that is no matter of statistics: every
state is looked at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from .transcription import LEAP, P_BITS, TAPS, TOP

if TYPE_CHECKING:
    import numpy.typing as npt

    States = npt.NDArray[np.int32]

PERIOD = TOP
"""Steps after which a maximal register is back at its start."""
SPACINGS = range(9, 61)
"""Clocks from one packet to the next on the 64-bit bus: frames of 64 to 480 bytes, back to back."""
MAX_P = 0.02


@dataclass(frozen=True, slots=True)
class Draw:
    """A way to draw: its polynomial's fed-back bits, and its steps for each packet (None: one a
    clock)."""

    name: str
    label: str
    taps: tuple[int, ...]
    leap: int | None

    def steps(self, spacing: int) -> int:
        """From the draw of a packet to that of the next, so many clocks later."""
        return spacing if self.leap is None else self.leap


DRAWS = (
    Draw("paper", "trinomial, one step a clock (paper mode)", TAPS[True], None),
    Draw("dense", "dense polynomial, one step a clock", TAPS[False], None),
    Draw("sound", f"dense polynomial, {LEAP} steps a packet (sound mode)", TAPS[False], LEAP),
)


@cache
def states(taps: tuple[int, ...], seed: int = 1) -> States:
    """Every state of the register in order, from `seed`: as many as it has before one comes again.

    Its bits follow the recurrence b[t] = xor of b[t - 1 - tap]; the squares of its polynomial hold
    as well, with taps twice as far, so that ever longer pieces are one operation.
    """
    reach = [tap + 1 for tap in taps]
    bits = np.zeros(PERIOD + P_BITS, dtype=np.uint8)
    bits[:P_BITS] = [seed >> (P_BITS - 1 - i) & 1 for i in range(P_BITS)]
    known, power = P_BITS, 1
    while known < len(bits):
        while known >= 2 * power * max(reach):
            power *= 2
        end = min(known + power * min(reach), len(bits))
        piece = bits[known - power * reach[0] : end - power * reach[0]].copy()
        for back in reach[1:]:
            piece ^= bits[known - power * back : end - power * back]
        bits[known:end] = piece
        known = end
    out = np.zeros(PERIOD, dtype=np.int32)
    for i in range(P_BITS):
        out = out << 1 | bits[i : i + PERIOD]
    out.flags.writeable = False
    return out


def threshold(p: float) -> int:
    """A probability as the hardware has it."""
    return int(p * (TOP + 1))


def again(draw: Draw, spacing: int, p: float = MAX_P) -> float:
    """P(drop | drop): of the packets that come `spacing` clocks after one that was dropped, the
    share that is dropped as well, both at probability `p`; over every state in which the first may
    find the register."""
    hit = states(draw.taps) < threshold(p)
    return float(np.count_nonzero(hit & np.roll(hit, -draw.steps(spacing))) / np.count_nonzero(hit))


def table(p: float = MAX_P) -> dict[str, list[float]]:
    """P(drop | drop) at each of `SPACINGS`, for each draw."""
    return {draw.name: [again(draw, spacing, p) for spacing in SPACINGS] for draw in DRAWS}


def after_packets(lags: range = range(1, 65), p: float = MAX_P) -> list[float]:
    """Sound mode: P(drop | a drop so many packets before), whatever the clocks between them."""
    sound = next(draw for draw in DRAWS if draw.leap)
    hit = states(sound.taps) < threshold(p)
    return [
        float(np.count_nonzero(hit & np.roll(hit, -LEAP * lag)) / np.count_nonzero(hit))
        for lag in lags
    ]


def frame_bytes(spacing: int) -> tuple[int, int]:
    """The least and the largest frame, check sequence included, that takes so many clocks on the
    bus: one word of header, and 8 bytes a clock without the check sequence."""
    words = spacing - 1
    return 8 * (words - 1) + 1 + 4, 8 * words + 4
