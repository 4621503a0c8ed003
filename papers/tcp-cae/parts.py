"""TCP CAE a second time, from figure 3 of the paper, with its two actions apart: what each does
alone."""

import dumbbell


class CaeParts(dumbbell.CongestionControl):
    """CAE on Reno, its backoff and its reset each by itself. With both it is `cae`, packet by
    packet."""

    recovery = "reno"
    needs_timestamps = True

    threshold: float = dumbbell.parameter(
        0.75, "Performance below this is a warning.", at_least=0, at_most=1
    )
    back_off: bool = dumbbell.parameter(True, "Whether a warning doubles the timeout.")
    reset: bool = dumbbell.parameter(
        True, "Whether the end of a warning forgets the round-trip time."
    )
    literal: bool = dumbbell.parameter(
        False, "Whether each acknowledgement clears the warning first, as printed."
    )

    def start(self, path):
        """No acknowledgement before the first, no warning."""
        super().start(path)
        self.before = None
        self.warned = False

    def on_ack(self, ack, orders):
        """The estimate, then Reno's window (RFC 5681)."""
        self.look_back(ack, orders)
        if ack.acked == 0 or ack.phase == "recovery" or not ack.window_limited or ack.ece:
            return
        if self.ssthresh is None or self.cwnd < self.ssthresh:
            self.cwnd += min(ack.acked, self.mss)
        else:
            self.cwnd += self.mss * min(ack.acked, self.mss) / self.cwnd

    def look_back(self, ack, orders):
        """Figure 3."""
        if self.before is None:
            self.before = (ack.peer_clock, ack.now)
            return
        ts_diff, ack_diff = ack.peer_clock - self.before[0], ack.now - self.before[1]
        if ts_diff <= 0:
            return
        self.before = (ack.peer_clock, ack.now)
        low = ack_diff > 0 and ts_diff / ack_diff < self.threshold
        self.warned = self.warned and not self.literal
        if low and not self.warned and self.back_off:
            orders.back_off_timer()
        if self.warned and not low and self.reset:
            orders.reset_timer()
        self.warned = low

    def on_congestion(self, event, orders):
        """Reno's (RFC 5681); after a timeout the next acknowledgement has none before it."""
        if event.cause in ("further", "spurious"):
            return
        if event.cause == "timeout":
            self.before = None
        if event.cause != "timeout" or event.first:
            self.ssthresh = max(event.in_flight / 2, 2 * self.mss)
        self.cwnd = self.mss if event.cause == "timeout" else min(self.cwnd, self.ssthresh)
