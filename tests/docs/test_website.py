"""The pages of the site: each algorithm and each check has one, an algorithm's has a chart, and
their links lead somewhere."""

from __future__ import annotations

import os
import re
from pathlib import Path
from xml.etree import ElementTree

import claims
import dumbbell
import pages
import pytest
import website
from dumbbell import api
from dumbbell.aqm_response import known
from dumbbell.validate import report
from parts import curves, experiments, svg_chart

_SVG = re.compile(r"<svg .*?</svg>", re.DOTALL)


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    return website.generated()


def test_every_algorithm_has_a_page_with_its_parameters(generated: dict[str, str]) -> None:
    for a in dumbbell.catalogue.algorithms():
        text = generated[f"{website.ALGORITHMS}/{a.name}.md"]
        assert text.startswith(f"# {a.name}\n\n**{a.title}.**")
        assert all(f"\n| `{parameter.name}` | " in text for parameter in a.parameters)


def test_every_algorithm_that_runs_has_a_chart() -> None:
    for a in dumbbell.catalogue.algorithms():
        text = curves.section(a.name)
        assert bool(text) is experiments.possible(a), a.name
        if text:
            found = [ElementTree.fromstring(svg) for svg in _SVG.findall(text)]
            assert found, a.name
            assert "\n\n" not in "".join(_SVG.findall(text))
            for root in found:
                assert root.findtext("title")
                assert any(path.get("stroke") in svg_chart.COLORS for path in root.iter("path"))
            assert ("`dumbbell plot curve" in text) is (a.name in known())


def test_every_experiment_uses_its_algorithm() -> None:
    for a in dumbbell.catalogue.algorithms():
        if not experiments.possible(a):
            assert "<iframe" not in experiments.section(a, "")
            continue
        text = experiments.scenario(a)
        assert f'"{a.name}"' in text
        api.call("plan", {"source": {"text": text, "name": "lab.toml"}})


def test_every_experiment_delivers() -> None:
    """Each flow of each experiment, but two kinds that send little or nothing by their nature."""
    little = {"request_response", "voip", "on_off", "fixed", "duplex_mismatch"}
    for a in dumbbell.catalogue.algorithms():
        if experiments.possible(a) and a.name not in little:
            source = {"text": experiments.scenario(a), "name": "lab.toml"}
            run = api.run(api.request(source, ["duration=15 s"]))
            assert run["valid"], a.name
            assert min(flow["goodput_bps"] for flow in run["flows"]) > 50e3, a.name


def test_pages_have_experiments_only_where_the_site_has_the_laboratory(
    generated: dict[str, str],
) -> None:
    path = f"{website.ALGORITHMS}/codel.md"
    assert "<iframe" not in generated[path]
    assert 'data-src="../../../lab/lab.html#queue=codel"' in website.generated(live=True)[path]


def test_the_page_about_the_laboratory_links_to_every_page_of_it() -> None:
    text = (pages.ROOT / "docs" / "how-to" / "lab.md").read_text(encoding="utf-8")
    found = re.findall(r'<a href="L/([\w-]+)\.html">', website.explorables(text, "L"))
    assert sorted(found) == sorted(page.stem for page in (pages.ROOT / "web/lab").glob("*.toml"))


def test_the_first_page_leads_to_every_page_of_the_laboratory() -> None:
    text = (pages.ROOT / "README.md").read_text(encoding="utf-8")
    found = website.with_entrance(text, "L")
    links = re.findall(r'<a href="L/([\w-]+)\.html">', found)
    assert links[0] == "lab"
    assert sorted(links) == sorted(page.stem for page in (pages.ROOT / "web/lab").glob("*.toml"))
    assert (
        found.replace("".join(re.findall(r"\*\*Try it in this browser.*\n\n?", found)), "") == text
    )


def test_pages_fetch_nothing_from_elsewhere(tmp_path: Path) -> None:
    page = tmp_path / "a" / "b.html"
    page.parent.mkdir()
    shim = '<script src="https://unpkg.com/iframe-worker/shim" type="text/javascript"></script>'
    link = '<a href="https://example.org">a link</a><link rel="canonical" href="https://x.org">'
    page.write_text(shim + link, encoding="utf-8")
    assert website.keep_within(tmp_path) == []
    (script,) = re.findall(r'src="(.*?)"', page.read_text(encoding="utf-8"))
    assert (page.parent / script).resolve().is_file()
    for fetched in (
        '<img alt="" src="https://x.org/1">',
        '<link rel="icon" href="https://x.org/1">',
    ):
        page.write_text(fetched, encoding="utf-8")
        assert website.keep_within(tmp_path) == ["a/b.html: https://x.org/1"]


def test_every_check_is_on_the_page_of_its_section(generated: dict[str, str]) -> None:
    text = "".join(generated[f"{website.CHECKS}/{name}.md"] for name in report.SECTIONS)
    assert all(f"\n| `{check.id}` | " in text for check in report.checks())


def test_links_of_generated_pages_lead_somewhere(generated: dict[str, str]) -> None:
    """tests/docs/test_docs_claims.py has the links of the other pages."""
    for path, text in generated.items():
        for target, anchor in pages.links(text):
            there = Path(os.path.normpath(pages.ROOT / path / ".." / target))
            assert there.is_file(), f"{path}: {target}"
            assert not anchor or anchor in claims.anchors(there), f"{path}: {target}#{anchor}"


def test_explaining_an_algorithm_links_to_its_page() -> None:
    text = "`dumbbell explain red`, `dumbbell explain NAME`"
    link = "[`dumbbell explain red`](../../docs/reference/algorithms/red.md)"
    assert website.linked(text, Path("docs/how-to/a.md")) == f"{link}, `dumbbell explain NAME`"


def test_the_navigation_has_at_most_six_sections_and_every_page_of_the_docs_once() -> None:
    sections = website.navigation()
    assert len(sections) <= 6
    listed = re.findall(r"[\w/.-]+\.md", str(sections))
    assert len(listed) == len(set(listed))
    kept = {str(page.relative_to(pages.ROOT)) for page in pages.pages()}
    assert set(listed) >= {name for name in kept if name.startswith("docs/")}
    assert set(listed) <= kept | set(website.generated())
