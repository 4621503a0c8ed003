"""How fast the laboratory of `make lab` starts, and how fast it follows a slider.

Chromium opens `lab.html` from the file, without a screen. The start is that of a new browser, from
the navigation to the frame after the panels were drawn. A move is that of the buffer's slider with
ten flows for 30 s, from the event to that frame; the worker's part of it, the simulation with its
tables, is what the page itself says.

    python bench/lab.py            # half a minute; needs Chromium, and `make lab`
    python bench/lab.py --json --repeat 9
"""

from __future__ import annotations

import os
import statistics
import sys
from pathlib import Path

import in_chromium
from in_chromium import JSON
from playwright.sync_api import Page, Playwright, sync_playwright

ROOT = Path(__file__).parents[1]
START_S = 2.0
MOVE_MS = 200.0
RATES = (10, 100)
"""Of the bottleneck, Mbit/s. The budget is that of the first."""
_PATIENCE = 1500
"""Looks, one each 20 ms."""
_VIEWPORT = {"width": 1280, "height": 900}
_WATCH = """
window.frames_ = [];
let running = true;
new MutationObserver(() => {
  const lab = document.getElementById("lab");
  const before = running;
  running = lab?.dataset.state !== "done";
  if (running || !before) return;
  const ms = Number(lab.dataset.ms);
  requestAnimationFrame(() => setTimeout(() => frames_.push([performance.now(), ms])));
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-state"] });
"""
"""Notes each frame after a run was drawn, with the worker's milliseconds."""
_MOVE = """
([id, position]) => {
  const slider = document.getElementById(id);
  slider.value = position;
  const since = performance.now();
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  return since;
}
"""


def frame(shown: Page, number: int) -> tuple[float, float]:
    """Instant of a frame and the worker's time, ms."""
    # The page's policy permits no function to wait for.
    for _ in range(_PATIENCE):
        if shown.evaluate("frames_.length") > number:
            break
        shown.wait_for_timeout(20)
    at, worker = shown.evaluate(f"frames_[{number}]")
    return at, worker


def measured(playwright: Playwright, chromium: str, file: Path, rate: int, repeat: int) -> JSON:
    """Medians of starts and moves at one rate of the bottleneck."""
    starts, moves, workers = [], [], []
    for _ in range(repeat):
        browser = playwright.chromium.launch(executable_path=chromium, args=in_chromium.ARGUMENTS)
        shown = browser.new_page(viewport=_VIEWPORT)
        shown.add_init_script(_WATCH)
        shown.goto(f"{file.as_uri()}#near=10&far=0&rate={rate}")
        starts.append(frame(shown, 0)[0])
        for number, position in enumerate((500, 600, 700), 1):
            shown.wait_for_timeout(500)
            since = shown.evaluate(_MOVE, ["lab-buffer", position])
            at, worker = frame(shown, number)
            moves.append(at - since)
            workers.append(worker)
        browser.close()
    return {
        "bottleneck": f"{rate} Mbit/s",
        "start_s": statistics.median(starts) / 1e3,
        "start_worst_s": max(starts) / 1e3,
        "move_ms": statistics.median(moves),
        "move_worst_ms": max(moves),
        "worker_ms": statistics.median(workers),
    }


def table(rows: list[JSON]) -> str:
    """The rows as Markdown."""
    head = [
        "bottleneck", "first plot [s]", "worst", "slider to plot [ms]", "worst", "of it the worker",
    ]  # fmt: skip
    cells = [
        [
            row["bottleneck"], f"{row['start_s']:.2f}", f"{row['start_worst_s']:.2f}",
            f"{row['move_ms']:.0f}", f"{row['move_worst_ms']:.0f}", f"{row['worker_ms']:.0f}",
        ]
        for row in rows
    ]  # fmt: skip
    return in_chromium.table(head, cells)


def missed(row: JSON) -> list[str]:
    """The budgets that are not kept."""
    found = []
    if row["start_s"] > START_S:
        found.append(f"starts in {row['start_s']:.2f} s")
    if row["move_ms"] > MOVE_MS:
        found.append(f"follows in {row['move_ms']:.0f} ms")
    return found


def main() -> int:
    """Measures and prints; 3 if a budget is missed."""
    parser = in_chromium.parser(__doc__, 5, "starts, each with three moves")
    parser.add_argument("--page", type=Path, default=ROOT / "build" / "lab" / "lab.html")
    asked = parser.parse_args()
    chromium = in_chromium.executable(parser)
    if not asked.page.exists():
        parser.error(f"{asked.page} is missing: `make lab` writes it")
    before = os.getloadavg()[0]
    with sync_playwright() as playwright:
        page = asked.page.resolve()
        rows = [measured(playwright, chromium, page, rate, asked.repeat) for rate in RATES]
    budgeted = rows[:1]
    failed = {row["bottleneck"]: missed(row) for row in budgeted if missed(row)}
    return in_chromium.report(rows, table(rows), failed, asked.json, load_before=before)


if __name__ == "__main__":
    sys.exit(main())
