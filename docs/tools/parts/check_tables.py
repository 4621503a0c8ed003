"""The validation suite: the table of its sections, and a page for each with its checks."""

from __future__ import annotations

import importlib
import inspect

from dumbbell.validate import report

from .markdown_table import table


def section(name: str) -> str:
    """The page of a section: its module's docstring, and its checks."""
    module = importlib.import_module(f"dumbbell.validate.{report.SECTIONS[name]}")
    rows = (
        [f"`{check.id}`", check.law, check.expected_text, "" if check.quick else "whole only"]
        for check in module.CHECKS
    )
    checks = table(["check", "law and source", "expected", ""], rows)
    return f"# Checks: {name}\n\n{inspect.getdoc(module)}\n\n{checks}\n"


def sections(_: str) -> str:
    """What each section is about."""
    return table(
        ["section", "subject", "checks"],
        ([f"`{one.name}`", one.subject, str(len(one.checks))] for one in report.sections()),
    )
