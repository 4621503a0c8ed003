"""The boxes and lines of a drawing: the nodes of a scene, with hosts that are alike in one box."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .. import groups
from .scene import Cable, Scene

_ROLES = ("sends", "receives", "sends and receives", "")


@dataclass(frozen=True, slots=True)
class Box:
    """One node, or several hosts that are alike."""

    lines: tuple[str, ...]
    """The name, or a count and the names, and what its flows are."""
    router: bool
    about: str
    """The same in a sentence, with names in full."""


@dataclass(frozen=True, slots=True)
class Line:
    """The cables between two boxes, in the direction in which the drawing runs."""

    tail: int
    head: int
    said: tuple[str, ...]
    """Rate and delay."""
    queue: tuple[str, ...]
    """Its queue and edge; empty if they are not shown."""
    queue_at_head: bool
    ways: frozenset[int]
    """1 if data go from tail to head, -1 if they go back; none, one or both."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What a drawing shows."""

    boxes: Sequence[Box]
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A host with one cable."""

    node: int
    near: int
    role: str
    sorts: tuple[tuple[str, int], ...]
    """Number of its flows by congestion control; of what it sends, or else of what it receives."""
    cable: Cable


def figure(shown: Scene, most: int) -> Figure:
    """The boxes and lines of a scene, with at most `most` boxes of hosts that do the same at one
    router, if their cables may be shown as a range."""
    count = Counter(node for cable in shown.cables for node in cable.ends)
    used = Counter(
        hop for one in shown.traffic for hop in zip(one.stops, one.stops[1:], strict=False)
    )
    leaves: dict[tuple[int, str], list[_Leaf]] = {}
    facts = _facts(shown)
    for cable in shown.cables:
        for node in sorted(cable.ends):
            if count[node] == 1 and node not in shown.routers:
                (near,) = cable.ends - {node}
                leaf = _Leaf(node, near, *facts[node], cable)
                leaves.setdefault((near, leaf.role), []).append(leaf)
    members: list[list[int]] = [
        [node]
        for node in range(len(shown.names))
        if count[node] > 1 or (node in shown.routers and count[node])
    ]
    members += [
        [leaf.node for leaf in group]
        for side in leaves.values()
        for group in _alike(shown, side, most)
    ]
    members.sort()
    place = {node: i for i, group in enumerate(members) for node in group}
    cables: dict[tuple[int, int], list[Cable]] = {}
    for cable in shown.cables:
        cables.setdefault(_forward(cable, place, used), []).append(cable)
    return Figure(
        [_box(shown, group, facts) for group in members],
        [_line(shown, ends, group, place, used) for ends, group in cables.items()],
    )


Facts = dict[int, tuple[str, tuple[tuple[str, int], ...]]]
"""For each node its role and its flows."""


def _facts(shown: Scene) -> Facts:
    sent: dict[int, Counter[str]] = {i: Counter() for i in range(len(shown.names))}
    received: dict[int, Counter[str]] = {i: Counter() for i in range(len(shown.names))}
    for one in shown.traffic:
        sent[one.stops[0]][one.sort] += one.flows
        received[one.stops[-1]][one.sort] += one.flows
    return {
        i: (
            _ROLES[2 if sent[i] and received[i] else 0 if sent[i] else 1 if received[i] else 3],
            tuple(sorted((sent[i] or received[i]).items())),
        )
        for i in sent
    }


def _alike(shown: Scene, side: Sequence[_Leaf], most: int) -> list[list[_Leaf]]:
    """The hosts of one side of a router in groups, as few as needed."""

    def cable(leaf: _Leaf) -> tuple[str, ...]:
        one = leaf.cable
        return (one.rate, one.delay, one.queue, one.edge, str(one.tail == leaf.near))

    def sorts(leaf: _Leaf) -> tuple[str, ...]:
        return tuple(sort for sort, _ in leaf.sorts)

    keys: Sequence[Callable[[_Leaf], object]] = (
        lambda leaf: leaf.node,
        lambda leaf: (_template(shown.names[leaf.node]), leaf.sorts, cable(leaf)),
        lambda leaf: (_template(shown.names[leaf.node]), sorts(leaf), cable(leaf)),
        lambda leaf: (sorts(leaf), cable(leaf)),
        cable,
        lambda leaf: cable(leaf)[2:],
        lambda leaf: None,
    )
    found: dict[object, list[_Leaf]] = {}
    for key in keys:
        found = {}
        for leaf in side:
            found.setdefault(key(leaf), []).append(leaf)
        if len(found) <= most:
            break
    return list(found.values())


def _template(name: str) -> str:
    """`web.3/sender` is `web/sender`."""
    flow, slash, end = name.partition("/")
    return groups.template(flow) + slash + end


def _forward(
    cable: Cable, place: dict[int, int], used: Counter[tuple[int, int]]
) -> tuple[int, int]:
    """The boxes of a cable, in the direction of most flows."""
    there, back = used[cable.tail, cable.head], used[cable.head, cable.tail]
    ends = (cable.tail, cable.head) if there >= back else (cable.head, cable.tail)
    return place[ends[0]], place[ends[1]]


def _box(shown: Scene, group: Sequence[int], facts: Facts) -> Box:
    names = [shown.names[i] for i in group]
    router = group[0] in shown.routers
    if router:
        return Box((names[0],), True, f"router {names[0]}")
    role = facts[group[0]][0]
    total = sum((Counter(dict(facts[i][1])) for i in group), Counter())
    count = sum(total.values())
    several = len(total) > 1
    sorts = ", ".join(f"{n} {sort}" if several else sort for sort, n in sorted(total.items()))
    flows = f"{count} flow{'s' * (count != 1)}: {sorts}" if count else ""
    named = names[0] if len(group) == 1 else f"{names[0]} … {names[-1]}"
    head = (names[0],) if len(group) == 1 else (f"{len(group)} hosts", *_names(names))
    about = f"{'host' if len(group) == 1 else f'{len(group)} hosts,'} {named}"
    about += f", {role} {flows}" if flows else ""
    return Box((*head, flows) if flows and role != "receives" else head, False, about)


def _names(names: Sequence[str]) -> tuple[str, ...]:
    """First and last of some names, without the end that they have in common."""
    ends = {name.partition("/")[1:] for name in names}
    common = "".join(ends.pop()) if len(ends) == 1 else ""
    first, last = (name.removesuffix(common) for name in (names[0], names[-1]))
    return (f"{first} …", f"{last}{common}") if len(first + last) > 20 else (f"{first} … {last}",)


def _line(
    shown: Scene,
    ends: tuple[int, int],
    group: Sequence[Cable],
    place: dict[int, int],
    used: Counter[tuple[int, int]],
) -> Line:
    first = group[0]
    rates, delays = ([_range([getattr(c, what) for c in group])] for what in ("rate", "delay"))
    ways = {
        1 if place[one.tail] == ends[0] else -1 for one in group if used[one.tail, one.head]
    } | {-1 if place[one.tail] == ends[0] else 1 for one in group if used[one.head, one.tail]}
    queues = first.at(shown.names[first.tail])
    if len({(one.queue, one.edge) for one in group}) > 1:
        queues = [f"{sum(bool(one.queue) for one in group)} queues"]
    elif len(group) > 1 and first.queue and len({one.tail for one in group}) > 1:
        queues = [line.replace(f" at {shown.names[first.tail]}", "s") for line in queues]
    return Line(
        *ends,
        (*rates, *delays),
        tuple(queues),
        place[first.tail] == ends[1],
        frozenset(ways),
    )


def _range(values: Sequence[str]) -> str:
    """A value, or how many different ones."""
    different = list(dict.fromkeys(values))
    if len(different) == 1:
        return different[0]
    return f"{different[0]} … {different[-1]}"
