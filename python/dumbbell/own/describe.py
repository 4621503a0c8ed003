"""A class as the laboratory reads it: its page, and the hooks that it defines."""

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
    """What the native side is handed. `TypeError` if the class is no whole algorithm."""
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
        "equations": inspect.cleandoc(cls.equations) or rest or textwrap.fill(" ".join(idea.split()), 100),
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


def source_hash(cls: type) -> str:
    """A hash of the file that a class is written in; of its code if there is no file (a notebook, a prompt).

    What the file imports is not looked at.
    """
    known = getattr(inspect.getmodule(cls), "__dumbbell_source_hash__", None)
    if known is not None:
        return str(known)
    try:
        file = inspect.getsourcefile(cls)
        if file is not None and Path(file).is_file():
            return of_text(Path(file).read_bytes())
    except (TypeError, OSError):
        pass
    digest = hashlib.sha256()
    for owner in cls.__mro__:
        if issubclass(owner, Own) and owner.__module__ != Own.__module__:
            digest.update(_code(owner))
    return digest.hexdigest()[:16]


def _code(cls: type) -> bytes:
    parts = []
    for name, value in sorted(vars(cls).items()):
        code = getattr(value, "__code__", None)
        parts.append(marshal.dumps(code) if isinstance(code, CodeType) else f"{name}={_plain(value)}".encode())
    return b"\0".join(parts)


def _plain(value: Any) -> str:
    if isinstance(value, parameters.Parameter):
        return repr((value.default, sorted(value.rule.items())))
    return repr(value) if isinstance(value, bool | int | float | str | tuple) else type(value).__name__


def of_text(source: bytes) -> str:
    """The hash of a file's text."""
    return hashlib.sha256(source).hexdigest()[:16]
