"""The token bucket marker and the marker with a data buffer: Choi and Kim, "TCP throughput
guarantee using packet buffering", 2001, sections 4.1 and 4.2, in fractions and in the plainest
Python.

Tokens are bytes. A packet that finds none waits; when there are tokens for the one at the front it
leaves IN; when the buffer overflows the one at the front leaves OUT. A token comes before a packet
of the same instant.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

PS = 10**12


def marked(
    packets: list[tuple[int, int]], rate_bps: int, burst: int, size: int
) -> list[tuple[int, str]]:
    """When each of `packets` (instant in ps, bytes) leaves, in ps, and as what; `size`: how many
    may wait."""
    per_ps = Fraction(rate_bps, 8 * PS)
    tokens, since = Fraction(burst), Fraction(0)
    left: dict[int, tuple[int, str]] = {}
    waiting: list[int] = []

    def pass_until(now: Fraction) -> None:
        nonlocal tokens, since
        tokens, since = min(Fraction(burst), tokens + per_ps * (now - since)), now

    def serve() -> None:
        nonlocal tokens
        while waiting and tokens >= packets[waiting[0]][1]:
            tokens -= packets[waiting[0]][1]
            left[waiting.pop(0)] = (int(since), "IN")

    def serve_until(now: int) -> None:
        while waiting:
            instant = max(Fraction(since), (packets[waiting[0]][1] - tokens) / per_ps + since)
            whole = -(-instant.numerator // instant.denominator)
            if whole > now:
                return
            pass_until(Fraction(whole))
            serve()

    for number, (at, length) in enumerate(packets):
        serve_until(at)
        pass_until(Fraction(at))
        if not waiting and tokens >= length:
            tokens -= length
            left[number] = (at, "IN")
        elif size == 0:
            left[number] = (at, "OUT")
        else:
            if len(waiting) == size:
                left[waiting.pop(0)] = (at, "OUT")
            waiting.append(number)
            serve()
    serve_until(10**19)
    return [left[number] for number in range(len(packets))]


def tsw(
    packets: list[tuple[int, int]],
    rate: float,
    peak: float,
    window_s: float,
    draw: Callable[[], int],
) -> list[str]:
    """RFC 2859, figures 2 and 3: the color of each packet (instant in ps, bytes); rates in bytes
    per second.

    `draw` gives 32 uniform bits. Which part of the unit interval is which color is open in the
    RFC: red is the lowest.
    """
    average, front, colours = rate, 0, []
    for at, length in packets:
        average = (average * window_s + length) / ((at - front) * 1e-12 + window_s)
        front = at
        if average <= rate:
            colours.append("green")
            continue
        p0, p1 = (average - peak) / average, (average - rate) / average
        u = draw() / 2**32
        colours.append("red" if u < p0 else "yellow" if u < p1 else "green")
    return colours
