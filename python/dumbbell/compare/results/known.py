"""Why results differ from ns-2's where they do: each cause was found by looking at both sides' packets."""

from __future__ import annotations

FLIGHT = (
    "A timeout in the middle of a fast recovery: ns-2 sets ssthresh to half the window, we to half of FlightSize "
    "(RFC 5681, equation 4), into which duplicate acknowledgements have let new segments. The slow start that follows "
    "ends higher, and loses more."
)

CAUSES = {("reno", "drop_rate"): FLIGHT, ("newreno", "drop_rate"): FLIGHT}
CAUSES |= {("reno", "utilization"): FLIGHT, ("newreno", "utilization"): FLIGHT}


def cause(cc: str, quantity: str) -> str | None:
    """What is known about a difference; None: nothing."""
    return CAUSES.get((cc, quantity))
