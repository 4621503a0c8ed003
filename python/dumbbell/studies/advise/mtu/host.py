"""CPU cost of packets: cycles per packet, per byte and per memory page, and the payload rate that
one core sustains.

Same formula as the service `host_cpu` for a saturated core: packets always wait, so no interrupt
cost. `dumbbell explain host_cpu` shows the presets with their sources.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .... import api
from ....language.arguments import refused
from ....present.units import BYTES, amount
from ..words import known

_HERTZ = {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}
_GRO_MIN_BYTES = 128
"""GRO does not merge packets shorter than this [bytes]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One core of a host, and the cycles that packets cost it."""

    clock_hz: float
    """Clock frequency of the core."""
    per_packet: float
    """Cycles per packet that GRO does not merge, and for the first of a merged group."""
    per_byte: float = 0.0
    """Cycles per byte, for copy and checksum."""
    per_merged: float = 0.0
    """Cycles per packet that GRO merges with the one before."""
    aggregate: float = 0.0
    """Maximum size of a merged group [bytes]; 0: nothing is merged."""
    page: float = 4096.0
    """Size of a memory page [bytes]."""
    per_page: float = 0.0
    """Cycles per memory page that a packet occupies."""
    name: str = "asked for"
    """Name of the preset."""
    source: str = "asked for"
    """Origin of the numbers."""

    def cycles(self, mtu: int) -> float:
        """Mean cycles per packet in a long train of packets of `mtu` bytes."""
        merged = max(1, int(self.aggregate // mtu)) if mtu >= _GRO_MIN_BYTES else 1
        packet_cycles = (self.per_packet + (merged - 1) * self.per_merged) / merged
        return packet_cycles + mtu * self.per_byte + math.ceil(mtu / self.page) * self.per_page

    def cycles_per_bit(self, mtu: int, payload: int) -> float:
        """Cycles per bit of payload, with packets of `mtu` bytes that carry `payload` bytes."""
        return self.cycles(mtu) / (8 * payload)

    def limit_bps(self, mtu: int, payload: int) -> float:
        """Maximum payload rate of the core [bit/s]."""
        return self.clock_hz / self.cycles_per_bit(mtu, payload)


DEFAULT = "header_2004"
"""The preset with the paper's numbers: 1200 cycles per packet."""


def presets() -> dict[str, Host]:
    """The presets of `host_cpu`, by name."""
    (entry,) = (entry for entry in api.catalogue()["service"] if entry["name"] == "host_cpu")
    return {preset["name"]: of_preset(preset) for preset in entry["presets"]}


def of_preset(preset: Mapping[str, Any]) -> Host:
    """The host that a preset of the catalogue describes."""
    cpu = preset["cpu"]
    copy = 0.0 if cpu["zero_copy"] else cpu["copy"]
    return Host(
        clock_hz=_quantity(cpu["clock"], _HERTZ),
        per_packet=cpu["per_packet"],
        per_byte=copy + (0.0 if cpu["checksum_offload"] else cpu["checksum"]),
        per_merged=cpu["per_merged"],
        aggregate=_quantity(cpu["aggregate"], BYTES),
        page=_quantity(cpu["page"], BYTES),
        per_page=cpu["per_page"],
        name=preset["name"],
        source=preset["title"],
    )


def _quantity(value: object, scales: Mapping[str, float]) -> float:
    """A quantity with its unit, such as "3.4 GHz", in base units; `scales`: factor of each unit."""
    number, unit = amount(value)
    return number * scales.get(unit, 1.0)


def read(
    name: str | None = None,
    clock: str | None = None,
    per_packet: float | None = None,
    per_byte: float | None = None,
) -> Host:
    """The preset `name` (default: `DEFAULT`) with the given options in place of its values.
    `ScenarioError` for an invalid option."""
    for option, value in (("--cycles-per-packet", per_packet), ("--cycles-per-byte", per_byte)):
        if value is not None and not 0 <= value <= 1e9:
            raise refused(
                f"{option} {value:g}",
                f"{value:g}",
                "this is not a number of cycles",
                f"write {option} 1200",
            )
    by_name = presets()
    host = by_name[known("--host", name or DEFAULT, by_name)]
    if (clock, per_packet, per_byte) == (None, None, None):
        return host
    if per_packet is not None:
        host = replace(host, per_packet=per_packet, per_merged=min(host.per_merged, per_packet))
    if per_byte is not None:
        host = replace(host, per_byte=per_byte)
    if not (host.per_packet or host.per_byte or host.per_page):
        raise refused(
            "--cycles-per-packet 0",
            0,
            f"{host.name} then costs no cycles at all, and has no limit",
            "write --cycles-per-byte 1 too",
        )
    if clock is not None:
        host = replace(host, clock_hz=_clock(clock))
    return replace(host, name="asked for", source=f"{host.name}, changed by options")


def _clock(text: str) -> float:
    """The frequency [Hz] that the option `--clock` gives."""
    option, fix = f"--clock {text}", "write --clock 3.4GHz"
    scale = {"GHz": 1e9, "MHz": 1e6}.get(text.strip()[-3:])
    try:
        value = float(text.strip()[:-3]) * scale if scale else None
    except ValueError:
        value = None
    if value is None:
        raise refused(option, text, "this is not a clock rate with its unit", fix)
    if not 1e6 <= value <= 1e11:
        raise refused(
            option,
            text,
            "this is not the clock rate of a core",
            "write a clock rate from 1MHz to 100GHz",
        )
    return value
