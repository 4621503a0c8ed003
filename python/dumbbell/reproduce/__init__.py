"""Reproducing a published table: runs, a verdict on each printed number and claim, and a report.

A paper is a folder `papers/NAME/` with `paper.toml` (numbers, claims, assumptions), printed tables
as CSV files, scenario files, and `rules.md`, all written before the runs that they judge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .document import Report
    from .on_linux.document import LinuxReport
    from .testbed.document import CampaignReport

__all__ = ["names", "reproduce"]


def names() -> list[str]:
    """The papers at hand."""
    from . import papers

    return papers.names()


def reproduce(name: str, **options: Any) -> Report | CampaignReport | LinuxReport:
    """Reproduces a paper; the options are those of `work.reproduce`."""
    from . import work

    return work.reproduce(name, **options)
