"""Test cases of draft-ietf-ccwg-bbr-06, appendix A, that have an outcome every control can have;
and what of BBR's state belongs to them."""

from __future__ import annotations

import math

from ..criterion import Criterion, Tables
from ..measures import flows, loss, lost, utilization
from ..network import bottleneck, of
from ..subject import Subject
from ..trace import EVERY, Trace
from .bbr_states import only_bbr3
from .bbr_values import PAYLOAD

_BATCHES = {"kind": "steps", "steps": [["0 s", "40 Mbps"], ["5 ms", "0 bps"]], "period": "20 ms"}
"""A link that sends for 5 ms of each 20 ms: 10 Mbit/s in batches."""


def _batched(subject: Subject, seconds: float, warmup: float) -> Tables:
    return bottleneck(
        of(subject, start_spread="100 ms"),
        seconds=seconds,
        warmup=warmup,
        rate=None,
        service=_BATCHES,
        limit="120 pkt",
    )


def _changed(subject: Subject, first: str, then: str, limit: str, warmup: float = 30) -> Tables:
    made = bottleneck(
        of(subject),
        seconds=60,
        warmup=warmup,
        rate=None,
        service={"kind": "steps", "steps": [["0 s", first], ["20 s", then]], "period": "0 s"},
        limit=limit,
    )
    # Ten times the last rate may be no more than the first one: then the sender's own link, with a
    # queue without a limit, would be the bottleneck.
    made["dumbbell"]["access"] = {"rate": "1 Gbps"}
    return made


def _policed(subject: Subject) -> Tables:
    policer = {
        "kind": "token_bucket",
        "flows": "new",
        "rate": "5 Mbps",
        "burst": "50 kB",
        "yellow": "drop",
    }
    return bottleneck(of(subject), seconds=60, warmup=20, rate="20 Mbps", conditioner=policer)


def _recorded(made: Tables) -> Tables:
    return {**made, "warmup": "0 s", "record": {"every": EVERY, "queues": False}}


def _room(trace: Trace) -> float:
    """The largest window in Startup, in products of the link."""
    rows = [r for v in trace.visits() if v.state == "startup" for r in range(v.first, v.last)]
    product = 10e6 / 8 * PAYLOAD * 0.04
    return max((trace.at(row, "cwnd_bytes") for row in rows), default=math.nan) / product


def _least_window(trace: Trace) -> float:
    """The least window [packets]."""
    rows = range(len(trace.columns["cwnd_bytes"]))
    return min(trace.at(row, "cwnd_bytes") for row in rows) / (1500 * PAYLOAD)


def _last_estimate(trace: Trace) -> float:
    """BBR.max_bw at the end, in rates of the link."""
    return trace.at(len(trace.columns["cc_max_bw"]) - 1, "cc_max_bw") / (10e6 * PAYLOAD)


CRITERIA = (
    Criterion(
        id="bbr.A.12.use",
        section="bbr.A.12",
        runs="One flow starts on a link that sends 10 Mbit/s in batches, 5 ms of each 20 ms.",
        number="utilization of the bottleneck from 2 s to 10 s",
        why="The case: the full bottleneck bandwidth is discovered; 0.9 allows for ProbeRTT.",
        scenario=lambda s: _batched(s, 10, 2),
        measure=utilization,
        least=0.9,
    ),
    Criterion(
        id="bbr.A.12.window",
        section="bbr.A.12",
        runs="The same network.",
        number="largest window in Startup, in bandwidth-delay products",
        why="The case: C.cwnd > 2 * BDP.",
        scenario=lambda s: _recorded(_batched(s, 10, 2)),
        traced=_room,
        excuse=only_bbr3,
        least=2.0,
    ),
    Criterion(
        id="bbr.A.13.use",
        section="bbr.A.13",
        runs="The same network, later.",
        number="utilization of the bottleneck from 20 s to 60 s",
        why="The case: maintaining full utilization; 0.95 allows for ProbeRTT.",
        scenario=lambda s: _batched(s, 60, 20),
        measure=utilization,
        least=0.95,
    ),
    Criterion(
        id="bbr.A.14.use",
        section="bbr.A.14",
        runs="One flow on 64 kbit/s with a base RTT of 50 ms: 0.27 packets in flight fill the "
        "path.",
        number="utilization of the bottleneck",
        why="The case: no stalled pipeline; 0.9 allows for ProbeRTT.",
        scenario=lambda s: bottleneck(
            of(s, rtt="50 ms"), seconds=120, warmup=20, rate="64 kbps", limit="20 pkt"
        ),
        measure=utilization,
        least=0.9,
    ),
    Criterion(
        id="bbr.A.14.floor",
        section="bbr.A.14",
        runs="The same network.",
        number="least window",
        why="The case: BBR.MinPipeCwnd (4 packets) is a floor.",
        scenario=lambda s: _recorded(
            bottleneck(of(s, rtt="50 ms"), seconds=60, warmup=0, rate="64 kbps", limit="20 pkt")
        ),
        traced=_least_window,
        excuse=only_bbr3,
        least=4.0,
        unit="packets",
    ),
    Criterion(
        id="bbr.A.15.use",
        section="bbr.A.15",
        runs="One flow with a base RTT of 40 ms; after 20 s the link has 100 Mbit/s instead of 10.",
        number="utilization of the bottleneck from 30 s to 60 s",
        why="The case: a reasonable number of round trips; 10 s are 250. 0.9 allows for ProbeRTT.",
        scenario=lambda s: _changed(s, "10 Mbps", "100 Mbps", "330 pkt"),
        measure=utilization,
        least=0.9,
    ),
    Criterion(
        id="bbr.A.16.loss",
        section="bbr.A.16",
        runs="One flow with a base RTT of 40 ms; after 20 s the link has 10 Mbit/s instead of 100.",
        number="packets that the queue drops from 19 s on, in % of those that arrive",
        why="The case: it rapidly adapts downwards due to the loss. 2 % are a tenth of a second at "
        "the old rate, or two round trips.",
        scenario=lambda s: _changed(s, "100 Mbps", "10 Mbps", "330 pkt", warmup=19),
        measure=loss,
        most=2.0,
        unit="%",
    ),
    Criterion(
        id="bbr.A.16.estimate",
        section="bbr.A.16",
        runs="The same network.",
        number="BBR.max_bw at the end, in rates of the link",
        why="The case: BBR.max_bw drops to the new limit; within 10 %.",
        scenario=lambda s: _recorded(_changed(s, "100 Mbps", "10 Mbps", "330 pkt")),
        traced=_last_estimate,
        excuse=only_bbr3,
        least=0.9,
        most=1.1,
    ),
    Criterion(
        id="bbr.A.17.rate",
        section="bbr.A.17",
        runs="One flow through a policer of 5 Mbit/s with a bucket of 50 kB, without a buffer.",
        number="goodput, in rates of the policer",
        why="The case: a stable operating point that conforms to the token rate; 0.7 is near the "
        "0.75 of a window that halves without a buffer.",
        scenario=_policed,
        measure=lambda run: flows(run, "new")[0]["goodput_bps"] / 5e6,
        least=0.7,
        most=1.0,
    ),
    Criterion(
        id="bbr.A.17.loss",
        section="bbr.A.17",
        runs="The same network.",
        number="packets of the flow that are lost, in %",
        why="The case: without excessive continuous loss. 5 % is above what probing every 2 s "
        "costs and far below a rate that is kept up.",
        scenario=_policed,
        measure=lost("new"),
        most=5.0,
        unit="%",
    ),
    Criterion(
        id="bbr.A.18.use",
        section="bbr.A.18",
        runs="One flow on 10 Mbit/s and a buffer of 2 BDP; one packet in 500 is late by 60 ms, "
        "which looks like a loss.",
        number="utilization of the bottleneck",
        why="The case: the connection seamlessly returns to its previous state. 0.9 allows for "
        "what it holds back until it knows.",
        scenario=lambda s: bottleneck(
            of(s),
            seconds=60,
            limit="2 BDP",
            impairment=[{"kind": "reorder", "share": 0.002, "delay": "60 ms"}],
        ),
        measure=utilization,
        least=0.9,
    ),
    Criterion(
        id="bbr.A.19.use",
        section="bbr.A.19",
        runs="One flow on 10 Mbit/s and a buffer of 2 BDP; the link stops for 1.5 s every 10 s and "
        "loses nothing, so that the timer expires too early.",
        number="utilization of what the link can carry",
        why="As for A.18: the connection seamlessly returns to its previous state.",
        scenario=lambda s: bottleneck(
            of(s),
            seconds=60,
            limit="2 BDP",
            service={"kind": "outage", "at": [["12 s", "1500 ms"]], "period": "10 s"},
        ),
        measure=utilization,
        least=0.9,
    ),
)
