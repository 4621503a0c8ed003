"""Checks the command lines that pages show, without running them.

A line is split as a shell does. The real command line parses commands of `dumbbell`; targets,
packages, modules and files that commands of `make`, `cargo`, `python` and `sh` name must exist. A
program that is neither ours nor in `OTHERS` is a mistake.
"""

from __future__ import annotations

import functools
import importlib.util
import itertools
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from cyclopts import App, CycloptsError
from dumbbell.cli import OPTIONS, app, output
from dumbbell.reproduce import papers
from pages import ROOT

OTHERS = frozenset(
    (
        ".",
        "cat",
        "cd",
        "cp",
        "curl",
        "docker",
        "echo",
        "grep",
        "head",
        "iperf3",
        "iverilog",
        "mkdir",
        "pip",
        "sed",
        "tshark",
        "valgrind",
    )
)
"""Programs that pages use and that are not Dumbbell's."""
_INPUTS = re.compile(r"[\w./-]+\.(?:toml|py|sv|trace|csv|pcap|pcapng|tr|ipynb)")
_WRITES = ("--out", "--pcap", "-o", "--page", "--html", "--vectors", "--store")
_PUNCTUATION = "();<>|&"


def commands(line: str) -> Iterator[list[str]]:
    """The simple commands of a line, each in words, without assignments and redirections before and
    after."""
    line = re.sub(r"\b[012](?=>)", "", line)
    lexer = shlex.shlex(line, posix=True, punctuation_chars=_PUNCTUATION)
    lexer.whitespace_split = True
    words: list[str] = []
    skip = False
    for word in [*lexer, ";"]:
        if set(word) <= set(_PUNCTUATION):
            skip = word.startswith((">", "<"))
            if not skip:
                if words:
                    yield words
                words = []
        elif skip:
            skip = False
        elif words or not re.match(r"[A-Z_]+=", word):
            words.append(word)


def written(line: str) -> set[str]:
    """Files and folders that a line makes, as far as its options say so."""
    made = {
        word
        for words in commands(line)
        for option, word in itertools.pairwise(words)
        if option in _WRITES
    }
    return made | set(re.findall(r">\s*([\w./-]+)", line))


def mistakes(line: str, files: set[str]) -> Iterator[str]:
    """What is wrong with a line. `files`: those of the page, beside the repository's."""
    for words in commands(line):
        program = words[0].removeprefix(".venv/bin/")
        if program == "dumbbell":
            yield from _dumbbell(words[1:])
            yield from _missing(words[1:], files)
        elif program == "make":
            yield from _make(words[1:])
        elif program == "cargo":
            yield from _cargo(words[1:])
        elif program in ("python", "python3"):
            yield from _python(words[1:], files)
        elif program == "sh":
            yield from (
                f"there is no file {word}" for word in words[1:2] if not (ROOT / word).exists()
            )
        elif program.startswith("target/release/examples/"):
            yield from _program("example", Path(program).name)
        elif program not in OTHERS:
            yield f"{program} is not a known program"


@functools.cache
def grammar() -> App:
    """The command line."""
    return app()


def _dumbbell(words: list[str]) -> Iterator[str]:
    if words in (["--help"], ["--version"]) or words[-1:] == ["--help"]:
        yield from named(words)
        return
    try:
        _, bound, _ = grammar().parse_args(
            output.taken(words), exit_on_error=False, print_error=False
        )
    except CycloptsError as error:
        yield str(error)
        return
    if words[0] == "reproduce":
        yield from _paper(bound.arguments["paper"], words)


def _paper(name: str, words: list[str]) -> Iterator[str]:
    if name not in papers.names():
        yield f"there is no paper {name}"
    elif "--cell" in words:
        cell = words[words.index("--cell") + 1]
        if cell not in papers.load(name).cells:
            yield f"{name} has no cell {cell}"


def named(words: list[str]) -> Iterator[str]:
    """What is wrong with the names of commands and options, whatever stands for their values."""
    if words in (["--help"], ["--version"]):
        return
    chain, apps, rest = grammar().parse_commands(words)
    if not chain and words and not words[0].startswith("-"):
        yield f"there is no command {words[0]}"
        return
    known = options(apps[-1])
    for word in rest[: rest.index("--") if "--" in rest else None]:
        if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in known:
            yield f"{' '.join(chain)} has no option {word}"


def options(command: App) -> set[str]:
    """The options of one command; a group of commands has none of its own."""
    if command.default_command is None:
        return {"--help", "--version", *OPTIONS}
    given = {name for argument in command.assemble_argument_collection() for name in argument.names}
    return given | {"--help", "--version", *OPTIONS}


@functools.cache
def every_option() -> frozenset[str]:
    """The options of all commands."""
    found: set[str] = set()
    waiting = [grammar()]
    while waiting:
        command = waiting.pop()
        inner = [command[name] for name in command if not name.startswith("-")]
        waiting += inner
        found |= options(command)
    return frozenset(found)


def _missing(words: list[str], files: set[str]) -> Iterator[str]:
    """Files that a command reads and that neither the page nor the repository has."""
    words = words[: words.index("--") if "--" in words else None]
    for option, word in zip(["", *words], words, strict=False):
        if option in _WRITES or not _INPUTS.fullmatch(word):
            continue
        if word not in files and not (ROOT / word).exists():
            yield f"there is no file {word}"


def _make(words: list[str]) -> Iterator[str]:
    makefile = (ROOT / "Makefile").read_text()
    for word in words:
        if "=" in word:
            name = word.partition("=")[0]
            if (
                f"$({name})" not in makefile
                and f"$(or $({name})" not in makefile
                and f"$(if $({name})" not in makefile
            ):
                yield f"make has no variable {name}"
        elif f"\n{word}:" not in makefile:
            yield f"make has no target {word}"


def _cargo(words: list[str]) -> Iterator[str]:
    for option, word in itertools.pairwise(words):
        if option in ("-p", "--package") and not (ROOT / "crates" / word / "Cargo.toml").exists():
            yield f"there is no crate {word}"
        elif option in ("--example", "--test"):
            yield from _program(option[2:], word)
        elif option == "--config" and "=" not in word and not (ROOT / word).exists():
            yield f"there is no file {word}"


def _program(kind: str, name: str) -> Iterator[str]:
    """The complaint if no crate has that test or example, as a file or as a folder."""
    if not [
        *ROOT.glob(f"crates/*/{kind}s/{name}.rs"),
        *ROOT.glob(f"crates/*/{kind}s/{name}/main.rs"),
    ]:
        yield f"there is no {kind} {name}"


def _python(words: list[str], files: set[str]) -> Iterator[str]:
    if words[:1] == ["-m"]:
        if importlib.util.find_spec(words[1]) is None:
            yield f"there is no module {words[1]}"
    else:
        yield from _missing(words[:1], files)
