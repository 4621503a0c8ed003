"""What README.md and docs/ say is what the product does: examples are run, generated parts are made anew."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import dumbbell
import examples
import generate
import pytest
from dumbbell import door

ROOT = examples.ROOT
RUNNABLE = [page for page in examples.PAGES if re.search(r"^```(toml|console|python)$", page.read_text(), re.MULTILINE)]


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.name)
def test_examples_do_what_the_page_shows(page: Path) -> None:
    outcomes = list(examples.run_page(page))
    assert outcomes
    for outcome in outcomes:
        assert outcome.holds, f"{outcome.shown.source}\n(exit code {outcome.code}) printed\n{outcome.printed}"


def test_a_wrong_output_and_a_failing_command_are_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ echo one\none\n$ echo two\n2\n$ false\n```\n\n```python\nprint(3)\n```\n\n```text\n4\n```\n"
    )
    assert [outcome.holds for outcome in examples.run_page(page)] == [True, False, False, False]


@pytest.mark.parametrize(
    ("shown", "printed", "equal"),
    [
        ("in 7 ms · x\n", "in 12.5 ms · x  \n", True),
        ("in 7 ms\n", "in 7 packets\n", False),
        ("a\n…\nz\n", "a\nb\nc\nz\n", True),
        ("a\n…\nz\n", "b\nz\n", False),
        ("1.5\n", "145\n", False),
    ],
)
def test_outputs_are_compared_but_for_wall_times(shown: str, printed: str, equal: bool) -> None:
    assert examples.same(shown, printed) is equal


@pytest.mark.parametrize("page", generate.PAGES, ids=lambda page: page.name)
def test_generated_parts_are_current(page: Path) -> None:
    text = page.read_text()
    assert text == generate.filled(text), f"{page.name} is behind: make docs"


def test_every_table_of_the_language_and_every_algorithm_is_on_its_page() -> None:
    scenario = (ROOT / "docs" / "scenario.md").read_text()
    tables = [name for name, rule in door.schema()["$defs"].items() if rule.get("properties") and name[0].isupper()]
    told = set(re.findall(r"<!-- generated: keys:(\w+) -->", scenario))
    assert set(tables) - told == {"Station"}  # Its one key is told in words.
    algorithms = (ROOT / "docs" / "algorithms.md").read_text()
    for algorithm in dumbbell.catalogue.algorithms():
        assert f"\n### {algorithm.name}\n" in algorithms


def test_every_queue_has_a_row_with_its_provenance_on_the_page_about_queues() -> None:
    rows = re.findall(
        r"^\|[^|]*\| `(\w+)` \| [^|]+ \| ([a-z ]+) \| (\d+) \|$", (ROOT / "docs" / "queues.md").read_text(), re.M
    )
    queues = {a.name: a for a in dumbbell.catalogue.algorithms() if a.kind in ("aqm", "qdisc")}
    assert [name for name, _, _ in rows] == list(dict.fromkeys(name for name, _, _ in rows))
    assert {name: provenance for name, provenance, _ in rows} == {
        name: a.provenance.replace("_", " ") for name, a in queues.items()
    }


def test_every_control_has_a_row_with_its_provenance_on_the_page_about_controls() -> None:
    text = (ROOT / "docs" / "controls.md").read_text()
    rows = re.findall(r"^\|[^|]*\| `(\w+)` \| [^|]+ \| [^|]+ \| ([a-z ]+) \| \d+ \| \d+ \|$", text, re.M)
    controls = {a.name: a for a in dumbbell.catalogue.algorithms() if a.kind == "cc"}
    assert len(rows) == len(controls)
    assert dict(rows) == {name: a.provenance.replace("_", " ") for name, a in controls.items()}


def test_every_meter_and_conditioner_has_a_row_with_its_provenance_on_the_page_about_diffserv() -> None:
    text = (ROOT / "docs" / "diffserv.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (?:2|3|none) \| [^|]+ \| ([a-z ]+) \| \d+ \|$", text, re.M)
    known = [a for a in dumbbell.catalogue.algorithms() if a.kind in ("meter", "conditioner")]
    assert len(rows) == len(known)
    assert dict(rows) == {a.name: a.provenance.replace("_", " ") for a in known}


def test_every_key_of_a_result_and_every_column_is_explained() -> None:
    text = (ROOT / "docs" / "results.md").read_text()
    command = [
        sys.executable,
        "-m",
        "dumbbell",
        "run",
        "scenarios/first.toml",
        "-s",
        "duration=2 s",
        "-s",
        "warmup=0 s",
    ]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, cwd=ROOT, check=True)
    result = json.loads(done.stdout)
    queue = result["queues"][0]
    keys = {*result, *result["flows"][0], *queue, *queue["drops"], *result["conservation"]}
    assert {key for key in keys if f"`{key}`" not in text} == set()


def test_the_first_scenario_of_the_readme_is_the_file() -> None:
    blocks = re.findall(r"<!-- file: (\S+) -->\n```toml\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert [name for name, _ in blocks] == ["scenarios/first.toml"]
    assert all((ROOT / name).read_text() == body for name, body in blocks)


def test_links_lead_somewhere() -> None:
    for page in [
        *examples.PAGES,
        ROOT / "docs" / "gallery" / "README.md",
        ROOT / "ARCHITECTURE.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "SECURITY.md",
    ]:
        text = page.read_text()
        for target in re.findall(r"\]\(([^)#]*)(?:#[^)]*)?\)", text):
            assert not target or target.startswith("http") or (page.parent / target).exists(), f"{page.name}: {target}"
        for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]*)\)", text):
            there = (page.parent / target).read_text() if target else text
            headings = re.findall(r"^#+ (.*)$", there, re.MULTILINE)
            anchors = {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}
            assert anchor in anchors, f"{page.name}: {target}#{anchor}"


def test_the_makefile_has_the_targets_that_pages_name() -> None:
    makefile = (ROOT / "Makefile").read_text()
    pages = [*examples.PAGES, ROOT / "CONTRIBUTING.md", ROOT / "docs" / "gallery" / "README.md"]
    named = {name for page in pages for name in re.findall(r"(?:^|`)make (\w+)", page.read_text(), re.MULTILINE)}
    assert {"run", "test"} <= named
    assert all(f"\n{name}:" in makefile for name in named)
