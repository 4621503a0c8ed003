"""Draws vectors: what stands at a core's ports clock by clock, and the decisions that SPEC.md
wants.

python draw.py OUT CLOCKS SEED NAME=VALUE... writes OUT.in, a line a clock, and OUT.out, one a
decision, in hex OUT.in: rst valid qid[3] qlen[12] class[2] idle[6] tick cfg_we cfg_addr[8]
cfg_data[32], from the highest bit down OUT.out: qid[3] drop region[2] avg[22] draw[21] Packets are
never offered while a core may be clearing its tables, no register is written while a decision is
due.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

from card import Card

CLEARING, ON_THE_WAY = 40, 8
GREATEST = (0x1FFFFF, 0x0318BA, 0x0FFFFF)
"""Draws at the edge: all ones, and those before it in sound and in paper mode."""
Packet = tuple[int, int, int, int]


class Traffic:
    """Phases of some hundred clocks: one queue back to back or all, load, and a level about which
    queues move."""

    def __init__(self, rng: random.Random, queues: int, spaced: bool, idle: bool) -> None:
        self.rng, self.queues, self.spaced, self.idle = rng, queues, spaced, idle
        self.last = [-9] * 8
        self.next: list[int] = []
        """Entries of the next packets, before chance has a say."""
        self.phase()

    def phase(self) -> None:
        """A new way of arriving."""
        rng = self.rng
        self.left = rng.randrange(50, 600)
        self.load = rng.choice((1.0, 1.0, 0.9, 0.5, 0.1))
        few = rng.choice((1, 1, 2, 8))
        self.busy = [rng.randrange(self.queues) for _ in range(few)]
        self.level = rng.choice((0, 3, 6, 8, 11, 13, 40, 255, 1000, 4095, 4095))

    def packet(self, now: int) -> Packet | None:
        """What arrives in clock `now`, if anything."""
        self.left -= 1
        if self.left < 0:
            self.phase()
        k, c = self.rng.choice(self.busy), self.rng.randrange(4)
        if self.next:
            k, c = self.next[0] & 7, self.next[0] >> 3
        if self.rng.random() >= self.load or (self.spaced and self.last[k] == now - 1):
            return None
        q = max(0, min(4095, self.level + self.rng.randrange(-3, 4)))
        rested = self.idle and now - self.last[k] > 3 and self.rng.random() < 0.2
        idle = self.rng.choice((1, 2, 3, self.rng.randrange(64))) if rested else 0
        # A core without the option must ignore the port, whatever stands there.
        if not self.idle:
            idle = self.rng.randrange(64)
        self.last[k], self.next = now, self.next[1:]
        return k, q, c, idle


def registers(rng: random.Random, queues: int, card: Card) -> Iterator[tuple[int, int]]:
    """Writes that make a sensible (or a wild) configuration of one entry, or of what all share."""
    k = rng.randrange(queues)
    e = rng.randrange(4) << 3 | k
    avg = card.acc[k] >> (0 if card.PAPER else card.W)
    # Most often just below where the average is, for the region in which chance decides.
    near = max(0, avg - rng.choice((0, 100, rng.randrange(1 << 13))))
    low = rng.choice((near, near, near, 0, 1, rng.randrange(1 << 14), rng.randrange(1 << 22)))
    high = min((1 << 22) - 1, low + rng.choice((1, 1024, rng.randrange(1, 1 << 14), (1 << 18) - 1)))
    widest = 21 if card.CONSTANT else 18
    scale = rng.choice((widest, widest, widest - 2, rng.randrange(2, widest)))
    yield e, low | rng.randrange(1024) << 22
    yield 1 << 5 | e, high
    yield 2 << 5 | e, rng.randrange(1 << scale) | rng.choice((0, 0, 1 << 31))
    if rng.random() < 0.3:
        yield 3 << 5 | e, low + (high - low) // 3
        yield 4 << 5 | e, low + (high - low) // 2
        yield 7 << 5 | 2, rng.choice((1, 100, rng.randrange(1 << 18)))
        yield 7 << 5 | 3, rng.choice((0, 0, rng.randrange(1 << 12)))
        yield 7 << 5 | 4, rng.choice(((1 << 18) - 1, rng.randrange(1 << 18)))
    if rng.random() < 0.2:
        # The greatest draw decides otherwise only against a p that is limited, so that it is to be
        # met there.
        yield e, max(0, avg - (1 << 17))
        yield 1 << 5 | e, max(0, avg - (1 << 17)) + (1 << 18) - 1
        yield 2 << 5 | e, (1 << 21) - 1
        yield 7 << 5 | 1, rng.choice(GREATEST)
    elif rng.random() < 0.2:
        yield 7 << 5 | 1, rng.choice((0, rng.randrange(1 << 32)))
    yield 7 << 5, int(rng.random() < 0.9)


def vectors(
    card: Card, clocks: int, rng: random.Random, queues: int, spaced: bool
) -> Iterator[tuple[int, int | None]]:
    """Clock by clock: the ports, and the decision on the packet that they offer."""
    traffic = Traffic(rng, queues, spaced, card.IDLE)
    now = wait = 0
    writes: list[tuple[int, int]] = []
    resets = 2
    while now < clocks:
        now += 1
        if not resets and rng.random() < 0.0005:
            resets = rng.choice((1, 1, 3))
        elif not writes and rng.random() < 0.002:
            writes, wait = list(registers(rng, queues, card)), max(wait, ON_THE_WAY)
        rst, tick, packet, write = (
            0,
            int(rng.random() < 0.05),
            None,
            (0, rng.randrange(256), rng.randrange(1 << 32)),
        )
        if resets:
            resets, rst, wait, traffic.last = resets - 1, 1, CLEARING, [-9] * 8
        elif wait:
            wait -= 1
        elif writes:
            write = (1, *writes.pop(0))
            traffic.next = [write[1] & 31] * 3 if write[1] >> 5 == 2 else traffic.next
        else:
            packet = traffic.packet(now)
        shown = packet or tuple(rng.randrange(n) for n in (8, 4096, 4, 64))
        word = 0
        fields = (rst, packet is not None, *shown, tick, *write)
        for value, bits in zip(fields, (1, 1, 3, 12, 2, 6, 1, 1, 8, 32), strict=True):
            word = word << bits | value
        decision = card.clock(packet, bool(tick))
        if write[0]:
            card.write(write[1], write[2])
        if rst:
            card.reset()
        if decision is None:
            yield word, None
        else:
            k, drop, region, avg, draw = decision
            yield word, k << 46 | drop << 45 | region << 43 | avg << 21 | draw


def main() -> None:
    """Writes the two files."""
    out, clocks, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    words = {name: int(value) for name, value in (word.split("=") for word in sys.argv[4:])}
    queues, spaced = words.pop("NQ", 8), bool(words.pop("SPACED", 0))
    card = Card(**words)  # type: ignore[arg-type]
    with Path(f"{out}.in").open("w") as ports, Path(f"{out}.out").open("w") as decisions:
        for word, decision in vectors(card, clocks, random.Random(seed), queues, spaced):
            ports.write(f"{word:017x}\n")
            if decision is not None:
                decisions.write(f"{decision:013x}\n")


if __name__ == "__main__":
    main()
