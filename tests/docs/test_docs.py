"""The examples of every page run and print what the page shows; generated parts are current."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import dumbbell
import examples
import generate
import pages
import pytest
from dumbbell import api, cli, errors
from helpers import catalogue_checks

ROOT = pages.ROOT
RUNNABLE = [page for page in pages.pages() if examples.runnable(page)]


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.name)
def test_examples_do_what_the_page_shows(page: Path) -> None:
    outcomes = list(examples.run_page(page))
    assert outcomes
    for outcome in outcomes:
        assert outcome.holds, (
            f"{outcome.shown.source}\n(exit code {outcome.code}) printed\n{outcome.printed}"
        )


def test_a_wrong_output_and_a_failing_command_are_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ echo one\none\n$ echo two\n2\n$ "
        "false\n```\n\n```python\nprint(3)\n```\n\n```text\n4\n```\n"
    )
    assert [outcome.holds for outcome in examples.run_page(page)] == [True, False, False, False]


def test_marked_blocks_are_not_run_and_a_part_may_extend_a_file_of_the_repository(
    tmp_path: Path,
) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- not run: it needs a cluster -->\n```console\n$ false\n```\n\n"
        '<!-- over: scenarios/first.toml -->\n```toml\n[testbed]\nclass = "loose"\n```\n'
    )
    (outcome,) = examples.run_page(page)
    assert outcome.holds, outcome.printed


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
    text = page.read_text(encoding="utf-8")
    assert text == generate.filled(text), f"{page.name} is behind: make docs"


def test_every_table_of_the_language_is_on_its_page() -> None:
    names = ("scenario", "networks", "flows")
    text = "".join((ROOT / "docs" / "reference" / f"{name}.md").read_text() for name in names)
    tables = [
        name
        for name, rule in api.schema()["$defs"].items()
        if rule.get("properties") and name[0].isupper() and "." not in name
    ]
    told = set(re.findall(r"<!-- generated: keys:(\w+) -->", text))
    assert set(tables) - told == {"Station"}  # Its one key is told in words.


def test_every_queue_and_control_has_its_rows() -> None:
    """The tables are generated: see also `test_generated_parts_are_current`."""
    catalogue_checks.check_rows(list(dumbbell.catalogue.algorithms()))
    for page, tables in {
        "queues": ("queues",),
        "queue-units": ("sizes",),
        "controls": ("controls",),
    }.items():
        text = (ROOT / "docs" / "reference" / f"{page}.md").read_text(encoding="utf-8")
        assert all(f"<!-- generated: catalogue:{name} -->" in text for name in tables)


def test_every_meter_and_conditioner_has_a_row_with_its_provenance_on_the_page_about_diffserv() -> (
    None
):
    text = (ROOT / "docs" / "reference" / "diffserv.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (?:2|3|none) \| [^|]+ \| ([a-z ]+) \| \d+ \|$", text, re.M)
    known = [a for a in dumbbell.catalogue.algorithms() if a.kind in ("meter", "conditioner")]
    assert len(rows) == len(known)
    assert dict(rows) == {a.name: a.provenance.replace("_", " ") for a in known}


def test_every_key_of_a_result_and_every_column_is_explained() -> None:
    names = ("results", "queue-measures")
    text = "".join((ROOT / "docs" / "reference" / f"{name}.md").read_text() for name in names)
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
    done = subprocess.run(
        [*command, "--json"], capture_output=True, text=True, cwd=ROOT, check=True
    )
    result = json.loads(done.stdout)
    queue = result["queues"][0]
    keys = {*result, *result["flows"][0], *queue, *queue["drops"], *result["conservation"]}
    assert {key for key in keys if f"`{key}`" not in text} == set()


def test_a_copy_of_a_file_is_written_anew() -> None:
    page = "<!-- file: scenarios/first.toml -->\n```toml\nold = 1\n```\n"
    scenario = (ROOT / "scenarios" / "first.toml").read_text(encoding="utf-8")
    assert generate.filled(page) == page.replace("old = 1\n", scenario)
    assert "<!-- file: scenarios/first.toml -->" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_exit_codes_have_one_table_with_those_of_the_command() -> None:
    texts = {page: page.read_text() for page in pages.pages()}
    (table,) = (
        text
        for text in texts.values()
        if re.search(r"^\| (?:exit )?code \| meaning \|$", text, re.MULTILINE)
    )
    assert table == texts[ROOT / "docs" / "reference" / "scenario.md"]
    rows = re.findall(
        r"^\| (\d+) \| ", table[table.index("| exit code | meaning |") :], re.MULTILINE
    )
    said = cli.first_page()
    assert rows == re.findall(r"\b(\d+) ", said[said.index("Exit codes:") :])
    assert {int(code) for code in rows} >= {kind.code for kind in door_errors()}


def door_errors() -> list[type[errors.DumbbellError]]:
    """Every exception of the package."""
    kinds = [errors.DumbbellError, *errors.DumbbellError.__subclasses__()]
    return [kind for kind in kinds if kind.__module__ == errors.__name__]


def test_readme_counts_what_the_catalogue_has() -> None:
    text = (ROOT / "README.md").read_text()
    counts = Counter(algorithm.kind for algorithm in dumbbell.catalogue.algorithms())
    for number, what in ((counts["cc"], "congestion"), (counts["aqm"] + counts["qdisc"], "queues")):
        assert re.search(rf"\b{number}\s+{what}", text), f"{number} {what}"
