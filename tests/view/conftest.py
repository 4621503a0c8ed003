"""A browser for the pages of `view`, and pages opened in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium. Tests without it are skipped, unless DUMBBELL_REQUIRE has `browser`."""
    sync_api = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM and "browser" not in os.environ.get("DUMBBELL_REQUIRE", ""):
        pytest.skip("no Chromium")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=_ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens a file, at a place of it (`#t=...`), until all of its data are drawn. Fails if its
    script fails, or asks for anything else."""
    pages: list[tuple[Any, list[str], list[str], str]] = []

    def of(file: Path, place: str = "", **options: Any) -> Any:
        shown = browser.new_page(**{"viewport": {"width": 1200, "height": 900}, **options})
        asked: list[str] = []
        failed: list[str] = []
        shown.on("request", lambda request: asked.append(request.url))
        shown.on("pageerror", lambda error: failed.append(str(error)))
        pages.append((shown, asked, failed, file.as_uri()))
        shown.goto(f"{file.as_uri()}{place}")
        if options.get("java_script_enabled", True):
            shown.wait_for_selector("[data-busy=false]", state="attached")
        return shown

    yield of
    for shown, asked, failed, address in pages:
        shown.close()
        assert not failed
        # A worker's script is a part of the page, under an address of the page's own.
        outside = {url.partition("#")[0] for url in asked if not url.startswith("blob:")}
        assert outside == {address}
