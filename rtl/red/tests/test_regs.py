"""The register ring, the registers behind it, and the host's tool for them."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.task import bridge, resume
from dumbbell.rtl.registers import Register, block
from dumbbell.rtl.regtool import configure, identify, read_queue, slope, threshold
from model import parameter
from nf1g import TB, Habits
from packets import packet
from ring import FIELDS, NOTHING, TAG, Request, Ring

WRED = parameter("CLASSES", 1) > 1
RESET = {
    "DEF_MIN": 6144,
    "DEF_MAX": 12288,
    "DEF_SLOPE": 41943 if parameter("CONSTANT", 0) else 27962,
    "SEED": 1,
    "magic": block().magic,
}
OPTIONS = ("PAPER", "CONSTANT", "GAP", "IDLE", "ADAPT")


def there(register: Register) -> range:
    """The offsets of a register that exist in this build."""
    if register.name in ("lower", "upper") and not parameter("ADAPT", 0):
        return range(0)
    if register.per == "dscp":
        return range(register.offset, register.offset + 64 * WRED)
    words = register.words if WRED or register.per != "class queue" else 8
    return range(register.offset, register.offset + words)


def after_reset(register: Register, offset: int) -> int:
    """What the description says that it reads after reset."""
    if register.name == "options":
        bits = sum(parameter(name, 0) << bit for bit, name in enumerate(OPTIONS))
        return parameter("W", 9) << 8 | 1 << 6 | WRED << 5 | bits
    if register.name == "class":
        dscp = offset - register.offset
        return dscp >> 1 & 3 if 1 <= dscp >> 3 <= 4 and not dscp & 1 else 0
    return RESET[register.reset] if register.reset in RESET else int(register.reset)


@cocotb.test()
async def test_reset_values(dut: Any) -> None:
    """Every register reads what its description says, and every other word of the block that there
    is none."""
    ring = Ring(tb := TB(dut))
    await tb.reset()
    known = {
        offset: after_reset(register, offset)
        for register in block().registers
        for offset in there(register)
    }
    for offset in range(1 << block().address_bits):
        read = await ring.read(offset)
        assert read == known.get(offset, NOTHING), f"{offset:#x} reads {read:#x} after reset"


@cocotb.test()
async def test_written(dut: Any) -> None:
    """What may be written reads back, without the bits that are not there; what may not stays."""
    ring = Ring(tb := TB(dut))
    await tb.reset()
    before = {}
    after = {}
    for register in block().registers:
        bits = 18 if register.name == "slope" and not parameter("CONSTANT", 0) else register.bits
        for offset in there(register):
            value = tb.rng.getrandbits(32) | 1
            before[offset] = await ring.read(offset)
            await ring.write(offset, value)
            after[offset] = value & (1 << bits) - 1 if register.access == "rw" else before[offset]
    for offset, value in after.items():
        read = await ring.read(offset)
        assert read == value, f"{offset:#x} reads {read:#x}, not {value:#x}"


@cocotb.test()
async def test_ring_passes_on(dut: Any) -> None:
    """A request for another stage, or answered by one, comes out a clock later as it went in, one
    each clock."""
    ring = Ring(tb := TB(dut))
    await tb.reset()
    before = await ring.read(block()["min"].offset)
    going: list[Request] = []
    for _ in range(200):
        mine = tb.rng.random() < 0.3
        fields = {
            "req": 1,
            "ack": int(mine or tb.rng.random() < 0.5),
            "rd_wr_L": tb.rng.getrandbits(1),
        }
        tag = TAG if mine else 1 << tb.rng.randrange(14) | tb.rng.getrandbits(14)
        request = Request(
            **fields,
            addr=tag << 9 | tb.rng.getrandbits(9),
            data=tb.rng.getrandbits(32),
            src=tb.rng.getrandbits(2),
        )
        ring.put(request)
        await tb.step()
        going.append(request)
        if len(going) > 1:
            assert ring.look() == going[-2]
    ring.put(Request(req=0))
    await tb.step()
    await tb.step()
    assert ring.look().req == 0
    assert await ring.read(block()["min"].offset) == before, (
        "a request that was answered already was done again"
    )
    assert set(FIELDS) == set(Request.__slots__)


@cocotb.test()
async def test_silent_while_clearing(dut: Any) -> None:
    """Just after reset nobody answers; once the module takes packets it does."""
    ring = Ring(tb := TB(dut))
    await tb.reset()
    dut.reset.value = 1
    await tb.step()
    dut.reset.value = 0
    await tb.step()
    answer = await ring.pass_by(Request(addr=TAG << 9, data=77))
    assert not answer.ack and answer.data == 77
    await tb.reset()
    assert (await ring.pass_by(Request(addr=TAG << 9))).ack


@cocotb.test()
async def test_counters(dut: Any) -> None:
    """Counts, averages and lengths of every queue are the bench's own, read while packets go by and
    afterwards."""
    ring = Ring(tb := TB(dut, Habits(write=0.9, ready=0.9, drain=0.0008, full=0.05)))
    await tb.reset()
    for queue in range(4):
        await ring.write(block()["min"].at(queue), 64)
        await ring.write(block()["max"].at(queue), 6000)
        await ring.write(block()["slope"].at(queue), 0x3FFFF)
    averages = [0] * 8
    decide = tb.core.decide

    def noted(queue: int, *rest: int) -> Any:
        decision = decide(queue, *rest)
        averages[queue] = decision.avg
        return decision

    tb.core.decide = noted  # type: ignore[method-assign]
    tb.send(packet(tb.rng, min(tb.rng.randrange(20), 7) % 5) for _ in range(300))
    last = 0
    while tb.to_send:
        count = await ring.read(block()["passed"].at(0))
        assert last <= count <= tb.outcomes[0][0]
        last = count
    tb.habits.drain = 0.0
    await tb.drain()
    tb.check()
    for queue in range(8):
        names = ("passed", "early", "forced")
        read = [await ring.read(block()[name].at(queue)) for name in names]
        assert read == [tb.outcomes[row][queue] for row in range(3)], (
            f"queue {queue}: {dict(zip(names, read, strict=True))}"
        )
        assert await ring.read(block()["avg"].at(queue)) == averages[queue]
        assert await ring.read(block()["qlen"].at(queue)) == tb.counts[queue]
    assert all(sum(row) for row in tb.outcomes), f"a region was not reached: {tb.outcomes}"
    await tb.reset()
    assert [await ring.read(block()["passed"].at(queue)) for queue in range(8)] == [0] * 8


class Simulated:
    """The simulated ring as the host's tool wants it: calls that wait."""

    def __init__(self, ring: Ring) -> None:
        self.read = resume(ring.read)
        self.write = resume(ring.write)


@cocotb.test()
async def test_regtool(dut: Any) -> None:
    """The host's tool sets a queue in packets; the module decides accordingly; the tool reads what
    came of it."""
    ring = Ring(tb := TB(dut, Habits(drain=0.002)))
    await tb.reset()
    host = Simulated(ring)
    options = await bridge(identify)(host)
    assert options.w == tb.core.w and options.wred == WRED and options.counters
    low, high, max_p = 0.25, 8.25, 0.2
    await bridge(configure)(host, 3, low, high, max_p, constant=options.constant)
    assert tb.core.tables[0][3] == threshold(low)
    assert tb.core.tables[2][3] == slope(max_p, 256, 8448, options.constant)
    tb.send(packet(tb.rng, 3) for _ in range(150))
    await tb.drain()
    tb.check()
    read = await bridge(read_queue)(host, 3, constant=options.constant)
    assert (read.low, read.high, read.length) == (low, high, tb.counts[3])
    assert abs(read.max_p - max_p) < 1e-5 and read.avg == tb.avg(3) / 1024
    assert (read.passed, read.early, read.forced) == tuple(row[3] for row in tb.outcomes)
    assert read.early > 0
