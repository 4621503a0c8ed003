"""The networks in which algorithms are judged: a dumbbell with one bottleneck, and flows over
it."""

from __future__ import annotations

from typing import Any

from .criterion import Tables
from .subject import Subject

RTT_S = 0.04
"""The base round-trip time of flows that say nothing else."""


def bottleneck(
    *flows: dict[str, Any],
    seconds: float = 40,
    warmup: float = 10,
    rate: str | None = "10 Mbps",
    queue: Any = "drop_tail",
    limit: str = "1 BDP",
    sessions: list[dict[str, Any]] | None = None,
    delay: str = "5 ms",
    **wire: Any,
) -> Tables:
    """A dumbbell: the bottleneck with its queue, and the flows. wire: more keys of the bottleneck,
    such as `impairment`."""
    table = queue if isinstance(queue, dict) else {"kind": queue}
    rates = {} if rate is None else {"rate": rate}
    made: Tables = {
        "duration": f"{seconds:g} s",
        "warmup": f"{warmup:g} s",
        "dumbbell": {"bottleneck": {**rates, "delay": delay, **wire}},
        "queue": {"kind": table["kind"], "limit": limit, **table},
    }
    if flows:
        made["flow"] = list(flows)
    if sessions:
        made["session"] = sessions
    return made


def flow(cc: Any, name: str = "new", **keys: Any) -> dict[str, Any]:
    """A TCP flow that always has data. It starts at a random instant of the first second, so that
    seeds differ."""
    return {"name": name, "cc": cc, "rtt": "40 ms", "start_spread": "1 s", **keys}


def of(subject: Subject, name: str = "new", ecn: bool = False, **keys: Any) -> dict[str, Any]:
    """A flow of the control that is judged."""
    if ecn and not subject.own_ecn:
        keys["tcp"] = {"ecn": "rfc3168", **keys.get("tcp", {})}
    return flow(subject.table(), name, **keys)


def datagrams(rate: str, name: str = "cross", **keys: Any) -> dict[str, Any]:
    """A flow of datagrams at a constant rate, which does not respond to congestion."""
    source = {"kind": "cbr", "rate": rate, "packet": "1000 B"}
    return {"name": name, "source": source, "rtt": "40 ms", "start_spread": "20 ms", **keys}


def short_flows(
    cc: Any, name: str = "short", load: float = 0.1, **keys: Any
) -> list[dict[str, Any]]:
    """Short transfers of exponential size, 30 kB on average, at Poisson instants."""
    size = {"kind": "exponential", "mean": "30 kB"}
    return [{"name": name, "cc": cc, "load": load, "size": size, "rtt": "40 ms", **keys}]
