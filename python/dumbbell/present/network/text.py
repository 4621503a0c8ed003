"""A plan's network as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .scene import Cable, Scene, scene, template
from .words import Plan


def drawing(plan: Plan, most: int | None = None, width: int | None = None) -> str:
    """A dumbbell as a picture, if it is not wider than `width` and has one queue; any other network
    as one line for each pair of neighbors. Of more than `most` of them, those whose names differ in
    numbers alone are one line; at most `most` lines are shown."""
    shown = scene(plan)
    if shown.neck and not any(c.queue for c in shown.cables if (c.tail, c.head) != shown.neck):
        picture = _dumbbell(shown, *shown.neck)
        if width is None or max(map(len, picture.splitlines())) <= width:
            return picture
    pairs = [_pair(shown, cable) for cable in shown.cables]
    if most is not None and len(pairs) > most:
        pairs = _layers(shown)
    more = [f"  and {len(pairs) - most} more"] if most is not None and len(pairs) > most else []
    return "\n".join([*pairs[:most], *more])


def _dumbbell(shown: Scene, left: int, right: int) -> str:
    names = shown.names
    neck = shown.across()
    senders = [
        f"{_far(shown, cable, left)} ─ {cable.rate}, {cable.delay} ─"
        for cable in shown.beside(left)
    ]
    receivers = [
        f"─ {cable.rate}, {cable.delay} ─ {_far(shown, cable, right)}"
        for cable in shown.beside(right)
    ]
    rows = max(len(senders), len(receivers), 1)
    middle = (rows - 1) // 2
    trunk = f" {names[left]} ══ {neck.rate}, {neck.delay} ══ {names[right]} "
    width = max(map(len, senders), default=0)
    lines = []
    for row in range(rows):
        begin = senders[row] if row < len(senders) else ""
        end = receivers[row] if row < len(receivers) else ""
        inner = trunk if row == middle else " " * len(trunk)
        west = _joint(row, len(senders), middle, "left")
        east = _joint(row, len(receivers), middle, "right")
        lines.append(f"  {begin:>{width}}{west}{inner}{east}{end}".rstrip())
    return "\n".join([*lines, "", *(f"  {line}" for line in neck.at(names[left]))]).rstrip()


def _far(shown: Scene, cable: Cable, near: int) -> str:
    """The name of a cable's other end."""
    return shown.names[cable.head if cable.tail == near else cable.tail]


def _joint(row: int, rows: int, middle: int, side: str) -> str:
    """The character where a host's line meets the others."""
    if row >= rows and row != middle:
        return " " if row > max(rows - 1, middle) else "│"
    up, down = row > 0, row < rows - 1 or row < middle
    host, trunk = row < rows, row == middle
    west, east = (host, trunk) if side == "left" else (trunk, host)
    shapes = {
        (True, True, True, True): "┼", (True, True, True, False): "┤",
        (True, True, False, True): "├", (True, False, True, True): "┴",
        (False, True, True, True): "┬", (True, False, True, False): "┘",
        (False, True, True, False): "┐", (True, False, False, True): "└",
        (False, True, False, True): "┌", (True, True, False, False): "│",
    }  # fmt: skip
    return shapes.get((up, down, west, east), "─")


def _layers(shown: Scene) -> list[str]:
    """A line for all pairs of neighbors whose names differ in numbers alone and whose links are
    alike, with `*` for the numbers."""
    names = [template(name) for name in shown.names]
    first: dict[str, Cable] = {}
    count: Counter[str] = Counter()
    for cable in shown.cables:
        line = _line(names, cable)
        first.setdefault(line, cable)
        count[line] += 1
    return [
        _pair(shown, cable) if count[line] == 1 else f"{count[line]:6} ×{line}"
        for line, cable in first.items()
    ]


def _pair(shown: Scene, cable: Cable) -> str:
    return _line(shown.names, cable)


def _line(names: Sequence[str], cable: Cable) -> str:
    tail, head = names[cable.tail], names[cable.head]
    queue = f"   queue at {tail}: {cable.queue}" if cable.queue else ""
    queue += f"   edge: {cable.edge}" if cable.edge else ""
    return f"  {tail} ── {cable.rate}, {cable.delay} ── {head}{queue}"
