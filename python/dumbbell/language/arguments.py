"""Schemes and axes as the command line spells them: `red:min_th=5pkt,max_th=15pkt`,
`--over rate=10Mbps,50Mbps`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import ScenarioError
from . import overrides

_OPENS, _CLOSES = "[{(", "]})"


@dataclass(frozen=True, slots=True)
class Choice:
    """An algorithm with the parameters that were given; `text` is how it was written, and its name
    on the page."""

    text: str
    kind: str
    parameters: Mapping[str, Any]

    def at(self, place: str) -> dict[str, Any]:
        """The overrides that choose it at `place`, the kind first: what only another kind knows is
        then left out."""
        return {place: self.kind, **self.parameters_at(place)}

    def parameters_at(self, place: str) -> dict[str, Any]:
        """The overrides of its parameters alone."""
        return {f"{place}.{key}": value for key, value in self.parameters.items()}


@dataclass(frozen=True, slots=True)
class Axis:
    """Values of one key that schemes are compared at."""

    key: str
    values: tuple[Any, ...]


def choice(text: str) -> Choice:
    """`NAME` or `NAME:KEY=VALUE,KEY=VALUE`; values as behind `-s`. `ScenarioError` if it cannot be
    read so."""
    kind, colon, rest = text.partition(":")
    parameters: dict[str, Any] = {}
    for part in _parts(rest) if colon else ():
        key, equals, value = part.partition("=")
        if not key.strip() or not equals or not value.strip():
            raise refused(
                text,
                part or ":",
                "this is not a parameter",
                "write NAME:KEY=VALUE, as in red:min_th=5pkt",
            )
        parameters[key.strip()] = overrides.word(value.strip())
    if not kind.strip() or "=" in kind:
        raise refused(
            text,
            kind or text,
            "an algorithm begins with its name",
            "write it as in red:min_th=5pkt",
        )
    return Choice(text, kind.strip(), parameters)


def choices(texts: list[str]) -> list[Choice]:
    """Each once, in the order given."""
    return [choice(text) for text in dict.fromkeys(texts)]


def axis(text: str) -> Axis:
    """`KEY=VALUE,VALUE,...`. `ScenarioError` if it cannot be read so."""
    key, equals, rest = text.partition("=")
    values = tuple(overrides.word(part.strip()) for part in _parts(rest))
    if not key.strip() or not equals or "" in values:
        fix = (
            "write KEY=VALUE,VALUE,... as in rate=10Mbps,50Mbps (where the page goes is --out DIR)"
        )
        raise refused(f"--over {text}", text, "this is not an axis", fix)
    return Axis(key.strip(), values)


def axes(texts: list[str]) -> list[Axis]:
    """Each axis; `ScenarioError` if two have one key."""
    found = [axis(text) for text in texts]
    for i, one in enumerate(found):
        if one.key in (other.key for other in found[:i]):
            fix = f"write all its values after one --over {one.key}="
            raise refused(f"--over {texts[i]}", one.key, "this key is varied already", fix)
    return found


def refused(line: str, part: object, cause: str, fix: str) -> ScenarioError:
    """A word of the command line that is wrong, underlined."""
    text = str(part)
    start = max(line.rfind(text), 0)
    caret = " " * start + "^" * max(len(text), 1)
    return ScenarioError(
        f"{line}\n{caret} {cause}\nhelp: {fix}", {"part": text, "cause": cause, "fix": fix}
    )


def _parts(text: str) -> Iterator[str]:
    """Splits at commas, those within brackets and quotes apart."""
    depth, quoted, since = 0, False, 0
    for i, c in enumerate(text):
        if c == '"':
            quoted = not quoted
        elif not quoted and c in _OPENS:
            depth += 1
        elif not quoted and c in _CLOSES:
            depth -= 1
        elif c == "," and depth == 0 and not quoted:
            yield text[since:i]
            since = i + 1
    yield text[since:]
