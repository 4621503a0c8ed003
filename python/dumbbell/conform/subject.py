"""The algorithm that is judged, as a scenario names it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from .. import catalogue
from ..errors import ScenarioError
from ..language.arguments import Choice, choice, refused

Kind = Literal["cc", "aqm"]
_KINDS: Mapping[Kind, tuple[str, ...]] = {"cc": ("cc",), "aqm": catalogue.QUEUES}
_WORDS: Mapping[Kind, str] = {"cc": "a congestion control", "aqm": "a queue"}


@dataclass(frozen=True, slots=True)
class Subject:
    """An algorithm: whether it is a congestion control (`cc`) or a queue (`aqm`), its name, the
    parameters that were given, the catalogue's names of its parameters, and files with algorithms
    of the user's own."""

    kind: Kind
    name: str
    given: Mapping[str, Any] = field(default_factory=dict)
    parameters: frozenset[str] = frozenset()
    use: Sequence[str] = ()

    @classmethod
    def read(cls, kind: Kind, text: str, use: Sequence[str] = ()) -> Subject:
        """Reads `NAME` or `NAME:KEY=VALUE,...`. `ScenarioError` names what is near if there is no
        such algorithm, or says that it is of the other kind."""
        one: Choice = choice(text)
        found = catalogue.find(one.kind, *use)
        page = next((each for each in found if each.kind in _KINDS[kind]), None)
        if page is None:
            other: Kind = "aqm" if kind == "cc" else "cc"
            if any(each.kind in _KINDS[other] for each in found):
                raise refused(
                    text, one.kind, f"this is {_WORDS[other]}", f"write dumbbell conform {other}"
                )
            raise ScenarioError(f"`{one.kind}` is not {_WORDS[kind]}")
        names = frozenset(parameter.name for parameter in page.parameters)
        return cls(kind, one.kind, dict(one.parameters), names, tuple(use))

    @property
    def text(self) -> str:
        """The algorithm with the parameters that were given."""
        given = ",".join(f"{key}={value}" for key, value in self.given.items())
        return f"{self.name}:{given}" if given else self.name

    @property
    def own_ecn(self) -> bool:
        """Whether a congestion control brings its own kind of ECN."""
        return self.kind == "cc" and self.name in ("dctcp", "prague")

    def as_other(self, name: str) -> Subject:
        """Another algorithm of the catalogue, in its place."""
        return replace(Subject.read(self.kind, name), use=self.use)

    def table(self, **keys: Any) -> Any:
        """The algorithm as the value of `cc` or `queue`."""
        table = {"kind": self.name, **keys, **self.given}
        return table if len(table) > 1 else self.name
