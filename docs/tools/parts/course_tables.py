"""The exercises of a course as a table."""

from __future__ import annotations

from dumbbell import classroom

from .markdown_table import table


def part(_: str) -> str:
    """Each exercise with its title and what to find."""
    found = [classroom.exercise(name) for name in classroom.names()]
    rows = [[f"`{one.name}`", one.title, one.goal] for one in found]
    return table(["exercise", "title", "what to find"], rows)
