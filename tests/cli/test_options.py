"""Every option of every command under hostile values: exit code 2 and a sentence, or what the
option takes.

The commands and their options are those that the parser knows, so that a new one is tried, too.
Whatever would take long is cut short before it begins.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from cyclopts import App
from dumbbell.cli import app, main
from dumbbell.errors import DumbbellError
from dumbbell.process import extension
from dumbbell.validate import report

NUMBERS = ["-1", "9" * 30, "1e400", "nan", "-inf", ""]
"""What no option that is a number takes."""
TEXTS = ["-5Mbps", "9" * 30, "nan", "", "ünï 漢字 🙂\x1b[31m\x07", "x" * 3000]

INTERNAL = re.compile(
    r"Traceback|<request>|unknown variant|unknown field|missing field|invalid type|invalid "
    r"value|expected one of"
    r"|serde|\bu(8|16|32|64|size)\b|int \| None|unable to convert|could not convert|Exceeds the "
    r"limit|Error:"
    r"|object has no attribute|NoneType|cannot convert|Unused Tokens|requires an argument"
)
"""Words of libraries and of the machinery that no message has."""

WHOLE_ALONE = 2500
"""Characters of a message: a value of 3000 is not repeated whole."""

BENIGN = {
    ("store", "ACTION"): "check",
    ("export", "FORMAT"): "csv",
    ("explain", "NAME"): "red",
    ("import-tc", "LINE"): "pfifo limit 100",
    ("reproduce", "PAPER"): "red-on-netfpga",
    ("advise", "--rate"): "10Mbps",
    ("advise", "--rtt"): "20ms",
    ("advise", "--flows"): "4",
    ("advise", "--loss"): "1e-6",
}
"""What required values are where another one is tried; a path that is not there, if nothing is said
here."""


def commands(grammar: App, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each command with the arguments that it takes."""
    for name in (name for name in grammar if not name.startswith("-")):
        command = grammar[name]
        if command.default_command is not None:
            yield (*words, name), command.assemble_argument_collection()
        yield from commands(command, (*words, name))


def tried() -> Iterator[Any]:
    """Each option of each command, with the values to try: all where it comes first, one where
    commands share it."""
    seen = set()
    for words, arguments in commands(app()):
        for argument in arguments:
            if argument.parse and argument.name != "*":
                values = (
                    NUMBERS
                    if is_number(argument)
                    else ["x"]
                    if bool in kinds(argument.hint)
                    else TEXTS
                )
                shared = (argument.name, argument.parameter.help) in seen
                seen.add((argument.name, argument.parameter.help))
                named = " ".join([*words, argument.name])
                yield pytest.param(
                    words, arguments, argument, values[:1] if shared else values, id=named
                )


def kinds(hint: Any) -> set[Any]:
    """The types of a value: of an option that may be given several times, those of each."""
    return (
        {hint}
        if not get_args(hint)
        else {inner for each in get_args(hint) for inner in kinds(each)}
    )


def is_number(argument: Any) -> bool:
    return bool(kinds(argument.hint) & {int, float})


class Cut(DumbbellError):
    """What stands for the work that would follow."""

    code = 77


@pytest.fixture(autouse=True)
def nothing_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def cut(*_: Any, **__: Any) -> Any:
        raise Cut("it would run")

    checks_only = {
        "plan",
        "store",
        "catalogue",
        "schema",
        "result_schema",
        "import_tc",
        "export_tc",
        "export",
        "read_capture",
        "host_cost",
        "nearest",
    }
    ask = extension.ask
    monkeypatch.setattr(
        extension, "ask", lambda verb, *args: ask(verb, *args) if verb in checks_only else cut()
    )
    monkeypatch.setattr(report, "validate", cut)
    monkeypatch.setattr(subprocess, "Popen", cut)
    monkeypatch.setattr(os, "execvp", cut)
    monkeypatch.setenv("DUMBBELL_STORE", str(tmp_path / "no store"))
    monkeypatch.chdir(tmp_path)


def answer(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main(words)
    told = capsys.readouterr()
    return int(ended.value.code or 0), told.err


def line(words: tuple[str, ...], arguments: Any, argument: Any, value: str) -> list[str]:
    """The command with benign words where it needs them, and the value."""
    required = [each for each in arguments if each.required and each is not argument]
    benign = {
        each.name: BENIGN.get((words[0], each.name), f"no-such-{each.name.strip('-').lower()}")
        for each in required
    }
    at_place = [each for each in arguments if not each.name.startswith("-")]
    placed = [value if each is argument else benign.get(each.name) for each in at_place]
    named = [
        word
        for each in required
        if each.name.startswith("-")
        for word in (each.name, benign[each.name])
    ]
    own = (
        []
        if argument in at_place
        else [f"{argument.name}={value}" if value.startswith("-") else argument.name]
    )
    own += [value] if own and not value.startswith("-") else []
    return [*words, *(word for word in placed if word is not None), *named, *own]


@pytest.mark.parametrize(("words", "arguments", "argument", "values"), list(tried()))
def test_hostile_values_end_with_a_sentence(
    words: tuple[str, ...],
    arguments: Any,
    argument: Any,
    values: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    for value in values:
        given = line(words, arguments, argument, value)
        code, said = answer(given, capsys)
        shown = f"{[word[:60] for word in given]}: {code}\n{said}"
        assert code in (0, 1, 2, 3, 4, Cut.code), shown
        assert code == 0 or said.strip(), shown
        assert not INTERNAL.search(said), shown
        assert len(said) < WHOLE_ALONE, shown
        assert "\x1b" not in said, shown
        if is_number(argument):
            assert code == 2, shown
            assert argument.name in said, shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["advise", "queue", "--rate", "-5Mbps", "--rtt", "10ms", "--flows", "3"],
            "a rate must be positive",
        ),
        (
            ["advise", "queue", "--rate", "5Mbps", "--rtt", "-10ms", "--flows", "3"],
            "a time must be positive",
        ),
        (
            ["why", "nowhere", "--time", "3s", "--within", "-3s"],
            "--within -3s: a time is not negative",
        ),
        (
            ["why", "nowhere", "--flow", "far", "--packet", "-3"],
            "--packet -3: write a whole number from 0 up",
        ),
        (
            ["why", "nowhere", "--packet", "99999999999999999999999"],
            "write a whole number from 0 to 9223372036854775807",
        ),
        (["run", "nowhere.toml", "--seed", "-1"], "--seed -1: write a whole number from 0 up"),
        (["run", "nowhere.toml", "--seed", "x"], "--seed x: this is not a whole number"),
        (["run", "nowhere.toml", "--seed"], "--seed needs a value"),
        (["run"], "FILE is missing"),
        (["run", "a", "b"], "`b` is an extra word"),
        (
            ["run", "a", "--replicatoins", "3"],
            "there is no option --replicatoins: did you mean --replications?",
        ),
        (["run", "a", "--silent"], "there is no option --silent\n"),
        (["run", "a", "--on", "mars"], "--on mars: write sim or kernel"),
        (
            ["table", "rtt-fairness", "--ratio", "nan"],
            "--ratio nan: write a finite number from 0 up",
        ),
        (["swep"], "there is no command `swep`: did you mean `sweep`?"),
        (["plann"], "there is no command `plann`: did you mean `explain`? Or write one of demo, "),
        (["nope"], "there is no command `nope`: write one of demo, run, "),
        (["explain", "tahini"], "there is no algorithm or key named `tahini`"),
        (["reproduce", "nopaper"], "there is no paper `nopaper`: known papers: ea-red, "),
    ],
)
def test_what_is_said(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = answer(words, capsys)
    assert code == 2
    assert said in text


def test_values_that_look_like_options_are_left_to_programs_and_after_two_hyphens() -> None:
    from dumbbell.cli.usage_errors import with_values

    assert with_values(["why", "r", "--within", "-3s"]) == ["why", "r", "--within=-3s"]
    assert with_values(["why", "r", "--json", "-x"]) == ["why", "r", "--json", "-x"]
    program = ["ping", "--count", "-3"]
    assert with_values(["shell", "--rate", "-5Mbps", *program]) == [
        "shell",
        "--rate=-5Mbps",
        *program,
    ]
    assert with_values(["shell", "--", "ping", "--count", "-3"]) == [
        "shell",
        "--",
        "ping",
        "--count",
        "-3",
    ]


@pytest.mark.parametrize("words", [["help"], ["help", "run"], ["-V"], ["run", "--help"]])
def test_usual_ways_to_ask_for_help_and_version(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert not ended.value.code
    assert capsys.readouterr().out.strip()
