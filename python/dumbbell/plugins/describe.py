"""A class as the extension reads it: its page, and the hooks that it defines."""

from __future__ import annotations

import hashlib
import inspect
import json
import marshal
import re
import textwrap
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

from . import parameters
from .base import Aqm, CongestionControl, Own, hooks, name_of

Described = tuple[str, str, type[Own], list[str]]
"""(kind, page as JSON, class, the hooks that it defines)."""


@cache
def describe(cls: type[Own]) -> Described:
    """The description of a class for the extension. `TypeError` if the class is no whole
    algorithm."""
    if inspect.isabstract(cls):
        missing = ", ".join(sorted(cls.__abstractmethods__))
        raise TypeError(f"{cls.__name__} does not define {missing}")
    return cls.kind, json.dumps(page(cls)), cls, hooks(cls)


def page(cls: type[Own]) -> dict[str, Any]:
    """Its page, with the schema of its parameters."""
    base = Aqm if issubclass(cls, Aqm) else CongestionControl
    file = source_file(cls)
    doc = inspect.cleandoc(cls.__doc__ or "") if cls.__doc__ != base.__doc__ else ""
    idea, _, rest = doc.partition("\n\n")
    found = parameters.of_class(cls, base).items()
    properties = {name: parameters.rule(name, hint, given, file) for name, (hint, given) in found}
    return {
        "name": name_of(cls),
        "title": cls.title or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", cls.__name__),
        "idea": " ".join(idea.split()),
        "equations": inspect.cleandoc(cls.equations)
        or rest
        or textwrap.fill(" ".join(idea.split()), 100),
        "sources": [*cls.sources] or [file],
        "language": "Python",
        "file": file,
        "source_hash": source_hash(cls),
        "schema": {"type": "object", "properties": properties, "additionalProperties": False},
    }


def source_file(cls: type) -> str:
    """The name of the file in which a class is written, without its directory."""
    try:
        return Path(inspect.getsourcefile(cls) or "<python>").name
    except (TypeError, OSError):
        return "<python>"


def source_hash(cls: type[Own]) -> str:
    """A hash of the file that a class was read from; of its code if there is no file (a notebook, a
    prompt).

    The file is hashed when the class is made: one that is edited afterwards is another. What it
    imports is not looked at.
    """
    if cls.read_from is not None:
        return cls.read_from
    digest = hashlib.sha256()
    for owner in cls.__mro__:
        if issubclass(owner, Own) and owner.__module__ != Own.__module__:
            members = (item for item in vars(owner).items() if item[0] != "_parameter_names")
            for name, value in sorted(members):
                digest.update(f"{name}=".encode() + _code(value) + b"\0")
    return digest.hexdigest()[:16]


def _code(value: Any) -> bytes:
    """The code of a class member, as bytes."""
    if isinstance(value, property):
        return b"".join(_code(f) for f in (value.fget, value.fset) if f is not None)
    code = getattr(getattr(value, "__func__", value), "__code__", None)
    if isinstance(code, CodeType):
        return marshal.dumps(
            code, 2
        )  # The newest format depends on how often a name is used elsewhere.
    if isinstance(value, parameters.Parameter):
        return repr((value.default, sorted(value.rule.items()))).encode()
    plain = value is None or isinstance(value, bool | int | float | str | tuple)
    return (repr(value) if plain else type(value).__name__).encode()
