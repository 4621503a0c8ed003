"""The script that lets the site's search work in pages from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = """<!DOCTYPE html><body><script src="file-worker.js"></script><script>
const worker = new Worker("doubles.js");
const list = [1, 2, 3];
worker.onmessage = ({ data }) => {
  document.body.dataset.got = JSON.stringify([data, list, typeof window.mine]);
};
worker.postMessage({ list });
</script></body>"""
WORKER = """var mine = 1;
self.onmessage = ({ data }) => {
  data.list.forEach((n, i) => { data.list[i] = 2 * n; });
  self.postMessage({ doubled: data.list });
};"""


def test_a_page_from_a_file_has_a_worker_with_values_of_its_own(
    browser: Any, tmp_path: Path
) -> None:
    script = (ROOT / "docs/tools/file_worker.js").read_text(encoding="utf-8")
    files = {"page.html": PAGE, "doubles.js": WORKER, "file-worker.js": script}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    shown = browser.new_page()
    try:
        shown.goto((tmp_path / "page.html").as_uri())
        shown.wait_for_selector("body[data-got]", state="attached")
        got = shown.get_attribute("body", "data-got")
        assert got == '[{"doubled":[2,4,6]},[1,2,3],"undefined"]'
    finally:
        shown.close()
