"""What `--help` prints: each command has an example that the parser accepts, and an option has the
same words in all commands."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterator

import pytest
from cyclopts import App
from dumbbell.cli import app

DIFFERENT = frozenset(
    [
        "--again",
        "--against",
        "--all",
        "--baseline",
        "--budget",
        "--buffer",
        "--cc",
        "--dev",
        "--ecn",
        "--flow",
        "--flows",
        "--link",
        "--loss",
        "--mtu",
        "--on",
        "--only",
        "--out",
        "--over",
        "--packet",
        "--page",
        "--point",
        "--queue",
        "--quick",
        "--rate",
        "--record-every",
        "--rtt",
        "--scenario",
        "--seed",
        "--seeds",
        "--set",
        "--time",
    ]
)
"""Options whose meaning differs by command, as `--time` of a run and of `why`."""


def _commands(grammar: App, path: tuple[str, ...] = ()) -> Iterator[tuple[str, App]]:
    """Each command that does something, by its name."""
    for name in grammar:
        if not name.startswith("-"):
            own = grammar[name]
            if own.default_command is not None:
                yield " ".join([*path, name]), own
            yield from _commands(own, (*path, name))


COMMANDS = dict(_commands(app()))


def _examples(command: App) -> list[str]:
    return re.findall(r"Example: `dumbbell ([^`]*)`", " ".join(command.help.split()))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_an_example_that_the_parser_accepts(name: str) -> None:
    (example,) = _examples(COMMANDS[name])
    words = shlex.split(example.partition(" | ")[0])
    assert " ".join(words).startswith(name)
    function, _, _ = app().parse_args(words, exit_on_error=False, print_error=False)
    assert function is COMMANDS[name].default_command


def test_an_option_has_the_same_words_everywhere() -> None:
    words: dict[str, dict[str, str]] = defaultdict(dict)
    for name, command in COMMANDS.items():
        for argument in command.assemble_argument_collection():
            if argument.show and argument.name.startswith("--"):
                said = re.sub(r" Default: .*", "", argument.parameter.help or "")
                words[argument.name].setdefault(said, name)
    assert {option for option, said in words.items() if len(said) > 1} == DIFFERENT
    assert words["--json"].keys() == {"Print exactly one JSON document on stdout."}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_introduces_examples_and_repetition_in_one_way(name: str) -> None:
    arguments = COMMANDS[name].assemble_argument_collection()
    texts = [argument.parameter.help or "" for argument in arguments if argument.show]
    assert all(texts), "an option without help"
    for text in texts:
        assert not re.search(r"[Rr]epeatable|, as in \S*=", text), text
        assert not text.startswith("Of "), text
