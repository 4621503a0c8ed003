"""Figure 8 of Oh et al. 2012: avg_pkts = 11266 with thresholds 6 and 12; the first packet dropped,
the second let on.

With RED_WAVES set the signals of these packets are left there, one value a clock (`figure8.json`,
`figure8.vcd`).
"""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import cocotb
from dumbbell.rtl.transcription import RANDOM, Core
from nf1g import PERIOD, TB, Habits
from packets import packet
from vcd import vcd

AVG, LENGTH = 11266, 12
"""What the figure shows, in 1/1024 packets, and the queue's length then."""
SIGNALS = {
    "in_wr": 1,
    "in_ctrl": 8,
    "in_data": 64,
    "out_rdy": 1,
    "out_wr": 1,
    "out_ctrl": 8,
    "out_data": 64,
}
INSIDE = {"valid": 1, "drop": 1, "region": 2, "avg_pkts": 22}


def to_go(core: Core) -> int | None:
    """How many packets at LENGTH until one has the average AVG; None if it goes by."""
    trial, avg, packets = copy.deepcopy(core), 0, 0
    while avg < AVG:
        avg, packets = trial.decide(0, LENGTH).avg, packets + 1
    return packets if avg == AVG else None


@cocotb.test()
async def test_figure_8(dut: Any) -> None:
    """The average is steered there packet by packet (disabled: nothing is dropped), then two
    packets are decided."""
    tb = TB(dut, Habits(drain=0.0))
    await tb.reset()
    await tb.write_register(0xE0, 0)
    while tb.core.acc[0] >> tb.core.w < 10_900:  # the queue grows, and the average after it
        await one(tb, tb.counts[0])
    while (packets := to_go(tb.core)) is None:  # other steps lead elsewhere
        await one(tb, LENGTH - 1)
    for _ in range(packets - 1):
        await one(tb, LENGTH)
    await queue_of(tb, LENGTH)
    await tb.write_register(0xE1, 1)
    await tb.write_register(0xE0, 1)

    rows: list[dict[str, int]] = []
    tb.each.append(lambda: rows.append(row(dut)))
    before = len(tb.seen.packets)
    first, second = packet(tb.rng, 0), packet(tb.rng, 0)
    tb.send([first, second])
    await tb.drain()
    tb.check()
    decided = [line for line in rows if line["valid"]]
    assert decided[0]["avg_pkts"] == AVG
    assert [(line["region"], line["drop"]) for line in decided] == [(RANDOM, 1), (RANDOM, 0)]
    assert tb.seen.packets[before:] == [second.words] and first.drop
    # the first packet leaves no pulse of out_wr
    assert sum(line["out_wr"] for line in rows) == len(second.words)
    keep(rows)


async def one(tb: TB, length: int) -> None:
    """A packet that finds so many in the queue."""
    await queue_of(tb, length)
    tb.send([packet(tb.rng, 0)])
    await tb.drain(longer=0)


async def queue_of(tb: TB, length: int) -> None:
    """Takes packets out of the queue until so many wait."""
    tb.removals += [1] * (tb.counts[0] - length)
    while tb.removals:
        await tb.step()
    await tb.step()
    await tb.step()


def row(dut: Any) -> dict[str, int]:
    """Every signal of the figure in this clock; unknown values are 0."""
    path = dut.u_path
    signals = {name: getattr(dut, name) for name in SIGNALS}
    signals |= {
        "valid": path.valid_o,
        "drop": path.drop_o,
        "region": path.region_o,
        "avg_pkts": path.avg_o,
    }
    return {
        name: int(signal.value) if signal.value.is_resolvable else 0
        for name, signal in signals.items()
    }


def keep(rows: list[dict[str, int]]) -> None:
    """Leaves the signals to be drawn: from a clock before the first word to one after the last."""
    where = os.environ.get("RED_WAVES")
    if where is None:
        return
    busy = [
        clock for clock, line in enumerate(rows) if line["in_wr"] or line["out_wr"] or line["valid"]
    ]
    rows = rows[max(busy[0] - 1, 0) : busy[-1] + 2]
    bits = SIGNALS | INSIDE
    document = {
        "clock_ns": PERIOD,
        "avg_pkts": AVG,
        "signals": {
            name: {"bits": bits[name], "values": [line[name] for line in rows]} for name in bits
        },
    }
    Path(where, "figure8.json").write_text(json.dumps(document, indent=1) + "\n")
    Path(where, "figure8.vcd").write_text(vcd(bits, rows, PERIOD))
