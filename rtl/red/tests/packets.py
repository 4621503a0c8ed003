"""Packets as words on the NetFPGA-1G bus, and the frames in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

IO_QUEUE = 0xFF
"""ctrl of the module header that names the ports."""
Word = tuple[int, int]
"""ctrl and data."""


@dataclass(eq=False, slots=True)
class Packet:
    """What goes over the bus, and what RED should make of it."""

    words: list[Word]
    queue: int | None
    """Its output queue; None: malformed, to be bypassed."""
    cls: int = 0
    header_at: int = 0
    """Which word settles that: the I/O queues' header, the second data word with WRED, ..."""
    drop: bool | None = field(default=None)
    """Foretold by the transcription of SPEC.md when the header goes in."""
    ports: int = 0
    """Queues that a packet without a decision goes to, one bit each."""

    @property
    def queues(self) -> list[int]:
        """The queues that it goes to if it is kept."""
        return [k for k in range(8) if self.ports >> k & 1] if self.queue is None else [self.queue]


def frame_words(payload: bytes) -> list[Word]:
    """A frame as data words; the last one's ctrl marks its last byte: 0x80 the first of the eight,
    0x01 the last."""
    words = [
        (0, int.from_bytes(payload[at : at + 8].ljust(8, b"\0"), "big"))
        for at in range(0, len(payload), 8)
    ]
    last = (len(payload) - 1) % 8
    words[-1] = (0x80 >> last, words[-1][1])
    return words


def header(length: int, ports: int, source: int = 0) -> Word:
    """The I/O queues' header: byte length, source port, word length, one-hot destination ports."""
    return IO_QUEUE, ports << 48 | (length + 7) // 8 << 32 | source << 16 | length


def ipv4(length: int, dscp: int, rng: Random) -> bytes:
    """An Ethernet frame that begins like IPv4 with this DSCP, all else random."""
    return (
        rng.randbytes(12)
        + bytes((8, 0, 0x45, dscp << 2 | rng.getrandbits(2)))
        + rng.randbytes(length - 16)
    )


def ipv6(length: int, dscp: int, rng: Random) -> bytes:
    """As `ipv4`."""
    start = (6 << 12 | dscp << 6 | rng.getrandbits(6)).to_bytes(2, "big")
    return rng.randbytes(12) + bytes((0x86, 0xDD)) + start + rng.randbytes(length - 16)


def packet(
    rng: Random,
    queue: int,
    length: int = 60,
    *,
    before: Sequence[int] = (),
    after: Sequence[int] = (),
    payload: bytes | None = None,
    source: int = 0,
) -> Packet:
    """A well-formed packet to a queue. before, after: ctrl of other stages' headers around the I/O
    queues'."""
    body = payload if payload is not None else rng.randbytes(length)
    words = [(ctrl, rng.getrandbits(64)) for ctrl in before]
    words.append(header(len(body), 1 << queue, source))
    words += [(ctrl, rng.getrandbits(64)) for ctrl in after]
    words += frame_words(body)
    return Packet(words, queue, header_at=len(before))


def malformed(rng: Random, kind: str, length: int = 60) -> Packet:
    """A packet that RED should bypass.

    kind: no port; several ports; a port beyond the eight queues; one of each; no header of the I/O
    queues; it after more headers than RED looks through.
    """
    ports = {
        "none": 0,
        "several": 0b11 << rng.randrange(7),
        "beyond": 1 << 8 + rng.randrange(8),
        "both": 1 << 8 + rng.randrange(8) | 1 << rng.randrange(8),
        "headerless": 1,
        "late": 1,
    }[kind]
    words = [header(length, ports)]
    at = 0
    if kind == "headerless":
        words = [(1 + rng.randrange(0xFE), rng.getrandbits(64)) for _ in range(rng.randrange(3))]
        at = len(words)
    if kind == "late":
        words = [
            (1 + rng.randrange(0xFE), rng.getrandbits(64)) for _ in range(8 + rng.randrange(3))
        ] + words
        at = 7
    named = ports & 0xFF if kind in ("several", "both") else 0
    return Packet(words + frame_words(rng.randbytes(length)), None, header_at=at, ports=named)


KINDS = ("none", "several", "beyond", "both", "headerless", "late")
"""Of malformed packets."""
