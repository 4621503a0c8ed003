"""Forms of laboratories: a scenario with `{NAME}` for values, the states that its buttons set, and
the claims that its words make of them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...data.named import measured

Value = str | int | float
Values = Mapping[str, Value]

_PLACE = re.compile(r"\{(?:(\d+)\*)?(\w+)\}")
_IS = {"above": operator.gt, "below": operator.lt}


def first(about: Mapping[str, Any]) -> dict[str, Value]:
    """The values that a page begins with."""
    return {one["id"]: one["value"] for kind in ("slider", "choice") for one in about.get(kind, ())}


def filled(about: Mapping[str, Any], values: Values) -> str:
    """The scenario with these values; `filled` of web/src/lab/form.ts writes the same."""
    absent = [
        one
        for kind in ("slider", "choice")
        for one in about.get(kind, ())
        if one.get("without") and values[one["id"]] in (0, "none")
    ]

    def names(text: str, kind: str) -> bool:
        return any(one["without"] == kind and f"{one['id']}}}" in text for one in absent)

    paragraphs = [
        "\n".join(line for line in paragraph.split("\n") if not names(line, "line"))
        for paragraph in re.split(r"\n\n+", about["scenario"].strip())
        if not names(paragraph, "paragraph")
    ]
    texts = {**values, **_written(about, values)}
    whole = "\n\n".join(paragraphs)
    # The text of a choice may have values in it.
    for _ in range(2):
        whole = _PLACE.sub(lambda found: _at(found, texts), whole)
    return whole + "\n"


def _at(place: re.Match[str], texts: Values) -> str:
    """What stands at `{NAME}`, or at `{3*NAME}`."""
    factor, name = place.groups()
    if name not in texts:
        return place[0]
    value = texts[name]
    return str(int(factor) * value if factor and isinstance(value, int) else value)


def _written(about: Mapping[str, Any], values: Values) -> dict[str, Value]:
    """What the scenario has for values that it does not have as they are."""
    scaled = {
        one["id"]: float(f"{float(values[one['id']]) * one['factor']:.12g}")
        for one in about.get("slider", ())
        if "factor" in one
    }
    chosen = {
        one["id"]: option["text"]
        for one in about.get("choice", ())
        for option in one.get("options", ())
        if option["value"] == values[one["id"]] and "text" in option
    }
    return {**scaled, **chosen}


def states(about: Mapping[str, Any]) -> dict[str, dict[str, Value]]:
    """The values under each button: those of the page's beginning with those that it sets."""
    start = first(about)
    return {
        one["button"]: {**start, **one["set"]} for one in about.get("words", ()) if "button" in one
    }


@dataclass(frozen=True, slots=True)
class Claim:
    """That a measure under a button `is` above or below `times` what it is compared with: a
    `value`, or the measure `of` under another `button`."""

    measure: str
    under: str
    compare: str
    value: float | None
    of: str
    button: str
    times: float

    def holds(self, result_of: Callable[[str], Mapping[str, Any]]) -> tuple[bool, str]:
        """Whether the results of two buttons agree, and the two numbers in words."""
        left = measured(result_of(self.under), self.measure)
        right = self.value
        if right is None:
            right = measured(result_of(self.button), self.of)
        right *= self.times
        ok: bool = _IS[self.compare](left, right)
        named = f"{self.times:g} x {self.of} under {self.button!r}"
        other = named if self.value is None else "the value"
        return ok, (
            f"{self.measure} under {self.under!r} is {left:.5g}, "
            f"which must be {self.compare} {right:.5g} ({other})"
        )


def claims(about: Mapping[str, Any]) -> list[Claim]:
    """What the words of a page claim, each below the paragraph that says it."""
    found = []
    for word in about.get("words", ()):
        for one in word.get("claim", ()):
            (compare,) = _IS.keys() & one.keys()
            right = one[compare]
            under = one.get("under", word.get("button"))
            named = isinstance(right, str)
            found.append(
                Claim(
                    measure=one["measure"],
                    under=under,
                    compare=compare,
                    value=None if named else float(right),
                    of=one.get("of", one["measure"]),
                    button=right if named else under,
                    times=one.get("times", 1.0),
                )
            )
    return found
