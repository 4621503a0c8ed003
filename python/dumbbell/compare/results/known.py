"""Why results differ from ns-2's where they do: each cause was found by looking at both sides' packets."""

from __future__ import annotations

FLIGHT = (
    "ns-2 halves the window, we halve FlightSize (RFC 5681, equation 4). In a fast recovery without SACK duplicate "
    "acknowledgements let new segments out, so FlightSize may be several windows; after a timeout in it the slow start "
    "ends higher, and loses more. With ns-2's rule (the same scenario with -halving) the results agree."
)

CAUSES = {("reno", "drop_rate"): FLIGHT, ("newreno", "drop_rate"): FLIGHT}
CAUSES |= {("reno", "utilization"): FLIGHT, ("newreno", "utilization"): FLIGHT}


def cause(cc: str, quantity: str) -> str | None:
    """What is known about a difference; None: nothing."""
    return CAUSES.get((cc, quantity))
