"""Algorithms with one mistake each, and sound ones like them. Each mistake must turn a line of
`dumbbell conform` red."""

import dumbbell
from dumbbell import MARK, PASS, drop


class SoundReno(dumbbell.CongestionControl):
    """The window of RFC 5681."""

    _growth = 1.0
    _kept = 0.5

    def on_ack(self, ack, orders):
        if ack.acked == 0 or ack.phase == "recovery" or not ack.window_limited or ack.ece:
            return
        if self.ssthresh is None or self.cwnd < self.ssthresh:
            self.cwnd += min(ack.acked, self.mss)
        else:
            self.cwnd += self._growth * self.mss * min(ack.acked, self.mss) / self.cwnd

    def on_congestion(self, event, orders):
        if event.cause in ("further", "spurious"):
            return
        if event.cause != "timeout" or event.first:
            self.ssthresh = max(event.in_flight * self._kept, 2 * self.mss)
        self.cwnd = self.mss if event.cause == "timeout" else min(self.cwnd, self.ssthresh)


class NeverReduces(SoundReno):
    """No loss, no mark and no timeout lowers the window."""

    def on_congestion(self, event, orders):
        self.ssthresh = self.cwnd


class FivePercent(SoundReno):
    """A loss takes a twentieth of the window."""

    _kept = 0.95


class TenPerRound(SoundReno):
    """The window grows by ten segments in a round trip."""

    _growth = 10.0


class IgnoresMarks(SoundReno):
    """Marks change nothing; losses do."""

    def on_ack(self, ack, orders):
        if ack.acked == 0 or ack.phase == "recovery" or not ack.window_limited:
            return
        if self.ssthresh is None or self.cwnd < self.ssthresh:
            self.cwnd += min(ack.acked, self.mss)
        else:
            self.cwnd += self.mss * min(ack.acked, self.mss) / self.cwnd

    def on_congestion(self, event, orders):
        if event.cause == "ecn":
            return
        super().on_congestion(event, orders)


class Timid(SoundReno):
    """The window is never above four segments."""

    def on_ack(self, ack, orders):
        super().on_ack(ack, orders)
        self.cwnd = min(self.cwnd, 4 * self.mss)


class SoundLimit(dumbbell.Aqm):
    """Signals by chance when more than 15 packets wait, the more the longer the queue is."""

    ecn: bool = False

    def arrive(self, cx, queue, packet, fits):
        excess = (queue.packets - 15) / 400
        return dumbbell.SIGNAL if cx.rng.unit() < excess else PASS


class NeverDrops(SoundLimit):
    """Accepts whatever fits."""

    def arrive(self, cx, queue, packet, fits):
        return PASS


class OnePacket(SoundLimit):
    """Drops everything while a packet waits."""

    def arrive(self, cx, queue, packet, fits):
        return drop("forced") if queue.packets > 1 else PASS


class DropsMarkable(SoundLimit):
    """Drops where it should mark, though it has a parameter for ECN."""

    def arrive(self, cx, queue, packet, fits):
        excess = (queue.packets - 15) / 400
        return drop("early") if cx.rng.unit() < excess else PASS


class MarksAll(SoundLimit):
    """Marks every packet."""

    def arrive(self, cx, queue, packet, fits):
        return MARK


class DropsLarge(SoundLimit):
    """Drops large packets only."""

    def arrive(self, cx, queue, packet, fits):
        excess = (queue.packets - 15) / 100
        large = packet.ip_len > 1000
        return drop("early") if large and cx.rng.unit() < excess else PASS
