"""SCReAM: reports, the target rate, losses, pacing and frames, each in closed form, over a link
that the flow has for itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from ..check import Check
from ..laws import scream
from ..recorded import Recorded, Row
from ..runner import Measurement, of_one_run, of_records

RATE = 10_000_000
NS = 1e-9
PLAIN = Fraction(20, 1000)


def _wire(ip_bytes: int) -> Fraction:
    """Transmission of a packet, seconds."""
    return Fraction(8 * ip_bytes, RATE)


def _alone(
    seconds: float,
    camera: dict[str, Any],
    lost: str = "",
    delay: Fraction = PLAIN,
    warmup: float = 0,
    **fields: Any,
) -> Any:
    """A sender `a` and a receiver `b`. lost: the numbers of packets that the wire loses, from 1."""
    losses = [{"kind": "loss_trace", "of": "packets", "trace": lost}] if lost else []
    link = {
        "between": ["a", "b"],
        "rate": f"{RATE} bps",
        "delay": f"{float(delay) * 1e3:g} ms",
        "queue": {"kind": "drop_tail", "limit": "unlimited"},
        "impairment": losses,
        "reverse": {"impairment": []},
    }
    flow = {
        "name": "f",
        "from": "a",
        "to": "b",
        "transport": "scream",
        "source": {"kind": "camera", **camera},
        "scream": fields,
    }
    return {
        "duration": f"{seconds * 1e3:g} ms",
        "warmup": f"{warmup * 1e3:g} ms",
        "host": [{"name": "a"}, {"name": "b"}],
        "link": [link],
        "flow": [flow],
    }


def _steady(fps: int, payload: int, **camera: Any) -> dict[str, Any]:
    """A coder that hands over `payload` bytes with each frame."""
    rate = f"{8 * payload * fps} bps"
    return {"fps": fps, "least": rate, "most": rate, **camera}


def _packets(scenario: Any, measure: Callable[[list[Row], list[Row]], float]) -> Measurement:
    """Measures the packets of the sender and the reports of the receiver, each in order."""

    def measured(seen: Recorded) -> float:
        rows = sorted(seen.rows("packets"), key=lambda row: (row["sent_ps"], row["packet"]))
        of = [[row for row in rows if row["from"] == end] for end in ("sender", "receiver")]
        return float(measure(*of))

    return of_records({**scenario, "record": {"packets": True}}, measured)


def _media(name: str) -> Callable[[Any], float]:
    return lambda run: float(run["flows"][0]["media"][name])


def _reports() -> Iterator[Check]:
    three = _alone(1, _steady(25, 2500))
    for name, number, packets in (("one", 0, 1), ("three", 1, 3)):
        yield Check(
            f"scream.report.size-{name}",
            f"a report of {packets} packet{'s' if packets > 1 else ''}: RFC 8888 section 3.1",
            scream.report(packets),
            0,
            _packets(three, _size(number)),
            "B",
        )
    # One packet a frame; at 3 frames per second 400 ms is the longest interval.
    for name, fps, payload in (("slow", 3, 250), ("media", 20, 488), ("fast", 100, 988)):
        media = Fraction(8 * fps * (payload + scream.RTP))
        yield Check(
            f"scream.report.interval-{name}",
            f"time between reports of RTP packets at {float(media) / 1e3:g} kbps: RFC 8298 section "
            "4.2.2",
            float(scream.report_interval(media)),
            NS,
            _packets(_alone(8, _steady(fps, payload)), _last_interval),
            "s",
            absolute=True,
        )


def _size(number: int) -> Callable[[list[Row], list[Row]], float]:
    """Bytes of the receiver's report number `number`, from 0."""
    return lambda _, reports: float(reports[number]["ip_len_bytes"])


def _last_interval(_: list[Row], reports: list[Row]) -> float:
    return float(reports[-1]["sent_ps"] - reports[-2]["sent_ps"]) * 1e-12


def _rates() -> Iterator[Check]:
    yield Check(
        "scream.rate.ramp",
        "on a fast link the target rises by RAMP_UP_SPEED, in steps of 200 ms: RFC 8298 section "
        "4.1.3; its mean in 10 s",
        float(scream.mean_ramp(scream.target(1_000_000), 10)),
        1e-6,
        of_one_run(_alone(10, {"least": "1 Mbps", "most": "8 Mbps"}), _media("target_bps")),
        "bit/s",
    )
    # Frames at 1 Mbps. At 25 a second they have six packets: 14 is of the third, 98 of the
    # seventeenth. At 50 they have three: 26 and 29 are of frames in a row, reported 20 ms apart.
    start = scream.target(1_000_000)
    camera = {"fps": 25, "least": "100 kbps", "most": "1 Mbps", "start": "1 Mbps"}
    for name, fps, lost, times in (
        ("one", 25, "14", 1),
        ("two", 50, "26 29", 1),
        ("apart", 25, "14 98", 2),
    ):
        yield Check(
            f"scream.loss.rate-{name}",
            f"losses of packets {lost.replace(' ', ' and ')} take a tenth of the target, once a "
            "round trip: RFC 8298 sections 4.1.2.1 and 4.1.3",
            float(start * scream.BETA_RATE**times),
            1e-5,
            of_one_run(
                _alone(6, {**camera, "fps": fps}, lost, warmup=2, ramp_up="1 bps"),
                _media("target_bps"),
            ),
            "bit/s",
        )
    yield Check(
        "scream.loss.window",
        "a loss takes a fifth of the window: RFC 8298 section 4.1.2.1",
        float(scream.BETA_LOSS),
        1e-3,
        of_records({**_alone(6, camera, "98"), "record": {"drops": True}}, _reduction),
        "",
    )


def _reduction(seen: Recorded) -> float:
    """The window after the first loss, over the one before."""
    row = seen.reactions("loss")[0]
    return float(row["cwnd_bytes"] / row["cwnd_bytes_before"])


def _pacing() -> Iterator[Check]:
    # Frames of two packets do not use the window so that it would grow. The first report goes at
    # once, the second 20 ms later, and both are there before the second frame.
    delay, frame = Fraction(5, 1000), Fraction(1, 25)
    first = _wire(scream.MSS + scream.HEADER) + _wire(scream.report(1)) + 2 * delay
    srtt = first + scream.LEAST_REPORT_INTERVAL / 8
    yield Check(
        "scream.pacing.interval",
        "the second packet of a frame leaves size x s_rtt / cwnd after the first: RFC 8298 section "
        "4.1.2.6",
        float(frame + scream.paced(scream.MSS, srtt)),
        NS,
        _packets(
            _alone(1, _steady(25, 1500), delay=delay), lambda data, _: data[3]["sent_ps"] * 1e-12
        ),
        "s",
        absolute=True,
    )


def _frames() -> Iterator[Check]:
    one = _wire(488 + scream.RTP + scream.HEADER) + PLAIN
    lost = ("10", "20", "21")
    yield Check(
        "scream.frame.delay",
        "a frame of one packet takes its transmission and the link's delay",
        float(one),
        5e-8,
        of_one_run(_alone(5, _steady(20, 488)), _media("frame_delay_mean_s")),
        "s",
        absolute=True,
    )
    yield Check(
        "scream.frame.lost",
        "each lost packet is a frame that never is complete",
        len(lost),
        0,
        of_one_run(_alone(5, _steady(20, 488), " ".join(lost)), _media("frames_lost")),
        "frames",
    )
    # 5 s of 20 frames per second, without those of the last budget.
    for name, budget, late in (("in-time", 21, 0), ("late", 20, 100)):
        yield Check(
            f"scream.frame.{name}",
            f"frames that take {float(one) * 1e3:.3g} ms of a budget of {budget} ms",
            late,
            0,
            of_one_run(_alone(5, _steady(20, 488, budget=f"{budget} ms")), _media("frames_late")),
            "frames",
        )


CHECKS = [*_reports(), *_rates(), *_pacing(), *_frames()]
