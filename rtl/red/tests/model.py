"""What the module should do, clock by clock: its counts of the queues, and the verdict of each
packet.

It is told what happens on the ports, and looks at nothing within; what the core says is compared
with what it foretold (`said`), averages too, so that a count that is off by one shows at the next
packet. A bench is one of these that also drives the ports.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable

from dumbbell.rtl.transcription import Core, Decision
from packets import Packet


def parameter(name: str, default: int) -> int:
    """A parameter that the module was built with."""
    return int(os.environ.get(f"RED_{name}", default))


LATENCY = 9 + 2 * parameter("IDLE", 0) + 2 * (parameter("CLASSES", 1) > 1)
"""Clocks from the one that has a packet's header to the one that shows its verdict: 9, and 2 more
for each option."""
LOOK, ACCEPT, PASSED, COUNTED = 1, 2, 2, 9 + 2 * parameter("IDLE", 0)
"""Clocks after the word that settles a packet: its queue's length is sampled; the core accepts it;
it counts if it is not for RED to decide, and if it was decided and kept."""


HELD = 40
"""Packets in a queue whose count is watched."""
PATIENCE = 20_000
"""Clocks after reset by which every test is done: one that is not waits for what will never
come."""


class Model:
    """Counts and verdicts."""

    def __init__(self) -> None:
        options = ("PAPER", "CONSTANT", "GAP", "ADAPT")
        self.core = Core(
            w=parameter("W", 9),
            classes=parameter("CLASSES", 1),
            **{name.lower(): bool(parameter(name, 0)) for name in options},
        )
        self.first: list[Callable[[], None]] = []
        """Called at each edge, before packets are decided: twins of timers."""
        self.then: list[Callable[[int | None], None]] = []
        """Called after that, before counts change, with the queue of the packet that was looked
        at."""
        self.idle_of: Callable[[int], int] = lambda queue: 0
        """Half half-lives that a queue has been empty: of the bench's twin of red_idle_time."""
        self.forget()

    def forget(self) -> None:
        """As reset does."""
        self.core.reset()
        self.clock = 0
        self.counts = [0] * 8
        self.kept: list[Packet] = []
        """Packets that have to come out, in order."""
        self.undecided = 0
        self.outcomes = [[0] * 8 for _ in range(3)]
        """Packets passed, dropped early, dropped by force, by queue."""
        self.due: deque[tuple[int, Callable[[], None]]] = deque()
        self.entering: list[tuple[int, int]] = []
        """When a packet counts, and in which queue."""
        self.pulses = self.before = (0, 0)
        """Removals and tail drops on the ports in this clock, and in the one before."""
        self.looked: int | None = None
        self.decided: list[bool] = []
        """Whether each packet was dropped, by the core."""
        self.foretold: deque[Decision] = deque()
        """Decisions that the core has not given yet."""

    def said(self, queue: int, drop: int, region: int, avg: int) -> None:
        """The core gave a decision."""
        want = self.foretold.popleft()
        self.decided.append(bool(drop))
        said, wanted = (
            (queue, drop, region, avg),
            (want.queue, int(want.drop), want.region, want.avg),
        )
        assert said == wanted, (
            f"queue, drop, region, avg: the core says {said}, foretold is {wanted}"
        )

    def check_counts(self, seen: list[int], held: int) -> None:
        """Queue 0 was held at `held` packets, of which `seen` are the module's counts: right, and
        RED still drops.

        A packet counts when its verdict is known. It waits when it left the module, and its pulse
        shows two clocks later. So a few packets are on their way.
        """
        first = next((at for at, count in enumerate(seen) if count >= held - 2), len(seen))
        filled = seen[first + 100 :]
        assert len(filled) > len(seen) / 4, (
            f"the queue was filled after {first} of {len(seen)} clocks"
        )
        assert held - 2 <= min(filled) <= max(filled) <= held + 4, (
            f"counted {min(filled)} to {max(filled)} of {held}"
        )
        late = [drop for drop, _ in zip(reversed(self.decided), range(200), strict=False)]
        assert 10 < sum(late) < 190, f"{sum(late)} of the last {len(late)} packets were dropped"

    def avg(self, queue: int) -> int:
        """The transcription's average, 1/1024 packets."""
        return self.core.acc[queue] >> (0 if self.core.paper else self.core.w)

    def edge(self) -> None:
        """What the module's registers do at this edge."""
        now = self.clock
        assert now < PATIENCE, f"the test is not done after {PATIENCE} clocks"
        for act in self.first:
            act()
        self.looked = None
        while self.due and self.due[0][0] == now:
            self.due.popleft()[1]()
        for see in self.then:
            see(self.looked)
        new = [queue for at, queue in self.entering if at == now]
        self.entering = [(at, queue) for at, queue in self.entering if at > now]
        removed, dropped = self.before
        for queue in range(8):
            count = (
                self.counts[queue]
                + new.count(queue)
                - (removed >> queue & 1)
                - (dropped >> queue & 1)
            )
            if count <= 4095:
                self.counts[queue] = max(count, 0)
        self.before = self.pulses
        self.core.clock()

    def settle(self, packet: Packet) -> None:
        """In the clock of this edge the word was there that says where a packet goes."""
        queue, start, found = packet.queue, self.clock, [0, 0]

        def look() -> None:
            if queue is not None:
                self.looked = queue
                found[:] = self.counts[queue], self.idle_of(queue)

        def accept() -> None:
            self.undecided -= 1
            packet.drop = False
            if queue is not None:
                decision = self.core.decide(queue, found[0], packet.cls, found[1])
                self.foretold.append(decision)
                packet.drop = decision.drop
                self.outcomes[decision.region if decision.drop else 0][queue] += 1
            if not packet.drop:
                self.kept.append(packet)
                if queue is not None:
                    self.entering.append((start + COUNTED, queue))

        if queue is None:
            self.entering += ((start + PASSED, k) for k in packet.queues)
        self.due += (start + LOOK, look), (start + ACCEPT, accept)
