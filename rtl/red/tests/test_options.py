"""What the core's options need around it: idle times, the interval of Adaptive RED, classes by
DSCP."""

from __future__ import annotations

from typing import Any

import cocotb
from dumbbell.rtl.registers import block
from nf1g import TB, Habits
from packets import Packet, ipv4, ipv6, packet
from ring import Ring
from timers import IdleTimes, Ticks


async def periods(tb: TB, idle: int = 1 << 31, adapt: int = 1 << 31) -> tuple[IdleTimes, Ticks]:
    """Sets both timers, and begins their twins."""
    ring = Ring(tb)
    await ring.write(block()["adapt_period"].offset, adapt)
    await ring.write(block()["idle_period"].offset, idle)
    return IdleTimes(tb, idle), Ticks(tb, adapt)  # a write begins both anew


async def low(tb: TB, queues: int = 8) -> None:
    """Thresholds that an average of a few packets' time reaches."""
    for queue in range(queues):
        for cls in range(4):
            await tb.write_register(block()["min"].at(queue, cls), 100 + 200 * cls)
            await tb.write_register(block()["max"].at(queue, cls), 4000 - 800 * cls)
            await tb.write_register(block()["slope"].at(queue, cls), 0x3FFFF)


@cocotb.test()
async def test_idle(dut: Any) -> None:
    """Queues run empty for a while: averages decay by the periods that went by, and everything is
    still foretold."""
    tb = TB(dut, Habits(drain=0.05, write=1.0))
    await tb.reset()
    await low(tb)
    times, _ = await periods(tb, idle=37)
    for pause in (0, 30, 70, 110, 150, 200, 300, 500, 900, 2500, 0):
        tb.send(packet(tb.rng, tb.rng.randrange(2)) for _ in range(20))
        await tb.drain()
        for _ in range(pause):
            await tb.step()
    tb.check()
    assert max(times.handed) == 63 and len(set(times.handed)) > 6, sorted(set(times.handed))


@cocotb.test()
async def test_idle_of_short_packets(dut: Any) -> None:
    """Three words a packet, an idle period of two clocks: the core's rule for times is kept,
    nothing is used twice."""
    tb = TB(dut, Habits(drain=0.3, write=0.9))
    await tb.reset()
    await low(tb)
    await periods(tb, idle=2)
    tb.send(packet(tb.rng, tb.rng.randrange(3), 9 + tb.rng.randrange(8)) for _ in range(300))
    await tb.drain()
    tb.check()


@cocotb.test()
async def test_adaptive(dut: Any) -> None:
    """Slopes are stepped up and down at each interval, as the transcription's are."""
    tb = TB(dut, Habits(drain=0.004))
    await tb.reset()
    await low(tb)
    for queue in range(2):
        await tb.write_register(block()["slope"].at(queue), 20_000)
        await tb.write_register(block()["lower"].at(queue), 600)
        await tb.write_register(block()["upper"].at(queue), 1200)
    await tb.write_register(block()["alpha"].offset, 9_000)
    await tb.write_register(block()["least"].offset, 3_000)
    await tb.write_register(block()["largest"].offset, 200_000)
    await periods(tb, adapt=101)
    seen = []
    tb.first.append(lambda: seen.append(tb.core.tables[2][0]))
    tb.send(packet(tb.rng, tb.rng.randrange(2)) for _ in range(350))
    await tb.drain()
    tb.check()
    assert min(seen) < 20_000 < max(seen), f"slopes from {min(seen)} to {max(seen)}"


@cocotb.test()
async def test_classes(dut: Any) -> None:
    """IPv4, IPv6 and others, by the map after reset and by one that was written: each by its
    class's thresholds."""
    tb = TB(dut, Habits(drain=0.002, write=0.9, ready=0.9))
    await tb.reset()
    await low(tb)
    await periods(tb)

    def some(count: int) -> list[Packet]:
        made = []
        for _ in range(count):
            length, dscp = (
                tb.rng.randrange(60, 90),
                tb.rng.choice((0, 10, 12, 14, 46, tb.rng.randrange(64))),
            )
            kind = tb.rng.choice((ipv4, ipv4, ipv6, None))
            payload = kind(length, dscp, tb.rng) if kind else tb.rng.randbytes(length)
            before = [tb.rng.randrange(1, 255) for _ in range(tb.rng.choice((0, 0, 2)))]
            made.append(packet(tb.rng, tb.rng.randrange(2), payload=payload, before=before))
        return made

    tb.send(some(150))
    await tb.drain()
    ring = Ring(tb)
    for dscp in range(64):
        tb.classes[dscp] = tb.rng.randrange(4)
        await ring.write(block()["class"].at(dscp=dscp), tb.classes[dscp])
    tb.send(some(150))
    await tb.drain()
    tb.check()
    drops = [sum(bool(sent.drop) for sent in tb.sent if sent.cls == cls) for cls in range(4)]
    assert all(drops), f"drops by class: {drops}"
