"""The two classes that yours derive from. A hook that you do not define costs nothing."""

from __future__ import annotations

import abc
import hashlib
import re
import sys
from pathlib import Path
from typing import Any, ClassVar

from . import hook_types, parameters


class Own(abc.ABC):
    """Base class of queues and congestion controls of your own.

    Parameters are annotated class attributes with a default (`p: float = 0.1`, or more with
    `dumbbell.parameter`); in an instance they have the values of the scenario. Attributes without
    an annotation are yours: `name` (in scenarios; default: the class's, `HalfFull` is `half_full`),
    `title`, `equations`, `sources`.
    """

    kind: ClassVar[str]
    """`aqm` or `cc`."""
    port_keys: ClassVar[tuple[str, ...]] = ()
    """Words that may stand beside the parameters in a scenario."""
    name: ClassVar[str] = ""
    """The name in scenarios."""
    title: ClassVar[str] = ""
    """The name in prose."""
    equations: ClassVar[str] = ""
    """The algorithm in equations; default: what the docstring says after its first paragraph."""
    sources: ClassVar[tuple[str, ...]] = ()
    """Papers, RFCs, sections; default: the file itself."""

    read_from: ClassVar[str | None] = None
    """The hash of the file that the class was read from; None: there is none."""

    def __init_subclass__(cls, **words: Any) -> None:
        super().__init_subclass__(**words)
        cls.read_from = _file_hash(cls)

    def __init__(self, **given: Any) -> None:
        known = (*_names(type(self)), *self.port_keys)
        for key in given:
            if key not in known:
                takes = f"there are {', '.join(known)}" if known else "it takes none"
                raise TypeError(f"{type(self).__name__} has no parameter `{key}`; {takes}")
        self.parameters = given
        self.__dict__.update(
            {key: value for key, value in given.items() if key not in self.port_keys}
        )

    def check(self) -> None:
        """Relations between parameters. Raise `ValueError(parameter, cause)`, or with a fix as a
        third word."""
        return None

    def probe(self) -> dict[str, float]:
        """Numbers to record beside each decision and in series, by name."""
        return {}

    def as_dict(self) -> dict[str, Any]:
        """The table of a scenario: `kind` and what was given."""
        return {"kind": name_of(type(self)), **self.parameters}

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.parameters.items())})"
        )


def of_text(source: bytes) -> str:
    """The hash of a file's text."""
    return hashlib.sha256(source).hexdigest()[:16]


def _file_hash(cls: type[Own]) -> str | None:
    module = getattr(sys.modules.get(cls.__module__), "__dict__", {})
    if "__dumbbell_source_hash__" in module:
        return str(module["__dumbbell_source_hash__"])
    try:
        return of_text(Path(module["__file__"]).read_bytes())
    except (KeyError, TypeError, OSError):
        return None


def _names(cls: type[Own]) -> tuple[str, ...]:
    known: tuple[str, ...] | None = cls.__dict__.get("_parameter_names")
    if known is None:
        base = Aqm if issubclass(cls, Aqm) else CongestionControl
        known = tuple(parameters.of_class(cls, base))
        setattr(cls, "_parameter_names", known)  # noqa: B010 (a cache of the class's own)
    return known


def name_of(cls: type[Own]) -> str:
    """The name in scenarios: `HalfFull` is `half_full`, `ECNBlue2` is `ecn_blue2`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", cls.__name__)
    return cls.__dict__.get("name") or words.lower().strip("_")


class Aqm(Own):
    """A queue's algorithm: when a FIFO signals congestion. It decides and never holds a packet."""

    kind = "aqm"
    port_keys = ("limit", "limit_rule", "count_in_service", "watch_above", "report")

    needs: str = "arrival"
    """`"arrival"`: it decides by the backlog that a packet finds. `"held"`: it has `depart`,
    `gone`, `make_room`, looks into the queue (`queue.meta`) or answers `evict`; its port holds
    packets and costs events of its own."""

    def start(self, link: hook_types.Link) -> None:
        """Once for each queue, before anything else: set up your state here."""
        return None

    @abc.abstractmethod
    def arrive(
        self, cx: hook_types.Cx, queue: hook_types.Queue, packet: hook_types.Packet, fits: bool
    ) -> hook_types.Verdict:
        """A packet arrives: `PASS`, `MARK`, `SIGNAL`, `drop(why)`, `mark(why)`, `signal(why)` or
        `evict(slot)`.

        Also called for a packet that does not fit (`fits` is False); one that is let in all the
        same is dropped as overflow. `packet` and `queue` are the same objects in each call: keep
        their numbers, not them.
        """

    def overflowed(self, cx: hook_types.Cx, limit: str) -> None:
        """The limit is reached: "own" if the packet of the last `arrive` may go in and does not
        fit, "shared" if packets of this queue make room in a buffer that it shares with others."""
        return None

    def make_room(
        self, cx: hook_types.Cx, queue: hook_types.Queue, packet: hook_types.Packet
    ) -> int | None:
        """The packet may go in and does not fit: the slot that makes room, asked again until it
        fits; None: none."""
        return None

    def admitted(self, packet: hook_types.Packet) -> None:
        """The packet of the last `arrive` went in."""
        return None

    def refused(self, cx: hook_types.Cx, packet: hook_types.Packet, why: str) -> None:
        """The packet of the last `arrive` was dropped: "early", "forced", "overflow", .."""
        return None

    def depart(
        self, cx: hook_types.Cx, queue: hook_types.Queue, packet: hook_types.Packet, sojourn: float
    ) -> hook_types.Verdict:
        """A packet that waited `sojourn` seconds is at the head; `queue` no longer counts it.
        `needs = "held"`."""
        return hook_types.PASS

    def gone(self, packet: hook_types.Packet, how: str) -> None:
        """An admitted packet left: "sent", "head_drop" or "evicted". `needs = "held"`."""
        return None

    def idle(self, cx: hook_types.Cx) -> None:
        """Transmitter and queue are empty since `cx.now`; once per idle period."""
        return None

    def tick(self, cx: hook_types.Cx, queue: hook_types.Queue) -> float | None:
        """A clock of its own: first called at the start of the run, then after the seconds that it
        returns."""
        return None


class CongestionControl(Own):
    """How much may be on its way. Windows are in bytes, times in seconds.

    Its state is in four attributes that the sender reads after each call: `cwnd`, `ssthresh`,
    `pacing`, `timer`.
    """

    kind = "cc"

    recovery: ClassVar[str | None] = None
    """The recovery that it needs (`reno`, `newreno`, `sack`, `tahoe`); None: what the profile
    says."""
    echo: ClassVar[str | None] = None
    """How congestion must be echoed (`rfc3168`, `per_packet`, `dctcp`, `accecn`, `l4s`); None: as
    the profile says."""
    needs_timestamps: ClassVar[bool] = False
    """True if it needs TCP timestamps."""
    needs_rates: ClassVar[bool] = False
    """True if it reads `ack.delivery_rate`, which costs the sender an account of every segment."""

    cwnd: float = 0.0
    """The congestion window, bytes; at the start the initial window."""
    ssthresh: float | None = None
    """The slow-start threshold, bytes; at the start the path's; None: none yet."""
    pacing: float | None = None
    """The rate at which segments leave, bits a second; None: as fast as the window lets them."""
    timer: float | None = None
    """When `on_timer` is due, simulated seconds; None: never."""

    def _begin(self, path: hook_types.Path) -> None:
        """Sets the path and the window before `start`, so that a `start` of yours need not."""
        self.path, self.mss = path, path.mss
        self.cwnd, self.ssthresh = path.initial_window, path.initial_ssthresh
        self.start(path)

    def start(self, path: hook_types.Path) -> None:
        """Once for each connection, before anything else: set up your state here. `path`, `mss`,
        `cwnd` and `ssthresh` are set already."""
        return None

    @abc.abstractmethod
    def on_ack(self, ack: hook_types.Ack, orders: hook_types.Orders) -> None:
        """An acknowledgment arrived: each one, duplicates too, before the sender acts on it."""

    @abc.abstractmethod
    def on_congestion(self, event: hook_types.Congestion, orders: hook_types.Orders) -> None:
        """Congestion was noticed; `event.cause` says how."""

    def on_recovered(self, now: float, bound: int | None) -> None:
        """Recovery ended; the window may be at most `bound` bytes (RFC 6582), lest a burst
        follow."""
        if bound is not None:
            self.cwnd = min(self.cwnd, max(bound, self.mss))

    def on_sent(self, sent: hook_types.Sent) -> int | None:
        """A segment is about to go: the tag to write on it, or None."""
        return None

    def on_idle(self, restart_window: int) -> None:
        """Idle for longer than a retransmission timeout (RFC 5681 section 4.1): the window may be
        at most this."""
        self.cwnd = min(self.cwnd, max(restart_window, self.mss))

    def on_timer(self, now: float, orders: hook_types.Orders) -> None:
        """`timer` is due. Set it later, or to None."""
        self.timer = None

    def on_local(self, signal: str, orders: hook_types.Orders) -> None:
        """A word from the host itself: "marked_out", "path_down" or "path_up"."""
        return None


HOOKS: dict[str, tuple[str, ...]] = {
    "aqm": (
        "overflowed",
        "make_room",
        "admitted",
        "refused",
        "depart",
        "gone",
        "idle",
        "tick",
        "probe",
    ),
    "cc": ("on_sent", "on_timer", "on_local", "probe"),
}
"""Hooks that are called only where a class defines them."""


def hooks(cls: type[Own]) -> list[str]:
    """The hooks that a class defines itself."""
    base = Aqm if issubclass(cls, Aqm) else CongestionControl
    return [hook for hook in HOOKS[cls.kind] if getattr(cls, hook) is not getattr(base, hook)]
