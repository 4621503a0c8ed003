"""Sets and reads the module's registers in the units of people: packets and probabilities.

What carries a word to the hardware is a `Transport`. `Script` writes plain text instead, a line for
each access (`w ADDRESS VALUE`, `r ADDRESS`, byte addresses), which any host program that can read
and write a register replays. The tests of the buses put the simulated register ring there.

    python -m dumbbell.rtl.regtool --queue 0 --min 6 --max 12 --max-p 0.02 --base 0x2000000
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from ..errors import DumbbellError, ScenarioError
from .registers import block

SCALE = 1024
"""Fixed-point unit of thresholds and averages, per packet."""
P_ONE = 1 << 21
SLOPE_ONE = 1 << 33
"""Fixed-point unit of a slope: max_p x this / (max - min) in 1/1024 packets."""
SPAN = 256
"""max - min has to be less, packets."""


class Transport(Protocol):
    """Carries words; offsets are words within the module's block."""

    def read(self, offset: int) -> int:
        """A word of the block."""
        ...

    def write(self, offset: int, value: int) -> None:
        """Sets a word of the block."""
        ...


class Script:
    """A transport that keeps lines of text. It cannot answer: `read` notes what is to be read, and
    gives 0."""

    def __init__(self, base: int = 0) -> None:
        """base: byte address of the module's block."""
        self.base = base
        self.lines: list[str] = []

    def read(self, offset: int) -> int:
        """Notes a read."""
        self.lines.append(f"r 0x{self.base + 4 * offset:08x}")
        return 0

    def write(self, offset: int, value: int) -> None:
        """Notes a write."""
        self.lines.append(f"w 0x{self.base + 4 * offset:08x} 0x{value:08x}")


def replay(lines: Iterable[str], to: Transport, base: int = 0) -> list[int]:
    """Makes the accesses of a script on another transport; what its reads gave. `ScenarioError`
    names the line."""
    read = []
    for number, line in enumerate(lines, 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        try:
            numbers = [int(word, 0) for word in words[1:]]
            offset, odd = divmod(numbers[0] - base, 4)
            if odd or not 0 <= offset < 1 << block().address_bits:
                raise ValueError("not the address of a word of the block")
            if words[0] == "w" and len(numbers) == 2:
                to.write(offset, numbers[1])
            elif words[0] == "r" and len(numbers) == 1:
                read.append(to.read(offset))
            else:
                raise ValueError("a line is `w ADDRESS VALUE` or `r ADDRESS`")
        except (ValueError, IndexError) as wrong:
            raise ScenarioError(f"line {number}, `{line.strip()}`: {wrong}") from wrong
    return read


def threshold(packets: float) -> int:
    """A threshold in packets as its register has it, rounded to 1/1024."""
    value = round(packets * SCALE)
    if not 0 <= value < 1 << block()["min"].bits:
        raise ScenarioError(f"a threshold of {packets} packets: write 0 to 4095.999")
    return value


def slope(max_p: float, low: int, high: int, constant: bool = False) -> int:
    """max_p as the slope register has it, for thresholds as theirs have them (`constant`: as a
    probability)."""
    if not 0 <= max_p <= 1:
        raise ScenarioError(f"max_p {max_p}: a probability is between 0 and 1")
    if not 0 < high - low < SPAN * SCALE:
        raise ScenarioError(
            f"thresholds {low / SCALE} and {high / SCALE}: the maximum must exceed the minimum by "
            f"less than {SPAN}"
        )
    if constant:
        return min(int(Fraction(max_p) * P_ONE), P_ONE - 1)
    value = int(Fraction(max_p) * SLOPE_ONE / (high - low))
    if value >= 1 << 18:
        least = Fraction(max_p) * SLOPE_ONE / (1 << 18) / SCALE
        raise ScenarioError(
            f"max_p {max_p} over {(high - low) / SCALE} packets is too steep: spread it over "
            f"{float(least):.3f}"
        )
    return value


@dataclass(frozen=True, slots=True)
class Options:
    """Build options of a module, from its register `options`."""

    paper: bool
    constant: bool
    gap: bool
    idle: bool
    adapt: bool
    wred: bool
    counters: bool
    w: int


def identify(transport: Transport) -> Options:
    """The module at that address. `DumbbellError` if it is not a RED module with this map of
    registers."""
    magic = transport.read(block()["id"].offset)
    if magic != block().magic:
        raise DumbbellError(
            f"no RED module with this register map was found: its id reads {magic:#010x}, not "
            f"{block().magic:#010x}"
        )
    word = transport.read(block()["options"].offset)
    paper, constant, gap, idle, adapt, wred, counters = (bool(word >> bit & 1) for bit in range(7))
    return Options(paper, constant, gap, idle, adapt, wred, counters, word >> 8)


def configure(
    transport: Transport,
    queue: int,
    low: float,
    high: float,
    max_p: float,
    *,
    cls: int = 0,
    constant: bool = False,
) -> None:
    """Sets one queue's thresholds (packets) and max_p. Everything is checked before the first word
    is written."""
    words = {"min": threshold(low), "max": threshold(high)}
    words["slope"] = slope(max_p, words["min"], words["max"], constant)
    offsets = {name: block()[name].at(queue, cls) for name in words}
    for name, value in words.items():
        transport.write(offsets[name], value)


@dataclass(frozen=True, slots=True)
class Queue:
    """One queue's registers, in packets."""

    low: float
    high: float
    max_p: float
    avg: float
    length: int
    passed: int
    early: int
    forced: int


def read_queue(transport: Transport, queue: int, *, cls: int = 0, constant: bool = False) -> Queue:
    """Everything there is to read of a queue."""

    def word(name: str, cls: int = 0) -> int:
        return transport.read(block()[name].at(queue, cls))

    low, high, steep = (word(name, cls) for name in ("min", "max", "slope"))
    max_p = steep / P_ONE if constant else steep * (high - low) / SLOPE_ONE
    rest = (word(name) for name in ("qlen", "passed", "early", "forced"))
    return Queue(low / SCALE, high / SCALE, max_p, word("avg") / SCALE, *rest)


def main(words: Sequence[str]) -> None:
    """Prints the script that configures one queue."""
    parser = argparse.ArgumentParser(
        prog="python -m dumbbell.rtl.regtool", description="Prints a script of register writes."
    )
    parser.add_argument("--queue", type=int, required=True, help="0 to 7")
    parser.add_argument("--class", dest="cls", type=int, default=0, help="of WRED, 0 to 3")
    parser.add_argument("--min", type=float, required=True, help="minimum threshold, packets")
    parser.add_argument("--max", type=float, required=True, help="maximum threshold, packets")
    parser.add_argument(
        "--max-p", type=float, required=True, help="drop probability at the maximum"
    )
    parser.add_argument(
        "--constant", action="store_true", help="the module was built with CONSTANT"
    )
    parser.add_argument(
        "--base", type=lambda word: int(word, 0), default=0, help="byte address of the block"
    )
    asked = parser.parse_args(words)
    script = Script(asked.base)
    configure(
        script,
        asked.queue,
        asked.min,
        asked.max,
        asked.max_p,
        cls=asked.cls,
        constant=asked.constant,
    )
    print("\n".join(script.lines))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except DumbbellError as failure:
        print(failure.rendered, file=sys.stderr)
        sys.exit(failure.code)
