"""The cost of packets to a host: cycles for headers, bytes and pages, and the rate that one core
sustains.

The numbers are those of the service `host_cpu`, whose presets have their sources
(`dumbbell explain host_cpu`); the closed form is its own for packets that wait behind each other,
so that none raises an interrupt.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .... import api
from ....language.arguments import refused
from ....present.units import amount
from ..queue.question import known

_HERTZ = {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}
_BYTES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "KiB": 1024.0, "MiB": 1024.0**2}
_SHORTEST_MERGED = 128
"""Bytes: shorter packets are not gathered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A core: its clock [1/s]; cycles for a packet, for one that is gathered with the one before up
    to `aggregate` bytes, for each byte, and for each page of so many bytes; its name, and whose
    numbers they are."""

    clock_hz: float
    per_packet: float
    per_byte: float = 0.0
    per_merged: float = 0.0
    aggregate: float = 0.0
    page: float = 4096.0
    per_page: float = 0.0
    name: str = "asked for"
    source: str = "asked for"

    def cycles(self, mtu: int) -> float:
        """Cycles of each packet of a long train of full ones."""
        together = max(1, int(self.aggregate // mtu)) if mtu >= _SHORTEST_MERGED else 1
        headers = (self.per_packet + (together - 1) * self.per_merged) / together
        return headers + mtu * self.per_byte + math.ceil(mtu / self.page) * self.per_page

    def cycles_per_bit(self, mtu: int, payload: int) -> float:
        """Cycles for each bit of payload of full packets."""
        return self.cycles(mtu) / (8 * payload)

    def limit_bps(self, mtu: int, payload: int) -> float:
        """Payload that the core is through with [bit/s]."""
        return self.clock_hz / self.cycles_per_bit(mtu, payload)


DEFAULT = "header_2004"
"""The paper's arithmetic: 1200 cycles for the headers of a packet."""


def presets() -> dict[str, Host]:
    """Whole hosts by name, as the catalogue has them."""
    (entry,) = (entry for entry in api.catalogue()["service"] if entry["name"] == "host_cpu")
    return {one["name"]: of_preset(one) for one in entry["presets"]}


def of_preset(one: Mapping[str, Any]) -> Host:
    """A host as the catalogue has it."""
    cpu = one["cpu"]
    copy = 0.0 if cpu["zero_copy"] else cpu["copy"]
    return Host(
        clock_hz=_quantity(cpu["clock"], _HERTZ),
        per_packet=cpu["per_packet"],
        per_byte=copy + (0.0 if cpu["checksum_offload"] else cpu["checksum"]),
        per_merged=cpu["per_merged"],
        aggregate=_quantity(cpu["aggregate"], _BYTES),
        page=_quantity(cpu["page"], _BYTES),
        per_page=cpu["per_page"],
        name=one["name"],
        source=one["title"],
    )


def _quantity(value: object, scales: Mapping[str, float]) -> float:
    number, unit = amount(value)
    return number * scales.get(unit, 1.0)


def read(
    name: str | None = None,
    clock: str | None = None,
    per_packet: float | None = None,
    per_byte: float | None = None,
) -> Host:
    """The host of these words: a preset, the paper's if none is named, with what is said besides in
    the place of its numbers. `ScenarioError` says what is wrong."""
    for option, value in (("--cycles-per-packet", per_packet), ("--cycles-per-byte", per_byte)):
        if value is not None and not 0 <= value <= 1e9:
            raise refused(
                f"{option} {value:g}",
                f"{value:g}",
                "this is no number of cycles",
                f"write {option} 1200",
            )
    if per_packet is not None and per_packet == 0 and not per_byte:
        raise refused(
            "--cycles-per-packet 0",
            0,
            "a host that does nothing has no limit",
            "write cycles for something",
        )
    there = presets()
    host = there[known("--host", name or DEFAULT, there)]
    if (clock, per_packet, per_byte) == (None, None, None):
        return host
    if per_packet is not None:
        host = replace(host, per_packet=per_packet, per_merged=min(host.per_merged, per_packet))
    if per_byte is not None:
        host = replace(host, per_byte=per_byte)
    if clock is not None:
        host = replace(host, clock_hz=_clock(clock))
    return replace(host, name="asked for", source=f"{host.name}, changed as asked for")


def _clock(text: str) -> float:
    line, fix = f"--clock {text}", "write --clock 3.4GHz"
    scale = {"GHz": 1e9, "MHz": 1e6}.get(text.strip()[-3:])
    try:
        value = float(text.strip()[:-3]) * scale if scale else None
    except ValueError:
        value = None
    if value is None:
        raise refused(line, text, "this is no clock with its unit", fix)
    if not 1e6 <= value <= 1e11:
        raise refused(line, text, "this is no clock of a core", "1MHz to 100GHz are known here")
    return value
