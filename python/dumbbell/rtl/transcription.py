"""`rtl/red/SPEC.md` in Python, line by line: a third reading of it, beside the hardware and the
model in Rust.

The code is slow and literal, so that each bit can be checked against the page. The tests of the
buses ask it for each verdict, and it is compared with the other two.
"""

from __future__ import annotations

from dataclasses import dataclass

TAPS = ((20, 17, 14, 12, 9, 7, 4, 1), (20, 18))
"""Bits of the draw's register that are fed back: sound mode, paper mode."""
LEAP = 32
"""Steps of the draw for each packet, sound mode."""
P_BITS = 21
TOP = (1 << P_BITS) - 1
"""Largest probability, draw, credit."""
QUEUEING, RANDOM, FORCED = range(3)
"""Regions of the average queue: below min_th, between the thresholds, above."""
MIN, MAX, SLOPE, LOWER, UPPER, GLOBALS = 0, 1, 2, 3, 4, 7
"""Tables of the registers."""
CONTROL, DRAW, ALPHA, LEAST, LARGEST = range(5)
"""Entries of the table `GLOBALS`."""


def step(state: int, paper: bool = False) -> int:
    """The register of the draw after one step."""
    bit = 0
    for tap in TAPS[paper]:
        bit ^= state >> tap & 1
    return (state << 1 & TOP) | bit


@dataclass(frozen=True, slots=True)
class Decision:
    """Outputs of the core for a packet."""

    queue: int
    drop: bool
    region: int
    avg: int
    """After the packet, 1/1024 packets."""
    draw: int


class Core:
    """The decision core. The parameters are the page's, in lower case."""

    def __init__(
        self,
        nq: int = 8,
        w: int = 9,
        *,
        paper: bool = False,
        constant: bool = False,
        gap: bool = False,
        classes: int = 1,
        adapt: bool = False,
        seed: int = 1,
        def_min: int = 6144,
        def_max: int = 12288,
        def_slope: int | None = None,
    ) -> None:
        self.nq, self.w, self.seed = nq, w, seed
        self.paper, self.constant, self.gap, self.adapt = paper, constant, gap, adapt
        slope = def_slope if def_slope is not None else 41943 if constant else 27962
        self.defaults = (def_min, def_max, slope, 0, 0)
        self.entries = classes * nq
        self.classes = classes
        self.reset()

    def reset(self) -> None:
        """The state after `rst`."""
        self.tables = [[value] * self.entries for value in self.defaults]
        self.globals = [1, 0, 0, 0, (1 << 18) - 1]
        self.draw = self.seed
        self.acc = [0] * self.nq
        self.credit = [TOP] * self.nq
        self.due = [False] * self.entries

    def write(self, table: int, index: int, value: int) -> None:
        """Writes a register; index: {class, queue}, class x 8 + queue."""
        if table == GLOBALS:
            if index == CONTROL:
                self.globals[CONTROL] = value & 1
            elif index == DRAW:
                self.draw = value & TOP or 1
            elif index <= LARGEST:
                self.globals[index] = value & 0x3FFFF
        elif table <= UPPER and index & 7 < self.nq:
            bits = (21 if self.constant else 18) if table == SLOPE else 22
            self.tables[table][self._entry(index >> 3, index & 7)] = value & (1 << bits) - 1

    def _entry(self, cls: int, queue: int) -> int:
        return (cls if self.classes > 1 else 0) * self.nq + queue

    def clock(self, clocks: int = 1) -> None:
        """Clocks go by: paper mode's draw steps with each."""
        for _ in range(clocks if self.paper else 0):
            self.draw = step(self.draw, True)

    def tick(self) -> None:
        """An interval of Adaptive RED is over."""
        self.due = [self.adapt] * self.entries

    def decide(self, queue: int, qlen: int, cls: int = 0, idle: int = 0) -> Decision:
        """One packet. idle: half half-lives that its queue has been empty; 0 for a core without
        IDLE."""
        e = self._entry(cls, queue)
        if idle:
            self.acc[queue] >>= idle >> 1
            if idle & 1:
                self.acc[queue] -= self.acc[queue] >> 2
        acc = self.acc[queue]
        if self.paper:
            self.acc[queue] = avg = acc + ((qlen << 10) - acc >> self.w)
        else:
            self.acc[queue] = acc + (qlen << 10) - (acc >> self.w)
            avg = self.acc[queue] >> self.w
        low, high, slope = (self.tables[table][e] for table in (MIN, MAX, SLOPE))
        region = (
            QUEUEING if avg < low or not self.globals[CONTROL] else RANDOM if avg < high else FORCED
        )
        p = slope if self.constant else min(slope * (avg - low & 0x3FFFF) >> 12, TOP)
        draw = self.draw
        if not self.paper:
            for _ in range(LEAP):
                self.draw = step(self.draw)
        hit = (self.credit[queue] if self.gap else draw) < p
        if region != RANDOM or hit:
            self.credit[queue] = draw
        else:
            self.credit[queue] -= p
        if self.adapt and self.due[e]:
            self._adapt(e, avg)
        return Decision(queue, region == FORCED or (region == RANDOM and hit), region, avg, draw)

    def _adapt(self, e: int, avg: int) -> None:
        slope = self.tables[SLOPE][e]
        if avg > self.tables[UPPER][e] and slope < self.globals[LARGEST]:
            slope += self.globals[ALPHA]
        elif avg < self.tables[LOWER][e] and slope > self.globals[LEAST]:
            slope -= slope >> 3
        self.tables[SLOPE][e] = slope & 0x3FFFF
        self.due[e] = False
