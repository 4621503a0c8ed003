"""Reproductions of papers with a stand-in for the API."""

from __future__ import annotations

import html.parser
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dumbbell import api, figures
from dumbbell.reproduce import over_time, work

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
            patch.setattr(over_time, "record", lambda *_: None)
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


SMALL_TEXT = """
duration = "4 s"
warmup = "1 s"
[dumbbell.bottleneck]
rate = "10 Mbps"
delay = "10 ms"
[queue]
kind = "red"
limit = "60 pkt"
[[flow]]
name = "near"
count = 2
start_spread = "1 s"
[[flow]]
name = "far"
rtt = "80 ms"
start_spread = "1 s"
"""
SMALL = tomllib.loads(SMALL_TEXT)
"""A small network."""
_PAPER = """
title = "A far flow beside near ones"
citation = "N. N., 2026."
[full]
replications = 5
[quick]
replications = 3
[axes]
queue = ["drop_tail", "red"]
buffer = [30, 60]
[[point]]
scenario = "network.toml"
id = "{queue}-{buffer}"
each = ["queue", "buffer"]
overrides = ["queue.kind={queue}", "queue.limit={buffer} pkt"]
[[number]]
id = "{queue}"
over = "buffer"
point = "{queue}-{buffer}"
measure = "flows.far.goodput_bps"
scale = 1e-6
[[claim]]
id = "claim-1"
text = "The far flow gets more under RED."
reproduced = "every(low(red - drop_tail) > 0)"
in_part = "some(mean(red - drop_tail) > 0)"
show = { "RED [Mbit/s]" = "red" }
[[finding]]
claim = "claim-1"
text = "The far flow gets {rate} Mbit/s under RED"
show = { rate = "red" }
[[figure]]
id = "rates"
claim = "claim-1"
kind = "over"
caption = "Goodput of the far flow."
x = "buffer [packets]"
y = "goodput [Mbit/s]"
[figure.lines]
drop_tail = { label = "Drop Tail", numbers = ["drop_tail"] }
red = { label = "RED", numbers = ["red"] }
[over_time]
title = "What the far flow meets"
points = { "Drop Tail" = "drop_tail-30", "RED" = "red-30" }
flows = ["far", "near.1"]
from_s = 2.0
until_s = 3.0
text = ["The far flow gets {rate} Mbit/s under RED."]
show = { rate = "red" }
"""


def small_paper(folder: Path) -> Path:
    """Writes a paper on the small network, which runs in a second, into a folder; returns it."""
    folder.mkdir()
    (folder / "paper.toml").write_text(_PAPER, encoding="utf-8")
    (folder / "network.toml").write_text(f"schema = 1\n{SMALL_TEXT}", encoding="utf-8")
    return folder
