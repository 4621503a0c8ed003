"""Random input for the readers that are Python: papers and their tables, campaigns, measurements of
gigabytes, summaries of results.

    make fuzz SECONDS=60 TARGET=paper        # or: python fuzz/loaders.py SECONDS paper

A target is a function of bytes that must return: a file is read whole, or refused by a
`DumbbellError` of one to a few short lines. Inputs are seeds of `fuzz/corpus/NAME` with a few
changes at random, by a seed: nothing guides them by coverage. An input that breaks a target is
written to `fuzz/regressions/NAME`; `tests/api/test_loaders.py` runs all seeds, damaged ones too,
and all regressions.
"""

from __future__ import annotations

import hashlib
import random
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from dumbbell import result
from dumbbell.data import summary
from dumbbell.errors import CheckFailed, DumbbellError, ScenarioError
from dumbbell.files import table as tables
from dumbbell.reproduce import checks, papers, predicate
from dumbbell.reproduce.cpu_cost import schedule
from dumbbell.reproduce.predicate import Family
from dumbbell.reproduce.testbed import entries as campaigns

HERE = Path(__file__).resolve().parent

LONGEST_MESSAGE = 12_000
"""Characters of a message: up to 20 sentences."""


@cache
def _folder() -> Path:
    """A paper's folder whose files are the inputs: it has one scenario and one table."""
    scratch = tempfile.TemporaryDirectory(prefix="dumbbell-fuzz-")
    _kept.append(scratch)
    folder = Path(scratch.name) / "fuzzed"
    folder.mkdir()
    (folder / "scenario.toml").write_text("duration = '1 s'\n", encoding="utf-8")
    (folder / "table.csv").write_bytes((HERE / "corpus" / "table" / "whole").read_bytes())
    return folder


_kept: list[tempfile.TemporaryDirectory[str]] = []


def _written(name: str, data: bytes) -> Path:
    (_folder() / name).write_bytes(data)
    return _folder()


def paper(data: bytes) -> None:
    """`paper.toml`: read, and its expressions evaluated."""
    evaluate_all(papers.read(_written("paper.toml", data)))


def table(data: bytes) -> None:
    """A CSV file."""
    tables.rows(_written("input.csv", data) / "input.csv")


def evaluate_all(read: papers.Paper) -> None:
    """Every expression of a paper over some numbers."""
    numbers = {
        name: Family((24, 36, 54), ((0, 0.5), (1.0, 2), (1e30, -1)))
        for name in checks.numbers(read)
    }
    texts = [
        *read.derived.values(),
        *(text for cell in read.cells.values() for text in (cell.of, cell.baseline_of)),
    ]
    texts += [
        text
        for claim in read.claims
        for text in (claim.reproduced, claim.in_part, *claim.show.values())
    ]
    for text in filter(None, texts):
        try:
            predicate.evaluate(text, numbers)
        except DumbbellError:
            continue


@cache
def _whole() -> papers.Paper:
    return papers.read(_written("paper.toml", (HERE / "corpus" / "paper" / "whole").read_bytes()))


def campaign(data: bytes) -> None:
    """`campaign.toml` beside a paper, and every pair of each effort."""
    _written("campaign.toml", data)
    found = campaigns.read(_whole())
    for effort in found.efforts.values():
        campaigns.spots(found, effort)


def gigabyte(data: bytes) -> None:
    """`gigabyte.toml`, and the order of the runs."""
    found = schedule.read(_written("gigabyte.toml", data))
    schedule.slots(found, found.effort(quick=True, repeats=2))


def result_summary(data: bytes) -> None:
    """`summary.json`, and what is shown of it."""
    result.read(summary.read(_written("summary.json", data))).table()


TARGETS: dict[str, Callable[[bytes], None]] = {
    "paper": paper,
    "table": table,
    "campaign": campaign,
    "gigabyte": gigabyte,
    "summary": result_summary,
}


_REFUSED = (ScenarioError.code, CheckFailed.code)
"""Exit codes of a file that is wrong, and of one that is damaged."""


def holds(run: Callable[[bytes], None], data: bytes) -> bool:
    """Feeds a target; whether the input was accepted. Raises what the target must not raise."""
    try:
        run(data)
    except DumbbellError as error:
        if (
            error.code not in _REFUSED
            or not error.rendered.strip()
            or len(error.rendered) > LONGEST_MESSAGE
        ):
            raise AssertionError(
                f"a bad message, code {error.code}: {error.rendered[:1000]}"
            ) from None
        return False
    return True


JUNK = [
    b"nan", b"-inf", b"1e400", b"-1", b"0", b"9" * 5000, b'""', b"[]", b"{}", b"[[[]]]", b"true",
    b"1979-05-27", b"{a.b}", b'"' + b"x" * 10_000 + b'"', b'"\\u0000"', b"'{n!r}'", b"[" * 3000,
    b"{a=" * 500, b'"9**9**9"', b'"__import__(1)"', b'"' + b"(" * 300 + b'"', b'"-" * 9', b"null",
    b'"\xff"', b"\xf0\x9f\x98\x80", b"'every(low(red' ", b"a.a = 1\n", b'"' + b"not " * 900 + b'x"',
    b"0x" + b"f" * 300, b'"1 if 1 else 2"', b'"[x for x in y]"', b'"red[1:2:3]"',
]  # fmt: skip
_VALUE = re.compile(rb"\"[^\"\n]*\"|-?\d[\d.e_]*|true|false|null|\[[^\[\]\n]*\]")


def changed(data: bytes, rng: random.Random) -> bytes:
    """A seed with one to three changes: values of another type, lines dropped or doubled, bytes, an
    end cut off."""
    for _ in range(rng.randint(1, 3)):
        kind = rng.random()
        values = list(_VALUE.finditer(data))
        lines = data.splitlines(keepends=True)
        if kind < 0.45 and values:
            at = rng.choice(values)
            junk = rng.choice(JUNK) if rng.random() < 0.7 else rng.choice(values).group()
            data = data[: at.start()] + junk + data[at.end() :]
        elif kind < 0.7 and lines:
            i = rng.randrange(len(lines))
            lines[i : i + 1] = rng.choice(
                [[], [lines[i]] * 2, [rng.choice(lines)], [b"unknown = 1\n", lines[i]]]
            )
            data = b"".join(lines)
        elif kind < 0.9 and data:
            i = rng.randrange(len(data))
            data = data[:i] + bytes([rng.randrange(256)]) + data[i + rng.randint(0, 1) :]
        else:
            data = data[: rng.randrange(len(data) + 1)]
    return data


def files(kind: str, target: str) -> list[Path]:
    """The inputs of a target: `corpus` or `regressions`."""
    return sorted(file for file in (HERE / kind / target).iterdir() if file.name != ".gitkeep")


def inputs(target: str, rng: random.Random) -> Iterator[bytes]:
    """Changed seeds, without end."""
    seeds = [file.read_bytes() for file in files("corpus", target)]
    while True:
        yield changed(rng.choice(seeds), rng)


def search(target: str, seconds: float) -> int:
    """Looks for an input that breaks a target; the exit code."""
    until, count = time.monotonic() + seconds, 0
    for data in inputs(target, random.Random()):
        if time.monotonic() > until:
            break
        count += 1
        try:
            holds(TARGETS[target], data)
        except BaseException:
            kept = HERE / "regressions" / target / hashlib.sha256(data).hexdigest()[:16]
            kept.write_bytes(data)
            traceback.print_exc()
            print(f"fuzz {target}: BROKEN by {kept}", file=sys.stderr)
            return 1
    print(f"fuzz {target}: {count} inputs, none broke it")
    return 0


def main(words: list[str]) -> int:
    """`--list` names the targets; else SECONDS TARGET."""
    if words == ["--list"]:
        print(*TARGETS, sep="\n")
        return 0
    seconds, target = words
    if target not in TARGETS:
        print(f"There is no target `{target}`; there are: {' '.join(TARGETS)}", file=sys.stderr)
        return 2
    return search(target, float(seconds))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
