"""Tables of `dumbbell conform`: its criteria, and what the algorithms of the gallery gave."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from dumbbell.conform import documents
from dumbbell.conform.criterion import Criterion
from dumbbell.conform.sections import sections

from .markdown_table import table

TOOLS = Path(__file__).resolve().parents[1]
GALLERY = TOOLS.parent / "gallery"
_WANTED = ("cubic", "bbr3", "prague", "red", "codel", "fq_codel", "dualpi2")
SHOWN = tuple(name for name in _WANTED if (GALLERY / f"conform-{name}.json").is_file())
"""The algorithms of docs/explanation/conformance.md: those with a file in the gallery."""


def part(argument: str) -> str:
    """The part that a page names: `conform:criteria:rfc9743`, `conform:results`,
    `conform:failures`, `conform:queues`."""
    kind, _, of = argument.partition(":")
    if kind == "criteria":
        return criteria(of)
    return {"results": results, "failures": every_failure, "queues": queues}[kind]()


def criteria(document: str) -> str:
    """The sections of a document with their quotations, and its criteria."""
    every: list[Criterion] = [*documents.criteria("cc"), *documents.criteria("aqm")]
    parts = []
    for section in sections().values():
        if section.document.key != document:
            continue
        mine = [one for one in every if one.section == section.key]
        rows = [
            [
                f"`{one.id.removeprefix(section.key + '.')}`",
                one.runs,
                one.text if one.scenario else "",
                one.why or str(one.excuse(_Nobody())),  # type: ignore[arg-type]
            ]
            for one in mine
        ]
        parts.append(
            f"### {section.number} {section.title}\n\n> {section.quote}\n\n"
            + table(["criterion", "what is run", "number and bound", "reason"], rows)
        )
    return "\n\n".join(parts)


class _Nobody:
    """An algorithm of which nothing is known."""

    name = "the algorithm"
    parameters: frozenset[str] = frozenset()


def _document(name: str) -> dict[str, Any]:
    text = (GALLERY / f"conform-{name}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def failed(name: str) -> list[dict[str, Any]]:
    """The criteria that an algorithm of the gallery fails."""
    return [one for one in _document(name)["checks"] if one["verdict"] == "fail"]


def explanations() -> dict[str, dict[str, str]]:
    """Why an algorithm fails a criterion, by the algorithm's name and the criterion's."""
    text = (TOOLS / "conformance.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def results() -> str:
    """How many criteria each algorithm passes."""
    rows = []
    for name in SHOWN:
        one = _document(name)
        where = dict.fromkeys(c["section"] for c in one["checks"] if c["verdict"] == "fail")
        counts = [str(one[verdict]) for verdict in ("pass", "fail", "not applicable")]
        rows.append([f"[`{name}`](#{name})", *counts, ", ".join(where) or "–"])
    return table(["algorithm", "pass", "fail", "not applicable", "fails in"], rows)


def every_failure() -> str:
    """A section for each algorithm, with what it fails."""
    return "\n\n".join(f"## {name}\n\n{failures(name)}" for name in SHOWN)


def queues() -> str:
    """The table of all queues: what each passes of each section of RFC 7928."""
    found = _document("queues")
    rows: dict[str, dict[str, Any]] = found["queues"]
    counts = ("pass", "fail")
    sections_of = [key for key in next(iter(rows.values())) if key not in counts]
    judged = [key for key in sections_of if any(row[key] != "–" for row in rows.values())]
    unjudged = ", ".join(key for key in sections_of if key not in judged)
    columns = [*counts, *judged]
    cells = [[f"`{name}`", *(str(row[key]) for key in columns)] for name, row in rows.items()]
    return (
        f"Made on {found['day']}, {found['seeds']} seeds for each scenario. The criteria of "
        f"sections {unjudged} apply to no queue.\n\n{table(['queue', *columns], cells)}"
    )


def failures(name: str) -> str:
    """What an algorithm fails: the criterion, the number, and the reason."""
    why = explanations().get(name, {})
    rows = [
        [f"`{one['id']}`", _number(one), _bound(one["id"]), why.get(one["id"], "")]
        for one in failed(name)
    ]
    return table(["criterion", "measured", "bound", "why it fails"], rows)


def _number(one: dict[str, Any]) -> str:
    if one["measured"] is None:
        return str(one.get("error", "–"))
    low, high = one["ci95"]
    return f"{one['measured']:g} ({low:g} to {high:g})"


def _bound(id_: str) -> str:
    every = [*documents.criteria("cc"), *documents.criteria("aqm")]
    return next(one.bound_text for one in every if one.id == id_)
