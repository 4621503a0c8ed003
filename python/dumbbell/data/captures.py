"""TCP connections of a capture (pcapng or pcap) over time: what was acknowledged, and round-trip
times. `dumbbell read` counts what such a file holds; this reads the instants that figures need."""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import ScenarioError
from . import series

_SECTION, _INTERFACE, _ENHANCED = 0x0A0D0D0A, 1, 6
_PCAP = {0xA1B2C3D4: 1e-6, 0xA1B23C4D: 1e-9}
_ETHERNET, _RAW, _SLL, _SLL2 = 1, 101, 113, 276
_IPV4, _IPV6, _TCP = 0x0800, 0x86DD, 6
_VLANS = (0x8100, 0x88A8)
_SYN, _FIN, _ACK = 0x02, 0x01, 0x10
_HALF = 1 << 31

Packet = tuple[float, int, memoryview]
"""Seconds, link type, bytes."""
Segment = tuple[float, int, int, bool]
"""Seconds, the first byte and the one after the last, and whether a byte of it or a later one was
seen before."""
Key = tuple[bytes, int, bytes, int]
"""Address and port of the sender, and of the receiver."""


@dataclass(slots=True)
class Direction:
    """Data of one direction of a connection, in the order of the capture. Bytes are offsets in the
    stream."""

    name: str
    first: int = 0
    """The offset of the first byte that was seen."""
    sent_bytes: int = 0
    acked: list[tuple[float, int]] = field(default_factory=list)
    """Instants, and the highest byte that was acknowledged then."""
    rtt: list[tuple[float, float]] = field(default_factory=list)
    """Instants of acknowledgments, and seconds since the segment that each answers exactly; of
    repeated segments there is none (Karn and Partridge 1987)."""
    segments: list[Segment] | None = None
    """Every segment, if they were asked for. A SYN and a FIN take one byte."""
    _next: int | None = None
    _pending: dict[int, float | None] = field(default_factory=dict)

    def data(self, time: float, seq: int, length: int) -> None:
        """A segment of `length` bytes."""
        start = self._offset(seq)
        end, again = start + length, start < (self._next or 0)
        if self.segments is not None:
            self.segments.append((time, start, end, again))
        self._pending[end] = None if end in self._pending or again else time
        self._next = max(self._next or 0, end)
        self.sent_bytes += length

    def acknowledge(self, time: float, ack: int) -> None:
        """An acknowledgment, from the other side."""
        if self._next is None:
            return
        at = self._offset(ack)
        if self.acked and at <= self.acked[-1][1]:
            return
        self.acked.append((time, at))
        if (sent := self._pending.get(at)) is not None:
            self.rtt.append((time, time - sent))
        if len(self._pending) > 4096:
            self._pending = {end: t for end, t in self._pending.items() if end > at}

    def goodput(self, period_s: float) -> list[tuple[float, float]]:
        """Bits per second that were acknowledged in each period, by its end."""
        import numpy as np

        time, byte = np.array(self.acked, dtype=np.float64).T
        edges = np.arange(np.floor(time[0] / period_s), time[-1] / period_s) * period_s
        at = np.searchsorted(time, edges, side="right") - 1
        counted = np.where(at >= 0, byte[np.maximum(at, 0)], byte[0])
        return list(
            zip(edges[1:].tolist(), (np.diff(counted) * 8 / period_s).tolist(), strict=True)
        )

    def _offset(self, number: int) -> int:
        """A 32-bit sequence number as an offset near the last one."""
        if self._next is None:
            self.first = self._next = number
        return self._next + ((number - self._next + _HALF) % (2 * _HALF)) - _HALF


def is_capture(file: Path) -> bool:
    """True if a file begins as pcapng or pcap does."""
    with file.open("rb") as opened:
        head = opened.read(4)
    magic = {struct.unpack(f"{order}I", head)[0] for order in "<>"} if len(head) == 4 else set()
    return bool(magic & {_SECTION, *_PCAP})


def directions(file: Path, segments: bool = False) -> list[Direction]:
    """The directions in which connections carried data, by address and port; times are seconds
    since the first packet. segments: also every segment of them. `ScenarioError` if there is none,
    `CheckFailed` of a damaged file."""
    found: dict[Key, Direction] = {}
    start: float | None = None
    try:
        for time, link, packet in _packets(memoryview(file.read_bytes())):
            start = time if start is None else start
            _take(found, time - start, link, packet, segments)
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        fix = f"`dumbbell read {file}` names the byte, and tells what stands before it"
        raise series.damaged(file, f"it is not a complete capture: {error}", fix) from None
    carried = [found[key] for key in sorted(found) if found[key].acked and found[key].sent_bytes]
    if not carried:
        raise ScenarioError(f"{file} has no TCP connection that carried data")
    return carried


def _take(
    found: dict[Key, Direction], time: float, link: int, packet: memoryview, segments: bool
) -> None:
    """Counts a packet, if it is one of TCP."""
    parsed = _tcp(link, packet)
    if parsed is None:
        return
    key, seq, ack, flags, length = parsed
    length += bool(flags & _SYN) + bool(flags & _FIN)
    if length:
        own = found.get(key)
        if own is None:
            own = found[key] = Direction(_name(key), segments=[] if segments else None)
        own.data(time, seq, length)
    other = found.get((*key[2:], *key[:2]))
    if flags & _ACK and other is not None:
        other.acknowledge(time, ack)


def _name(key: Key) -> str:
    source, port, target, to = key
    ends = (f"{ipaddress.ip_address(a)}:{p}" for a, p in ((source, port), (target, to)))
    return " > ".join(ends)


def _tcp(link: int, data: memoryview) -> tuple[Key, int, int, int, int] | None:
    """Addresses and ports, sequence and acknowledgment number, flags and payload of a TCP segment;
    None if it is something else, or too short to tell."""
    found = _network(link, data)
    if found is None:
        return None
    at, kind = found
    if kind == _IPV4 and len(data) >= at + 20 and data[at + 9] == _TCP:
        header, total = 4 * (data[at] & 15), int.from_bytes(data[at + 2 : at + 4], "big")
        source, target = bytes(data[at + 12 : at + 16]), bytes(data[at + 16 : at + 20])
    elif kind == _IPV6 and len(data) >= at + 40 and data[at + 6] == _TCP:
        header, total = 40, 40 + int.from_bytes(data[at + 4 : at + 6], "big")
        source, target = bytes(data[at + 8 : at + 24]), bytes(data[at + 24 : at + 40])
    else:
        return None
    tcp = data[at + header :]
    if len(tcp) < 14:
        return None
    ports, seq, ack, offset, flags = struct.unpack(">IIIBB", tcp[:14])
    payload = total - header - 4 * (offset >> 4)
    return (source, ports >> 16, target, ports & 0xFFFF), seq, ack, flags, max(0, payload)


def _network(link: int, data: memoryview) -> tuple[int, int] | None:
    """Where the network header begins, and its EtherType."""
    if link == _RAW:
        return (0, _IPV4 if data[0] >> 4 == 4 else _IPV6) if len(data) else None
    at = {_ETHERNET: 12, _SLL: 14, _SLL2: 0}.get(link)
    if at is None or len(data) < at + 2:
        return None
    kind = int.from_bytes(data[at : at + 2], "big")
    if link == _SLL2:
        return 20, kind
    while kind in _VLANS:
        at += 4
        kind = int.from_bytes(data[at : at + 2], "big")
    return at + 2, kind


def _packets(data: memoryview) -> Iterator[Packet]:
    """Every packet of a capture of either format and byte order."""
    little = struct.unpack("<I", data[:4])[0]
    if little == _SECTION:
        yield from _blocks(data)
        return
    order = "<" if little in _PCAP else ">"
    unit = _PCAP[struct.unpack(f"{order}I", data[:4])[0]]
    link = struct.unpack(f"{order}I", data[20:24])[0] & 0xFFFF
    at, record = 24, struct.Struct(f"{order}IIII")
    while at < len(data):
        seconds, parts, kept, _ = record.unpack(data[at : at + 16])
        yield seconds + parts * unit, link, _whole(data, at + 16, kept)
        at += 16 + kept


def _blocks(data: memoryview) -> Iterator[Packet]:
    """Every enhanced packet block of a pcapng file."""
    at, order, interfaces = 0, "<", list[tuple[int, float]]()
    while at < len(data):
        kind, length = struct.unpack(f"{order}II", data[at : at + 8])
        if kind == _SECTION:
            order = "<" if bytes(data[at + 8 : at + 12]) == b"\x4d\x3c\x2b\x1a" else ">"
            length, interfaces = struct.unpack(f"{order}I", data[at + 4 : at + 8])[0], []
        if length < 12:
            raise ValueError(f"a block of {length} bytes")
        body = _whole(data, at + 8, length - 12)
        if kind == _INTERFACE:
            link = struct.unpack(f"{order}H", body[:2])[0]
            interfaces.append((link, _resolution(body[8:], order)))
        elif kind == _ENHANCED:
            which, high, low, kept = struct.unpack(f"{order}IIII", body[:16])
            link, unit = interfaces[which]
            yield ((high << 32) | low) * unit, link, _whole(body, 20, kept)
        at += length


def _resolution(options: memoryview, order: str) -> float:
    """Seconds in a unit of time stamps: option 9, by default a microsecond."""
    at = 0
    while at + 4 <= len(options):
        code, length = struct.unpack(f"{order}HH", options[at : at + 4])
        if code == 9:
            value = options[at + 4]
            return float(2.0 ** -(value & 0x7F) if value & 0x80 else 10.0**-value)
        if code == 0:
            break
        at += 4 + (length + 3) // 4 * 4
    return 1e-6


def _whole(data: memoryview, at: int, length: int) -> memoryview:
    if at + length > len(data):
        raise ValueError("it ends within a packet")
    return data[at : at + length]


def carried(found: list[Direction]) -> list[Direction]:
    """The directions that carried data, without those of mere answers."""
    most = max(one.sent_bytes for one in found)
    return [one for one in found if one.sent_bytes >= most / 1000]


__all__ = ["Direction", "carried", "directions", "is_capture"]
