"""Meters and markers under unresponsive loads: what is in profile, to the packet where nothing is
random."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ....aqm_response.drive import drive
from ....data.arrow import Table
from ...check import Check
from ...laws import links, markers
from ...readings import most_above_rate
from ...runner import mean_over_generated, once

GREEN, YELLOW, RED = 10, 12, 14
"""The codepoints of the colors: AF11, AF12, AF13 (RFC 2597)."""
LENGTH, RATE, BURST = 1000, 1_000_000, 10_500
"""Bytes of a packet; the contract, bit/s; the depth of its bucket: ten packets and a half."""
MANY, SHARE_TOLERANCE = 80_000, 0.02
"""Packets a seed, of which the last three quarters count, for shares of a quarter and more."""


def _marked(edge: Mapping[str, Any], times: Sequence[int], seed: int = 1) -> Table:
    """Packets of 1000 bytes at `times`, ps, through an edge before a link that is never busy for
    long."""
    arrivals = {"time_ps": list(times), "bytes": LENGTH}
    limits = {"limit": "unlimited"}
    return drive(
        "drop_tail", limits, arrivals=arrivals, rate="1 Tbps", conditioner=dict(edge), seed=seed
    )


def _steady(load: float, packets: int) -> list[int]:
    """Instants of a constant load, as a multiple of the contract, ps."""
    gap = Fraction(8 * LENGTH * links.PS, RATE) / Fraction(load).limit_denominator(100)
    return [int(n * gap) for n in range(packets)]


def _count(colors: tuple[int, ...], table: Table, start: int = 0) -> float:
    """Packets of these colors from the packet `start` on."""
    return float(sum(c in colors for c in table.numbers("entered_dscp")[start:]))


def _share(colors: tuple[int, ...], table: Table) -> float:
    """Returns the share of these colors in the last three quarters of the packets."""
    start = len(table) // 4
    return _count(colors, table, start) / (len(table) - start)


def _when(number: int, table: Table) -> float:
    """Returns the time at which a packet came to the queue, ps."""
    return float(table.numbers("entered_ps")[number])


def _first_out(table: Table) -> float:
    """Packets before the first that is OUT."""
    return float(list(table.numbers("entered_dscp")).index(YELLOW))


def _envelope(table: Table) -> float:
    """The most bytes, of all intervals, by which what passed IN exceeds the contract."""
    rows = zip(table.numbers("entered_ps"), table.numbers("entered_dscp"), strict=True)
    green = sorted(at for at, codepoint in rows if codepoint == GREEN)
    return most_above_rate(((at, LENGTH) for at in green), RATE)


def _buckets() -> Iterator[Check]:
    """Token buckets: the depth and the rate, no more and no less."""
    words = {"rate": f"{RATE} bps", "burst": f"{BURST} B"}
    for kind in ("token_bucket", "marker_feedback"):
        for load in (1.25, 3.0):
            times = _steady(load, 20_000)
            yield Check(
                f"{kind}.in.load-{load:g}",
                "In a persistent overload, IN uses the initial tokens and those that arrive: "
                "floor((B + r t) / L) packets",
                markers.in_profile(BURST, RATE, LENGTH, Fraction(times[-1], links.PS)),
                0.0,
                once(
                    (kind, load),
                    partial(_marked, {"kind": kind, **words}, times),
                    partial(_count, (GREEN,)),
                ),
                "packets",
            )
    pause = [0] * 100 + [60 * links.PS] * 100
    yield Check(
        "token_bucket.after-a-pause",
        "However long it is idle, a bucket holds at most its depth: min(B, r t)",
        float(markers.after_pause(BURST, RATE, Fraction(60)) // LENGTH),
        0.0,
        once(
            "bucket-pause",
            partial(_marked, {"kind": "token_bucket", **words}, pause),
            partial(_count, (GREEN,), start=100),
        ),
        "packets",
    )


def _buffers() -> Iterator[Check]:
    """The marker with a data buffer: what it adds to a bucket, and what it does not."""
    at_once = [0] * 40
    for size in (0, 3, 7):
        edge = {
            "kind": "data_buffer",
            "rate": f"{RATE} bps",
            "burst": "10 kB",
            "size": f"{size} pkt",
        }
        make = partial(_marked, edge, at_once)
        key = ("data-buffer", size)
        yield Check(
            f"data_buffer.in.size-{size}",
            "Of a burst, the packets are IN that find a token or still wait at the end: B / L + D",
            10 + size,
            0.0,
            once(key, make, partial(_count, (GREEN,))),
            "packets",
        )
        yield Check(
            f"data_buffer.held.size-{size}",
            "The packet that fills the buffer waits longest of those that leave as IN: D L / r; "
            "the front leaves as OUT",
            markers.held_ps(size, LENGTH, RATE),
            0.0,
            once(key, make, partial(_when, 39)),
            "ps",
        )
    uneven = [n * 5 * 10**9 + 400 * 10**9 * (n // 40) for n in range(20_000)]
    depth = 10_000
    for size in (0, 3):
        edge = {
            "kind": "data_buffer",
            "rate": f"{RATE} bps",
            "burst": f"{depth} B",
            "size": f"{size} pkt",
        }
        yield Check(
            f"data_buffer.envelope.size-{size}",
            "A buffer does not change the contract: in any time t at most burst + rate t is IN; "
            "the worst case reaches this bound",
            float(markers.envelope(depth, RATE, Fraction(0))),
            1.0 if size else float(LENGTH),
            once(("data-buffer-uneven", size), partial(_marked, edge, uneven), _envelope),
            "B",
            absolute=True,
        )


def _three_colors() -> Iterator[Check]:
    """RFC 2697 and RFC 2698."""
    cbs, ebs = 10_500, 4_500
    single = {"kind": "srtcm", "cir": f"{RATE} bps", "cbs": f"{cbs} B", "ebs": f"{ebs} B"}
    pause = Fraction(107, 1000)
    times = [0] * 100 + [int(pause * links.PS)] * 100
    # The tokens left in either bucket after the first hundred packets add to the new ones: half a
    # packet each.
    left = Fraction(500)
    greens = (left + min(Fraction(RATE) * pause / 8, cbs - left)) // LENGTH
    yellows = (left + markers.spilled(cbs - int(left), ebs - int(left), RATE, pause)) // LENGTH
    laws = {
        "green": (
            GREEN,
            greens,
            "RFC 2697 section 3: after a pause, green is limited to the tokens that arrived, at "
            "most CBS",
        ),
        "yellow": (
            YELLOW,
            yellows,
            "RFC 2697 section 3: tokens that find the committed bucket full allow yellow, at "
            "most EBS",
        ),
    }
    for name, (codepoint, expected, law) in laws.items():
        measure = partial(_count, (codepoint,), start=100)
        measurement = once("srtcm-pause", partial(_marked, single, times), measure)
        yield Check(
            f"srtcm.after-a-pause.{name}", law, float(expected), 0.0, measurement, "packets"
        )
    steady = _steady(3.0, 20_000)
    end = Fraction(steady[-1], links.PS)
    over = {"green": ((GREEN,), cbs, RATE), "yellow": ((YELLOW,), ebs, 0)}
    for name, (colors, depth, rate) in over.items():
        yield Check(
            f"srtcm.overload.{name}",
            "RFC 2697: in a persistent overload, green is CBS and CIR, yellow is EBS only",
            markers.in_profile(depth, rate, LENGTH, end),
            0.0,
            once("srtcm-over", partial(_marked, single, steady), partial(_count, colors)),
            "packets",
        )
    double = {
        "kind": "trtcm",
        "cir": f"{RATE} bps",
        "cbs": f"{cbs} B",
        "pir": f"{2 * RATE} bps",
        "pbs": "12500 B",
    }
    peaks = {"green": ((GREEN,), cbs, RATE), "not-red": ((GREEN, YELLOW), 12_500, 2 * RATE)}
    for name, (either, depth, rate) in peaks.items():
        yield Check(
            f"trtcm.overload.{name}",
            "RFC 2698: in a persistent overload, green is CBS and CIR, green and yellow together "
            "are PBS and PIR",
            markers.in_profile(depth, rate, LENGTH, end),
            1.0,
            once("trtcm-over", partial(_marked, double, steady), partial(_count, either)),
            "packets",
            absolute=True,
        )


def _windows() -> Iterator[Check]:
    """Markers of an estimated rate, whose estimate of a constant load is that load."""
    contract = {"rate": f"{RATE} bps"}
    # So little is contracted, and so much slack given, that the first packet beyond the threshold
    # is OUT.
    rise = {"kind": "tsw_slack", "rate": "8 bps", "beta": 100_000.0, "start": "zero"}
    for window in (1.0, 0.25):
        times = [4 * 10**9 * (n + 1) for n in range(1000)]
        yield Check(
            f"tsw.rise.window-{window:g}",
            "RFC 2859 section 3: with L bytes every d, the estimate is L/d (1 - (W/(W+d))^n), "
            "above 100 kB/s after n packets",
            markers.tsw_rise(LENGTH, 0.004, window, 100_000),
            0.0,
            once(
                ("rise", window),
                partial(_marked, {**rise, "window": f"{window} s"}, times),
                _first_out,
            ),
            "packets",
        )
    kinds: dict[str, dict[str, Any]] = {
        "tsw2cm": {},
        "tsw_slack": {},
        "etsw": {"short_window": "100 ms"},
    }
    for kind, words in kinds.items():
        for load in (1.5, 4.0):
            edge = {"kind": kind, **contract, **words}
            yield Check(
                f"{kind}.in.load-{load:g}",
                "The estimate equals the load, and packets are OUT with probability 1 - r / "
                "estimate: in the long run IN is r",
                markers.share(load),
                SHARE_TOLERANCE,
                mean_over_generated(
                    (kind, load),
                    partial(_marked, edge, _steady(load, MANY)),
                    partial(_share, (GREEN,)),
                ),
            )
    edge = {"kind": "tsw3cm", **contract, "peak_rate": f"{2 * RATE} bps"}
    for name, colors, expected in (
        ("green", (GREEN,), 1 / 4),
        ("yellow", (YELLOW,), 1 / 4),
        ("red", (RED,), 1 / 2),
    ):
        yield Check(
            f"tsw3cm.{name}.load-4",
            "RFC 2859 section 4: green is CTR, yellow is PTR - CTR, red is the excess over PTR",
            expected,
            SHARE_TOLERANCE,
            mean_over_generated(
                "tsw3cm", partial(_marked, edge, _steady(4.0, MANY)), partial(_share, colors)
            ),
        )
    adaptive = {"kind": "adaptive_packet_marking", **contract}
    yield Check(
        "adaptive_packet_marking.ramp",
        "At half of the target, P rises by delta (1 - 1/2) each second, from 0 to 1 in 200 of "
        "300 s",
        markers.ramp(0.01, 0.5, 300),
        SHARE_TOLERANCE,
        mean_over_generated(
            "adaptive", partial(_marked, adaptive, _steady(0.5, 18_750)), _whole_share
        ),
    )


def _whole_share(table: Table) -> float:
    """The share of packets that are IN, of all."""
    return _count((GREEN,), table) / len(table)


CHECKS = [*_buckets(), *_buffers(), *_three_colors(), *_windows()]
