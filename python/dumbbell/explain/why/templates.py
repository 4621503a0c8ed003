"""Sentences of the catalogue about a decision: `explained` of an algorithm's page, filled in with
what the decision saw.

A sentence has expressions in braces, `{p_b}` or `{virtual_queue / 1e3}`, with `:time` for seconds
in the unit that reads best and `:length` for packets as the algorithm counts them. A name is a
gauge of the decision, else a parameter as the plan has it; `set_NAME` is always the parameter. And
there are `reason`, `marked`, and the phrases `full`, `found` and `buffer`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...language.expression import evaluate
from .finding import Decision
from .phrases import buffer, found, full, length, n, time

_BRACES = re.compile(r"\{([^{}:]+)(?::(\w+))?\}")
_PHRASES: dict[str, Callable[[Decision], str]] = {"full": full, "found": found, "buffer": buffer}
_FORMATS: dict[str, Callable[[Decision, Any], str]] = {
    "time": lambda d, value: time(value),
    "length": length,
}


def first(clauses: Iterable[Sequence[str]], d: Decision) -> str | None:
    """The first sentence whose condition holds, filled in; an empty one is as none.

    `None` if there is none, or if the decision did not record what the clause names.
    """
    try:
        for condition, sentence in clauses:
            if not condition or evaluate(condition, lambda name: _named(d, name)):
                return filled(sentence, d) if sentence else None
    except KeyError:
        pass
    return None


def filled(sentence: str, d: Decision) -> str:
    """A sentence with its expressions filled in. `KeyError` if the decision lacks one of them."""

    def value(match: re.Match[str]) -> str:
        found = evaluate(match[1], lambda name: _named(d, name))
        if match[2]:
            return _FORMATS[match[2]](d, found)
        return found if isinstance(found, str) else n(found)

    return _BRACES.sub(value, sentence)


def expressions(sentence: str) -> list[str]:
    """The expressions in a sentence."""
    return [match[1] for match in _BRACES.finditer(sentence)]


def _named(d: Decision, name: str) -> Any:
    if name in d.gauges:
        return d.gauges[name]
    if name in d.parameters:
        return d.parameters[name]
    if name in ("reason", "marked"):
        return getattr(d, name)
    if name in _PHRASES:
        return _PHRASES[name](d)
    return d.parameters[name.removeprefix("set_")]
