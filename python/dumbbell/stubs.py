"""Writes `algorithms.pyi`, so that editors know every algorithm's parameters: `python -m dumbbell.stubs`.

`make build` runs it after each build of the extension; the file is never written by hand.
"""

from __future__ import annotations

from pathlib import Path

from . import catalogue
from .algorithms import class_name, docstring, python_name
from .files import write_text

HEAD = '''"""Written by `python -m dumbbell.stubs` from the catalogue; do not edit."""

from typing import Any, Literal

from .catalogue import Algorithm

__all__ = [{names}]

class Spec:
    """An algorithm with its parameters, as written in a scenario."""

    kind: str
    parameters: dict[str, Any]
    def as_dict(self) -> dict[str, Any]: ...

def class_name(name: str) -> str: ...
def python_name(parameter: str) -> str: ...
def docstring(algorithm: Algorithm) -> str: ...
def build() -> dict[str, type[Spec]]: ...
'''


def text() -> str:
    """The whole stub."""
    seen: set[str] = set()
    blocks: list[str] = []
    for algorithm in catalogue.algorithms():
        name = class_name(algorithm.name)
        if name not in seen:
            seen.add(name)
            blocks.append(_class(name, algorithm))
    names = ", ".join(map(repr, ["Spec", *sorted(seen)]))
    return "\n".join([HEAD.replace("{names}", names), *blocks])


def _class(name: str, algorithm: catalogue.Algorithm) -> str:
    fields = ", ".join(f"{python_name(p.name)}: {p.annotation} = {p.default!r}" for p in catalogue.keywords(algorithm))
    doc = (
        docstring(algorithm).replace("\\", "\\\\").replace('"""', "'''").replace("\n", "\n    ").replace("    \n", "\n")
    )
    head = f"self, *, {fields}" if fields else "self"
    return f'class {name}(Spec):\n    """{doc}\n    """\n\n    def __init__({head}) -> None: ...\n'


if __name__ == "__main__":
    write_text(Path(__file__).with_name("algorithms.pyi"), text())
