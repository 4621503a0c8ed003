"""All criteria of a kind of algorithm, and those that a command selects."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence

from .. import api
from ..errors import ScenarioError
from .aqm import CRITERIA as OF_QUEUES
from .cc import CRITERIA as OF_CONTROLS
from .criterion import Criterion
from .sections import sections
from .subject import Kind


def criteria(kind: Kind) -> tuple[Criterion, ...]:
    """Every criterion of a kind, in the order of the documents. Raises `ValueError` if two have
    the same id, or one names a section that does not exist."""
    every = OF_CONTROLS if kind == "cc" else OF_QUEUES
    ids = [one.id for one in every]
    if twice := {id_ for id_ in ids if ids.count(id_) > 1}:
        raise ValueError(f"two criteria have the name {', '.join(sorted(twice))}")
    order = list(sections())
    return tuple(sorted(every, key=lambda one: order.index(one.section)))


def select(kind: Kind, only: Iterable[str] = (), *, quick: bool = False) -> Sequence[Criterion]:
    """The criteria whose id matches one of the patterns (all if there are none); with `quick` only
    those that `--quick` includes. `ScenarioError` names what is near a pattern that matches
    nothing."""
    every = criteria(kind)
    patterns = list(only)
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(one.id, pattern) for one in every):
            raise ScenarioError(_unknown(kind, pattern))
    chosen = [
        one
        for one in every
        if (not patterns or any(fnmatch.fnmatchcase(one.id, each) for each in patterns))
        and (one.quick or not quick)
    ]
    if not chosen:
        raise ScenarioError(f"--quick leaves out all that {' '.join(patterns)} matches")
    return chosen


def find(kind: Kind, name: str) -> Criterion:
    """A criterion by its id. `ScenarioError` names what is near."""
    for one in criteria(kind):
        if one.id == name:
            return one
    raise ScenarioError(_unknown(kind, name))


def _unknown(kind: Kind, name: str) -> str:
    ids = [one.id for one in criteria(kind)]
    heads = dict.fromkeys(".".join(one.split(".")[:n]) + ".*" for one in ids for n in (1, 2, 3, 4))
    near = api.nearest(name, [*ids, *heads])
    hint = f"did you mean `{near}`?" if near else f"`dumbbell conform {kind} --list` shows all"
    return f"there is no criterion `{name}`: {hint}"
