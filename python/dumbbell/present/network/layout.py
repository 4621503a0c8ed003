"""Places for boxes and lines: layers along one axis, and in each layer items side by side.

A line that enters the next layer but one passes the layer between as an item of its own, and so
does its label; therefore nothing overlaps. Both axes are in pixels: `along` counts in the direction
of the data, `across` at a right angle to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_SWEEPS = 8


@dataclass(slots=True)
class Item:
    """A box, a label, or a place where a line passes."""

    layer: int
    length: float
    """Along."""
    breadth: float
    """Across."""
    port: float
    """Where its lines meet it: the distance from its first edge across."""
    along: float = 0.0
    across: float = 0.0

    @property
    def middle(self) -> float:
        """The place of the port across."""
        return self.across + self.port


def ranks(count: int, lines: Sequence[tuple[int, int]]) -> list[int]:
    """A layer for each of `count` boxes, so that most lines lead from a lower to a higher one; a
    line that closes a circle leads back."""
    after: dict[int, list[int]] = {i: [] for i in range(count)}
    for tail, head in lines:
        after[tail].append(head)
    order = _order(count, after)
    place = {box: i for i, box in enumerate(order)}
    forward = [(t, h) if place[t] < place[h] else (h, t) for t, h in lines]
    rank = [0] * count
    for tail, head in sorted(forward, key=lambda line: place[line[0]]):
        rank[head] = max(rank[head], rank[tail] + 1)
    for box in reversed(order):  # What only sends stands right before what it sends to.
        later = [rank[h] for t, h in forward if t == box]
        if later and all(h != box for _, h in forward):
            rank[box] = min(later) - 1
    return rank


def stacked(layers: Sequence[int], lines: Sequence[tuple[int, int]]) -> list[int]:
    """Layers for the same boxes, in which no box with one line stands beside one with several, if
    it belongs to the first or the last of those: it is right before the first, or right behind the
    last, and its line may lead back."""
    beside: dict[int, list[int]] = {i: [] for i in range(len(layers))}
    for tail, head in lines:
        beside[tail].append(head)
        beside[head].append(tail)
    inner = {layers[i] for i, near in beside.items() if len(near) > 1}
    place = [2 * layer for layer in layers]
    for i, near in beside.items():
        if len(near) == 1 and layers[i] in inner:
            (router,) = near
            if layers[router] == min(inner):
                place[i] = 2 * min(inner) - 1
            elif layers[router] == max(inner):
                place[i] = 2 * max(inner) + 1
    order = {layer: number for number, layer in enumerate(sorted(set(place)))}
    return [order[layer] for layer in place]


def _order(count: int, after: dict[int, list[int]]) -> list[int]:
    """All boxes, each before those that its lines lead to, except in circles. Boxes that no line
    leads to are first."""
    entered = {head for heads in after.values() for head in heads}
    starts = [i for i in range(count) if i not in entered] + list(range(count))
    done: list[int] = []
    seen: set[int] = set()
    for start in starts:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(after[start]))]
        while stack:
            box, rest = stack[-1]
            following = next((i for i in rest if i not in seen), None)
            if following is None:
                done.append(box)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(after[following])))
    return done[::-1]


def arrange(
    items: Sequence[Item], links: Sequence[tuple[int, int]], gap: float, between: float
) -> tuple[float, float]:
    """Sets the places of all items. links: items of neighboring layers that a line joins. gap: the
    space between layers; between: that between items of a layer. Returns the length and the breadth
    of the whole."""
    beside: list[list[int]] = [[] for _ in items]
    for a, b in links:
        beside[a].append(b)
        beside[b].append(a)
    layers: list[list[int]] = [[] for _ in range(max(item.layer for item in items) + 1)]
    for i, item in enumerate(items):
        layers[item.layer].append(i)
    start = 0.0
    for layer in layers:
        length = max((items[i].length for i in layer), default=0.0)
        for i in layer:
            items[i].along = start + (length - items[i].length) / 2
        start += length + gap * bool(layer)
    found: list[tuple[float, list[float]]] = []
    for last in (False, True):  # Both have as few crossings.
        order = _sorted(items, layers, beside, last)
        _spread(items, order, beside, between)
        first = min(item.across for item in items)
        breadth = max(item.across + item.breadth for item in items) - first
        found.append((breadth, [item.across - first for item in items]))
    breadth, places = min(found, key=lambda one: one[0])
    for item, across in zip(items, places, strict=True):
        item.across = across
    return start - gap, breadth


def _sorted(
    items: Sequence[Item], first: Sequence[Sequence[int]], beside: list[list[int]], last: bool
) -> list[list[int]]:
    """Each layer by the mean place of its neighbors in the layer before, and in the one behind, in
    turns: the first order with the fewest crossings, or the last."""
    layers = [list(layer) for layer in first]
    best, fewest = [list(layer) for layer in layers], _crossings(items, layers, beside)
    for sweep in range(_SWEEPS):
        step = -1 if sweep % 2 == 0 else 1
        walk = range(1, len(layers)) if step == -1 else range(len(layers) - 2, -1, -1)
        for number in walk:
            place = {i: k for k, i in enumerate(layers[number + step])}
            own = {i: k for k, i in enumerate(layers[number])}

            def mean(i: int, place: dict[int, int] = place, own: dict[int, int] = own) -> float:
                near = [place[j] for j in beside[i] if j in place]
                return sum(near) / len(near) if near else own[i]

            layers[number].sort(key=mean)
        crossings = _crossings(items, layers, beside)
        if crossings < fewest or (last and crossings == fewest):
            best, fewest = [list(layer) for layer in layers], crossings
    return best


def _crossings(items: Sequence[Item], layers: list[list[int]], beside: list[list[int]]) -> int:
    place = {i: k for layer in layers for k, i in enumerate(layer)}
    total = 0
    for layer in layers:
        ends = [
            [place[j] for j in beside[i] if items[j].layer == items[i].layer + 1] for i in layer
        ]
        total += sum(
            a > b
            for k, above in enumerate(ends)
            for below in ends[k + 1 :]
            for a in above
            for b in below
        )
    return total


def _spread(
    items: Sequence[Item], layers: Sequence[Sequence[int]], beside: list[list[int]], between: float
) -> None:
    """Moves items across towards the mean of their neighbors, in their order."""
    for layer in layers:
        _place(items, layer, [0.0] * len(layer), between)
    for sweep in range(3 * _SWEEPS):
        step = 1 if sweep % 2 else -1
        for layer in layers[::step]:
            wanted = []
            for i in layer:
                sides = beside[i]
                if sweep < _SWEEPS:  # First by one side, which aligns long rows at once.
                    sides = [j for j in sides if (items[j].layer - items[i].layer) * step < 0]
                near = [items[j].middle for j in sides]
                middle = sum(near) / len(near) if near else items[i].middle
                wanted.append(middle - items[i].port)
            _place(items, layer, wanted, between)


def _place(
    items: Sequence[Item], layer: Sequence[int], wanted: Sequence[float], between: float
) -> None:
    """Puts the items of a layer as near to where they are wanted as their order and breadth allow:
    least squares, by pooling neighbors that would overlap."""
    offset, offsets = 0.0, []
    for i in layer:
        offsets.append(offset)
        offset += items[i].breadth + between
    pools: list[tuple[float, int]] = []
    for want, off in zip(wanted, offsets, strict=True):
        total, size = want - off, 1
        while pools and pools[-1][0] / pools[-1][1] > total / size:
            before, many = pools.pop()
            total, size = total + before, size + many
        pools.append((total, size))
    bases = [total / size for total, size in pools for _ in range(size)]
    for i, base, off in zip(layer, bases, offsets, strict=True):
        items[i].across = base + off
