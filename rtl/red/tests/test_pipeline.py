"""The reference pipeline: lookup, RED, eight queues with a limit, joined as in a router."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from dumbbell.rtl.registers import block
from dumbbell.rtl.transcription import Core, Decision
from model import PATIENCE, parameter
from packets import Packet, Word, header, malformed, packet
from ring import FIELDS, Request

LIMIT = parameter("LIMIT", 36)
IN_TRANSIT = 3
"""Packets between RED's verdict and the end of their last word at the queues, at most."""


class TB:
    """The pipeline with a sender, and a link at each of the queues."""

    def __init__(self, dut: Any) -> None:
        self.dut, self.rng = dut, Random(cocotb.RANDOM_SEED)
        self.to_send: deque[Word] = deque()
        self.sent: list[Packet] = []
        self.got: list[list[list[Word]]] = [[] for _ in range(8)]
        self.open: list[list[Word]] = [[] for _ in range(8)]
        self.in_data = [False] * 8
        self.service = [1.0] * 8
        self.core = Core()
        self.decisions: list[tuple[int, Decision]] = []
        self.asked: deque[Decision] = deque()
        self.tail_drops = [0] * 8
        self.removed = [0] * 8
        self.answer = Request(req=0)
        self.ready = self.driven = self.clock = 0
        cocotb.start_soon(Clock(dut.clk, 8, unit="ns").start())

    async def reset(self) -> None:
        """Reset, and the wait for the module."""
        dut = self.dut
        for name in (
            "in_wr",
            "in_data",
            "in_ctrl",
            "out_rdy",
            *(f"reg_{name}_in" for name in FIELDS),
        ):
            getattr(dut, name).value = 0
        dut.reset.value = 1
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.reset.value = 0
        self.may = False
        while not self.may:
            await self.step()

    def send(self, packets: list[Packet]) -> None:
        """Queues packets for the sender."""
        for one in packets:
            self.sent.append(one)
            self.to_send += one.words

    async def register(self, offset: int, value: int | None = None) -> int:
        """Reads a register, or writes it (the transcription's, too)."""
        request = Request(rd_wr_L=int(value is None), addr=offset, data=value or 0)
        for asked in (request, Request(req=0)):
            for name in FIELDS:
                getattr(self.dut, f"reg_{name}_in").value = getattr(asked, name)
            await self.step()
        assert self.dut.reg_ack_out.value == 1
        if value is not None and offset < 0x100:
            self.core.write(offset >> 5, offset & 31, value)
        return int(self.dut.reg_data_out.value)

    async def step(self) -> None:
        """A clock."""
        dut = self.dut
        await RisingEdge(dut.clk)
        self.clock += 1
        assert self.clock < PATIENCE, f"the test is not done after {PATIENCE} clocks"
        wr = int(dut.out_wr.value) if dut.out_wr.value.is_resolvable else 0
        assert wr & ~self.ready == 0, (
            "a word to a queue's link that was not ready in the clock before"
        )
        for queue in range(8):
            if wr >> queue & 1:
                self._word(queue, (int(dut.out_ctrl.value), int(dut.out_data.value)))
        self._inside(dut)
        self.may = dut.in_rdy.value == 1
        wrote = self.may and bool(self.to_send)
        if wrote:
            dut.in_ctrl.value, dut.in_data.value = self.to_send.popleft()
        dut.in_wr.value = int(wrote)
        self.ready = self.driven
        self.driven = sum(
            1 << queue for queue in range(8) if self.rng.random() < self.service[queue]
        )
        dut.out_rdy.value = self.driven

    def _word(self, queue: int, word: Word) -> None:
        self.open[queue].append(word)
        if self.in_data[queue] and word[0]:
            self.got[queue].append(self.open[queue])
            self.open[queue], self.in_data[queue] = [], False
        else:
            self.in_data[queue] = word[0] == 0

    def _inside(self, dut: Any) -> None:
        """What the core is asked and what it says, and the pulses of the queues."""
        path, queues = dut.u_red.u_path, dut.u_queues
        if path.valid_o.value == 1:
            foretold = self.asked.popleft()
            said = (
                int(path.qid_o.value),
                int(path.drop_o.value),
                int(path.region_o.value),
                int(path.avg_o.value),
            )
            assert said == (foretold.queue, foretold.drop, foretold.region, foretold.avg)
            self.decisions.append((foretold.queue, foretold))
        if path.take_q.value == 1:
            queue, length = int(path.qid_q.value), int(path.qlen_q.value)
            # those let in that the queue has not refused yet are counted, too
            assert length <= LIMIT + IN_TRANSIT, (
                f"a queue of {LIMIT} packets is said to hold {length}"
            )
            self.asked.append(self.core.decide(queue, length))
        for name, counts in (("pkt_dropped", self.tail_drops), ("pkt_removed", self.removed)):
            pulses = getattr(queues, name).value
            if pulses.is_resolvable and int(pulses):
                for queue in range(8):
                    counts[queue] += int(pulses) >> queue & 1

    async def settle(self) -> None:
        """Until nothing has moved for long."""
        quiet = 0
        while quiet < 200:
            before = sum(map(len, self.got)), len(self.decisions)
            await self.step()
            quiet = (
                quiet + 1
                if before == (sum(map(len, self.got)), len(self.decisions)) and not self.to_send
                else 0
            )


def routed(source: int) -> int:
    """The queue of a source port: MAC and CPU of one number are each other's."""
    return source ^ 1


def expected(sent: Packet, ports: int) -> list[Word]:
    """A packet as the lookup leaves it."""
    return [
        (ctrl, data & (1 << 48) - 1 | ports << 48) if ctrl == 0xFF else (ctrl, data)
        for ctrl, data in sent.words
    ]


@cocotb.test()
async def test_congestion(dut: Any) -> None:
    """Two links slower than their traffic: early, forced and tail drops, and every packet is
    accounted for."""
    tb = TB(dut)
    await tb.reset()
    # queue 1 is RED's, by thresholds that its average gets to; queue 0 has only its limit
    for name, value in (("min", 300), ("max", 9000), ("slope", 0x3FFFF)):
        await tb.register(block()[name].at(1), value)
    await tb.register(block()["min"].at(0), 1 << 21)
    await tb.register(block()["max"].at(0), (1 << 21) + 1024)
    tb.service = [0.2, 0.15, *[1.0] * 6]
    made = []
    for number in range(420):
        source = tb.rng.choice((0, 0, 1, 1, 1, 5))
        made.append(packet(tb.rng, 0, 60 + number % 30, source=source))
    tb.send(made)
    while tb.to_send:
        await tb.step()
    tb.service = [1.0] * 8
    await tb.settle()

    dropped = [0] * 8
    for queue, decision in tb.decisions:
        dropped[queue] += decision.drop
    for queue in range(8):
        source = routed(queue)
        sent = [
            expected(one, 1 << queue) for one in made if one.words[0][1] >> 16 & 0xFFFF == source
        ]
        got = tb.got[queue]
        assert len(sent) == len(got) + dropped[queue] + tb.tail_drops[queue], f"queue {queue} leaks"
        assert tb.removed[queue] == len(got)
        order = iter(sent)
        assert all(any(one == whole for whole in order) for one in got), (
            f"queue {queue} is not whole or not in order"
        )
        assert await tb.register(block()["qlen"].at(queue)) == 0, (
            "the count of an empty queue is not 0"
        )
        drops = [await tb.register(block()[name].at(queue)) for name in ("early", "forced")]
        assert sum(drops) == dropped[queue]
        assert await tb.register(block()["passed"].at(queue)) == len(got) + tb.tail_drops[queue]
    assert tb.tail_drops[0] > 5 and dropped[1] > 5 and not dropped[0], (tb.tail_drops, dropped)


@cocotb.test()
async def test_malformed(dut: Any) -> None:
    """Unknown source ports have no destination: RED lets them by, queue 0 takes them, and its count
    is right again."""
    tb = TB(dut)
    await tb.reset()
    made = []
    for _ in range(60):
        one = packet(tb.rng, 0, 60, source=3)
        if tb.rng.random() < 0.5:
            one.words[0] = header(60, 0, 8 + tb.rng.randrange(60_000))
        made.append(one)
    made.insert(30, malformed(tb.rng, "headerless"))
    tb.send(made)
    await tb.settle()
    lost = [
        expected(one, 0)
        for one in made
        if one.words[0][0] != 0xFF or one.words[0][1] >> 16 & 0xFFFF != 3
    ]
    assert tb.got[0] == lost and len(tb.got[2]) == 61 - len(lost)
    assert [await tb.register(block()["qlen"].at(queue)) for queue in range(8)] == [0] * 8
    assert (
        tb.removed == [len(lost), 0, 61 - len(lost), *[0] * 5]
        and len(tb.decisions) == tb.removed[2]
    )


@cocotb.test()
async def test_round_robin(dut: Any) -> None:
    """Full queues are served in turn, a packet each."""
    tb = TB(dut)
    await tb.reset()
    tb.service = [0.0] * 8
    for _ in range(12):
        tb.send([packet(tb.rng, 0, 60, source=source) for source in range(8)])
    await tb.settle()
    order: list[int] = []
    tb.service = [1.0] * 8
    while len(order) < 96:
        before = [len(got) for got in tb.got]
        await tb.step()
        order += [queue for queue in range(8) if len(tb.got[queue]) > before[queue]]
    assert all(set(order[turn : turn + 8]) == set(range(8)) for turn in range(0, 96, 8)), order
