"""Pages, help and the catalogue follow the house style, and the checks of the style can fail."""

from __future__ import annotations

import prose
import pytest

TEXTS = prose.texts()
WORDS = " ".join(["word"] * 50)


@pytest.mark.parametrize("name", sorted(set(TEXTS) - set(prose.pending())))
def test_a_text_follows_the_style(name: str) -> None:
    assert prose.findings(name, TEXTS[name]) == []


@pytest.mark.parametrize("name", prose.pending())
def test_a_pending_text_exists_and_still_fails(name: str) -> None:
    assert name in TEXTS, f"{name} is gone: python docs/tools/prose.py --shrink"
    assert prose.findings(name, TEXTS[name]), f"{name} passes: python docs/tools/prose.py --shrink"


def test_pages_help_and_catalogue_are_checked() -> None:
    assert {"README.md", "docs/README.md", "docs/tutorial/first-hour.md"} <= set(TEXTS)
    assert {"help: dumbbell run", "algorithm: red", "tcp", "schema"} <= set(TEXTS)
    assert "README.md" not in prose.pending()
    assert not [name for name in TEXTS if name.endswith("rules.md") and name.startswith("papers/")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("The kernel has not the field.", "lacks"),
        ("A machine of one's\nown is best.", "your own"),
        ("This is no queue.", "is not a"),
        ("There is no kernel that does it.", "no ... does"),
        ("The way back is slow.", "reverse path"),
        ("Mend the algorithm.", "fix"),
        ("It says what it is worth.", "reliable"),
        ("The coin fell.", "random draw"),
        ("| a | b |\n|---|---|\n| c | utilisation |", "-ize"),
        ("# Behaviour\n", "-or"),
        (f"- {WORDS}.", "a sentence of 50 words"),
        (f"{WORDS}.\n{WORDS}.\n{WORDS}.\n", "a paragraph of 150 words"),
    ],
)
def test_a_bad_text_is_found(text: str, says: str) -> None:
    found = [finding.message for finding in prose.findings("page.md", text)]
    assert any(says in message for message in found), found


@pytest.mark.parametrize(
    "text",
    [
        "There is no page. It is no longer there. The packet has not been sent.",
        "Write `colour = 1`, as M. Oh, S. Min and J. Lee do.\n\n```text\nThe coin fell.\n```\n",
        "<!-- generated: x -->\nThe coin fell.\n<!-- end -->\n",
    ],
)
def test_good_text_code_and_generated_parts_pass(text: str) -> None:
    assert prose.findings("page.md", text) == []


def test_a_finding_has_its_line() -> None:
    text = "# A\n\n<!-- generated: x -->\na\n\nb\n<!-- end -->\n\nThe coin fell.\n"
    assert [finding.line for finding in prose.findings("page.md", text)] == [9]


def test_the_readme_has_shorter_sentences() -> None:
    text = f"{' '.join(['word'] * 35)}.\n"
    assert prose.findings("README.md", text)
    assert not prose.findings("docs/README.md", text)
