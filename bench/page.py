"""How fast pages of `view` open and pan, and how large they are.

Each page is that of a recorded run, `scenarios/first.toml` with a record each millisecond for 60 s
(10^6 points) and for 600 s (10^7), and with one each 10 ms for 60 s. A point is a number of a row.
Chromium opens the file without a screen. The time to open is from the navigation until all panels
on the screen were drawn with two buckets for each pixel, or with all rows; panning moves a window
of a tenth of the run, and one of a second, by a hundredth of its length in every frame.

    python bench/page.py            # about three minutes; needs Chromium
    python bench/page.py --json --repeat 5
"""

from __future__ import annotations

import json
import os
import re
import statistics
import sys
import tempfile
import tomllib
from pathlib import Path

import dumbbell
import in_chromium
from dumbbell.view import page
from dumbbell.view.results import Which
from in_chromium import JSON
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
RUNS = {"10 ms": ("60 s", "10 ms"), "10^6": ("60 s", "1 ms"), "10^7": ("600 s", "1 ms")}
"""Duration and period of the record."""
BUDGETS = {"10^6": {"open_s": 1.0, "fps": 30.0}, "10^7": {"open_s": 3.0}}
MOST_BYTES_PER_POINT = 3.0
MOST_BYTES = {"10 ms": 1_000_000}
_PAN_S = 4
_VIEWPORT = {"width": 1280, "height": 900}
_PAN = """
([seconds]) => new Promise((resolve) => {
  const plot = document.querySelector("[data-panel=queue] .plot");
  const gaps = [];
  let [before, sign, turned] = [performance.now(), 1, 0];
  const end = before + seconds * 1000;
  const box = plot.getBoundingClientRect();
  const place = { clientX: box.left + box.width / 2, clientY: box.top + 20, bubbles: true };
  const frame = (now) => {
    gaps.push(now - before);
    before = now;
    if (now > end) return resolve(gaps.slice(1));
    if (++turned % 200 === 0) sign = -sign;
    plot.dispatchEvent(new WheelEvent("wheel", { ...place, deltaX: sign * box.width / 100 }));
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})
"""
"""Pans and answers the times between frames, in milliseconds."""


def made(home: Path, name: str) -> JSON:
    """Writes the page of a run: its file and its sizes."""
    duration, every = RUNS[name]
    scenario = tomllib.loads((ROOT / "scenarios" / "first.toml").read_text(encoding="utf-8"))
    packets = every == "10 ms"
    record = {"every": every, "drops": True, "packets": packets}
    result = home / re.sub(r"\W", "", name)
    file = result.with_suffix(".html")
    if not file.exists():
        dumbbell.Scenario(scenario | {"duration": duration, "record": record}).run(out=result)
        page.write([str(result)], file, Which())
    text = file.read_text(encoding="utf-8")
    found = re.search(r'id="dumbbell-view">(.*?)</script>', text)
    tables = json.loads(found[1])["tables"].values() if found else ()
    points = sum(table["rows"] * len(table["columns"]) for table in tables)
    blobs = sum(len(blob) for blob in re.findall(r'id="blob-\d+">([^<]*)<', text))
    return {"file": file, "points": points, "bytes": file.stat().st_size, "blobs": blobs}


def opened(browser: Browser, file: Path, duration_s: float) -> JSON:
    """Opens a page once, and pans it."""
    shown = browser.new_page(viewport=_VIEWPORT)
    shown.goto(file.as_uri())
    shown.wait_for_selector("[data-busy=false]", state="attached", timeout=120_000)
    whole_s = shown.evaluate("performance.now()") / 1e3
    open_s = shown.evaluate("performance.getEntriesByName('drawn')[0].startTime") / 1e3
    gaps = {}
    for name, span in (("tenth", duration_s / 10), ("second", 1.0)):
        start = duration_s / 3
        shown.evaluate(f"location.hash = '#t={start}-{start + span}'")
        shown.wait_for_timeout(500)
        gaps[name] = shown.evaluate(_PAN, [_PAN_S])
    shown.close()
    rates = {name: 1e3 / statistics.mean(each) for name, each in gaps.items()}
    slow = {name: statistics.quantiles(each, n=20)[-1] for name, each in gaps.items()}
    return {"open_s": open_s, "whole_s": whole_s, "fps": rates, "slow_ms": slow}


def measured(browser: Browser, name: str, sizes: JSON, repeat: int) -> JSON:
    """Medians of a page."""
    duration_s = float(RUNS[name][0].split()[0])
    runs = [opened(browser, sizes["file"], duration_s) for _ in range(repeat)]
    row = {
        "page": name,
        "points": sizes["points"],
        "bytes": sizes["bytes"],
        "bytes_per_point": sizes["blobs"] / sizes["points"],
        "open_s": statistics.median(run["open_s"] for run in runs),
        "whole_s": statistics.median(run["whole_s"] for run in runs),
    }
    for window in ("tenth", "second"):
        row[f"fps_{window}"] = statistics.median(run["fps"][window] for run in runs)
        row[f"slow_{window}_ms"] = statistics.median(run["slow_ms"][window] for run in runs)
    return row


def missed(row: JSON) -> list[str]:
    """The budgets that a page does not keep."""
    found = []
    budget = BUDGETS.get(row["page"], {})
    if row["open_s"] > budget.get("open_s", float("inf")):
        found.append(f"opens in {row['open_s']:.2f} s")
    rate = min(row["fps_tenth"], row["fps_second"])
    if rate < budget.get("fps", 0.0):
        found.append(f"pans at {rate:.0f} frames/s")
    if row["bytes_per_point"] > MOST_BYTES_PER_POINT:
        found.append(f"{row['bytes_per_point']:.2f} bytes per point")
    if row["bytes"] > MOST_BYTES.get(row["page"], float("inf")):
        found.append(f"{row['bytes']} bytes")
    return found


def table(rows: list[JSON]) -> str:
    """The rows as Markdown."""
    head = [
        "page", "points", "bytes", "bytes/point", "opens [s]", "whole [s]", "frames/s, a tenth",
        "frames/s, a second",
    ]  # fmt: skip
    cells = [
        [
            row["page"], row["points"], row["bytes"], f"{row['bytes_per_point']:.2f}",
            f"{row['open_s']:.2f}", f"{row['whole_s']:.2f}", f"{row['fps_tenth']:.0f}",
            f"{row['fps_second']:.0f}",
        ]
        for row in rows
    ]  # fmt: skip
    return in_chromium.table(head, cells)


def main() -> int:
    """Measures and prints; 3 if a budget is missed."""
    parser = in_chromium.parser(__doc__, 3, "openings of each page")
    parser.add_argument("--keep", type=Path, help="where runs and pages stay")
    asked = parser.parse_args()
    chromium = in_chromium.executable(parser)
    rows = []
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        home = asked.keep or Path(scratch)
        browser = playwright.chromium.launch(executable_path=chromium, args=in_chromium.ARGUMENTS)
        for name in RUNS:
            rows.append(measured(browser, name, made(home, name), asked.repeat))
        version = browser.version
        browser.close()
    failed = {row["page"]: missed(row) for row in rows if missed(row)}
    return in_chromium.report(
        rows, table(rows), failed, asked.json, chromium=version, load_before=before
    )


if __name__ == "__main__":
    sys.exit(main())
