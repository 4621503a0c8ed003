"""Reading waveforms: Value Change Dump (IEEE 1364, clause 18), what a simulator writes of a bench's
signals."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Signal:
    """One signal: its width, and its values from the instants on at which it changed. None stands
    for unknown bits."""

    name: str
    bits: int
    times: list[int] = field(default_factory=list)
    values: list[int | None] = field(default_factory=list)

    def at(self, time: int) -> int | None:
        """Its value at an instant, after the changes of that instant."""
        i = bisect_right(self.times, time)
        return self.values[i - 1] if i else None

    def change(self, time: int, value: int | None) -> None:
        """A new value; at one instant the last one holds."""
        if self.times and self.times[-1] == time:
            self.values[-1] = value
        else:
            self.times.append(time)
            self.values.append(value)

    def rises(self) -> list[int]:
        """Rising edges."""
        return [
            t
            for i, t in enumerate(self.times)
            if i and self.values[i] == 1 and self.values[i - 1] == 0
        ]


def read(text: str) -> dict[str, Signal]:
    """The signals of a dump by their names, without the scopes that they are in. `ValueError` if it
    is none."""
    words = iter(text.split())
    by_code = _declared(words)
    if not by_code:
        raise ValueError("no signal is declared: this is not a value change dump")
    now = 0
    for word in words:
        if word[0] == "#":
            now = int(word[1:])
        elif word[0] in "01xXzZ":
            by_code[word[1:]].change(now, _number(word[0]))
        elif word[0] in "bB":
            by_code[next(words)].change(now, _number(word[1:]))
    return {signal.name: signal for signal in by_code.values()}


def _declared(words: Iterator[str]) -> dict[str, Signal]:
    """The header: `$var reg 8 # in_ctrl [7:0] $end` and more of the kind, up to
    `$enddefinitions`."""
    found: dict[str, Signal] = {}
    for word in words:
        if word == "$var":
            _kind, bits, code, name, *_ = _until_end(words)
            found[code] = Signal(name, int(bits))
        elif word == "$enddefinitions":
            _until_end(words)
            break
    return found


def _until_end(words: Iterable[str]) -> list[str]:
    taken = []
    for word in words:
        if word == "$end":
            break
        taken.append(word)
    return taken


def _number(digits: str) -> int | None:
    return int(digits, 2) if set(digits) <= {"0", "1"} else None
