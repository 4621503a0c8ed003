"""Reproductions of papers with a stand-in for the API."""

from __future__ import annotations

import html.parser
from collections.abc import Callable
from typing import Any

import pytest
from dumbbell import api, figures
from dumbbell.reproduce import work

from .simulated_kernels import mark


def on_a_stand_in(
    paper: str, run: Callable[..., Any], directories: pytest.TempPathFactory
) -> Callable[..., Any]:
    """Reproduces a paper on a laboratory of its own, patched in for that call alone, so that a
    whole module can share what comes of it."""

    def reproduce(**options: Any) -> dict[str, Any]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(api, "run", run)
            patch.setattr(figures, "save", mark)
            return work.reproduce(paper, quick=True, out=directories.mktemp("report"), **options)

    return reproduce


class Page(html.parser.HTMLParser):
    """What a page loads, what it links to within itself, and whether its tags close."""

    VOID = frozenset(("meta", "link", "br", "img", "hr", "input"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.anchors: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for key, value in attrs:
            if key == "src" or (key == "href" and tag == "link"):
                self.loads.append(str(value))
            if key == "href" and tag == "a":
                self.anchors.append(str(value))
            if key == "id":
                self.ids.append(str(value))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
