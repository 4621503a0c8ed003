"""Tables of Markdown, and values as they stand in a cell."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(_cell(text) for text in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def code(value: Any) -> str:
    """A value as code; a dash for none."""
    return "–" if value is None else f"`{json.dumps(value, ensure_ascii=False)}`"


def shown(value: Any) -> str:
    """A value as it is read: text itself, else JSON."""
    return value if isinstance(value, str) else json.dumps(value)
