"""Writes the laboratory and the explorables, one page for each file in web/lab."""

from __future__ import annotations

import argparse
import math
import tomllib
from pathlib import Path
from typing import Any

from dumbbell.view import lab

PAGES = Path(__file__).parents[2] / "web" / "lab"


def short(title: str) -> str:
    """A title up to its colon."""
    return title.split(":")[0]


def listed() -> list[tuple[str, dict[str, Any]]]:
    """Names and files of the pages in the order in which they are read: by `place`, those without
    one last."""
    pages = {
        path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
        for path in sorted(PAGES.glob("*.toml"))
    }
    return sorted(pages.items(), key=lambda page: page[1].get("place", math.inf))


def write(module: Path, out: Path) -> list[Path]:
    """Writes the pages to `out`, which is made; module: the simulator as WebAssembly."""
    code = module.read_bytes()
    out.mkdir(parents=True, exist_ok=True)
    pages = listed()
    others = [(name, short(about["title"])) for name, about in pages]
    written = []
    for i, (name, about) in enumerate(pages):
        around = {"others": others, "here": name, "next": (*others, None)[i + 1]}
        file = out / f"{name}.html"
        file.write_text(lab.page(code, {**about, **around}), encoding="utf-8")
        written.append(file)
    return written


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    for file in write(options.module, options.out):
        print(file)
