"""Numbers of BBRv3's states, from the series of a flow on 10 Mbit/s."""

from __future__ import annotations

import math
from itertools import pairwise

from ..trace import Trace

RATE_BPS = 10e6
PAYLOAD = 1448 / 1500
"""The share of a full packet that is data (with the timestamp option)."""


def estimate(trace: Trace) -> float:
    """How far the estimate of the bandwidth is from the link's at the end of Startup [%]."""
    for startup, _ in trace.pairs("startup"):
        return 100 * abs(trace.at(startup.last, "cc_max_bw") / (RATE_BPS * PAYLOAD) - 1)
    return math.nan


def drained(trace: Trace) -> float:
    """The flight when Drain ends, in products of the control's own estimate."""
    return max(
        (
            trace.at(after.first, "in_flight_bytes") / trace.bdp(after.first)
            for _, after in trace.pairs("drain")
        ),
        default=math.nan,
    )


def rounds_drained(trace: Trace) -> float:
    """The most round trips after the one in which Drain began, until it ended."""
    return max(
        (
            trace.at(after.first, "cc_round_count") - trace.at(drain.first, "cc_round_count")
            for drain, after in trace.pairs("drain")
        ),
        default=math.nan,
    )


def left_down(trace: Trace) -> float:
    """The largest flight with which Down becomes Cruise, in products."""
    return max(
        (
            trace.at(after.first, "in_flight_bytes") / trace.bdp(after.first)
            for _, after in trace.pairs("down")
            if after.state == "cruise"
        ),
        default=math.nan,
    )


def share_in_startup(trace: Trace) -> float:
    """The share of the rows in Startup, those in ProbeRTT aside."""
    states = [(v.state, v.last - v.first + 1) for v in trace.visits() if v.state != "probe_rtt"]
    return sum(n for state, n in states if state == "startup") / sum(n for _, n in states)


def shortest_probe_rtt(trace: Trace) -> float:
    """The shortest stay in ProbeRTT that ended [s]."""
    return min((trace.seconds(visit) for visit, _ in trace.pairs("probe_rtt")), default=math.nan)


def longest_without_probe_rtt(trace: Trace) -> float:
    """The longest time between two visits of ProbeRTT [s]."""
    starts = [trace.at(v.first, "time_s") for v in trace.visits() if v.state == "probe_rtt"]
    gaps = [b - a for a, b in pairwise(starts)]
    return max(gaps, default=math.nan)


def probe_rtt_visits(trace: Trace) -> float:
    """How often ProbeRTT is entered."""
    return float(sum(visit.state == "probe_rtt" for visit in trace.visits()))


def bounded(trace: Trace) -> float:
    """The share of the probes (Up) behind which the long-term bound is set."""
    set_ = [trace.at(after.last, "cc_inflight_hi") > 0 for _, after in trace.pairs("up")]
    return sum(set_) / len(set_) if set_ else math.nan
