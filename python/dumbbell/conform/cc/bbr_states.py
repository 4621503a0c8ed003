"""Test cases of draft-ietf-ccwg-bbr-06, appendix A, that examine the states of BBRv3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..criterion import Criterion, Tables, described
from ..network import bottleneck, of
from ..subject import Subject
from ..trace import EVERY, Trace
from .bbr_values import (
    bounded,
    drained,
    estimate,
    left_down,
    longest_without_probe_rtt,
    probe_rtt_visits,
    rounds_drained,
    share_in_startup,
    shortest_probe_rtt,
)

_BW = ("down", "cruise", "refill", "up")
_UNTIMED = (
    "a scenario cannot change the path, or pause the application, at the instant at which a "
    "control enters a state"
)
_PLAIN = "One flow on 10 Mbit/s with a base RTT of 40 ms and a buffer of 4 BDP."
_PAUSES = "The application sends 200 kB, pauses for 100 ms, and so on; "


def only_bbr3(subject: Subject) -> str | None:
    """Why the states of BBRv3 cannot be examined."""
    if subject.name == "bbr3":
        return None
    return f"the case examines states of BBRv3, which {subject.name} does not have"


def _plain(subject: Subject, seconds: float = 30, **keys: Any) -> Tables:
    """One flow whose series are recorded from the start."""
    made = bottleneck(of(subject), seconds=seconds, warmup=0, **{"limit": "4 BDP", **keys})
    return {**made, "record": {"every": EVERY, "queues": False}}


def _paused(subject: Subject, response: str, think: str, **keys: Any) -> Tables:
    """One flow whose application pauses, so that its samples are application-limited."""
    made = _plain(subject, **keys)
    source = {"kind": "request_response", "response": response, "think": think}
    made["flow"] = [of(subject, source=source)]
    return made


_SLOWER = (
    "One flow on 10 Mbit/s with a base RTT of 40 ms. The rate falls to 2 Mbit/s at 350 ms, in the "
    "last round trips of Startup: the estimate stays five times too high."
)


def _slower(subject: Subject) -> Tables:
    """A link that becomes slow before Drain."""
    service = {"kind": "steps", "steps": [["0 s", "10 Mbps"], ["350 ms", "2 Mbps"]]}
    made = _plain(
        subject, seconds=10, rate=None, limit="400 pkt", service={**service, "period": "0 s"}
    )
    made["flow"] = [of(subject, start_spread="0 s")]
    return made


def _case(
    number: int,
    part: str,
    words: str,
    value: Callable[[Trace], float],
    why: str,
    runs: str = _PLAIN,
    scenario: Callable[[Subject], Tables] = _plain,
    **bounds: Any,
) -> Criterion:
    section = f"bbr.A.{number}"
    return Criterion(
        id=f"{section}.{part}",
        section=section,
        runs=runs,
        number=words,
        why=why,
        scenario=scenario,
        traced=value,
        excuse=only_bbr3,
        **bounds,
    )


_AFTER_DRAIN = ("drain", "down", "cruise")
_AFTER_UP = ("down", "cruise")
_SAME_ACK = (
    "With little in flight an acknowledgment that reports the loss passes through this state into "
    "PROBE_CRUISE, to which no other way leads from here."
)
_PERIOD = "The period of the series (0.5 ms) lets one packet more or less be in flight."
CRITERIA = (
    _case(
        1,
        "estimate",
        "distance of BBR.max_bw from the link's rate of data at the end of Startup, in %",
        estimate,
        "The case: within 2 %.",
        most=2.0,
        unit="%",
    ),
    _case(
        1,
        "plateau",
        "share of the Startups that Drain follows",
        lambda t: t.followed("startup", ["drain"]),
        "The case: the connection transitions from STARTUP to DRAIN.",
        least=1.0,
    ),
    _case(
        2,
        "loss",
        "share of the Startups that Drain follows",
        lambda t: t.followed("startup", _AFTER_DRAIN),
        f"The case: loss ends Startup even if samples are application-limited. {_SAME_ACK}",
        runs=f"{_PAUSES}15 % of the packets are lost.",
        scenario=lambda s: _paused(
            s, "200 kB", "100 ms", impairment=[{"kind": "bernoulli", "loss": 0.15}]
        ),
        least=1.0,
    ),
    _case(
        3,
        "gain",
        "pacing gain in Drain",
        lambda t: t.farthest("drain", "cc_pacing_gain", 0.5),
        "The case: BBR.pacing_gain is set to BBR.DrainPacingGain (0.5).",
        least=0.499,
        most=0.501,
    ),
    _case(
        3,
        "inflight",
        "flight when Drain ends, in estimated bandwidth-delay products",
        drained,
        f"The case: at most BBRInflight(1.0). {_PERIOD}",
        most=1.05,
    ),
    _case(
        4,
        "time",
        "round trips from the start of Drain to its end",
        rounds_drained,
        "The case: after 3 round trips, so in the fourth. The next criterion tells that the flight "
        "had not ended it.",
        runs=_SLOWER,
        scenario=_slower,
        least=4,
        most=4,
    ),
    _case(
        4,
        "inflight",
        "flight when Drain ends, in estimated bandwidth-delay products",
        drained,
        "The case: C.inflight has not reached the target.",
        runs=_SLOWER,
        scenario=_slower,
        least=1.05,
    ),
    _case(
        5,
        "plateau",
        "share of the stays in PROBE_UP that PROBE_DOWN follows",
        lambda t: t.followed("up", ["down"]),
        "The case: the connection transitions to PROBE_DOWN.",
        runs="One flow on 10 Mbit/s and a buffer of 20 BDP, in which nothing is lost.",
        scenario=lambda s: _plain(s, seconds=40, limit="20 BDP"),
        least=1.0,
    ),
    _case(
        6,
        "loss",
        "share of the stays in PROBE_UP that PROBE_DOWN follows",
        lambda t: t.followed("up", _AFTER_UP),
        f"The case: the loss triggers BBRIsTimeToGoDown(), application-limited or not. {_SAME_ACK}",
        runs=f"{_PAUSES}15 % of the packets are lost.",
        scenario=lambda s: _paused(
            s, "200 kB", "100 ms", seconds=60, impairment=[{"kind": "bernoulli", "loss": 0.15}]
        ),
        least=1.0,
    ),
    _case(
        7,
        "stays",
        "share of the time in Startup, ProbeRTT aside",
        share_in_startup,
        "The case: the connection stays indefinitely.",
        runs="The application sends 20 kB, pauses for 100 ms, and so on; nothing is lost.",
        scenario=lambda s: _paused(s, "20 kB", "100 ms"),
        least=1.0,
    ),
    _case(
        8,
        "gain",
        "pacing gain in PROBE_DOWN",
        lambda t: t.farthest("down", "cc_pacing_gain", 0.9),
        "The case: BBR.ProbeDownPacingGain is 0.90.",
        least=0.899,
        most=0.901,
    ),
    _case(
        8,
        "inflight",
        "flight when PROBE_CRUISE follows, in estimated bandwidth-delay products",
        left_down,
        f"The case: at most BBRInflight(1.0). {_PERIOD}",
        most=1.05,
    ),
    described("bbr.A.9", "time", _UNTIMED),
    _case(
        10,
        "interval",
        "longest time from one PROBE_RTT to the next",
        longest_without_probe_rtt,
        "The case: 5 s without a new minimum. The visit itself and a round trip come on top.",
        scenario=lambda s: _plain(s, seconds=40),
        most=6.0,
        unit="s",
    ),
    _case(
        10,
        "gain",
        "window gain in PROBE_RTT",
        lambda t: t.farthest("probe_rtt", "cc_cwnd_gain", 0.5),
        "The case: BBR.ProbeRTTCwndGain is 0.5.",
        least=0.499,
        most=0.501,
    ),
    _case(
        10,
        "duration",
        "shortest stay in PROBE_RTT",
        shortest_probe_rtt,
        "The case: at least 200 ms and a round trip; the period of the series is 0.5 ms.",
        least=0.196,
        unit="s",
    ),
    _case(
        10,
        "back",
        "share of the stays in PROBE_RTT that a state of PROBE_BW follows",
        lambda t: t.followed("probe_rtt", _BW),
        "The case: the connection transitions back to PROBE_BW.",
        least=1.0,
    ),
    _case(
        11,
        "skipped",
        "visits of PROBE_RTT",
        probe_rtt_visits,
        "The case: idleness is deemed a sufficient attempt to drain the queue.",
        runs="The application sends 500 kB, pauses for 6 s, and so on.",
        scenario=lambda s: _paused(s, "500 kB", "6 s", seconds=60),
        most=0.0,
        unit="visits",
    ),
    _case(
        20,
        "back",
        "share of the stays in PROBE_RTT after STARTUP that lead back to STARTUP",
        lambda t: t.returned("startup"),
        "The case: the connection transitions back to STARTUP rather than PROBE_BW.",
        runs="One flow on 64 kbit/s with a base RTT of 50 ms: Startup lasts longer than 5 s.",
        scenario=lambda s: _plain(s, seconds=60, rate="64 kbps", limit="20 pkt"),
        least=1.0,
    ),
    _case(
        21,
        "down",
        "share of the stays in PROBE_UP that PROBE_DOWN follows",
        lambda t: t.followed("up", ["down"]),
        "The case: the connection aborts PROBE_UP and transitions to PROBE_DOWN.",
        runs="One flow on 10 Mbit/s with a buffer of a tenth of a BDP: probing loses packets.",
        scenario=lambda s: _plain(s, seconds=40, limit="0.1 BDP"),
        least=1.0,
    ),
    _case(
        21,
        "bound",
        "share of the stays in PROBE_UP behind which BBR.inflight_longterm is set",
        bounded,
        "The case: the loss scales BBR.inflight_longterm down.",
        runs="The same network.",
        scenario=lambda s: _plain(s, seconds=40, limit="0.1 BDP"),
        least=1.0,
    ),
    described("bbr.A.22", "pause", _UNTIMED),
)
