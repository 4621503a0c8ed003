"""What packets cost a host: cycles for headers and for bytes, and the rate at which one core is through with them."""

from __future__ import annotations

from dataclasses import dataclass

from ...schemes.spelling import refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A core: its clock [1/s], cycles for a packet whatever its length, and for each byte; whose numbers they are."""

    clock_hz: float
    per_packet: float
    per_byte: float = 0.0
    source: str = "asked for"

    def cycles_per_bit(self, mtu: int, payload: int) -> float:
        """Cycles for each bit of payload of full packets."""
        return (self.per_packet + self.per_byte * mtu) / (8 * payload)

    def limit_bps(self, mtu: int, payload: int) -> float:
        """Payload that the core is through with [bit/s]."""
        return self.clock_hz / self.cycles_per_bit(mtu, payload)


PAPER = Host(
    clock_hz=1e9,
    per_packet=1200.0,
    source="Jo, Kwak, Byeon 2004, section 3.1: 1200 cycles for the headers of a packet; the clock of 1 GHz is ours",
)


def read(clock: str | None, per_packet: float | None, per_byte: float | None) -> Host:
    """The host of these words; what is not said is the paper's. `ScenarioError` says what is wrong."""
    for option, value in (("--cycles-per-packet", per_packet), ("--cycles-per-byte", per_byte)):
        if value is not None and not 0 <= value <= 1e9:
            raise refused(f"{option} {value:g}", f"{value:g}", "this is no number of cycles", f"write {option} 1200")
    if per_packet is not None and per_packet == 0 and not per_byte:
        raise refused("--cycles-per-packet 0", 0, "a host that does nothing has no limit", "write cycles for something")
    if (clock, per_packet, per_byte) == (None, None, None):
        return PAPER
    return Host(
        clock_hz=PAPER.clock_hz if clock is None else _clock(clock),
        per_packet=PAPER.per_packet if per_packet is None else per_packet,
        per_byte=PAPER.per_byte if per_byte is None else per_byte,
    )


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
