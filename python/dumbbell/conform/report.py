"""The report of a command: JSON, and the table of several algorithms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .outcome import Outcome
from .sections import Document
from .subject import Subject


@dataclass(frozen=True, slots=True)
class Report:
    """The outcomes of one algorithm."""

    subject: Subject
    outcomes: Sequence[Outcome]

    def count(self, verdict: str) -> int:
        """The criteria with this verdict."""
        return sum(one.verdict == verdict for one in self.outcomes)

    @property
    def failed(self) -> list[Outcome]:
        """The criteria that fail."""
        return [one for one in self.outcomes if one.verdict == "fail"]

    @property
    def documents(self) -> list[tuple[Document, list[Outcome]]]:
        """The outcomes of each document."""
        found: dict[Document, list[Outcome]] = {}
        for one in self.outcomes:
            found.setdefault(one.section.document, []).append(one)
        return list(found.items())

    @property
    def sentences(self) -> list[str]:
        """What the run says."""
        judged = len(self.outcomes) - self.count("not applicable")
        first = f"{self.subject.text} passes {self.count('pass')} of {judged} criteria"
        failed: dict[str, list[str]] = {}
        for one in self.failed:
            failed.setdefault(one.section.document.name, []).append(one.section.number)
        where = [f"{name} {', '.join(dict.fromkeys(of))}" for name, of in failed.items()]
        return [
            f"{first} that apply to it.",
            *([f"It fails in {'; '.join(where)}."] if failed else []),
            f"{self.count('not applicable')} criteria do not apply; each line has the reason.",
        ]

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        counts = Counter(one.verdict for one in self.outcomes)
        return {
            "algorithm": self.subject.text,
            "kind": self.subject.kind,
            "passed": counts["pass"],
            "failed": [one.criterion.id for one in self.failed],
            "not_applicable": counts["not applicable"],
            "checks": [one.as_dict() for one in self.outcomes],
        }


def document(
    reports: Sequence[Report],
    facts: Mapping[str, Any],
    *,
    quick: bool,
    seeds: int,
    command: str,
    seconds: float,
) -> dict[str, Any]:
    """The answer of the command: of one algorithm its report, of several a list."""
    from .. import __version__

    shared = {
        "version": __version__,
        "quick": quick,
        "seeds": seeds,
        "command": command,
        "seconds": round(seconds, 1),
        **facts,
    }
    if len(reports) == 1:
        return {**reports[0].as_dict(), **shared}
    return {**shared, "algorithms": [one.as_dict() for one in reports]}


def columns(reports: Sequence[Report]) -> list[str]:
    """The sections that the reports have, as the columns of a table."""
    return list(dict.fromkeys(one.section.number for r in reports for one in r.outcomes))


def cell(report: Report, section: str) -> str:
    """The verdicts of a section in short: `2/3` of those that apply pass; a dash for none."""
    every = [
        one.verdict
        for one in report.outcomes
        if one.section.number == section and one.verdict != "not applicable"
    ]
    return f"{every.count('pass')}/{len(every)}" if every else "–"
