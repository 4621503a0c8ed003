"""The bench of the NetFPGA-1G module: it drives every port each clock, and foretells what has to
come out.

The bench keeps its own count of each queue, clock by clock as red_occupancy says it should be, and
asks the transcription of SPEC.md for each verdict when a header goes in. Of the inside it looks at
the core's decisions only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from model import Model, parameter
from packets import Packet, Word

PERIOD = 8
"""Of the clock, ns: 125 MHz."""


def rng() -> Random:
    """Random numbers of this test: from the seed that cocotb prints."""
    return Random(cocotb.RANDOM_SEED)


@dataclass
class Habits:
    """How the neighbours behave; chances are per clock."""

    write: float = 1.0
    """The sender has a word, if it may write."""
    ready: float = 1.0
    """The next stage is ready."""
    drain: float = 0.05
    """A queue that holds a packet sends it."""
    hold: int = 0
    """Packets that queue 0 keeps at least."""
    full: float = 0.0
    """A queue has no room for a packet that arrives (per packet)."""
    stray: float = 0.0
    """A pulse of removal, and one of a tail drop, that belongs to no packet (for each queue)."""
    late: int = 0
    """Clocks by which the sender is slower to stop than the bus allows."""


@dataclass
class Seen:
    """What came out, and when."""

    words: list[Word] = field(default_factory=list)
    packets: list[list[Word]] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    """The clock of each packet's first word."""
    stalls: int = 0
    """Clocks in which the sender had to wait."""


class TB(Model):
    """One module under test with its neighbours."""

    def __init__(self, dut: Any, habits: Habits | None = None) -> None:
        self.dut, self.rng = dut, rng()
        self.habits = habits or Habits()
        self.wred = parameter("CLASSES", 1) > 1
        self.classes = [
            dscp >> 1 & 3 if 1 <= dscp >> 3 <= 4 and not dscp & 1 else 0 for dscp in range(64)
        ]
        self.each: list[Callable[[], None]] = []
        """Called at each clock, before anything else is done."""
        super().__init__()
        cocotb.start_soon(Clock(dut.clk, PERIOD, unit="ns").start())

    def forget(self) -> None:
        """As reset does; the neighbours forget, too."""
        super().forget()
        self.waiting: list[int] = [0] * 8
        self.to_send: deque[tuple[Packet, int]] = deque()
        self.sent: list[Packet] = []
        self.seen = Seen()
        self.in_data = False
        self.removals: deque[int] = deque()
        self.tail_drops = [0] * 8
        self.rdy: deque[bool] = deque([False] * 8, maxlen=8)
        self.out_rdy = self._ready_now = False
        self.wrote: tuple[Packet, int] | None = None
        self.started: list[int] = []

    async def reset(self, clocks: int = 3) -> None:
        """Reset, with every input at rest, and the wait until the module takes words."""
        dut = self.dut
        for name in (
            "in_wr",
            "in_data",
            "in_ctrl",
            "out_rdy",
            "pkt_removed",
            "pkt_dropped",
            "cfg_we_i",
        ):
            getattr(dut, name).value = 0
        for name in ("req", "ack", "rd_wr_L", "addr", "data", "src"):
            getattr(dut, f"reg_{name}_in").value = 0
        dut.cfg_addr_i.value = dut.cfg_data_i.value = 0
        dut.reset.value = 1
        for _ in range(clocks):
            await RisingEdge(dut.clk)
        dut.reset.value = 0
        self.forget()
        while not self.rdy[-1]:
            await self.step()

    def send(self, packets: Iterable[Packet]) -> None:
        """Queues packets for the sender."""
        for packet in packets:
            if self.wred and packet.queue is not None:
                packet.header_at, packet.cls = self._class(packet)
            self.to_send += ((packet, at) for at in range(len(packet.words)))

    async def drain(self, most: int = 10_000, longer: int = 40) -> None:
        """Steps until everything was sent and everything expected came out, and a little longer."""
        for _ in range(most):
            if not self.to_send and not self.undecided and len(self.seen.packets) == len(self.kept):
                break
            await self.step()
        else:
            raise AssertionError(
                f"after {most} clocks {len(self.seen.packets)} of {len(self.kept)} came out"
            )
        for _ in range(longer):
            await self.step()

    def check(self) -> None:
        """Kept packets are whole and in order, and no word of any other was written."""
        kept = [packet.words for packet in self.kept]
        assert not self.seen.words, f"{len(self.seen.words)} words of no whole packet"
        assert len(self.seen.packets) == len(kept), (
            f"{len(self.seen.packets)} packets came out of {len(kept)}"
        )
        for number, (seen, sent) in enumerate(zip(self.seen.packets, kept, strict=True)):
            assert seen == sent, f"packet {number} is not as it was sent"

    def _class(self, packet: Packet) -> tuple[int, int]:
        """Where a packet's DSCP is, and the class that it gets."""
        at = next(number for number, (ctrl, _) in enumerate(packet.words) if ctrl == 0) + 1
        data = packet.words[at][1]
        kind, first, second = data >> 16 & 0xFFFF, data >> 8 & 0xFF, data & 0xFF
        if kind == 0x0800 and first >> 4 == 4:
            return at, self.classes[second >> 2]
        if kind == 0x86DD and first >> 4 == 6:
            return at, self.classes[(first & 15) << 2 | second >> 6]
        return at, 0

    async def write_register(self, offset: int, value: int) -> None:
        """Through the ring, or the module's own port where that is not built in; the
        transcription's too."""
        if parameter("REGS", 0):
            from ring import Ring

            await Ring(self).write(offset, value)
            return
        self.dut.cfg_we_i.value, self.dut.cfg_addr_i.value, self.dut.cfg_data_i.value = (
            1,
            offset,
            value,
        )
        await self.step()
        self.dut.cfg_we_i.value = 0
        self.core.write(offset >> 5, offset & 31, value)
        await self.step()

    # ---- one clock

    async def step(self) -> None:
        """A rising edge: what stood before it is looked at, then the inputs of the next clock are
        set."""
        dut = self.dut
        await RisingEdge(dut.clk)
        for look in self.each:
            look()
        self._collect(dut)
        path = dut.u_path
        if path.valid_o.value == 1:
            self.said(
                *(int(port.value) for port in (path.qid_o, path.drop_o, path.region_o, path.avg_o))
            )
        self.edge()
        if self.wrote is not None:
            self._sent(*self.wrote)
        self.clock += 1
        self.rdy.append(dut.in_rdy.value == 1)
        self._drive(dut)

    def _collect(self, dut: Any) -> None:
        """The next stage's side: words that are written to it."""
        ready, self.out_rdy = self.out_rdy, self._ready_now
        if dut.out_wr.value != 1:
            return
        assert ready, "a word was written although out_rdy had been low in the clock before"
        ctrl = int(dut.out_ctrl.value)
        if not self.seen.words:
            self.seen.first.append(self.clock)
        self.seen.words.append((ctrl, int(dut.out_data.value)))
        if self.in_data and ctrl:
            self.seen.packets.append(self.seen.words)
            self.seen.words, self.in_data = [], False
            self._arrived(len(self.seen.packets) - 1)
        else:
            self.in_data = ctrl == 0

    def _arrived(self, number: int) -> None:
        """A packet got to the output queues: one takes it, or has no room for it."""
        for queue in self.kept[number].queues if number < len(self.kept) else ():
            if self.rng.random() < self.habits.full:
                self.tail_drops[queue] += 1
            else:
                self.waiting[queue] += 1

    def _sent(self, packet: Packet, at: int) -> None:
        """A word was written in the clock of this edge: the one that settles a packet sets its
        verdict in motion."""
        if at == 0:
            self.sent.append(packet)
            self.undecided += 1
            self.started.append(self.clock)
        if at == packet.header_at:
            self.settle(packet)

    def _drive(self, dut: Any) -> None:
        habits, random = self.habits, self.rng.random
        # the sender saw in_rdy `late` clocks ago
        may = self.rdy[-1 - habits.late]
        self.wrote = None
        if self.to_send:
            if may and (habits.write >= 1 or random() < habits.write):
                self.wrote = self.to_send.popleft()
                packet, at = self.wrote
                dut.in_ctrl.value, dut.in_data.value = packet.words[at]
            elif not may:
                self.seen.stalls += 1
        dut.in_wr.value = 1 if self.wrote else 0
        self._ready_now = habits.ready >= 1 or random() < habits.ready
        dut.out_rdy.value = 1 if self._ready_now else 0
        self._pulse(dut)

    def _pulse(self, dut: Any) -> None:
        removed = dropped = 0
        for queue in range(8):
            least = self.habits.hold if queue == 0 else 0
            if self.waiting[queue] > least and self.rng.random() < self.habits.drain:
                self.waiting[queue] -= 1
                removed |= 1 << queue
            if self.tail_drops[queue]:
                self.tail_drops[queue] -= 1
                dropped |= 1 << queue
            if self.habits.stray:
                removed |= (self.rng.random() < self.habits.stray) << queue
                dropped |= (self.rng.random() < self.habits.stray) << queue
        if self.removals:
            removed |= self.removals.popleft()
        if (removed, dropped) != self.pulses:
            dut.pkt_removed.value, dut.pkt_dropped.value = removed, dropped
        self.pulses = (removed, dropped)
