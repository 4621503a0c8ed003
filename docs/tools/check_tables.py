"""The generated part of docs/validation.md: every check of the passport, from the checks."""

from __future__ import annotations

import importlib
import inspect

from dumbbell.validate import report
from markdown_table import table


def checks(_: str) -> str:
    """Every line of the passport, section by section, each under what its module says of it."""
    parts = []
    for section, place in report.SECTIONS.items():
        module = importlib.import_module(f"dumbbell.validate.{place}")
        title, _, about = inspect.getdoc(module).partition("\n\n")  # type: ignore[union-attr]
        rows = (
            [f"`{o.id}`", o.law, o.claim, "" if o.quick else "whole only"] for o in module.CHECKS
        )
        parts += [f"### {section}", title, *([about] if about else [])]
        parts.append(table(["check", "law and source", "expected", ""], rows))
    return "\n\n".join(parts)
