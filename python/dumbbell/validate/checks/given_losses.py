"""Queues that lose or mark the packets that they are told to: for laws about given losses."""

from __future__ import annotations

from ... import PASS, Aqm, drop, mark, parameter
from ...plugins import hook_types


class Nth(Aqm):
    """Loses every n-th packet that arrives, or marks it."""

    name = "validate_nth"
    every: int = parameter(1000, "Packets from one signal to the next.", at_least=1)
    first: int = parameter(0, "The first packet that it signals; 0: the n-th.", at_least=0)
    marks: bool = parameter(False, "Whether it marks instead.")

    def start(self, link: hook_types.Link) -> None:
        """Nothing has come."""
        self.left = self.first or self.every
        self.verdict = mark("forced") if self.marks else drop("forced")

    def arrive(
        self, cx: hook_types.Cx, queue: hook_types.Queue, packet: hook_types.Packet, fits: bool
    ) -> hook_types.Verdict:
        """Counts, and answers."""
        self.left -= 1
        if self.left:
            return PASS
        self.left = self.every
        return self.verdict


class Chosen(Aqm):
    """Loses the packets whose numbers, in the order of arrival from 1, are given; or marks them."""

    name = "validate_chosen"
    packets: str = parameter("1", "Numbers with commas; `7-` is 7 and everything after it.")
    marks: bool = parameter(False, "Whether it marks instead.")

    def start(self, link: hook_types.Link) -> None:
        """Nothing has come."""
        words = self.packets.split(",")
        self.numbers = {int(word) for word in words if not word.endswith("-")}
        self.after = min((int(word[:-1]) for word in words if word.endswith("-")), default=None)
        self.count = 0
        self.verdict = mark("forced") if self.marks else drop("forced")

    def arrive(
        self, cx: hook_types.Cx, queue: hook_types.Queue, packet: hook_types.Packet, fits: bool
    ) -> hook_types.Verdict:
        """Counts, and answers."""
        self.count += 1
        if self.count in self.numbers or (self.after is not None and self.count >= self.after):
            return self.verdict
        return PASS


class EachFlowAt(Aqm):
    """Loses the next packet of every flow after each `period` seconds, so that all lose at once."""

    name = "validate_each_flow_at"
    period: float = parameter(5.0, "Seconds from one loss to the next.", at_least=0.001)

    def start(self, link: hook_types.Link) -> None:
        """Nothing has come."""
        self.lost: dict[int, int] = {}

    def arrive(
        self, cx: hook_types.Cx, queue: hook_types.Queue, packet: hook_types.Packet, fits: bool
    ) -> hook_types.Verdict:
        """Counts, and answers."""
        due = int(cx.now / self.period)
        if due > self.lost.get(packet.flow, 0):
            self.lost[packet.flow] = due
            return drop("forced")
        return PASS
