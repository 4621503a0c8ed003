"""Pictures of pages for docs/gallery, as a reader sees them in Chromium: `screens.py RUN OTHER`.

RUN and OTHER are results of one scenario under two queues, with `record.packets`. Each picture is
of one page in one theme, at an address that fixes window, crosshair and open panels, taken when all
of its data are drawn; the same results give the same picture with the same fonts.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dumbbell.view import page
from dumbbell.view.results import Which
from gallery import thumbnail
from playwright.sync_api import Browser, sync_playwright

_SCALE = 1.5
"""Pixels of a picture for each of the page: what is small is drawn sharply before it is reduced."""
_WIDTH = 1240


@dataclass(frozen=True, slots=True)
class Screen:
    """A picture: the results of its page, the theme, the address, keys that are pressed, and the
    part of the page that is in it."""

    name: str
    results: Sequence[int]
    theme: str
    place: str = ""
    keys: Sequence[str] = ()
    part: str = "#time-page"
    wheel: int = 0
    """How far the wheel is turned over the middle of the part."""
    height: int = 1000


SCREENS = (
    Screen("page-run", (0,), "light", "#at=31.2"),
    Screen("page-why", (0,), "dark", "#t=20-26&at=22", keys=("n",), height=920),
    Screen("page-both", (0, 1), "dark", "#t=20-40", height=900),
    Screen(
        "page-packets", (0,), "light", "#open=packets-0", part="[data-panel=packets-0]", wheel=-1200
    ),
)


def pictured(browser: Browser, file: Path, screen: Screen, into: Path) -> Path:
    """Takes one picture."""
    size: Any = {"width": _WIDTH, "height": screen.height}
    shown = browser.new_page(
        viewport=size,
        device_scale_factor=_SCALE,
        color_scheme=screen.theme,
        reduced_motion="reduce",
    )
    shown.goto(f"{file.as_uri()}{screen.place}")
    _drawn(shown)
    for key in screen.keys:
        shown.keyboard.press(key)
        _drawn(shown)
    part = shown.locator(screen.part)
    part.evaluate("node => node.scrollIntoView({block: 'start'})")
    _drawn(shown)
    box = part.bounding_box()
    if screen.wheel:
        shown.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for _ in range(abs(screen.wheel) // 100):
            shown.mouse.wheel(0, screen.wheel // abs(screen.wheel) * 100)
        shown.mouse.move(0, 0)
        _drawn(shown)
    height = min(box["height"], screen.height - box["y"])
    picture = into / f"{screen.name}.png"
    shown.screenshot(path=picture, clip={**box, "height": height})
    shown.close()
    return picture


def _drawn(shown: Any) -> None:
    """Waits until nothing is left to draw."""
    shown.wait_for_timeout(400)
    shown.wait_for_selector("[data-busy=false]", state="attached")


def main(results: list[str]) -> int:
    """Makes the pictures of these two results."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if len(results) != 2 or not chromium:
        print(__doc__ if chromium else "there is no Chromium", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        home = Path(scratch)
        files: dict[Sequence[int], Path] = {}
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for screen in SCREENS:
            if screen.results not in files:
                file = home / f"{''.join(map(str, screen.results))}.html"
                page.write([results[i] for i in screen.results], file, Which())
                files[screen.results] = file
            thumbnail(pictured(browser, files[screen.results], screen, home))
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
