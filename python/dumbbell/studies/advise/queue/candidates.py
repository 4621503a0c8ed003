"""The queues that are tried, and the published rules by which their parameters and buffers follow
from the question.

A candidate is a table of a scenario. Where Linux has the queue, the table goes through the lines of
`tc` and back before it is simulated (`lines`), so that what is recommended is what was simulated,
rounding and all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ....language import arguments
from ....language.arguments import refused
from ..words import middle
from .question import Question
from .tc_lines import Table

PACKET = 1500
"""Bytes of a full packet."""
_MEMORY = 32 << 20
"""tc's memory_limit [bytes]."""


@dataclass(frozen=True, slots=True)
class Site:
    """Inputs of the parameters: the link's lowest and highest rate [bit/s], the longest round-trip
    time [s], the numbers of flows, the delay that is wanted [s], whether flows are ECN-capable."""

    rate_low: float
    rate: float
    rtt: float
    flows: tuple[float, float]
    delay_target: float | None
    ecn: bool

    @classmethod
    def of(cls, question: Question) -> Site:
        """Returns the site of a question."""
        low, high = question.rate_bps
        return cls(
            low, high, question.rtt_s[1], question.flows, question.delay_target_s, question.ecn
        )

    def packets(self, seconds: float) -> int:
        """Full packets that the link sends in so many seconds, rounded up, at least 2."""
        return max(2, math.ceil(seconds * self.rate / (8 * PACKET) - 1e-9))

    @property
    def bdp(self) -> int:
        """The bandwidth-delay product of the longest round-trip time [packets]."""
        return self.packets(self.rtt)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A queue to try: its name, its kind in the catalogue, its table for a site (None: it is not
    for this site), and the rule of its parameters with the source."""

    name: str
    kind: str
    table: Callable[[Site], Table | None]
    rule: str


def _fifo(limit: Callable[[Site], int]) -> Callable[[Site], Table]:
    return lambda s: {"kind": "drop_tail", "limit": f"{limit(s)} pkt"}


def _few(site: Site, flows: float) -> int:
    """BDP / sqrt(n), not less than a small burst."""
    return max(8, math.ceil(site.bdp / math.sqrt(flows)))


def _sqrt_middle(site: Site) -> Table | None:
    n = middle(site.flows)
    return None if n < 1.5 else {"kind": "drop_tail", "limit": f"{_few(site, n)} pkt"}


def _sqrt_most(site: Site) -> Table | None:
    low, high = site.flows
    return None if high < 2.25 * low else {"kind": "drop_tail", "limit": f"{_few(site, high)} pkt"}


def _red(site: Site) -> Table:
    """RED's thresholds and weight as Adaptive RED derives them from the link (Floyd, Gummadi,
    Shenker 2001)."""
    rate_packets = site.rate / (8 * PACKET)
    least = max(5.0, 0.005 * rate_packets / 2)
    table = _adaptive(site) | {
        "kind": "red",
        "min_th": f"{least:.6g} pkt",
        "max_th": f"{3 * least:.6g} pkt",
    }
    return table | {"w_q": -math.expm1(-1 / rate_packets)}


def _adaptive(site: Site) -> Table:
    rate_packets = site.rate / (8 * PACKET)
    least = max(5.0, 0.005 * rate_packets / 2)
    limit = max(site.bdp, math.ceil(4 * 3 * least))
    return {
        "kind": "adaptive_red",
        "limit": f"{limit * PACKET} B",
        "mean_packet_size": f"{PACKET} B",
        "byte_mode": True,
        "gentle": False,
        "max_p": 0.1,
        "spacing": "uniform_stored",
        "idle_style": "paper",
        "idle_fraction": "real",
        "min_q_for_drop": "0 pkt",
        "ecn": site.ecn,
        "ecn_hard": False,
    }


def _controlled(kind: str, default: int) -> Callable[[Site], Table]:
    """A queue that a controller keeps short: its limit is tc's own, or twice the bandwidth-delay
    product where that is more, and so is the memory of one with many queues (tc's 32 MB; Linux
    counts about twice a packet's bytes)."""

    def table(site: Site) -> Table:
        limit = max(default, 2 * site.bdp)
        found: Table = {"kind": kind, "limit": f"{limit} pkt", "ecn": site.ecn}
        memory = 2 * PACKET * limit
        if kind.startswith("fq_") and memory > _MEMORY:
            found["memory_limit"] = f"{memory} B"
        return found

    return table


def codel_times(site: Site) -> tuple[float, float]:
    """CoDel's interval and target [s] by RFC 8289: the longest round-trip time, and a twentieth of
    it, but at least the transmission of a packet at the lowest rate (RFC 8290 section 5.2.2). In
    whole microseconds."""
    interval = site.rtt
    target = max(interval / 20, 8 * PACKET / site.rate_low)
    return round(max(interval, 2 * target), 6), round(target, 6)


def _tuned_codel(kind: str, default: int) -> Callable[[Site], Table | None]:
    plain = _controlled(kind, default)

    def table(site: Site) -> Table | None:
        interval, target = codel_times(site)
        if 0.9 <= interval / 0.1 <= 1.1 and 0.9 <= target / 0.005 <= 1.1:
            return None
        return plain(site) | {
            "target": f"{target * 1e6:.0f} us",
            "interval": f"{interval * 1e6:.0f} us",
        }

    return table


def _tuned_pie(site: Site) -> Table | None:
    if site.delay_target is None:
        return None
    return _controlled("pie", 1000)(site) | {
        "target": f"{max(1.0, site.delay_target * 5e5):.0f} us"
    }


_LIMIT = "limit: that of tc, or two bandwidth-delay products if that is more"
_RFC8289 = (
    "interval: the longest round-trip time; target: a twentieth of it (RFC 8289 sections 4.3 and "
    "4.4), at least the transmission time of a packet at the lowest rate (RFC 8290 section "
    f"5.2.2); {_LIMIT}"
)

DEFAULT: tuple[Candidate, ...] = (
    Candidate(
        "drop_tail, 1 BDP",
        "drop_tail",
        _fifo(lambda s: s.bdp),
        "a buffer of the bandwidth-delay product of the longest round-trip time (Villamizar, Song "
        "1994)",
    ),
    Candidate(
        "drop_tail, BDP/sqrt(middle n)",
        "drop_tail",
        _sqrt_middle,
        "the bandwidth-delay product over the square root of the geometric mean of the numbers "
        "of flows (Appenzeller, Keslassy, McKeown 2004)",
    ),
    Candidate(
        "drop_tail, BDP/sqrt(most n)",
        "drop_tail",
        _sqrt_most,
        "the bandwidth-delay product over the square root of the largest number of flows "
        "(Appenzeller, Keslassy, McKeown 2004)",
    ),
    Candidate(
        "drop_tail, 1000 packets",
        "drop_tail",
        _fifo(lambda _: 1000),
        "the default txqueuelen of a device (tc-pfifo_fast(8))",
    ),
    Candidate(
        "red",
        "red",
        _red,
        "thresholds from a delay of 5 ms, a weight of a second (Floyd, Gummadi, Shenker 2001, "
        "section 6), max_p = 0.1 (Floyd 1997)",
    ),
    Candidate(
        "adaptive_red",
        "adaptive_red",
        _adaptive,
        "thresholds from a delay of 5 ms, a weight of a second, and a variable max_p (Floyd, "
        "Gummadi, Shenker 2001)",
    ),
    Candidate(
        "codel",
        "codel",
        _controlled("codel", 1000),
        f"the defaults of RFC 8289 and tc-codel(8); {_LIMIT}",
    ),
    Candidate("codel, by RTT", "codel", _tuned_codel("codel", 1000), _RFC8289),
    Candidate(
        "pie", "pie", _controlled("pie", 1000), f"the defaults of RFC 8033 and tc-pie(8); {_LIMIT}"
    ),
    Candidate(
        "pie, half the target",
        "pie",
        _tuned_pie,
        f"target: half of the highest acceptable delay (ours); {_LIMIT}",
    ),
    Candidate(
        "fq_codel",
        "fq_codel",
        _controlled("fq_codel", 10240),
        f"the defaults of RFC 8290 and tc-fq_codel(8); {_LIMIT}",
    ),
    Candidate("fq_codel, by RTT", "fq_codel", _tuned_codel("fq_codel", 10240), _RFC8289),
    Candidate(
        "fq_pie", "fq_pie", _controlled("fq_pie", 10240), f"the defaults of tc-fq_pie(8); {_LIMIT}"
    ),
)
"""From the simplest on. Limits of the controlled queues are tc's, or two bandwidth-delay products
if that is more."""


def chosen(words: Sequence[str], site: Site, kinds: Iterable[str]) -> list[Candidate]:
    """Returns the candidates of `DEFAULT` for this site; with words, only those of a named kind. A
    word with parameters, or a kind that `DEFAULT` lacks, is a candidate of its own. Raises
    `ScenarioError` for a word that is no queue."""
    here = [candidate for candidate in DEFAULT if candidate.table(site) is not None]
    if not words:
        return here
    found: list[Candidate] = []
    for word in dict.fromkeys(words):
        choice = arguments.choice(word)
        own = [candidate for candidate in here if word in (candidate.kind, candidate.name)]
        if own:
            found += own
        elif choice.kind not in kinds:
            raise refused(
                f"--candidates {word}",
                choice.kind,
                "there is no such queue",
                "`dumbbell list` shows every name",
            )
        else:
            found.append(_given(choice))
    return found


def _given(choice: arguments.Choice) -> Candidate:
    table = {"kind": choice.kind, **choice.parameters}
    rule = "as given; without a limit, the bandwidth-delay product of the longest round-trip time"
    return Candidate(choice.text, choice.kind, lambda s: {"limit": f"{s.bdp} pkt", **table}, rule)
