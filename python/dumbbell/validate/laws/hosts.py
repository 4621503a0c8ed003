"""Hosts: what packets cost a processor, and what that leaves of a rate.

Costs are in cycles, clocks in Hz, lengths in bytes, rates in bit/s.
"""

from __future__ import annotations


def packet(per_packet: float, per_byte: float, length: int, per_interrupt: float = 0.0) -> float:
    """Cycles of a packet: c = per_packet + per_byte length + per_interrupt (of one that wakes the
    processor)."""
    return per_packet + per_byte * length + per_interrupt


def limit(clock: float, cycles: float, payload: int) -> float:
    """Goodput of a processor that always has a packet waiting, bit/s: 8 payload clock / c."""
    return 8.0 * payload * clock / cycles


def utilization(clock: float, cycles: float, rate: float, payload: int) -> float:
    """Share of time in which a processor is at work that is fast enough: c rate / (8 payload
    clock)."""
    return cycles * rate / (8.0 * payload * clock)


def headers_saved(per_packet: float, frames: int) -> float:
    """Cycles saved by one frame in the place of `frames`: all headers but one.

    Jo, Kwak, Byeon 2004, section 3.1: 5 x 1,200 for one of 9 KB in the place of six of 1.5 KB.
    """
    return (frames - 1) * per_packet


def interrupts(packets: float, gap: float) -> float:
    """Interrupts a second of packets that come evenly to a processor that is through with each at
    once: min(rate, 1 / gap), where two are at least `gap` apart (Intel's InterruptThrottleRate)."""
    return min(packets, 1.0 / gap)
