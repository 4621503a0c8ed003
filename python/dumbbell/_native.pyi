"""The door in Rust (crates/dumbbell-py): a verb with JSON in, JSON or a table out; and what
algorithms of your own see."""

from collections.abc import Callable, Sequence
from typing import Any, final

__version__: str

class Problem(Exception):
    """What the laboratory refuses: (exit code, text for people, JSON)."""

    args: tuple[int, str, str]

@final
class Table:
    """Columns by name, in Arrow's memory layout."""

    @property
    def columns(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def column(
        self, name: str, limit: int | None = None
    ) -> list[float | int | str | bool | None]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class Worlds:
    """Simulations side by side, each with the same number of agents, in steps of one length."""

    def __init__(self, scenarios: Sequence[str], agents: int, step_s: float) -> None: ...
    @staticmethod
    def seen() -> list[str]: ...
    def replace(self, place: int, scenario: str) -> None: ...
    def look(self, place: int) -> bytes: ...
    def step(self, given: bytes) -> tuple[bytes, bytes]: ...

VERBS: dict[str, bool]
"""The verbs of `call`: true if an interrupt stops a call."""

def verbs() -> str: ...
def call(
    verb: str,
    request: str,
    own: Sequence[Any] = ...,
    progress: Callable[[int, int, float], bool] | None = None,
    watch: Callable[[str], object] | None = None,
) -> str | Table: ...
def drive_link(
    request: str,
    arrivals: tuple[list[int], list[int], list[int], list[int], list[int]],
    own: Sequence[Any] = ...,
) -> Table: ...
def summary(file: str) -> str: ...
def check_file(file: str) -> bool: ...
def write_file(file: str, data: bytes, new: bool) -> None: ...

class Verdict:
    """What to do with a packet: `PASS`, `MARK`, `SIGNAL`, or what `drop`, `mark`, `signal` and
    `evict` return."""

PASS: Verdict
"""Nothing."""
MARK: Verdict
"""`mark("early")`."""
SIGNAL: Verdict
"""`signal("early")`."""

def drop(why: str = "early") -> Verdict:
    """Drop the packet, ECN-capable or not. why: "early", "forced", "overflow" or "head"."""

def mark(why: str = "early") -> Verdict:
    """Set Congestion Experienced if the packet can carry it, else let it pass."""

def signal(why: str = "early") -> Verdict:
    """Set Congestion Experienced if the packet can carry it, else drop it."""

def evict(slot: int, why: str = "evicted", arrival_too: bool = False) -> Verdict:
    """Drop the waiting packet at `slot` (0: the head), and the arriving one as well if
    `arrival_too`."""

class Rng:
    """Random numbers of the algorithm's own: the same in each run with the same seed."""

    def unit(self) -> float:
        """Uniform in [0, 1)."""
    def coin(self, p: float) -> bool:
        """True with probability `p`."""
    def below(self, n: int) -> int:
        """Uniform in 0 .. n - 1."""
    def exponential(self, mean: float) -> float:
        """Exponential with this mean."""
    def pareto(self, a: float, mean: float) -> float:
        """Pareto with shape `a` > 1 and this mean."""
    def bits32(self) -> int:
        """32 uniform bits."""

class Link:
    """The link that the queue feeds."""

    @property
    def rate(self) -> int:
        """Its rate now, bits a second."""
    @property
    def packets(self) -> int | None:
        """Its limit in packets; None: in bytes, or none."""
    @property
    def bytes(self) -> int | None:
        """Its limit in bytes; None: in packets, or none."""
    @property
    def mtu(self) -> int:
        """Largest IP packet, bytes."""
    @property
    def delay(self) -> float:
        """Propagation delay, seconds."""

class Flows:
    """What is known of the flows."""

    def get(self, flow: int) -> tuple[int | None, float | None, float | None]:
        """(reserved rate in bits a second, round-trip time in seconds, weight) of a flow; each may
        be None."""

class Cx:
    """What an algorithm may see of the world."""

    @property
    def now(self) -> float:
        """The present instant, seconds."""
    @property
    def now_ps(self) -> int:
        """The present instant, picoseconds."""
    @property
    def rng(self) -> Rng:
        """The algorithm's own random numbers."""
    @property
    def link(self) -> Link:
        """Its link."""
    @property
    def flows(self) -> Flows:
        """What is known of the flows."""

class Packet:
    """A packet, as a queue may know it. The same object is used again for the next packet."""

    @property
    def ip_len(self) -> int:
        """Length of the IP packet, bytes."""
    @property
    def wire_len(self) -> int:
        """Length on the wire with the link's framing, bytes."""
    @property
    def flow(self) -> int:
        """The flow's number."""
    @property
    def ecn(self) -> str:
        """The ECN field: "not_ect", "ect0", "ect1" or "ce"."""
    @property
    def capable(self) -> bool:
        """Whether it may be marked instead of dropped."""
    @property
    def dscp(self) -> int:
        """The DiffServ codepoint."""
    @property
    def fragment(self) -> bool:
        """Whether it is a fragment."""

class Queue:
    """The queue as its algorithm may see it. The same object is used again for the next call."""

    @property
    def packets(self) -> int:
        """Packets in the backlog, by the port's convention (`count_in_service`)."""
    @property
    def bytes(self) -> int:
        """Bytes of IP length in the backlog."""
    @property
    def fullness(self) -> float:
        """How full it is: the backlog over the limit, in the unit of the limit; 0 without a
        limit."""
    @property
    def waiting(self) -> int:
        """Packets that have a slot: the backlog less a packet in transmission."""
    def meta(self, slot: int) -> Packet | None:
        """The packet at `slot` (0: the head), with `needs = "held"`; None beyond the end."""

class Path:
    """What a congestion control knows when its connection opens."""

    @property
    def mss(self) -> int:
        """Maximum segment size, bytes of payload."""
    @property
    def initial_window(self) -> int:
        """Initial window, bytes."""
    @property
    def initial_ssthresh(self) -> int | None:
        """Initial slow-start threshold, bytes; None: none."""
    @property
    def growth_limit(self) -> int:
        """Segments that one acknowledgment may add in slow start (L of RFC 3465; 1: RFC 5681)."""
    @property
    def header(self) -> int:
        """Bytes of IP and TCP headers, options too, of a data segment."""
    @property
    def reserved(self) -> int | None:
        """The rate that was reserved for the flow, bits a second; None: best effort."""
    @property
    def rtt(self) -> float | None:
        """The round-trip time of its route without queues, seconds, if that is known."""

class Ack:
    """One acknowledgment as the sender sees it, duplicates too. The same object is used again for
    the next."""

    @property
    def now(self) -> float:
        """When it arrived, seconds."""
    @property
    def now_ps(self) -> int:
        """When it arrived, picoseconds."""
    @property
    def acked(self) -> int:
        """Bytes that it newly acknowledged cumulatively; 0 for a duplicate."""
    @property
    def sacked(self) -> int:
        """Bytes that it newly acknowledged selectively."""
    @property
    def una(self) -> int:
        """The next byte that the receiver expects (SND.UNA after this ACK)."""
    @property
    def nxt(self) -> int:
        """The next byte to send (SND.NXT)."""
    @property
    def in_flight(self) -> int:
        """Bytes on their way before this ACK."""
    @property
    def rtt(self) -> float | None:
        """Round-trip sample, seconds; None if this ACK gives none."""
    @property
    def srtt(self) -> float | None:
        """Smoothed round-trip time before this sample, seconds."""
    @property
    def min_rtt(self) -> float | None:
        """Smallest round-trip time of the connection, seconds."""
    @property
    def peer_clock(self) -> float | None:
        """The receiver's clock when it sent this ACK, seconds; with timestamps only."""
    @property
    def reverse_delay(self) -> float | None:
        """Arrival minus `peer_clock`, an offset plus the delay of the reverse path; with timestamps
        only."""
    @property
    def window(self) -> int:
        """The receiver's window, bytes."""
    @property
    def tag(self) -> int:
        """The tag of the segment that it answers; 0: none."""
    @property
    def ece(self) -> bool:
        """Whether it echoes Congestion Experienced."""
    @property
    def marked(self) -> int:
        """Bytes of `acked` and `sacked` that came with Congestion Experienced: exactly with AccECN,
        else all."""
    @property
    def moved(self) -> bool:
        """Whether the receiver says that it has moved to another point of attachment."""
    @property
    def delivery_rate(self) -> float | None:
        """How fast the network delivered, bits a second; None if this ACK gives no sample. With
        `needs_rates` only."""
    @property
    def delivered(self) -> int | None:
        """Bytes that the connection has delivered; None without `needs_rates`."""
    @property
    def app_limited(self) -> bool:
        """Whether the application, not the network, limited what `delivery_rate` measured."""
    @property
    def window_limited(self) -> bool:
        """Whether the window was what held the sender back (RFC 7661): else it should not grow."""
    @property
    def phase(self) -> str:
        """Where the sender stands: "open", "recovery" or "loss"."""

class Congestion:
    """A congestion event."""

    @property
    def now(self) -> float:
        """When it was noticed, seconds."""
    @property
    def cause(self) -> str:
        """What was noticed: "loss" (once per recovery), "ecn" (once per window), "timeout",
        "further" (losses in a recovery that has begun, where segments carry tags) or "spurious"
        (the last reduction was not due)."""
    @property
    def first(self) -> bool:
        """Of a timeout: whether it is the first for this segment (RFC 5681: ssthresh changes only
        then)."""
    @property
    def in_flight(self) -> int:
        """FlightSize (RFC 5681), bytes."""
    @property
    def tags(self) -> list[int]:
        """Tags of the segments found lost."""

class Sent:
    """One segment handed to the network."""

    @property
    def now(self) -> float:
        """When, seconds."""
    @property
    def seq(self) -> int:
        """Its first byte."""
    @property
    def bytes(self) -> int:
        """Its payload, bytes."""
    @property
    def retransmit(self) -> bool:
        """Whether it was sent before."""
    @property
    def in_flight(self) -> int:
        """Bytes on their way before it."""

class Orders:
    """What a congestion control asks of its sender beside the window."""

    def back_off_timer(self) -> None:
        """Double the retransmission timer now, and keep it so until `reset_timer`."""
    def reset_timer(self) -> None:
        """Forget srtt, rttvar and the backoff: the next sample starts afresh."""
    def freeze(self) -> None:
        """Stop sending, timers included."""
    def resume(self) -> None:
        """Send again."""
    def retransmit(self) -> None:
        """Send the first unacknowledged segment again, now."""
    def extra(self, tag: int) -> None:
        """Send a segment beyond the window with this tag: new data, or a repetition if there is
        none."""
    def ahead(self, segments: int) -> None:
        """Send this many segments whatever the window, which counts them: what would go next if it
        had room."""
    def dummy(self, tag: int) -> None:
        """Send a segment that brings nothing new, at low priority, with this tag; its answer bears
        the tag."""
