"""The end of a queue's count: thousands of packets, so it is run on one build only."""

from __future__ import annotations

from typing import Any

import cocotb
from nf1g import TB, Habits
from packets import Packet, packet


@cocotb.test()
async def test_full_count(dut: Any) -> None:
    """A queue of 4095 packets that nothing leaves: its count stays there. (Disabled, the module
    lets all pass.)"""
    tb = TB(dut, Habits(drain=0.0))
    await tb.reset()
    await tb.write_register(0xE0, 0)
    words = packet(tb.rng, 5, 9).words
    tb.send(Packet(words, 5) for _ in range(4093))
    await tb.drain(15_000)
    tb.send(packet(tb.rng, 5, 60) for _ in range(4))
    tb.send(packet(tb.rng, 2, 60) for _ in range(2))
    await tb.drain()
    await tb.write_register(0xE0, 1)
    # the average of the long queue is high by now: it forces drops, and draws and averages are
    # still as foretold
    tb.send(packet(tb.rng, queue, 60) for queue in (5, 2, 5, 5, 2))
    await tb.drain()
    tb.check()
    assert tb.counts[5] == 4095 and tb.outcomes[2][5] == 3
