"""The link of RFC 7928's scenarios, and the two numbers by which a queue is compared with a
tail-drop buffer of one bandwidth-delay product."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..criterion import Build, Criterion, Tables
from ..measures import utilization, wait
from ..network import bottleneck, flow
from ..subject import Subject

BASELINE = "drop_tail"
RTT = "100 ms"
PRODUCT_PKT = 83
"""Packets of 10 Mbit/s and 100 ms."""
S_PKT = 2 * PRODUCT_PKT
"""S of section 8.2.1: the bandwidth-delay product and a buffer of the same size, in packets."""
_WAIT = (
    "Section 1.2: better than drop-tail with a BDP-sized buffer. The queue has at most three "
    "quarters of that queue's delay; 0.5 ms is added to both."
)
_USE = (
    "Section 2: any impact on the goodput must be considered. At most a tenth of the utilization "
    "is given up for the shorter queue."
)


def under_test(subject: Subject, **keys: Any) -> dict[str, Any]:
    """The queue that is judged, as the table of a scenario."""
    table = subject.table(**keys)
    return table if isinstance(table, dict) else {"kind": table}


def link(subject: Subject, *flows: dict[str, Any], ecn: bool = False, **keys: Any) -> Tables:
    """The bottleneck with the queue that is judged and a buffer of one bandwidth-delay product."""
    marks = {"ecn": True} if ecn and "ecn" in subject.parameters else {}
    return bottleneck(
        *flows, **{"seconds": 60, "warmup": 20, "queue": under_test(subject, **marks), **keys}
    )


def reno(name: str = "reno", **keys: Any) -> dict[str, Any]:
    """NewReno with SACK (RFC 6675), the baseline of section 3.3."""
    return flow("sack", name, **{"rtt": RTT, **keys})


def compared(
    section: str,
    runs: str,
    scenario: Build,
    part: str = "",
    quick: bool = True,
    use: Callable[[Any], float] = utilization,
    of: str = "utilization of the bottleneck",
) -> tuple[Criterion, Criterion]:
    """Two criteria of one scenario: the delay and the use of the link, against tail drop."""
    name = f"rfc7928.{section}{'.' if part else ''}{part}"
    return (
        Criterion(
            id=f"{name}.wait",
            section=f"rfc7928.{section}",
            runs=runs,
            number="mean time in the queue, plus 0.5 ms",
            why=_WAIT,
            scenario=scenario,
            measure=lambda run: wait(run) + 0.5,
            against=BASELINE,
            most=0.75,
            quick=quick,
        ),
        Criterion(
            id=f"{name}.use",
            section=f"rfc7928.{section}",
            runs=runs,
            number=of,
            why=_USE,
            scenario=scenario,
            measure=use,
            against=BASELINE,
            least=0.9,
            quick=quick,
        ),
    )
