"""A plan's network as SVG: for pages, as wide or as narrow as the page is, and as a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from .. import groups
from . import lettering
from .figure import Figure, Line, figure
from .layout import Item, arrange, ranks, stacked
from .lettering import LEADING, xml
from .plans import for_people
from .scene import Scene, layered, scene
from .text import drawing
from .words import Plan

_WIDE, _NARROW = 5, 2
"""Boxes of hosts at one side of a router: from left to right, and from top to bottom."""
_LONGEST, _RULE = 24, 28
"""Letters of a line; longer names are shortened, longer rules are wrapped."""
_WIDEST = 1200
"""Pixels of a drawing from left to right; a wider one runs from top to bottom."""
_NARROWEST = 400
"""Pixels of a drawing from top to bottom, for a phone; hosts are stacked in a wider one."""
_MOST = 80
"""Lines of a drawing; a network with more of them is shown as text."""
_PAD, _GAP, _BETWEEN, _MARGIN = 9.0, 24.0, 14.0, 8.0
_BUFFER, _HALF = 26.0, 7.0
"""The symbol of a queue: its length, and half of its breadth."""
_ACCENT = "#c4631f"
"""Bottlenecks and queues: at least 3:1 on white and on near black."""
_INK = (
    "<style>:root{color-scheme:light dark;color:#1b1b1b;background:#fff}"
    "@media(prefers-color-scheme:dark){:root{color:#ececec;background:#161616}}</style>"
)


def inline(plan: Plan) -> str:
    """The drawing as a part of a page, as HTML: from left to right where the page is wide enough,
    else from top to bottom. A network that is too large to be drawn is text."""
    shown = layered(scene(plan), groups.MOST)
    wide, narrow = _drawn(shown, _WIDE, True), _drawn(shown, _NARROW, False)
    if not narrow.fits:
        return f"<pre>{xml(drawing(for_people(plan), groups.MOST))}</pre>"
    if wide.width > _WIDEST or not wide.fits:
        return f'<div class="dumbbell-network" style="overflow-x:auto">{narrow.svg()}</div>'
    name = f"dumbbell-network-{wide.width:.0f}"
    return (
        f'<div class="dumbbell-network {name}" style="container-type:inline-size;overflow-x:auto">'
        f"<style>.{name}>.narrow{{display:none}}@container(max-width:{0.85 * wide.width:.0f}px)"
        f"{{.{name}>.wide{{display:none}}.{name}>.narrow{{display:block}}}}</style>"
        f"{wide.svg('wide')}{narrow.svg('narrow')}</div>"
    )


def document(plan: Plan) -> str:
    """The drawing as the text of an SVG file. `ValueError` if the network is too large."""
    shown = layered(scene(plan), groups.MOST)
    wide, narrow = _drawn(shown, _WIDE, True), _drawn(shown, _NARROW, False)
    best = wide if wide.fits and wide.width <= _WIDEST else narrow
    if not best.fits:
        raise ValueError(f"more than {_MOST} links to draw")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{best.svg(ink=_INK)}\n'


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A drawing with its size [px]."""

    title: str
    about: str
    parts: Sequence[str]
    width: float
    height: float
    fits: bool

    def svg(self, of_class: str = "", ink: str = "") -> str:
        """The element."""
        named = f' class="{of_class}"' if of_class else ""
        width, height = f"{self.width:.0f}", f"{self.height:.0f}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg"{named} viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" '
            f'style="max-width:100%;min-width:{0.8 * self.width:.0f}px;height:auto" '
            f'font-family="{lettering.FONT}" font-size="{lettering.SIZE}" fill="none" '
            f'stroke="currentColor"><title>{xml(self.title)}</title>'
            f"<desc>{xml(self.about)}</desc>{ink}{''.join(self.parts)}</svg>"
        )


def _drawn(shown: Scene, most: int, across: bool) -> _Drawing:
    """The drawing of a scene. across: from left to right."""
    parts = figure(shown, most)
    if len(parts.lines) > _MOST or not parts.boxes:
        return _Drawing("", "", (), 0.0, 0.0, False)
    made = _Canvas(parts, across)
    if not across and made.size[0] > _NARROWEST:
        made = min(made, _Canvas(parts, across, stack=True), key=lambda one: one.size[0])
    about = " ".join(
        [
            "; ".join(box.about for box in parts.boxes) + ".",
            *(_sentence(parts, line) for line in parts.lines),
        ]
    )
    return _Drawing(f"The network of {shown.name}", about, made.parts, *made.size, True)


def _sentence(parts: Figure, line: Line) -> str:
    tail, head = (parts.boxes[i].lines[0] for i in (line.tail, line.head))
    return f"{tail} to {head}: {', '.join([*line.said, *line.queue])}."


class _Canvas:
    """Elements of a drawing, in the order in which they are painted."""

    def __init__(self, figure: Figure, across: bool, stack: bool = False) -> None:
        """stack: hosts have layers of their own, not beside routers."""
        self.figure, self.across = figure, across
        self.parts: list[str] = []
        ends = [(line.tail, line.head) for line in figure.lines]
        layers = ranks(len(figure.boxes), ends)
        if stack:
            layers = stacked(layers, ends)
        self.items = [
            self._box_item(box.lines, 2 * layer)
            for box, layer in zip(figure.boxes, layers, strict=True)
        ]
        self.labels: dict[int, list[str]] = {}
        routes = [self._route(line, layers) for line in figure.lines]
        pairs = [pair for route in routes for pair in pairwise(route)]
        length, breadth = arrange(self.items, pairs, _GAP, _BETWEEN)
        along, side = length + 2 * _MARGIN, breadth + 2 * _MARGIN
        self.size = (along, side) if across else (side, along)
        for line, route in zip(figure.lines, routes, strict=True):
            self._line(line, route)
        for i, box in enumerate(figure.boxes):
            self._box(i, box.router, box.about)

    def _oriented(self, layer: int, width: float, height: float, port: float) -> Item:
        return Item(layer, *((width, height) if self.across else (height, width)), port)

    def _box_item(self, lines: Sequence[str], layer: int) -> Item:
        width = max(lettering.width(lettering.short(line, _LONGEST)) for line in lines) + 2 * _PAD
        height = LEADING * len(lines) + _PAD
        return self._oriented(layer, width, height, (height if self.across else width) / 2)

    def _route(self, line: Line, layers: Sequence[int]) -> list[int]:
        """The items that a line joins: boxes, its label, and the layers that it passes. The label
        is beside the queue, or else beside the host."""
        tail, head = line.tail, line.head
        if layers[tail] > layers[head]:
            tail, head = head, tail
        first, last = 2 * layers[tail], 2 * layers[head]
        at_last = not self.figure.boxes[head].router and self.figure.boxes[tail].router
        if line.queue:
            at_last = self._queue_is_last(line, layers)
        at = last - 1 if at_last else first + 1
        route = [tail]
        for layer in range(first + 1, last):
            self.items.append(self._label(line, layer) if layer == at else Item(layer, 0, 2, 1))
            route.append(len(self.items) - 1)
        self.labels[route[at - first]] = self._text(line)
        return [*route, head]

    def _queue_is_last(self, line: Line, layers: Sequence[int]) -> bool:
        return line.queue_at_head != (layers[line.tail] > layers[line.head])

    def _text(self, line: Line) -> list[str]:
        if not self.across:
            said = [part for one in line.said for part in lettering.wrapped(one, _LONGEST)]
        else:
            said = lettering.wrapped(", ".join(line.said), _LONGEST)
        return said + [part for one in line.queue for part in lettering.wrapped(one, _RULE)]

    def _label(self, line: Line, layer: int) -> Item:
        """The item of a label. From left to right the rate is above the line and the queue below
        it; from top to bottom all of it is to the right."""
        lines = self._text(line)
        widths = [lettering.width(text) for text in lines]
        width = max(widths) + _PAD
        if self.across:
            above = len(lettering.wrapped(", ".join(line.said), _LONGEST))
            if line.queue:  # Its symbol is beside the rate, which is in the middle.
                width = max(width, max(widths[:above]) + 2 * _BUFFER + _PAD)
            top = LEADING * above + 4
            return Item(layer, width, top + LEADING * (len(lines) - above) + 8, top)
        height = LEADING * len(lines) + (_BUFFER + 4 if line.queue else 6)
        return Item(layer, height, width + 2 * _HALF, _HALF)

    def _point(self, along: float, across: float) -> tuple[float, float]:
        x, y = along + _MARGIN, across + _MARGIN
        return (x, y) if self.across else (y, x)

    def _line(self, line: Line, route: Sequence[int]) -> None:
        """A line through all items of its route, with its label, arrow and queue."""
        path, before = "", None
        items = [self.items[i] for i in route]
        for k, item in enumerate(items):
            start, end = item.along, item.along + item.length
            if before is not None:
                path += self._curve(before, (start, item.middle))
            elif k == 0:
                path = "M{:.1f} {:.1f}".format(*self._point(end, item.middle))
            if 0 < k < len(items) - 1:
                path += " L{:.1f} {:.1f}".format(*self._point(end, item.middle))
            before = (end, item.middle)
        thick = f'stroke="{_ACCENT}" stroke-width="3"' if line.queue else 'stroke-opacity="0.6"'
        self.parts.append(f'<g class="cable"><path {thick} d="{path}"/>')
        (at,) = (i for i in route if i in self.labels)
        label = self.items[at]
        turned = route[0] != line.tail
        self._arrow(line, items[0], items[-1], turned)
        if line.queue:
            self._buffer(label, line.queue_at_head != turned)
        self._label_text(line, label, self.labels[at])
        self.parts.append("</g>")

    def _curve(self, a: tuple[float, float], b: tuple[float, float]) -> str:
        half = (a[0] + b[0]) / 2
        points = [self._point(half, a[1]), self._point(half, b[1]), self._point(*b)]
        return " C" + " ".join(f"{x:.1f} {y:.1f}" for x, y in points)

    def _arrow(self, line: Line, first: Item, last: Item, turned: bool) -> None:
        """An arrow into the box that the data enter, if they go one way."""
        if len(line.ways) != 1:
            return
        if (1 in line.ways) != turned:
            tip, back, middle = last.along, -8.0, last.middle
        else:
            tip, back, middle = first.along + first.length, 8.0, first.middle
        corners = [(tip, middle), (tip + back, middle - 4), (tip + back, middle + 4)]
        points = " ".join("{:.1f},{:.1f}".format(*self._point(*corner)) for corner in corners)
        fill = _ACCENT if line.queue else "currentColor"
        self.parts.append(f'<polygon fill="{fill}" stroke="none" points="{points}"/>')

    def _buffer(self, label: Item, at_end: bool) -> None:
        """The symbol of a queue: packets in a buffer, at the end where it is."""
        start = label.along + (label.length - _BUFFER if at_end else 0.0)
        x, y = self._point(start, label.middle - _HALF)
        width, height = (_BUFFER, 2 * _HALF) if self.across else (2 * _HALF, _BUFFER)
        bars = ""
        for k in (1, 2, 3):
            step = start + k * _BUFFER / 4
            (x1, y1), (x2, y2) = (
                self._point(step, label.middle - _HALF + 2),
                self._point(step, label.middle + _HALF - 2),
            )
            bars += f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"
        self.parts.append(
            f'<g class="queue" stroke="{_ACCENT}" stroke-width="1.5"><rect x="{x:.1f}" y="{y:.1f}" '
            f'width="{width:.0f}" height="{height:.0f}"/><path d="{bars}"/></g>'
        )

    def _label_text(self, line: Line, label: Item, lines: Sequence[str]) -> None:
        x, y = self._point(label.along, label.across)
        if self.across:
            above = round((label.port - 4) / LEADING)
            x += label.length / 2
            for k, text in enumerate(lines):
                self._text_at(x, y + LEADING * k + 11 + (12 if k >= above else 0), text, "middle")
            return
        y += label.length / 2 - LEADING * len(lines) / 2 + 11
        for k, text in enumerate(lines):
            self._text_at(x + 2 * _HALF + 5, y + LEADING * k, text, "start")

    def _text_at(self, x: float, y: float, text: str, anchor: str, weight: str = "") -> None:
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight} fill="currentColor" '
            f'stroke="none">{xml(text)}</text>'
        )

    def _box(self, number: int, router: bool, about: str) -> None:
        item, box = self.items[number], self.figure.boxes[number]
        x, y = self._point(item.along, item.across)
        width, height = (item.length, item.breadth) if self.across else (item.breadth, item.length)
        sort, corner, line = ("router", 3, 2) if router else ("host", 9, 1)
        self.parts.append(
            f'<g class="{sort}"><title>{xml(about)}</title><rect x="{x:.1f}" y="{y:.1f}" '
            f'width="{width:.1f}" height="{height:.1f}" rx="{corner}" stroke-width="{line}"/>'
        )
        for k, text in enumerate(box.lines):
            weight = ' font-weight="600"' if k == 0 else ""
            short = lettering.short(text, _LONGEST)
            self._text_at(x + width / 2, y + 16 + LEADING * k, short, "middle", weight)
        self.parts.append("</g>")
