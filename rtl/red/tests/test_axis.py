"""The AXI4-Stream module between cocotbext-axi's source and sink, both with pauses."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from model import HELD, Model, parameter
from packets import Packet

BYTES = parameter("DATA_WIDTH", 512) // 8
DST_POS = 24


def pauses(rng: Random, chance: float) -> Iterator[bool]:
    """Whether to pause, clock by clock."""
    while True:
        yield rng.random() < chance


class TB(Model):
    """The module, its neighbours, and output queues that send a packet now and then."""

    def __init__(self, dut: Any, drain: float, full: float = 0.0, hold: int = 0) -> None:
        self.dut, self.rng, self.drain, self.full, self.hold = (
            dut,
            Random(cocotb.RANDOM_SEED),
            drain,
            full,
            hold,
        )
        self.seen: list[int] = []
        """Queue 0's count, clock by clock."""
        self.sent: list[Packet] = []
        self.beats = 0
        self.inside = False
        self.waiting = [0] * 8
        self.dropping = 0
        self.stalls = 0
        super().__init__()
        cocotb.start_soon(Clock(dut.clk, 4, unit="ns").start())
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst)
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst)
        self.source.log.setLevel("WARNING")
        self.sink.log.setLevel("WARNING")

    async def reset(self) -> None:
        """Reset, thresholds that an average soon reaches, and the watch over the ports."""
        dut = self.dut
        for name in ("pkt_removed", "pkt_dropped", "cfg_we_i", "cfg_addr_i", "cfg_data_i"):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        self.forget()
        cocotb.start_soon(self._watch())
        while dut.s_axis_tready.value != 1:
            await RisingEdge(dut.clk)
        for queue in range(8):
            for table, value in enumerate((80, 5000, 0x3FFFF)):
                dut.cfg_we_i.value, dut.cfg_addr_i.value, dut.cfg_data_i.value = (
                    1,
                    table << 5 | queue,
                    value,
                )
                await RisingEdge(dut.clk)
                self.core.write(table, queue, value)
        dut.cfg_we_i.value = 0
        await RisingEdge(dut.clk)

    async def send(self, ports: int, length: int) -> None:
        """A packet with these destination ports."""
        one = ports & 0xFF if (ports & 0xFF).bit_count() == 1 else 0
        packet = Packet([], one.bit_length() - 1 if one else None, ports=ports & 0xFF)
        data = self.rng.randbytes(length)
        user = self.rng.getrandbits(96) << 32 | ports << DST_POS | 1 << 16 | length
        packet.words = [(user, int.from_bytes(data, "little"))]
        self.sent.append(packet)
        await self.source.send(AxiStreamFrame(data, tuser=user))

    async def _watch(self) -> None:
        """Each clock: beats that go in, packets that come out whole, and the queues' pulses."""
        dut, out = self.dut, 0
        while True:
            await RisingEdge(dut.clk)
            if dut.valid_o.value == 1:
                self.said(
                    *(int(port.value) for port in (dut.qid_o, dut.drop_o, dut.region_o, dut.avg_o))
                )
            self.seen.append(int(dut.counts_o.value) & 0xFFF)
            self.edge()
            if dut.s_axis_tvalid.value == 1:
                if dut.s_axis_tready.value == 1:
                    if not self.inside:
                        self.undecided += 1
                        self.settle(self.sent[self.beats])
                        self.beats += 1
                    self.inside = dut.s_axis_tlast.value != 1
                else:
                    self.stalls += 1
            if (
                dut.m_axis_tvalid.value == 1
                and dut.m_axis_tready.value == 1
                and dut.m_axis_tlast.value == 1
            ):
                queues = self.kept[out].queues if out < len(self.kept) else []
                out += 1
                for queue in queues:
                    if self.rng.random() < self.full:
                        self.dropping |= 1 << queue
                    else:
                        self.waiting[queue] += 1
            removed = 0
            for queue in range(8):
                least = self.hold if queue == 0 else 0
                if self.waiting[queue] > least and self.rng.random() < self.drain:
                    self.waiting[queue] -= 1
                    removed |= 1 << queue
            if (removed, self.dropping) != self.pulses:
                dut.pkt_removed.value, dut.pkt_dropped.value = removed, self.dropping
            self.pulses, self.dropping = (removed, self.dropping), 0
            self.clock += 1

    async def drain_all(self) -> list[AxiStreamFrame]:
        """Waits until nothing moves any more; what came out."""
        quiet = 0
        while quiet < 60:
            await RisingEdge(self.dut.clk)
            busy = (
                self.source.active or not self.source.empty() or self.dut.m_axis_tvalid.value == 1
            )
            quiet = 0 if busy else quiet + 1
        frames = []
        while not self.sink.empty():
            frames.append(self.sink.recv_nowait())
        return frames

    def check(self, frames: list[AxiStreamFrame]) -> None:
        """Kept packets whole, in order, with their tuser; nothing of the others."""
        assert self.beats == len(self.sent) and not self.undecided
        assert len(frames) == len(self.kept), f"{len(frames)} packets came out of {len(self.kept)}"
        for frame, packet in zip(frames, self.kept, strict=True):
            data = bytes(frame.tdata)
            user = frame.tuser if isinstance(frame.tuser, int) else frame.tuser[0]
            assert (user, int.from_bytes(data, "little")) == packet.words[0]
        assert sum(map(sum, self.outcomes)) == sum(packet.queue is not None for packet in self.sent)


@cocotb.test()
async def test_random_pauses(dut: Any) -> None:
    """Pauses on both sides, tail drops, all lengths: what is kept and what is dropped is as
    foretold."""
    tb = TB(dut, drain=0.001, full=0.05)
    await tb.reset()
    tb.source.set_pause_generator(pauses(tb.rng, 0.2))
    tb.sink.set_pause_generator(pauses(tb.rng, 0.3))
    for _ in range(200):
        await tb.send(
            1 << tb.rng.randrange(2),
            tb.rng.choice((60, 64, 65, 128, tb.rng.randrange(60, 6 * BYTES + 60))),
        )
    tb.check(await tb.drain_all())
    assert sum(tb.outcomes[1]) + sum(tb.outcomes[2]) > 20 and sum(tb.outcomes[0]) > 20, tb.outcomes


@cocotb.test()
async def test_line_rate(dut: Any) -> None:
    """Packets of one beat, one each clock, mostly of one queue: no back-pressure, and each is
    decided."""
    tb = TB(dut, drain=0.02)
    await tb.reset()
    for _ in range(400):
        await tb.send(1 << min(tb.rng.randrange(6), 3), min(BYTES, 64))
    frames = await tb.drain_all()
    tb.check(frames)
    assert tb.stalls == 0, f"{tb.stalls} clocks of back-pressure at a packet a clock"


@cocotb.test()
async def test_malformed_ports(dut: Any) -> None:
    """No port and several: let through in order without a decision, counted where they go."""
    tb = TB(dut, drain=0.01)
    await tb.reset()
    tb.sink.set_pause_generator(pauses(tb.rng, 0.2))
    for _ in range(150):
        await tb.send(
            tb.rng.choice((0, 1, 2, 4, 128, 3, 0x81, 0xFF)), tb.rng.randrange(60, 3 * BYTES + 60)
        )
    tb.check(await tb.drain_all())


@cocotb.test()
async def test_jumbo_and_stopped_sink(dut: Any) -> None:
    """9018 bytes against a sink that stops for long."""
    tb = TB(dut, drain=0.01)
    await tb.reset()
    tb.sink.pause = True
    for length in (9018, 60, 9017, 60):
        await tb.send(4, length)
    for _ in range(200):
        await RisingEdge(dut.clk)
    assert tb.stalls > 50
    tb.sink.pause = False
    tb.check(await tb.drain_all())


@cocotb.test()
async def test_flooded_packets(dut: Any) -> None:
    """One packet in eight goes to several queues, and each one that leaves a queue gives a pulse:
    counts stay right."""
    tb = TB(dut, drain=1.0, hold=HELD)
    await tb.reset()
    for table, value in enumerate((64, 64 + 200 * 1024, 40_000)):
        dut.cfg_we_i.value, dut.cfg_addr_i.value, dut.cfg_data_i.value = 1, table << 5, value
        await RisingEdge(dut.clk)
        tb.core.write(table, 0, value)
    dut.cfg_we_i.value = 0
    for number in range(1200):
        await tb.send(0xFF if number % 8 == 7 else 1, 60)
    while not tb.source.empty():
        await RisingEdge(dut.clk)
    tb.check_counts(tb.seen[:], HELD)
    tb.check(await tb.drain_all())
