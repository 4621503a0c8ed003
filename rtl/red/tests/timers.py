"""Twins of the module's timers: what each register is, clock by clock."""

from __future__ import annotations

from dataclasses import dataclass

from nf1g import TB


class Divider:
    """A pulse every period."""

    def __init__(self, period: int) -> None:
        self.set(period)

    def set(self, period: int) -> None:
        """A new period, which begins now."""
        self.period, self.left, self.tick = period, period - 1, False

    def edge(self) -> None:
        """One clock."""
        self.tick = self.left == 0
        self.left = self.period - 1 if self.tick else self.left - 1


@dataclass
class IdleTimes:
    """red_idle_time, between a bench and its transcription."""

    tb: TB
    period: int

    def __post_init__(self) -> None:
        self.divider = Divider(self.period)
        self.times = [0] * 8
        self.recent = 0
        self.handed: list[int] = []
        self.tb.then.append(self.edge)
        self.tb.idle_of = self.of

    def of(self, queue: int) -> int:
        """What a packet of this queue is decided with."""
        idle = 0 if self.recent else self.times[queue]
        self.handed.append(idle)
        return idle

    def edge(self, looked: int | None) -> None:
        """One clock, in which a packet of this queue was looked at."""
        for queue in range(8):
            if self.tb.counts[queue] or (looked == queue and not self.recent):
                self.times[queue] = 0
            elif self.divider.tick:
                self.times[queue] = min(self.times[queue] + 1, 63)
        self.divider.edge()
        self.recent = (self.recent << 1 | (looked is not None)) & 7


@dataclass
class Ticks:
    """red_ticker: the core's tick comes before a packet that it accepts in the same clock."""

    tb: TB
    period: int

    def __post_init__(self) -> None:
        self.divider = Divider(self.period)
        self.tb.first.append(self.edge)

    def edge(self) -> None:
        """One clock."""
        if self.divider.tick:
            self.tb.core.tick()
        self.divider.edge()
