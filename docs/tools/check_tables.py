"""The generated part of docs/explanation/validation.md: every check of the validation suite."""

from __future__ import annotations

import importlib
import inspect

from dumbbell.validate import report
from markdown_table import table


def checks(_: str) -> str:
    """A table of the checks of each section, with the section's module docstring as its text."""
    parts = []
    for section, place in report.SECTIONS.items():
        module = importlib.import_module(f"dumbbell.validate.{place}")
        title, _, about = inspect.getdoc(module).partition("\n\n")  # type: ignore[union-attr]
        rows = (
            [
                f"`{check.id}`",
                check.law,
                check.expected_text,
                "" if check.quick else "whole only",
            ]
            for check in module.CHECKS
        )
        parts += [f"### {section}", title, *([about] if about else [])]
        parts.append(table(["check", "law and source", "expected", ""], rows))
    return "\n\n".join(parts)
