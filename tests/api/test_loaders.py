"""Readers of what others wrote, in Python: papers, campaigns, measurements, summaries. Whole, or
refused in a sentence.

The targets and their seeds are those of `fuzz/loaders.py`. `DUMBBELL_FUZZ_CASES=1000` changes each
real paper as often.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import loaders
import pytest
from dumbbell.cli import main
from dumbbell.errors import ScenarioError
from dumbbell.files import declared
from dumbbell.reproduce import paper_file, papers, predicate
from dumbbell.reproduce.figures import kinds
from dumbbell.reproduce.measures import buffer_size_grid
from dumbbell.reproduce.predicate import Family

ROOT = Path(__file__).resolve().parents[2]
PAPERS = sorted(file.parent.name for file in (ROOT / "papers").glob("*/paper.toml"))
CASES = int(os.environ.get("DUMBBELL_FUZZ_CASES", "12"))
WHOLE = (ROOT / "fuzz/corpus/paper/whole").read_text(encoding="utf-8")


@pytest.mark.parametrize("target", loaders.TARGETS)
def test_seeds_and_what_was_found_break_nothing(target: str) -> None:
    seeds = loaders.files("corpus", target)
    assert len(seeds) >= 3
    accepted = [loaders.holds(loaders.TARGETS[target], file.read_bytes()) for file in seeds]
    assert any(accepted)
    for file in loaders.files("regressions", target):
        loaders.holds(loaders.TARGETS[target], file.read_bytes())


@pytest.mark.parametrize("target", loaders.TARGETS)
def test_changed_seeds_break_nothing(target: str) -> None:
    inputs = loaders.inputs(target, random.Random(5))
    answers = [loaders.holds(loaders.TARGETS[target], next(inputs)) for _ in range(300)]
    assert {True, False} == set(answers)


@pytest.fixture
def in_papers(tmp_path: Path) -> Path:
    """A folder of papers of the test's own: copies of the real ones, but for what is changed."""
    return tmp_path


@pytest.mark.parametrize("name", PAPERS)
def test_changed_papers_end_reproduce_with_2(
    name: str, in_papers: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through the command; a cell that no paper has ends it where the file is still accepted."""
    folder = in_papers / name
    folder.mkdir()
    for file in (ROOT / "papers" / name).iterdir():
        if file.is_file() and file.name != "paper.toml":
            (folder / file.name).symlink_to(file)
    rng, text = random.Random(name), (ROOT / "papers" / name / "paper.toml").read_bytes()
    for _ in range(CASES):
        data = loaders.changed(text, rng)
        (folder / "paper.toml").write_bytes(data)
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", str(folder), "--cell", "no such cell"])
        said = capsys.readouterr().err
        assert ended.value.code == 2, said
        assert "Traceback" not in said
        assert "paper.toml" in said or "no such cell" in said
        assert 0 < len(said) < loaders.LONGEST_MESSAGE


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "decimals = 2",
            'decimals = "2"',
            "line 66: `cell[0].decimals`: this is text, but must be a whole number",
        ),
        (
            "replications = 5",
            "replications = 0",
            "line 7: `full.replications`: this must be a whole number from 1",
        ),
        ('what = "throughput"\n', "", "line 62: `cell[0]`: the key `what` is missing"),
        (
            "scheme = true",
            "scheme = 1",
            "`point[1].scheme`: this is a whole number, but must be true or false",
        ),
        (
            'unit = "Mbit/s"\n',
            'unit = "Mbit/s"\ncolour = 3\n',
            "`number[0]`: there is no key `colour` here",
        ),
        (
            "published = 15",
            "published = nan",
            "`cell[1].published`: the value is nan, but must be a finite number",
        ),
        (
            "published = 15",
            f"published = {'9' * 400}",
            "`cell[1].published`: this number is larger than 1e+30",
        ),
        ('kind = "cwnd"', 'kind = "cwdn"', "figure `f2`: there is no kind of figure `cwdn`"),
        (
            'points = { RED = "red-24" }\n',
            "",
            "figure `f2`: a figure of kind `cwnd` needs `points`",
        ),
        (
            "mean(red[24] / dt[24])",
            "mean(rde[24] / dt[24])",
            "claim `better`: there is no number `rde`",
        ),
        ("mean(red[24] / dt[24])", "9**9**9", "`9 ** 9 ** 9` is not allowed in a predicate"),
        ("mean(red[24] / dt[24])", "__import__", "there is no number `__import__`"),
        (
            "mean(red[24] / dt[24])",
            "red.__class__",
            "`red.__class__` is not allowed in a predicate",
        ),
        ("red-{buffer}", "red-{buffer.__class__}", "write the name of an axis in braces"),
        ("red-{buffer}", "red-{buffer!r:>999999999}", "write the name of an axis in braces"),
        ('[[table]]\nid = "t"', "[[table]]", "`table[0]`: the key `id` is missing"),
        ("title", "x = " + "[" * 5000 + "\ntitle", "its values are nested too deeply"),
        ("buffer = [24", f"buffer = [{', '.join(map(str, range(1500)))}, 24", "axes"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_place(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    assert old in WHOLE
    (tmp_path / "scenario.toml").write_text("")
    (tmp_path / "paper.toml").write_text(WHOLE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ScenarioError) as refused:
        papers.read(tmp_path)
    assert str(tmp_path / "paper.toml") in refused.value.rendered
    assert said in refused.value.rendered


def test_a_file_that_is_no_text_is_refused_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "paper.toml").write_bytes(b"title = 'a'\ncitation = '\xff'\n")
    with pytest.raises(ScenarioError, match=r"paper\.toml, line 2: byte 0xff is not UTF-8 text"):
        papers.read(tmp_path)


def test_a_file_without_end_is_not_read_whole() -> None:
    with pytest.raises(ScenarioError, match="/dev/zero cannot be read: it is a device"):
        declared.toml(Path("/dev/zero"), paper_file.PaperFile)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 1000 + "x" + ")" * 1000,
        "not " * 900 + "x",
        "-" * 3000 + "x",
        "+".join(["x"] * 1500),
        "x" * 5000,
        "9" * 2000,
        "1e999",
        "9**9**9",
        "[x for x in x]",
        "(lambda: x)()",
        "x.real",
        "x if x else x",
        "f'{x}'",
        "x[1:2]",
        "x[y:]",
        "mean(x, x)",
        "mean(*x)",
        "open('f')",
        "'a' * 9",
        "x := 1",
        "x\0",
        "",
        "\n\n",
        "await x",
        "1 < x < 2",
    ],
)
def test_an_expression_of_another_language_is_refused_before_it_is_evaluated(text: str) -> None:
    with pytest.raises(ScenarioError):
        predicate.parsed(text)
    with pytest.raises(ScenarioError):
        predicate.names(text)


def test_products_of_large_numbers_end() -> None:
    text = " * ".join(["1e15"] * 40)
    assert predicate.evaluate(text, {}).one() == float("inf")
    whole = " * ".join(["999999999999999"] * 40) + " / 3"
    with pytest.raises(ScenarioError):
        predicate.evaluate(whole, {})
    assert predicate.evaluate("x - x", {"x": Family((0.0,), ((float("inf"),),))}).one() != 0


def test_kinds_of_figures_are_those_that_can_be_drawn() -> None:
    assert paper_file.KINDS.keys() == kinds._KINDS.keys()


def test_names_of_laws_are_those_that_a_surface_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    law = SimpleNamespace(coefficient=1.0, rate=1.0, rtt=1.0)
    fit = SimpleNamespace(law=law, low=law, high=law, held_rate=1.0, held_rtt=1.0)
    monkeypatch.setattr(buffer_size_grid, "fits", lambda *_: {"best": fit, "nearest": fit})
    laws = buffer_size_grid.laws(None, {})  # type: ignore[arg-type]
    assert laws.keys() == buffer_size_grid.NAMES
