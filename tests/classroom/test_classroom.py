"""The exercises: the model answers are right, other answers are not and get a hint, and the
notebooks run from top to bottom."""

from __future__ import annotations

import json
import shutil
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest
from dumbbell import classroom
from dumbbell.classroom import answers, checking
from dumbbell.classroom.rubric import Question
from dumbbell.errors import DumbbellError
from helpers.command import dumbbell
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "classroom" / "answers"
NAMES = classroom.names()


@cache
def _model(name: str) -> answers.Answers:
    return answers.read(MODEL / f"{name}.toml")


def _wrong(question: Question, right: Any) -> Any:
    """An answer that must not pass."""
    if question.kind == "choice":
        return next(one.value for one in question.options if one.value != right)
    if question.fields:
        return dict.fromkeys(question.fields, 0.5)
    return right * (3 if question.kind == "design" else 1 + 3 * question.within)


def test_there_are_eight_exercises_with_answers_in_files_of_their_own() -> None:
    assert len(NAMES) == 8
    assert sorted(NAMES) == sorted(file.stem for file in MODEL.glob("*.toml"))
    assert all(classroom.exercise(name).minutes == 45 for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_model_answers_are_right(name: str) -> None:
    report = checking.of(_model(name))
    assert [(one.question, one.verdict) for one in report.outcomes if one.verdict != "right"] == []
    assert report.ok
    assert set(_model(name).given) == {one.id for one in _model(name).exercise.questions}


@pytest.mark.parametrize("name", NAMES)
def test_other_answers_are_wrong_and_get_a_hint(name: str) -> None:
    model = _model(name)
    given = {one.id: _wrong(one, model.given[one.id]) for one in model.exercise.questions}
    report = checking.of(answers.Answers(model.exercise, "", given))
    assert [(one.question, one.verdict) for one in report.outcomes if one.verdict != "wrong"] == []
    assert all(one.words for one in report.outcomes)


@pytest.mark.parametrize("name", NAMES)
def test_of_a_choice_exactly_one_option_holds(name: str) -> None:
    about = classroom.exercise(name)
    for question in about.questions:
        if question.kind == "choice":
            assert checking.solution(about, question) == _model(name).given[question.id]


@pytest.mark.parametrize("name", NAMES)
def test_what_a_student_gets_has_no_answers(name: str) -> None:
    about = classroom.exercise(name)
    for question in about.questions:
        right = _model(name).given[question.id]
        if question.kind == "number":
            assert str(right) not in question.hint.split()
    found = tomllib.loads(classroom.template(name))
    assert found["exercise"] == name and found["answers"] == {}
    notebook = nbformat.read(about.notebook, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.get("outputs") for cell in notebook.cells)


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs_from_top_to_bottom(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(classroom.exercise(name).notebook, as_version=4)
    shutil.copy(MODEL / f"{name}.toml", tmp_path)
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=120, resources=resources).execute()
    (last,) = notebook.cells[-1].outputs
    assert "are right" in last["data"]["text/plain"]
    count = len(classroom.exercise(name).questions)
    assert f"{count} of {count} are right" in last["data"]["text/plain"]


def test_the_command_hands_out_and_checks(tmp_path: Path) -> None:
    assert dumbbell("classroom", "new", "ecn", str(tmp_path)).returncode == 0
    assert {file.name for file in tmp_path.iterdir()} == {"ecn.ipynb", "ecn.toml"}
    again = dumbbell("classroom", "new", "ecn", str(tmp_path))
    assert again.returncode == 1 and "exists" in again.stderr
    empty = dumbbell("classroom", "check", str(tmp_path / "ecn.toml"))
    assert empty.returncode == 3 and "0 of 5 are right" in empty.stdout
    model = str(MODEL / "ecn.toml")
    done = dumbbell("classroom", "check", model, "--json")
    assert done.returncode == 0
    (report,) = json.loads(done.stdout)["reports"]
    assert report["right"] == 5 and report["by"] == "teacher"
    listed = dumbbell("classroom", "list")
    assert all(name in listed.stdout for name in NAMES)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("exercise = 3", 'exercise = "NAME" is missing'),
        ('exercise = "nothing"', "there is no exercise named 'nothing'"),
        ("exercise = ", "cannot read"),
        ('exercise = "red"\n[answers]\nwho = 1', "red does not ask for 'who'"),
        ('exercise = "red"\n[answers]\nforced = "late"', "forced must be one of early, forced"),
        ('exercise = "red"\n[answers]\nas_it_is = "long"', "as_it_is must be a number"),
        ('exercise = "red"\n[answers]\nas_it_is = nan', "as_it_is must be a number"),
        ('exercise = "red"\n[answers]\ntuned = { max_p = 1 }', "tuned must be a table of numbers"),
    ],
)
def test_a_wrong_file_is_explained(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(DumbbellError, match=told):
        classroom.check(file)


def test_a_value_that_makes_no_scenario_is_wrong() -> None:
    about = classroom.exercise("red")
    given: dict[str, Any] = {"tuned": {"min_th": 30, "max_th": 10, "max_p": 0.1}}
    report = checking.of(answers.Answers(about, "", given))
    (tuned,) = [one for one in report.outcomes if one.question == "tuned"]
    assert tuned.verdict == "wrong" and tuned.words.startswith("This makes no scenario")
