"""Pages, help and the catalogue follow the house style, and the checks of the style can fail."""

from __future__ import annotations

import messages
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
    assert {"help: dumbbell run", "algorithm: red", "tcp", "schema", "laws"} <= set(TEXTS)
    assert "let in" in TEXTS["algorithm: red"]  # Of the equations.
    assert "does not grow at a loss" in TEXTS["messages: suite"]
    assert "Little's law" in TEXTS["laws"]
    assert {"messages: studies", "messages: explain", "messages: cli"} <= set(TEXTS)
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
        ("An option. Repeatable.", "may be repeated"),
        ("What is finished is kept.", "finished runs"),
        ("A name has something else than letters.", "only"),
        ("Both are worked out at once.", "is computed"),
        ("It denies that it paces.", "name what is missing"),
        ("The sender hears of it.", "is told about"),
        ("Who leaves after it arrives late.", "packets that"),
        ("Those that are not through are lost.", "has passed"),
        ("The RTO after 1 samples.", "singular"),
        ("BBR does so too.", "repeat the verb"),
        ("The coder sends always.", "always sends"),
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
        "At most K - 1 packets wait, and 11 segments are sent.",
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


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('say(f"a {name} was sent" + " for ever")', "a `x` was sent for ever"),
        ("say(f\"{'one coin for each' if n else 0}\")", "one coin for each"),
        (
            '"""The coin of each module."""\nRULE = (\n    "the coin fell "\n    "at once"\n)',
            "the coin fell at once",
        ),
    ],
)
def test_a_message_of_a_module_is_read(source: str, text: str) -> None:
    assert list(messages.literals(source)) == [text]
    assert prose.findings("messages: x", text)


def test_a_sentence_of_the_conformance_suite_is_read() -> None:
    source = """// "The coin of a comment."
    ensure!(a, "the coin {name:?} was \\
        drawn by {}", b);
    #[cfg(test)]
    mod tests { fn f() { g("the coin of a test fell"); } }"""
    assert list(messages.rust(source)) == ["the coin `x` was drawn by `x`"]


def test_code_and_short_messages_are_no_texts() -> None:
    source = 'a = re.compile(r"the (\\w+) of a coin")\nb = "a coin fell"'
    assert list(messages.literals(source)) == []


def test_templates_and_comments_are_read() -> None:
    page = "{% if d %}<p>The {{ d.name }} of <i>each</i>\nlink fell.</p>{% endif %}"
    assert list(messages.template(page)) == ["The `x` of each link fell."]
    assert list(messages.comments("a = 1  # The coin of each link.")) == ["The coin of each link."]
