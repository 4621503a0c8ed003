"""Per-hop behaviors of DiffServ: which codepoint asks for what (RFC 2474 and later), and which
queues give it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ..errors import ScenarioError


@dataclass(frozen=True, slots=True)
class Behavior:
    """One per-hop behavior, or one group.

    codepoints: names with their numbers. asks: what a router promises. queues: those of the
    catalogue that give it.
    """

    name: str
    codepoints: dict[str, int]
    rfc: str
    asks: str
    queues: tuple[str, ...]


_RIOS = ("rio", "ered", "r_rtt_adaptive", "drio", "rate_proportional")

BEHAVIORS: tuple[Behavior, ...] = (
    Behavior(
        "default (best effort)",
        {"be": 0},
        "RFC 2474 section 4.1",
        "the remaining rate; never starved permanently",
        ("drop_tail", "red", "fq_codel"),
    ),
    Behavior(
        "class selector",
        {f"cs{n}": 8 * n for n in range(8)},
        "RFC 2474 section 4.2.2",
        "at least two queues; a higher class is forwarded no later than a lower one",
        ("prio", "wfq", "drr", "wred"),
    ),
    *(
        Behavior(
            f"assured forwarding, class {c}",
            {f"af{c}{drop}": 8 * c + 2 * drop for drop in (1, 2, 3)},
            "RFC 2597",
            "a share of the link; within it, drop precedence 3 is dropped first and 1 last; one "
            "queue, so no reordering",
            (*_RIOS, "wred", "gred"),
        )
        for c in range(1, 5)
    ),
    Behavior(
        "expedited forwarding (premium)",
        {"ef": 46},
        "RFC 3246",
        "served at its rate or faster, whatever other classes send; policed at the edge",
        ("prio",),
    ),
    Behavior(
        "voice admit",
        {"va": 44},
        "RFC 5865",
        "like expedited forwarding, for admitted calls",
        ("prio",),
    ),
    Behavior(
        "lower effort",
        {"le": 1},
        "RFC 8622",
        "only capacity that no other class uses",
        ("prio",),
    ),
)
"""The per-hop behaviors, in the order of their RFCs."""


@cache
def numbers() -> dict[str, int]:
    """Every name of a codepoint and its number; `df` is `be` (RFC 2474)."""
    named = {name: value for b in BEHAVIORS for name, value in b.codepoints.items()}
    return {**named, "df": 0}


@cache
def names() -> dict[int, str]:
    """The name of each codepoint that has one; of two names the first: 0 is `be`, not `cs0`."""
    found: dict[int, str] = {}
    for behavior in BEHAVIORS:
        for name, value in behavior.codepoints.items():
            found.setdefault(value, name)
    return found


@cache
def codepoint(value: int | str) -> int:
    """A codepoint by number or name. `ScenarioError` if there is none."""
    found = numbers().get(value.strip().lower()) if isinstance(value, str) else value
    if found is None or not 0 <= found < 64:
        raise ScenarioError(
            f"`{value}` is not a DiffServ codepoint: write 0 to 63, or a name as `ef`, `af11`, "
            "`cs1`"
        )
    return found
