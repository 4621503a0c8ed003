"""Applications: adaptive streaming and web pages over a link that they have for themselves, with a
first window that holds all that is asked for at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from ...check import Check
from ...laws import streaming
from ...readings import Run
from ...runner import of_one_run

MSS, PACKET, ACK = 1460, 1500, 40
"""Bytes: of payload in a segment of TCP, of its packet, and of an acknowledgment."""
RATE = 800_000
"""Of the link, bit/s: 15 ms for a packet, 0.4 ms for an acknowledgment."""
DELAY = Fraction(1, 100)
"""Propagation one way, seconds."""
SEND = Fraction(8 * PACKET, RATE)
"""Transmission of a packet, seconds."""
REQUEST_DELAY = DELAY + Fraction(8 * ACK, RATE)
"""Of an acknowledgment, which stands for a request."""
WINDOW = 500

YIN = "Yin et al., SIGCOMM 2015"
HUANG = "Huang et al., SIGCOMM 2014"


def _alone(source: dict[str, Any], seconds: int) -> dict[str, Any]:
    """A server `a` and a client `b` with a link between them, and a flow with this source."""
    tcp = {
        "mss": f"{MSS} B",
        "handshake": False,
        "initial_window": f"{WINDOW} pkt",
        "initial_window_bytes": "unlimited",
        "receive_window": "unlimited",
        "delayed_ack": "each",
    }
    link = {
        "between": ["a", "b"],
        "rate": f"{RATE} bps",
        "delay": "10 ms",
        "queue": {"kind": "drop_tail", "limit": "unlimited"},
    }
    return {
        "duration": f"{seconds} s",
        "profile": "ns2",
        "tcp": tcp,
        "host": [{"name": "a"}, {"name": "b"}],
        "link": [link],
        "flow": [{"name": "f", "from": "a", "to": "b", "cc": "newreno", "source": source}],
    }


def _of(key: str) -> Callable[[Run], float]:
    """A number that the application measured."""
    return lambda run: float(run["flows"][0]["application"][key])


def _bps(packets: int) -> int:
    """The rate at which a second of video has the payload of so many packets."""
    return 8 * MSS * packets


def _fetch(packets: int) -> Fraction:
    """From a request to the last byte of so many packets."""
    return REQUEST_DELAY + packets * SEND + DELAY


def _dash(packets: list[int], start: int, buffer: int, seconds: int) -> dict[str, Any]:
    source = {
        "kind": "dash",
        "ladder": [f"{_bps(n)} bps" for n in packets],
        "segment": "1 s",
        "start": f"{start} s",
        "buffer": f"{buffer} s",
    }
    return _alone(source, seconds)


def _steady() -> Iterator[Check]:
    """One rate, below the link's and above it."""
    for name, packets, start, buffer, seconds in (("fast", 20, 4, 10, 60), ("slow", 80, 2, 20, 60)):
        until = seconds + REQUEST_DELAY
        seen = streaming.watch(
            streaming.lowest,
            [_fetch(packets)],
            Fraction(1),
            Fraction(start),
            Fraction(buffer),
            until,
        )
        assert seen.start_up == start * _fetch(packets)
        scenario = _dash([packets], start, buffer, seconds)
        yield Check(
            f"dash.{name}.start-up",
            f"Playback starts when {start} segments have come, each after its request delay, its "
            "transmission and propagation",
            float(seen.start_up),
            1e-9,
            of_one_run(scenario, _of("start_up_s")),
            "s",
        )
        if name == "fast":
            yield Check(
                "dash.fast.buffer",
                f"{YIN}, section 3: the buffer at the end, after it was full",
                float(seen.buffer),
                1e-9,
                of_one_run(scenario, _of("buffer_s")),
                "s",
            )
        else:
            yield Check(
                "dash.slow.stalled",
                f"{YIN}, section 3: each segment takes longer than it plays, and the rest of "
                "the time is stalls",
                float(seen.stalled),
                1e-9,
                of_one_run(scenario, _of("stalled_s")),
                "s",
            )


def _adaptive() -> Iterator[Check]:
    packets, start, buffer, seconds = [20, 30, 40, 80], 1, 60, 1000
    ladder = [_bps(n) for n in packets]
    # 90 and 126 of 240 s.
    reservoir, cushion = Fraction(90 * buffer, 240), Fraction(126 * buffer, 240)
    seen = streaming.watch(
        streaming.bba(ladder, reservoir, cushion),
        [_fetch(n) for n in packets],
        Fraction(1),
        Fraction(start),
        Fraction(buffer),
        seconds + REQUEST_DELAY,
    )
    scenario = _dash(packets, start, buffer, seconds)
    exact = {
        "video-rate": ("video_bps", sum(ladder[i] for i in seen.rungs) / len(seen.rungs), "bit/s"),
        "switches": ("switches", seen.switches, ""),
        "buffer": ("buffer_s", float(seen.buffer), "s"),
    }
    for name, (key, expected, unit) in exact.items():
        yield Check(
            f"dash.bba.{name}",
            f"BBA-0 ({HUANG}, algorithm 1), transcribed over {YIN}, section 3",
            float(expected),
            1e-9,
            of_one_run(scenario, _of(key)),
            unit,
        )
    yield Check(
        "dash.bba.quality",
        f"{YIN}, section 3: quality less changes, stalls and the wait for the first picture",
        seen.quality(ladder),
        1e-9,
        of_one_run(scenario, _of("qoe")),
        "kbps",
    )
    # As much comes as is played: (1 - the time without transmission) / SEND packets a second. Of
    # the run, the buffer's content at the end is more than was played.
    long = 4000
    packets_per_s = (1 - REQUEST_DELAY - DELAY) / SEND
    yield Check(
        "dash.bba.capacity",
        "A link between two rates of the ladder: BBA-0 alternates, and its mean rate is the link's",
        float(8 * MSS * packets_per_s),
        buffer / long,
        of_one_run(_dash(packets, start, buffer, long), _of("video_bps")),
        "bit/s",
    )


def _pages() -> Iterator[Check]:
    objects, pages = 12, 5
    source = {
        "kind": "web",
        "objects": objects,
        "size": f"{2 * MSS} B",
        "think": "500 ms",
        "pages": pages,
    }
    laws = {
        "one-by-one": (
            False,
            objects * _fetch(2),
            "each object takes its request delay, two packets and propagation",
        ),
        "pipelined": (
            True,
            _fetch(2) + _fetch(2 * (objects - 1)),
            "the first object, and then all others together",
        ),
    }
    for name, (pipelined, expected, words) in laws.items():
        yield Check(
            f"web.{name}.load",
            f"The load time of a page of {objects} objects: {words}",
            float(expected),
            1e-9,
            of_one_run(_alone({**source, "pipelined": pipelined}, 60), _of("load_mean_s")),
            "s",
        )


CHECKS = [*_steady(), *_adaptive(), *_pages()]
