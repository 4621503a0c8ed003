"""The NetFPGA-1G module between neighbours with all sorts of habits."""

from __future__ import annotations

from random import Random
from typing import Any

import cocotb
from model import HELD, LATENCY, parameter
from nf1g import TB, Habits
from packets import KINDS, Packet, malformed, packet


def traffic(rng: Random, count: int, queues: int = 8, longest: int = 200) -> list[Packet]:
    """Well-formed packets of any length, some behind or before headers of other stages."""
    made = []
    for _ in range(count):
        before = [rng.randrange(1, 0xFF) for _ in range(rng.choice((0, 0, 0, 1, 2, 7)))]
        after = [rng.randrange(1, 0xFF) for _ in range(rng.choice((0, 0, 0, 1, 2)))]
        length = rng.choice((60, 61, 67, 68, rng.randrange(60, longest)))
        made.append(packet(rng, rng.randrange(queues), length, before=before, after=after))
    return made


@cocotb.test()
async def test_random_back_pressure(dut: Any) -> None:
    """Gaps of the sender, pauses of the receiver, slow queues: kept packets whole and in order, the
    rest not at all."""
    tb = TB(dut, Habits(write=0.7, ready=0.6, drain=0.002, full=0.05))
    await tb.reset()
    for queue in range(3):  # low, because an average moves by a 512th
        await tb.write_register(0x00 + queue, 200)
        await tb.write_register(0x20 + queue, 800)
        await tb.write_register(0x40 + queue, 0x3FFFF)
    tb.send(traffic(tb.rng, 220, queues=3))
    await tb.drain()
    tb.check()
    passed, early, forced = (sum(row) for row in tb.outcomes)
    assert passed > 50 and forced > 10, (
        f"the test decides too little: {passed} passed, {early} early, {forced} forced"
    )


@cocotb.test()
async def test_early_drops(dut: Any) -> None:
    """The steepest curve over a wide region: many packets are dropped by the draw, as foretold."""
    tb = TB(dut, Habits(drain=0.001))
    await tb.reset()
    for queue in range(8):
        await tb.write_register(0x00 + queue, 64)
        await tb.write_register(0x20 + queue, 64 + 200 * 1024)
        await tb.write_register(0x40 + queue, 0xFFFFF)  # 18 bits of it, or 21 with CONSTANT
    tb.send(packet(tb.rng, 0) for _ in range(250))
    tb.send(packet(tb.rng, tb.rng.randrange(8)) for _ in range(50))
    await tb.drain()
    tb.check()
    assert 30 < sum(tb.outcomes[1]) < 270 and not sum(tb.outcomes[2]), tb.outcomes


@cocotb.test()
async def test_stopped_receiver(dut: Any) -> None:
    """A receiver that stops for long: nothing is lost although the sender stops late by a clock
    more than it may."""
    tb = TB(dut, Habits(ready=0.0, late=1, drain=0.2))
    await tb.reset()
    tb.send(traffic(tb.rng, 40))
    for _ in range(100 + parameter("DEPTH", 16)):
        await tb.step()
    assert tb.seen.stalls > 50 and not tb.seen.words
    tb.habits.ready = 0.15
    await tb.drain()
    tb.check()


@cocotb.test()
async def test_line_rate(dut: Any) -> None:
    """Minimum frames back to back, a word every clock: in_rdy never falls, and what is kept leaves
    as fast."""
    tb = TB(dut, Habits(drain=0.03))
    await tb.reset()
    tb.send(packet(tb.rng, tb.rng.randrange(8)) for _ in range(250))
    await tb.drain()
    tb.check()
    assert tb.seen.stalls == 0, f"{tb.seen.stalls} clocks of back-pressure at the line rate"
    late = [out - begun for out, begun in zip(tb.seen.first, _begun(tb), strict=True)]
    # out_wr is a register
    assert set(late) == {LATENCY + 1}, f"clocks from header to output: {sorted(set(late))}"


def _begun(tb: TB) -> list[int]:
    return [clock for clock, sent in zip(tb.started, tb.sent, strict=True) if not sent.drop]


@cocotb.test()
async def test_dropping_at_line_rate(dut: Any) -> None:
    """Packets to be dropped are read at a word a clock though the next stage is not ready: no
    back-pressure."""
    tb = TB(dut, Habits(ready=1.0, drain=0.0))
    await tb.reset()
    await tb.write_register(
        0x20, 1
    )  # queue 0: no minimum to speak of, force drop as soon as there is an average
    await tb.write_register(0x00, 0)
    tb.send(packet(tb.rng, 0) for _ in range(12))
    await tb.drain()
    before = len(tb.seen.packets)
    tb.habits.ready = 0.0
    tb.send(packet(tb.rng, 0) for _ in range(60))
    while tb.to_send:
        await tb.step()
    for _ in range(20):
        await tb.step()
    assert tb.seen.stalls == 0 and len(tb.seen.packets) == before and sum(tb.outcomes[2]) >= 60


@cocotb.test()
async def test_malformed_ports(dut: Any) -> None:
    """None, several and unknown ports, no header, a late header: bypassed in order, no draw,
    counted where they go."""
    tb = TB(dut, Habits(write=0.9, ready=0.8, drain=0.01))
    await tb.reset()
    mixed = traffic(tb.rng, 80, queues=2)
    for kind in KINDS * 10:
        mixed.insert(
            tb.rng.randrange(len(mixed)), malformed(tb.rng, kind, tb.rng.randrange(60, 120))
        )
    tb.send(mixed)
    await tb.drain()
    tb.check()
    assert sum(map(sum, tb.outcomes)) == 80 and len(tb.sent) == 80 + 10 * len(KINDS)


@cocotb.test()
async def test_shortest_packets(dut: Any) -> None:
    """Three words are the shortest packet there can be, two without header: many more verdicts
    wait."""
    tb = TB(dut, Habits(ready=0.3, drain=0.02))
    await tb.reset()
    short: list[Packet] = []
    for _ in range(150):
        if tb.rng.random() < 0.3:
            words = [(0, tb.rng.getrandbits(64)), (0x40, tb.rng.getrandbits(64))]
            short.append(Packet(words, None))
        else:
            short.append(packet(tb.rng, tb.rng.randrange(8), 9 + tb.rng.randrange(8)))
    tb.send(short)
    await tb.drain()
    tb.check()


@cocotb.test()
async def test_jumbo(dut: Any) -> None:
    """9018 bytes: far more words than the FIFO has, kept and dropped."""
    tb = TB(dut, Habits(ready=0.95, drain=0.0))
    await tb.reset()
    await tb.write_register(0x20, 3 * 1024)
    await tb.write_register(0x00, 1024)
    tb.send(
        [packet(tb.rng, 0, 9018), *(packet(tb.rng, 0) for _ in range(60)), packet(tb.rng, 0, 9018)]
    )
    tb.send([packet(tb.rng, 1, 9017)])
    await tb.drain()
    tb.check()
    lengths = {len(words) for words in tb.seen.packets}
    assert tb.sent[61].drop and not tb.sent[0].drop and 1129 in lengths


@cocotb.test()
async def test_reset_within_a_packet(dut: Any) -> None:
    """Reset forgets what is in the FIFO and on its way; then the first packet is decided as after
    power-up."""
    tb = TB(dut, Habits(drain=0.0))
    await tb.reset()
    for words in (1, 2, 5, 8, 9, 10, 14, 25):
        first = packet(tb.rng, 0) if words % 2 else malformed(tb.rng, "none")
        tb.send([first, packet(tb.rng, 0), malformed(tb.rng, "several")])
        for _ in range(words):
            await tb.step()
        await tb.reset(clocks=1)
        # queue 0 drops nearly all, queue 1 nothing: a verdict left over from before would shift the
        # others
        await tb.write_register(0x20, 1)
        await tb.write_register(0x00, 0)
        tb.send(packet(tb.rng, queue % 2) for queue in range(30))
        await tb.drain()
        tb.check()
        # what is left of the packet that reset cut off is a packet of its own: one without header
        await tb.reset()
        tb.send([Packet(packet(tb.rng, 0).words[3:], None), packet(tb.rng, 0)])
        await tb.drain()
        tb.check()


@cocotb.test()
async def test_tail_drop_feedback(dut: Any) -> None:
    """Queues that are full hand packets back: counts stay right, at both ends of their range."""
    tb = TB(dut, Habits(drain=0.02, full=0.5))
    await tb.reset()
    tb.send(packet(tb.rng, tb.rng.randrange(2)) for _ in range(150))
    await tb.drain()
    tb.check()
    # more pulses than packets: the count stays at 0, and the next packet is the first
    tb.removals += [0xFF] * 60
    tb.habits.full = 0.0
    tb.send(packet(tb.rng, queue % 8) for queue in range(60))
    await tb.drain()
    tb.check()


@cocotb.test()
async def test_flooded_packets(dut: Any) -> None:
    """One packet in eight goes to several queues, and each one that leaves a queue gives a pulse:
    counts stay right."""
    tb = TB(dut, Habits(drain=1.0, hold=HELD))
    await tb.reset()
    for offset, value in ((0x00, 64), (0x20, 64 + 200 * 1024), (0x40, 40_000)):
        await tb.write_register(offset, value)
    seen: list[int] = []
    tb.each.append(lambda: seen.append(int(dut.u_path.counts_o.value) & 0xFFF))
    for number in range(1200):
        if number % 8 == 7:
            tb.send([malformed(tb.rng, "several")])
        else:
            tb.send([packet(tb.rng, 0)])
    while tb.to_send:
        await tb.step()
    tb.check_counts(seen, HELD)
    await tb.drain()
    tb.check()


@cocotb.test()
async def test_pulses_at_once(dut: Any) -> None:
    """Packets let in, removals and tail drops of one queue in one clock, in every combination, near
    0 too."""
    tb = TB(dut, Habits(drain=0.0))
    await tb.reset()
    tb.send(packet(tb.rng, queue % 2) for queue in range(60))
    await tb.drain()
    tb.habits.stray = 0.12
    tb.send(packet(tb.rng, tb.rng.randrange(2), 9) for _ in range(500))
    await tb.drain()
    tb.check()
