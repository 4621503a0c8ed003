"""Writes the laboratory and the explorables, one page for each file in web/lab."""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

from dumbbell.view import lab

PAGES = Path(__file__).parents[2] / "web" / "lab"


def _short(title: str) -> str:
    """A title up to its colon."""
    return title.split(":")[0]


def write(module: Path, out: Path) -> list[Path]:
    """Writes the pages to `out`, which is made; module: the simulator as WebAssembly."""
    code = module.read_bytes()
    pages = {
        path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
        for path in sorted(PAGES.glob("*.toml"))
    }
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for name, about in pages.items():
        others = [(other, _short(pages[other]["title"])) for other in pages if other != name]
        file = out / f"{name}.html"
        file.write_text(lab.page(code, {**about, "others": others}), encoding="utf-8")
        written.append(file)
    return written


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    for file in write(options.module, options.out):
        print(file)
