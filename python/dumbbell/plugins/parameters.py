"""Parameters of a class: annotated attributes with a default, a meaning and a range."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeVar, cast

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unit:
    """Units of numbers. In a scenario such a parameter is written with its unit."""

    name: str
    symbol: str


Seconds = Annotated[float, Unit("time", "s")]
"""A time: `"5 ms"` in a scenario, 0.005 in the class."""
Packets = Annotated[float, Unit("number of packets", "pkt")]
"""A number of packets, fractions too: `"5 pkt"` or `"limit / 3"` in a scenario, 5.0 in the
class."""
Bytes = Annotated[float, Unit("size", "B")]
"""A size: `"64 kB"` in a scenario, 64000.0 in the class."""
BitsPerSecond = Annotated[float, Unit("rate", "bps")]
"""A rate: `"10 Mbps"` in a scenario, 1e7 in the class."""


class Parameter:
    """A parameter with more than a default; reading it on an instance gives the value. See
    [`parameter`]."""

    def __init__(self, default: Any, doc: str, rule: dict[str, Any], source: str) -> None:
        self.default, self.doc, self.rule, self.source = default, doc, rule, source

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self.default if instance is not None else self


def parameter(
    default: T,
    doc: str = "",
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    source: str = "",
) -> T:
    """A parameter's default with what a user should know of it.

    doc: what it means. at_least, at_most, above, below: its range, in the unit of its annotation.
    source: where the default comes from (a paper, a section); default: the file itself.
    """
    bounds = {
        "minimum": at_least,
        "maximum": at_most,
        "exclusiveMinimum": above,
        "exclusiveMaximum": below,
    }
    rule = {word: bound for word, bound in bounds.items() if bound is not None}
    return cast(T, Parameter(default, doc, rule, source))


def of_class(cls: type, base: type) -> dict[str, tuple[Any, Parameter]]:
    """The parameters of `cls`, its bases before itself: (annotation, parameter) by name.

    `TypeError` says what is wrong with an annotation or a default.
    """
    found: dict[str, tuple[Any, Parameter]] = {}
    hints = _hints(cls)
    for owner in reversed(cls.__mro__):
        if owner is base or not issubclass(owner, base):
            continue
        for name in inspect.get_annotations(owner):
            hint = hints.get(name)
            if (
                name.startswith("_")
                or typing.get_origin(hint) is ClassVar
                or hint is ClassVar
                or hasattr(base, name)
            ):
                continue
            if name not in owner.__dict__:
                raise TypeError(
                    f"{cls.__name__}.{name} has no default: write {name}: {_shown(hint)} = ..."
                )
            value = owner.__dict__[name]
            value = value if isinstance(value, Parameter) else Parameter(value, "", {}, "")
            found[name] = (hint, value)
    return found


def _hints(cls: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except NameError as error:
        raise TypeError(f"an annotation of {cls.__name__} cannot be read: {error}") from None


def rule(name: str, hint: Any, given: Parameter, file: str) -> dict[str, Any]:
    """The JSON Schema of one parameter."""
    about = {"description": given.doc, "x-source": given.source or file, "default": given.default}
    unit = next((m for m in typing.get_args(hint)[1:] if isinstance(m, Unit)), None)
    if unit is not None:
        default = (
            given.default if isinstance(given.default, str) else f"{given.default!r} {unit.symbol}"
        )
        return {"type": "string", "x-unit": unit.name, **given.rule, **about, "default": default}
    if typing.get_origin(hint) is Annotated:
        hint = typing.get_args(hint)[0]
    if typing.get_origin(hint) is Literal and all(
        isinstance(word, str) for word in typing.get_args(hint)
    ):
        return {"enum": list(typing.get_args(hint)), **about}
    kinds: dict[Any, tuple[str, Callable[[Any], bool]]] = {
        bool: ("boolean", lambda v: isinstance(v, bool)),
        int: ("integer", lambda v: isinstance(v, int) and not isinstance(v, bool)),
        float: ("number", lambda v: isinstance(v, int | float) and not isinstance(v, bool)),
        str: ("string", lambda v: isinstance(v, str)),
    }
    if hint not in kinds:
        known = (
            "float, int, bool, str, Literal[...], or dumbbell.Seconds, Packets, Bytes, "
            "BitsPerSecond"
        )
        raise TypeError(f"parameter `{name}` is annotated with {_shown(hint)}: it must be {known}")
    word, fits = kinds[hint]
    if not fits(given.default):
        raise TypeError(
            f"parameter `{name}` is a {hint.__name__}, and its default is {given.default!r}"
        )
    return {"type": word, **given.rule, **about}


def _shown(hint: Any) -> str:
    return getattr(hint, "__name__", None) or str(hint)
