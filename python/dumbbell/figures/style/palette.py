"""Colors, markers and dashes: each scheme has the same in every figure."""

from __future__ import annotations

import functools
import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ... import catalogue
from ...catalogue import QUEUES

# Okabe and Ito's palette: told apart with any color vision, and by lightness in print.
BLACK, ORANGE, SKY, GREEN = "#000000", "#b26a00", "#3a8fc4", "#00795a"
YELLOW, BLUE, VERMILLION, PURPLE = "#8f8500", "#0060a0", "#c04a00", "#a8487c"
GREY = "#555555"
COLORS = {
    "blue": BLUE,
    "vermillion": VERMILLION,
    "green": GREEN,
    "purple": PURPLE,
    "orange": ORANGE,
    "sky": SKY,
    "yellow": YELLOW,
    "black": BLACK,
}
PALETTE = tuple(COLORS.values())
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1, 1.5)),
    (0, (6, 2, 1, 2)),
    (0, (3, 1.5)),
    (0, (8, 2, 1, 2, 1, 2)),
    (0, (2, 1)),
)


@dataclass(frozen=True, slots=True)
class Look:
    """Color, marker and dash of one scheme."""

    color: str
    marker: str
    dash: Any

    def line(self) -> dict[str, Any]:
        """Keywords of a line with markers."""
        return {
            "color": self.color,
            "marker": self.marker,
            "linestyle": self.dash,
            "markerfacecolor": "white",
        }

    def trace(self) -> dict[str, Any]:
        """Keywords of a line with too many points for markers."""
        return {"color": self.color, "linestyle": self.dash, "linewidth": 1.2}


def look(name: str) -> Look:
    """The look of a scheme, the same in every figure and on every machine."""
    return _catalogued().get(name) or _by_name(name)


def is_chosen(name: str) -> bool:
    """True if a scheme's look is apart from those of all others of which this is true: that of
    every queue of the catalogue, and of controls that meet in most figures."""
    return name in _catalogued()


@functools.cache
def _catalogued() -> dict[str, Look]:
    return looks(catalogue.algorithms())


def looks(algorithms: Iterable[catalogue.Algorithm]) -> dict[str, Look]:
    """The looks of a catalogue's queues, and of its controls for which one was chosen by hand.

    A queue for which none was chosen gets the first marker and the first dash that no other one
    has in its color: the least used one of its family, else of all.
    """
    known = list(algorithms)
    found = {a.name: _chosen(a.look) for a in known if a.look and a.kind in (*QUEUES, "cc")}
    queues = [a for a in known if a.kind in QUEUES]
    for a in queues:
        if a.name not in found:
            taken = {b.name: found[b.name] for b in queues if b.name in found}
            of_family = {
                taken[b.name].color
                for b in queues
                if a.family and b.family == a.family and b.name in taken
            }
            found[a.name] = _free(of_family, list(taken.values())) or _by_name(a.name)
    return found


def _chosen(chosen: Mapping[str, Any]) -> Look:
    return Look(COLORS[chosen["color"]], chosen["marker"], DASHES[chosen["dash"]])


def _free(of_family: Collection[str], taken: Sequence[Look]) -> Look | None:
    """The first look with a marker and a dash that nothing of the same color has."""
    used = Counter(look.color for look in taken)
    for color in sorted(PALETTE, key=lambda c: (c not in of_family, used[c], PALETTE.index(c))):
        mine = [look for look in taken if look.color == color]
        marker = next((m for m in MARKERS if m not in {look.marker for look in mine}), None)
        dash = next((d for d in DASHES if d not in {look.dash for look in mine}), None)
        if marker and dash:
            return Look(color, marker, dash)
    return None


def _by_name(name: str) -> Look:
    digest = hashlib.blake2b(name.encode(), digest_size=3).digest()
    return Look(
        PALETTE[digest[0] % len(PALETTE)],
        MARKERS[digest[1] % len(MARKERS)],
        DASHES[digest[2] % len(DASHES)],
    )


def nth(i: int) -> Look:
    """The look of the i-th flow of a figure."""
    return Look(PALETTE[i % len(PALETTE)], MARKERS[i % len(MARKERS)], DASHES[i % len(DASHES)])
