"""Every block of every page is executed, parsed or marked; what code spans and links name
exists."""

from __future__ import annotations

from pathlib import Path

import claims
import commands
import pages
import pytest

HERE = (*pages.pages(), *pages.notebooks())


@pytest.mark.parametrize("page", HERE, ids=lambda page: str(page.relative_to(pages.ROOT)))
def test_what_a_page_names_exists(page: Path) -> None:
    assert claims.mistakes(page) == []


def test_readme_contributing_papers_hardware_and_notebooks_are_among_the_pages() -> None:
    names = {str(page.relative_to(pages.ROOT)) for page in HERE}
    assert {
        "README.md",
        "CONTRIBUTING.md",
        "docs/how-to/python.md",
        "docs/gallery/README.md",
        "rtl/red/SPEC.md",
    } <= names
    assert {"papers/ea-red/rules.md", "notebooks/1-first-steps.ipynb"} <= names


def wrong(tmp_path: Path, text: str) -> str:
    page = tmp_path / "page.md"
    page.write_text(text)
    return "\n".join(claims.mistakes(page))


@pytest.mark.parametrize(
    ("span", "says"),
    [
        ("dumbbell.Scenario.load(FILE)", "has no dumbbell.Scenario.load"),
        ("dumbbell.nothing.here", "has no dumbbell.nothing"),
        ("Result.lode", "has no Result.lode"),
        ("result.jason", "has no result.jason"),
        ("dumbbell.Scenario.run(recrd=True)", "takes no recrd"),
        ("dumbbell sweeep FILE", "no command sweeep"),
        ("dumbbell run FILE --recrd", "run has no option --recrd"),
        ("--recrd-every T", "no command has the option --recrd-every"),
        ("make nothing", "no target nothing"),
        ("make parts ARG=x", "no variable ARG"),
        ("cargo test -p dumbbell-nothing", "no crate dumbbell-nothing"),
        ("python papers/nothing.py", "no file papers/nothing.py"),
        ("crates/dumbbell-core/src/nothing.rs", "no such file"),
        ("nothing_at_all.py", "no such file"),
        ("World::launch_everything", "has no launch_everything"),
        ("record_everythingg", "has no record_everythingg"),
    ],
)
def test_a_wrong_span_is_found(tmp_path: Path, span: str, says: str) -> None:
    assert says in wrong(tmp_path, f"See `{span}`.\n")


@pytest.mark.parametrize(
    "span",
    [
        'dumbbell.Scenario.from_file(FILE).run(on="kernel")',
        "result.json",
        "Scenario.run",
        "dumbbell run FILE --record-every T",
        "--record-every",
        "make guard UPDATE=1",
        "crates/dumbbell-algos/src/aqm/red.rs",
        "aqm/red.rs",
        "World::with",
        "fuzz/corpus/NAME/",
        "record_every",
    ],
)
def test_a_right_span_is_passed_over(tmp_path: Path, span: str) -> None:
    assert wrong(tmp_path, f"See `{span}`.\n") == ""


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ("sh\ndumbbell run scenarios/first.toml --recrd\n", "Unknown option"),
        ("sh\ndumbbell run nothing.toml\n", "no file nothing.toml"),
        ("sh\ndumbbell reproduce nothing\n", "no paper nothing"),
        ("sh\ndumbbell reproduce ea-red --cell nothing\n", "no cell nothing"),
        ("sh\ndumbbell run scenarios/first.toml --seed one\n", "one"),
        ("sh\nfrobnicate\n", "not a known program"),
        ("sh\ncargo run --example nothing\n", "no example nothing"),
        ("text\n$ dumbbell list\n", "block of text"),
        ('toml\nduration = "1 s"\n', "to extend"),
        ("perl\nprint 1\n", "nothing executes"),
    ],
)
def test_a_block_that_is_wrong_or_unchecked_is_found(tmp_path: Path, block: str, says: str) -> None:
    assert says in wrong(tmp_path, f"```{block}```\n")


def test_a_mark_excuses_from_running_and_not_from_parsing(tmp_path: Path) -> None:
    marked = (
        "<!-- not run: it needs a cluster -->\n```console\n$ dumbbell run "
        "scenarios/first.toml{}\n```\n"
    )
    assert wrong(tmp_path, marked.format("")) == ""
    assert "Unknown option" in wrong(tmp_path, marked.format(" --recrd"))


def test_files_that_a_page_writes_or_the_reader_brings_are_known(tmp_path: Path) -> None:
    line = "```sh\ndumbbell run {}\n```\n"
    assert (
        wrong(
            tmp_path,
            '<!-- file: mine.toml -->\n```toml\nduration = "1 s"\n```\n\n'
            + line.format("mine.toml"),
        )
        == ""
    )
    assert wrong(tmp_path, "<!-- given: mine.toml -->\n" + line.format("mine.toml")) == ""


def test_links_and_anchors_lead_somewhere(tmp_path: Path) -> None:
    assert "no nothing.md" in wrong(tmp_path, "[a](nothing.md)\n")
    assert "no heading #b" in wrong(tmp_path, "# A\n\n[a](#b) [a](#a)\n")


def test_a_line_is_split_as_a_shell_does() -> None:
    line = "A=b dumbbell run 'a b' 2> err | head -1 && make test   # a comment"
    assert list(commands.commands(line)) == [
        ["dumbbell", "run", "a b"],
        ["head", "-1"],
        ["make", "test"],
    ]
