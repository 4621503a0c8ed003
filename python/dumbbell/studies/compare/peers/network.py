"""A dumbbell of TCP flows with nothing left to a simulator's defaults: what each of them is
told."""

from __future__ import annotations

from dataclasses import dataclass

HEADER = 40
"""Bytes of IP and TCP headers; also the length of an acknowledgment."""
UDP_HEADER = 28
"""Bytes of IP and UDP headers."""


@dataclass(frozen=True, slots=True)
class Red:
    """RED in packets (Floyd, Jacobson 1993), gentle or not; `wait` spaces signals by at least 1/p_b
    packets."""

    min_th: float
    max_th: float
    max_p: float
    w_q: float
    gentle: bool = False
    wait: bool = False
    ecn: bool = False
    mean_packet: int = 1000


@dataclass(frozen=True, slots=True)
class Flow:
    """A bulk transfer: when it starts (s), the propagation delay of each of its access links (s),
    its TCP. With `datagrams_bps` it is datagrams as long as a full packet at this constant rate,
    headers included."""

    start: float
    access_s: float = 0.001
    cc: str = "newreno"
    delayed_ack: bool = False
    datagrams_bps: float | None = None


@dataclass(frozen=True, slots=True)
class Network:
    """Rates in bit/s, times in s; the buffer is in packets that wait, without the one in
    transmission.

    Without `red` the queue is Drop Tail. Means leave out everything before `warmup`. `jitter`:
    segments leave a host up to so much later, at random, as ns-2's `overhead_` has it. `prr`: the
    window of a SACK recovery falls proportionally (RFC 9937). `handshake`: data follows a SYN.
    ns-2 knows no `prr`, ns-3 has both always.
    """

    rate_bps: float
    buffer: int
    flows: tuple[Flow, ...]
    duration: float
    warmup: float = 0.0
    delay_s: float = 0.010
    access_bps: float = 1e9
    red: Red | None = None
    payload: int = 960
    window: int = 512
    initial_window: int = 10
    initial_ssthresh: int | None = None
    min_rto: float = 0.2
    jitter: float = 0.0
    limited_transmit: bool = False
    handshake: bool = False
    prr: bool = False
    seed: int = 1

    @property
    def packet(self) -> int:
        """Bytes of a full data packet, with headers."""
        return self.payload + HEADER

    @property
    def queue(self) -> str:
        """The name of the bottleneck's queue."""
        return "red" if self.red else "drop_tail"
