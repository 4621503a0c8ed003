"""The congestion controls if none is named: all of the catalogue that a queue of packets tells
something.

The catalogue is read when it is asked for, so that a new control is in every survey without a line
here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ... import catalogue
from ...errors import ScenarioError
from ...language.arguments import Choice, choice, choices, refused

LEFT_OUT: Mapping[str, str] = {
    "aimd": "a law with free steps, not a congestion control in use",
    "tahoe": "it has no fast recovery: a textbook reference",
    "freeze": "it reacts to signals of a moving host, and is NewReno otherwise",
    "demo_vegas": "a demonstration",
    "dctcp": "it needs a queue that marks, and ECN",
    "prague": "it needs a queue that marks, and ECN",
}
"""Controls that only answer when they are named, and why."""


def chosen(
    texts: Sequence[str], use: Sequence[str], works: Callable[[Choice], str | None]
) -> tuple[list[Choice], list[str]]:
    """The controls, and remarks on those that are left out.

    Named ones must work: `ScenarioError` with what `works` says of one that does not (None: it
    does), or the nearest name. Of the catalogue's, those are left out that do not.
    """
    known = catalogue.kinds(*use)["cc"]
    if not texts:
        kept, notes = [], []
        for one in (choice(name) for name in known if name not in LEFT_OUT):
            why = works(one)
            if why is None:
                kept.append(one)
            else:
                notes.append(f"`{one.text}` is left out: {why.splitlines()[0]}")
        left = [f"{name} ({why})" for name, why in LEFT_OUT.items() if name in known]
        return kept, [*notes, *([f"left out unless named: {'; '.join(left)}"] if left else [])]
    named = choices(list(texts))
    for one in named:
        _is_known(one, known, use)
        why = works(one)
        if why is not None:
            raise ScenarioError(f"control `{one.text}`: {why}")
    return named, []


def opponent(text: str, use: Sequence[str]) -> Choice:
    """The control that all others stand beside. `ScenarioError` if there is none of this name."""
    one = choice(text)
    _is_known(one, catalogue.kinds(*use)["cc"], use)
    return one


def _is_known(one: Choice, known: Sequence[str], use: Sequence[str]) -> None:
    """`ScenarioError` with the nearest name if there is no such control."""
    if one.kind in known:
        return
    if any(one.kind in catalogue.kinds(*use).get(kind, []) for kind in ("aqm", "qdisc")):
        raise refused(
            one.text,
            one.kind,
            "this is a queue, but tables compare congestion controls",
            "write --queue",
        )
    catalogue.find(one.kind, *use)  # Says what is near.
    raise refused(
        one.text, one.kind, "this is not a congestion control", f"write one of {', '.join(known)}"
    )
