"""A congestion control for Reno's and NewReno's recoveries that halves the window where RFC 5681 halves FlightSize: the
one difference between ns-2 and us that changes results. It is brought to a scenario by `use`, as a user's own is."""

from __future__ import annotations

from typing import Any

import dumbbell


class WindowHalving(dumbbell.CongestionControl):
    """RFC 5681, with ns-2's ssthresh: half of cwnd, if more than that is in flight."""

    def on_ack(self, ack: Any, orders: Any) -> None:
        """Slow start and congestion avoidance, a segment per acknowledgement at most."""
        if ack.acked == 0 or ack.phase == "recovery" or not ack.window_limited or ack.ece:
            return
        if self.ssthresh is None or self.cwnd < self.ssthresh:
            self.cwnd += min(ack.acked, self.mss)
        else:
            self.cwnd += self.mss * min(ack.acked, self.mss) / self.cwnd

    def on_congestion(self, event: Any, orders: Any) -> None:
        """Half of the window."""
        if event.cause in ("further", "spurious"):
            return
        if event.cause != "timeout" or event.first:
            self.ssthresh = max(min(event.in_flight, self.cwnd) / 2, 2 * self.mss)
        self.cwnd = self.mss if event.cause == "timeout" else min(self.cwnd, self.ssthresh or self.cwnd)
