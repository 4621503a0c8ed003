"""A class for each algorithm of the catalogue: `dumbbell.Red(min_th="5 pkt", max_th="15 pkt")`.

They are made from the catalogue when first asked for. Parameters are keyword-only, with the
documented defaults; an instance holds what was given, and stands in a scenario wherever a table
with `kind` may stand. A parameter whose name is a word of Python's own has a `_` behind it: `in_`.
"""

from __future__ import annotations

import inspect
import keyword
from typing import Any

from . import catalogue
from .catalogue import Algorithm


class Spec:
    """An algorithm with its parameters, as written in a scenario."""

    kind: str = ""

    def __init__(self, **parameters: Any) -> None:
        signature = inspect.signature(type(self))
        try:
            signature.bind(**parameters)
        except TypeError as error:
            raise TypeError(
                f"{type(self).__name__}: {error}; there are {', '.join(signature.parameters)}"
            ) from None
        self.parameters = parameters

    def as_dict(self) -> dict[str, Any]:
        """The table of a scenario: `kind` and what was given."""
        own = {f"{word}_": word for word in keyword.kwlist}
        return {
            "kind": self.kind,
            **{own.get(key, key): value for key, value in self.parameters.items()},
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and self.as_dict() == other.as_dict()

    def __hash__(self) -> int:
        return hash((self.kind, *sorted(map(repr, self.parameters.items()))))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.parameters.items())})"
        )


def class_name(name: str) -> str:
    """The class of an algorithm: `drop_tail` is `DropTail`."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def python_name(parameter: str) -> str:
    """A parameter's name as Python can write it."""
    return f"{parameter}_" if keyword.iskeyword(parameter) else parameter


def docstring(algorithm: Algorithm) -> str:
    """The docstring of an algorithm's class."""
    lines = [f"{algorithm.title}. {algorithm.idea}", ""]
    lines += [f"{python_name(p.name)}: {p.facts}" for p in catalogue.keywords(algorithm)]
    return "\n".join([*lines, "", f"Sources: {'; '.join(algorithm.sources)}."])


def build() -> dict[str, type[Spec]]:
    """Every class by its name."""
    classes: dict[str, type[Spec]] = {}
    for algorithm in catalogue.algorithms():
        name = class_name(algorithm.name)
        classes.setdefault(name, _class(name, algorithm))
    return classes


def _class(name: str, algorithm: Algorithm) -> type[Spec]:
    only = inspect.Parameter.KEYWORD_ONLY
    words = catalogue.keywords(algorithm)
    signature = inspect.Signature(
        [inspect.Parameter(python_name(p.name), only, default=p.default) for p in words]
    )
    body = {
        "kind": algorithm.name,
        "__doc__": docstring(algorithm),
        "__signature__": signature,
        "__module__": "dumbbell",
    }
    return type(name, (Spec,), body)


_classes: dict[str, type[Spec]] = {}


def __getattr__(name: str) -> type[Spec]:
    if not name[:1].isupper():
        raise AttributeError(name)
    if not _classes:
        _classes.update(build())
    try:
        return _classes[name]
    except KeyError:
        raise AttributeError(
            f"there is no algorithm class `{name}`; there are {', '.join(_classes)}"
        ) from None


def __dir__() -> list[str]:
    if not _classes:
        _classes.update(build())
    return [*_classes, "Spec"]
