"""Looks of the figures as the page's script reads them."""

from __future__ import annotations

import colorsys
from typing import Any

from ..figures.style import palette
from .shapes import Look, Marker

_TO_WHITE = 0.45
_PIXELS = 1.2
_BETWEEN_RUNS = 3
"""Places in the list of markers between the same flow of two runs."""
_FIRST_QUEUE = 5
"""The place of the first queue's color and marker; those of the next ones are before it."""
_MARKERS: dict[str, Marker] = {
    "o": "circle",
    "s": "square",
    "^": "triangle",
    "D": "diamond",
    "v": "down",
    "1": "down",
    "P": "plus",
    "+": "plus",
    "X": "cross",
    "x": "cross",
    "*": "star",
}
"""Markers of figures, as the page calls them; another one is none."""


def of(look: palette.Look, width: float = 1.4) -> Look:
    """A look of a figure, with a lighter color for dark pages."""
    found = plain(look.color, _pixels(look.dash), width)
    if look.marker in _MARKERS:
        found["marker"] = _MARKERS[look.marker]
    return found


def member(own: palette.Look, run: palette.Look | None) -> Look:
    """The look of a flow or a queue. Where several runs are compared it has the color of its run,
    its own dash, and a marker that no line of the other runs has."""
    if run is None:
        return of(own)
    markers = palette.MARKERS
    shift = _BETWEEN_RUNS * markers.index(run.marker)
    marker = markers[(markers.index(own.marker) + shift) % len(markers)]
    return of(palette.Look(run.color, marker, own.dash))


def queue(place: int) -> palette.Look:
    """The look of the i-th queue: solid, since its length has many peaks, and none of the first
    flows' (`palette.nth`)."""
    i = _FIRST_QUEUE - place
    return palette.Look(palette.PALETTE[i % 8], palette.MARKERS[i % 8], "-")


def part(whole: Look, place: int, run: palette.Look | None) -> Look:
    """The look of the i-th of several quantities of one queue: they differ in their markers, and
    in their dashes unless these tell runs apart."""
    dashes = palette.DASHES
    dash = whole["dash"] if run is not None else _pixels(dashes[place % len(dashes)])
    markers = list(dict.fromkeys(_MARKERS.values()))
    return {**whole, "dash": dash, "marker": markers[place % len(markers)]}


def _pixels(dash: Any) -> list[float]:
    """A dash of a figure in pixels; empty: solid."""
    return [] if isinstance(dash, str) else [n * _PIXELS for n in dash[1]]


def plain(color: str, dash: list[float] | None = None, width: float = 1.4) -> Look:
    """A color `#rrggbb`, a dash in pixels and a width."""
    return {"color": color, "dark": _dark(color), "dash": dash or [], "width": width}


def _dark(color: str) -> str:
    """The color with the same hue that has a light color's contrast on a dark page."""
    red, green, blue = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    hue, light, strong = colorsys.rgb_to_hls(red, green, blue)
    light = 1 - light * (1 - _TO_WHITE) if strong < 0.1 else max(light, 0.66)
    bright = colorsys.hls_to_rgb(hue, light, strong)
    return "#" + "".join(f"{round(255 * part):02x}" for part in bright)


PLAIN = {"threshold": plain("#c04a00", [4, 3], 1.0), "event": plain("#000000")}
"""Looks that every page has."""
