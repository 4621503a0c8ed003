"""SPEC.md, section "A decision", line by line: a core in 60 lines, to draw vectors from.

It knows nothing of pipelines: `clock` is told what stands at the ports in a clock and answers with
the decision on the packet, if one is accepted. It shares no code with `red_hw`, so that an error
must be made twice to go unseen.
"""

from __future__ import annotations

from dataclasses import dataclass, field

U18, U21, U22 = (1 << 18) - 1, (1 << 21) - 1, (1 << 22) - 1
SOUND, TRINOMIAL = (20, 17, 14, 12, 9, 7, 4, 1), (20, 18)


@dataclass
class Card:
    """The state of a core with these parameters."""

    W: int = 9
    PAPER: bool = False
    CONSTANT: bool = False
    GAP: bool = False
    IDLE: bool = False
    CLASSES: int = 1
    ADAPT: bool = False
    SEED: int = 1
    DEF_MIN: int = 6144
    DEF_MAX: int = 12288
    DEF_SLOPE: int = 27962
    acc: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.CONSTANT and self.DEF_SLOPE == 27962:
            self.DEF_SLOPE = 41943
        self.slope_bits = U21 if self.CONSTANT else U18
        self.reset()

    def reset(self) -> None:
        """As after a clock with `rst`."""
        self.acc, self.credit = [0] * 8, [U21] * 8
        values = (self.DEF_MIN, self.DEF_MAX, self.DEF_SLOPE & self.slope_bits, 0, 0)
        self.tables = [[value] * 32 for value in values]
        self.due, self.enable, self.draw = [False] * 32, True, self.SEED
        self.alpha, self.least, self.largest = 0, 0, U18

    def write(self, address: int, data: int) -> None:
        """As after a clock with `cfg_we_i`."""
        table, number = address >> 5, address & 31
        if table < 5:
            bits = self.slope_bits if table == 2 else U22
            self.tables[table][number if self.CLASSES == 4 else number & 7] = data & bits
        elif table == 7 and number == 0:
            self.enable = bool(data & 1)
        elif table == 7 and number == 1:
            self.draw = data & U21 or 1
        elif table == 7 and number in (2, 3, 4):
            setattr(self, ("alpha", "least", "largest")[number - 2], data & U18)

    def clock(
        self, packet: tuple[int, int, int, int] | None, tick: bool = False
    ) -> tuple[int, ...] | None:
        """A clock: `packet` is (queue, length, class, idle) if one is accepted: (queue, drop,
        region, avg, draw)."""
        if tick:
            self.due = [True] * 32
        decision = self._decide(*packet) if packet else None
        for _ in range(1 if self.PAPER else 32 if packet else 0):
            taps = TRINOMIAL if self.PAPER else SOUND
            self.draw = self.draw << 1 & U21 | sum(self.draw >> tap & 1 for tap in taps) & 1
        return decision

    def _decide(self, k: int, q: int, c: int, i: int) -> tuple[int, ...]:
        e, acc = (c if self.CLASSES == 4 else 0) * 8 + k, self.acc[k]
        if self.IDLE and i:
            acc >>= i >> 1
            if i & 1:
                acc -= acc >> 2
        acc += ((q << 10) - acc) >> self.W if self.PAPER else (q << 10) - (acc >> self.W)
        self.acc[k], avg = acc, acc if self.PAPER else acc >> self.W
        low, high, slope, lower, upper = (table[e] for table in self.tables)
        region = 0 if avg < low or not self.enable else 1 if avg < high else 2
        p = slope if self.CONSTANT else min(slope * (avg - low & U18) >> 12, U21)
        hit = (self.credit[k] if self.GAP else self.draw) < p
        self.credit[k] = self.draw if region != 1 or hit else self.credit[k] - p & U21
        if self.ADAPT and self.due[e]:
            if avg > upper and slope < self.largest:
                self.tables[2][e] = slope + self.alpha & self.slope_bits
            elif avg < lower and slope > self.least:
                self.tables[2][e] = slope - (slope >> 3)
            self.due[e] = False
        return k, int(region == 2 or (region == 1 and hit)), region, avg, self.draw
