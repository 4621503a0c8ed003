"""Scenarios of the laws of TCP: a path without queues, flows without what the laws do not know, and
their measurements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ... import Aqm
from .. import runner
from ..recorded import Recorded
from ..runner import Measurement

MSS = 1460


def sender(
    cc: str | Mapping[str, Any] = "sack", rtt: float = 0.1, mss: int = MSS, **tcp: Any
) -> dict[str, Any]:
    """A flow by the RFCs without handshake, timestamps and coarse clock, every segment acknowledged
    at once."""
    fields = {
        "mss": f"{mss} B",
        "handshake": False,
        "timestamps": False,
        "clock": "0 s",
        "delayed_ack": "each",
        "receive_window": "unlimited",
    }
    return {
        "name": "s",
        "profile": "rfc",
        "cc": cc,
        "rtt": f"{rtt * 1e3:g} ms",
        "tcp": fields | tcp,
    }


def congestion_avoidance(segments: int) -> dict[str, Any]:
    """Fields of a flow that begins in congestion avoidance, with a window of so many segments."""
    window = f"{segments} pkt"
    return {
        "initial_window": window,
        "initial_ssthresh": window,
        "initial_window_bytes": "unlimited",
    }


def clear(
    *flows: Mapping[str, Any], seconds: float, warmup: float = 0.0, **words: Any
) -> dict[str, Any]:
    """Flows over 10 Gbit/s, where no packet waits for more than those that left with it. words: of
    the scenario; `loss`: the share of data packets that chance takes; `mtu`: of the path, bytes."""
    link: dict[str, Any] = {
        "rate": "10 Gbps",
        "delay": "1 ms",
        "mtu": f"{words.pop('mtu', 1500)} B",
    }
    if loss := words.pop("loss", None):
        link["impairment"] = [{"kind": "bernoulli", "loss": loss}]
    rest = {"queue": {"kind": "drop_tail", "limit": "unlimited"}, **words}
    times = {"duration": f"{seconds * 1e3:g} ms", "warmup": f"{warmup * 1e3:g} ms"}
    return {**times, "dumbbell": {"bottleneck": link}, "flow": list(flows), **rest}


def toothed(
    flow: Mapping[str, Any], queue: Aqm, tooth_s: float, teeth: int, skipped: int
) -> dict[str, Any]:
    """A flow through a queue that signals at equal intervals, measured over `teeth` teeth of the
    sawtooth, after the first `skipped`."""
    return clear(flow, seconds=(skipped + teeth) * tooth_s, warmup=skipped * tooth_s, queue=queue)


def of_records(
    scenario: Mapping[str, Any],
    measure: Callable[[Recorded], float],
    every: str = "1 h",
    packets: bool = False,
) -> Measurement:
    """Measures `measure` of one run with its reactions, for scenarios in which nothing is random.
    every: the period of the series of flows; packets: whether every packet is recorded."""
    record = {"every": every, "drops": True, "packets": packets}
    return runner.of_records({**scenario, "record": record}, measure)
