"""The generated part of docs/reference/warnings.md: the registry of warnings."""

from __future__ import annotations

from dumbbell import api

from .markdown_table import table


def warnings(_: str) -> str:
    """A table of all warnings, and a section for each."""
    known = api.warnings()
    rows = [[f"[{one['code']}](#{_anchor(one)})", one["title"]] for one in known]
    overview = table(["warning", "meaning"], rows)
    return "\n\n".join([overview, *(_section(one) for one in known)]) + "\n"


def _anchor(one: dict[str, str]) -> str:
    """GitHub's anchor of the section."""
    return f"{one['code'].lower()}-{one['name']}"


def _section(one: dict[str, str]) -> str:
    return (
        f"### {one['code']} {one['name']}\n\n{one['title']} {one['explanation']} "
        f"Since {one['since']}.\n\n"
        f"<!-- file: {one['code']}.toml -->\n```toml\n{one['example']}\n```"
    )
