"""Builds the site: the pages under version control, and the generated reference.

    python docs/tools/website.py    # build/docs/site; needs requirements/docs.txt

build/docs/pages has the pages at the places that they have in the repository, beside the files that
they link to. A page for each algorithm, with a chart, and for each section of the validation
suite is added, and `dumbbell explain NAME` links to the page of that algorithm. Where `make lab`
has written the laboratory, the site has it, and the page of an algorithm has a live experiment.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

import lab
import pages
from dumbbell import catalogue
from dumbbell.files.write import write_bytes, write_text
from dumbbell.validate import report
from pages import ROOT
from parts import catalogue_tables, check_tables, curves, experiments

OUT = ROOT / "build" / "docs"
LAB = ROOT / "build" / "lab"
ALGORITHMS = "docs/reference/algorithms"
CHECKS = "docs/reference/checks"
KINDS = {
    "Tutorial": "docs/tutorial",
    "How-to guides": "docs/how-to",
    "Reference": "docs/reference",
    "Explanation": "docs/explanation",
    "Papers": "docs/papers",
}
"""The folder of each section of the site."""
FIRST = ("README.md", "docs/README.md", "GLOSSARY.md", "docs/gallery/README.md", "CONTRIBUTING.md")
"""The pages of the section before them."""
_SHIM = "https://unpkg.com/iframe-worker/shim"
"""What the generator's plugin for sites without a server loads in each page, for the search."""
_WORKER = "assets/javascripts/file-worker.js"
_FETCHED = re.compile(
    r'<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\ssrc="(https?://[^"]*)"'
    r'|<link\b[^>]*\srel="(?:stylesheet|icon|preload|preconnect)"[^>]*\shref="(https?://[^"]*)"'
)
_STYLE = "docs/tools/site.css"
_EXPLAIN = re.compile(r"(?<!\[)`dumbbell explain (\w+)`")


def generated(live: bool = False) -> dict[str, str]:
    """The text of each page that is not under version control, by its path. live: with experiments,
    for which the site needs the laboratory."""
    up = "../" * (ALGORITHMS.count("/") + 1)
    found = {
        f"{ALGORITHMS}/{a.name}.md": catalogue_tables.algorithm(a, curves.section(a.name))
        + (f"\n{experiments.section(a, up)}" if live else "")
        for a in catalogue.algorithms()
    }
    return found | {f"{CHECKS}/{name}.md": check_tables.section(name) for name in report.SECTIONS}


def stage(where: Path) -> None:
    """Writes the pages, and the files that they link to, into a folder."""
    for page in pages.pages():
        text = page.read_text(encoding="utf-8")
        name = page.relative_to(ROOT)
        write_text(where / name, linked(text, name))
        for target, _ in pages.links(text):
            there = (page.parent / target).resolve()
            if there.is_file() and there.suffix != ".md" and there.is_relative_to(ROOT):
                write_bytes(where / there.relative_to(ROOT), there.read_bytes())
    write_bytes(where / _STYLE, (ROOT / _STYLE).read_bytes())
    laboratory = sorted(LAB.glob("*.html"))
    for page in laboratory:
        write_bytes(where / "lab" / page.name, page.read_bytes())
    if laboratory:
        page = where / "docs" / "how-to" / "lab.md"
        write_text(page, explorables(page.read_text(encoding="utf-8"), "../../lab"))
        page = where / "README.md"
        write_text(page, with_entrance(page.read_text(encoding="utf-8"), "lab"))
    for path, text in generated(live=bool(laboratory)).items():
        write_text(where / path, text)


def with_entrance(text: str, laboratory: str) -> str:
    """The first page with links to the laboratory's pages, which are at `laboratory`, before its
    first list."""
    titles = [(name, lab.short(about["title"])) for name, about in lab.listed()]
    links = [f'<a href="{laboratory}/{name}.html">{title}</a>' for name, title in titles]
    words = (
        f"**Try it in this browser**, without installing anything. {links[0]} simulates any "
        "network that you describe. Ten texts have an experiment that you change: "
        f"{', '.join(links[1:])}."
    )
    before, first, after = text.partition("\n- ")
    return f"{before}\n{words}\n{first}{after}"


def explorables(text: str, lab: str) -> str:
    """The page about the laboratory with links to its pages, which are at `lab`."""

    def link(match: re.Match[str]) -> str:
        return f'<a href="{lab}/{match[1]}.html"><code>{match[1]}</code></a>'

    names = "|".join(page.stem for page in sorted((ROOT / "web" / "lab").glob("*.toml")))
    text = re.sub(rf"(?<=^\| )`({names})`(?= \|)", link, text, flags=re.MULTILINE)
    return re.sub(r"^`(lab)\.html`(?= has a queue)", link, text, flags=re.MULTILINE)


def linked(text: str, page: Path) -> str:
    """The text of a page in which `dumbbell explain NAME` is a link."""
    up = "../" * (len(page.parts) - 1)
    names = {a.name for a in catalogue.algorithms()}

    def link(match: re.Match[str]) -> str:
        known = match[1] in names
        return f"[{match[0]}]({up}{ALGORITHMS}/{match[1]}.md)" if known else match[0]

    return _EXPLAIN.sub(link, text)


def keep_within(site: Path) -> list[str]:
    """Replaces the script that the generator loads from elsewhere by one of the site's own. Returns
    what pages still fetch from elsewhere, with their paths."""
    write_bytes(site / _WORKER, Path(__file__).with_name("file_worker.js").read_bytes())
    left = []
    for page in sorted(site.rglob("*.html")):
        if page.is_relative_to(site / "lab"):
            continue
        text = page.read_text(encoding="utf-8")
        if _SHIM in text:
            up = "../" * (len(page.relative_to(site).parts) - 1)
            text = text.replace(_SHIM, up + _WORKER)
            write_text(page, text)
        left += [
            f"{page.relative_to(site)}: {url}"
            for found in _FETCHED.findall(text)
            for url in found
            if url
        ]
    return left


def navigation() -> list[dict[str, Any]]:
    """The sections of the site with the paths of their pages."""
    known = [str(page.relative_to(ROOT)) for page in pages.pages()]
    sections: list[dict[str, Any]] = [{"Dumbbell": list(FIRST)}]
    for title, folder in KINDS.items():
        sections.append({title: [name for name in known if name.startswith(f"{folder}/")]})
    by_kind = groupby(catalogue.algorithms(), lambda a: a.kind)
    algorithms = [{kind: [f"{ALGORITHMS}/{a.name}.md" for a in of]} for kind, of in by_kind]
    checks = [f"{CHECKS}/{name}.md" for name in report.SECTIONS]
    (reference,) = (section["Reference"] for section in sections if "Reference" in section)
    reference += [{"Algorithms": algorithms}, {"Checks": checks}]
    return sections


def main() -> int:
    """Stages the pages and runs Zensical, for which a broken link is an error."""
    if (OUT / "pages").exists():
        shutil.rmtree(OUT / "pages")
    stage(OUT / "pages")
    config = OUT / "mkdocs.yml"
    settings = {"INHERIT": str(Path(__file__).with_name("site.yml")), "nav": navigation()}
    write_text(config, json.dumps(settings, indent=1) + "\n")
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", str(config)]
    done = subprocess.run(command)
    if done.returncode == 0:
        fetching = keep_within(OUT / "site")
        if fetching:
            print("pages that fetch from elsewhere:", *fetching, sep="\n  ", file=sys.stderr)
            return 1
        print(f"The site is in {(OUT / 'site').relative_to(ROOT)}: open index.html.")
        if not (OUT / "site" / "lab").exists():
            print("It has no live experiments: `make lab` before it, and it has.")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
