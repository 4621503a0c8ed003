"""Claims under other readings of what the paper leaves open, one at a time around the base.

Of each reading: the effect of the claim that it is about at each point with its interval, its sign
there (`+` or `-`, and `0` where the interval holds 0), the claim's verdict by its own rule, and how
well the cells that parameters were fitted on still come out: a reading under which they do not
would have led to other parameters. Where the paper says so (`claims`, `cells`), further claims and
printed numbers are judged under each reading, by their own rules too.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping

from ..present import stats
from ..studies.frame.paired import picked
from . import judge, predicate, verdict
from .document import Ends, ReadCell, ReadingRow, Signed
from .papers import Cell, Paper, Point, Reading, Readings, reach
from .predicate import Family
from .runs import PointRunner, Runs

BASE = Reading("base", "base", "as assumed below")


def points(paper: Paper, at: tuple[float, ...]) -> dict[str, Point]:
    """The points that readings look at: those of the numbers that they need, at `at` (empty:
    everywhere)."""
    numbers = _restricted(paper, at).numbers.values()
    return {name: paper.points[name] for number in numbers for name in number.points}


def count(paper: Paper, at: tuple[float, ...]) -> int:
    """Number of points that all readings run: those that a reading changes."""
    if paper.readings is None:
        return 0
    looked_at = points(paper, at).values()
    return sum(bool(reading.at(point)) for reading in paper.readings.entries for point in looked_at)


def _of(paper: Paper) -> Readings:
    if paper.readings is None:
        raise ValueError("the paper has no readings")
    return paper.readings


def compare(
    paper: Paper, measured: Mapping[str, Runs], runner: PointRunner
) -> tuple[list[ReadingRow], list[str]]:
    """Every reading's row, the base first, and what they say together."""
    wanted = _of(paper)
    at = runner.effort.readings_at
    small = _restricted(paper, at)
    rows = [_row(small, wanted, BASE, measured)]
    for reading in wanted.entries:
        rows.append(
            _row(small, wanted, reading, _run(reading, points(paper, at), measured, runner))
        )
    for row in rows:
        pairs = zip(row["effect"], rows[0]["effect"], strict=True)
        row["sign_changes"] = any(opposite(here["sign"], base["sign"]) for here, base in pairs)
        row["verdict_changes"] = row["verdict"] != rows[0]["verdict"]
    return rows, conclusion(wanted, rows) + (under_which(rows) if wanted.claims else [])


def _run(
    reading: Reading, of: Mapping[str, Point], measured: Mapping[str, Runs], runner: PointRunner
) -> dict[str, Runs]:
    """Every point under a reading; what the reading does not change is there already."""
    return {
        name: runner.run(point, reading.at(point)) if reading.at(point) else measured[name]
        for name, point in of.items()
    }


def _restricted(paper: Paper, at: tuple[float, ...]) -> Paper:
    """The paper with the numbers that readings need alone, at the given points alone."""
    wanted = _of(paper)
    names = reach(paper, _expressions(paper, wanted))
    names |= {name for reading in wanted.entries for name in reading.numbers.values()}
    numbers = {}
    for number in paper.numbers.values():
        kept = [
            (x, p)
            for x, p in zip(number.at, number.points, strict=True)
            if not at or len(number.at) == 1 or x in at
        ]
        if number.id in names and kept:
            where, which = zip(*kept, strict=True)
            numbers[number.id] = dataclasses.replace(number, at=where, points=which)
    derived = {name: text for name, text in paper.derived.items() if name in names}
    return dataclasses.replace(paper, numbers=numbers, derived=derived)


def _expressions(paper: Paper, wanted: Readings) -> list[str]:
    """Every expression that a row evaluates."""
    claims = [claim for claim in paper.claims if claim.id in (wanted.about, *wanted.claims)]
    cells = [paper.cells[name] for name in wanted.cells]
    texts = [wanted.effect, *wanted.show.values()]
    texts += [text for claim in claims for text in (claim.reproduced, claim.in_part)]
    texts += [text for cell in cells for text in (cell.of, cell.baseline_of)]
    return [text for text in texts if text]


def _row(
    paper: Paper, wanted: Readings, reading: Reading, measured: Mapping[str, Runs]
) -> ReadingRow:
    known = judge.numbers(paper, measured, reading.numbers)
    claims = {claim.id: claim for claim in paper.claims}
    effect = _effect(known[wanted.effect])
    used = [measured[name] for number in paper.numbers.values() for name in number.points]
    row: ReadingRow = {
        "id": reading.id,
        "choice": reading.choice,
        "what": reading.what,
        "about": wanted.about,
        "changes": list(reading.changes),
        "scheme_changes": list(reading.scheme_changes),
        "effect": effect,
        "unit": wanted.unit,
        "holds": sum(e["sign"] == "+" for e in effect),
        "of": len(effect),
        "show": {
            label: _middle(predicate.evaluate(text, known)) for label, text in wanted.show.items()
        },
        "fit_error": _fit_error(paper.cells.values(), measured),
        "verdict": judge.verdict_of(claims[wanted.about], known),
        "valid": all(runs.json["valid"] for runs in used),
    }
    if wanted.claims or wanted.cells:
        row["tagged"] = reading.tagged
        row["claims"] = {name: judge.verdict_of(claims[name], known) for name in wanted.claims}
        row["cells"] = {name: _cell(paper, measured, name, known) for name in wanted.cells}
    return row


def _cell(
    paper: Paper, measured: Mapping[str, Runs], name: str, known: Mapping[str, Family]
) -> ReadCell:
    """A printed number under a reading."""
    return picked(ReadCell, judge.cell(paper, measured, paper.cells[name], known))


def _effect(family: Family) -> list[Signed]:
    rows: list[Signed] = []
    for at, runs in zip(family.at, family.values, strict=True):
        found = stats.interval(runs)
        if found.ends is None:
            raise ValueError("the sign of an effect needs at least two runs")
        rows.append(
            {
                "at": at,
                "mean": found.mean,
                "ci95": found.ends,
                "sign": sign(found.ends),
                "n": len(runs),
            }
        )
    return rows


def sign(interval: Ends) -> str:
    """The sign of an effect with this interval: `0` if 0 lies in it, or if there is none."""
    if interval is None:
        return "0"
    return "+" if interval[0] > 0 else "-" if interval[1] < 0 else "0"


def opposite(a: str, b: str) -> bool:
    """True if two signs contradict each other; `0` contradicts none."""
    return {a, b} == {"+", "-"}


def _middle(family: Family) -> float | None:
    """The mean over all points and runs; none where a flow got nothing, and a ratio is over 0."""
    mean = stats.mean([stats.mean(runs) for runs in family.values])
    return mean if math.isfinite(mean) else None


def _fit_error(cells: Iterable[Cell], measured: Mapping[str, Runs]) -> float | None:
    """Root mean square of the relative errors of the fitted cells that were measured; a printed 0
    has none."""
    fitted = [cell for cell in cells if cell.fitted and cell.published and cell.point in measured]
    fitted = [cell for cell in fitted if measured[cell.point].has(cell.measure)]
    ours = [judge.values(measured, cell.point, cell.measure, cell.scale) for cell in fitted]
    return judge.rms(
        [stats.mean(x) / cell.published - 1 for x, cell in zip(ours, fitted, strict=True)]
    )


def conclusion(wanted: Readings, rows: list[ReadingRow]) -> list[str]:
    """In sentences: which choices reverse the sign of the effect, leave it open, keep it; where the
    verdict changes."""
    base, *others = rows
    parts = [f"The sign of {wanted.about} ({wanted.what}) is {_signs(base)} in the base."]
    groups: dict[str, list[str]] = {"changes": [], "open": [], "kept": []}
    for choice in dict.fromkeys(row["choice"] for row in others):
        of_choice = [row for row in others if row["choice"] == choice]
        changes = any(row["sign_changes"] for row in of_choice)
        kept = all(_signs(row) == _signs(base) for row in of_choice)
        detail = "; ".join(f"{row['id']}: {_signs(row)}" for row in of_choice)
        groups["changes" if changes else "kept" if kept else "open"].append(
            choice if kept else f"{choice} ({detail})"
        )
    words_of = _WORDS | ({"open": _SETTLED} if _signs(base) == "0 everywhere" else {})
    for kind, words in words_of.items():
        parts.append(f"{words}: {', '.join(groups[kind]) or 'no choice'}.")
    verdicts = [f"{row['id']} ({row['verdict']})" for row in others if row["verdict_changes"]]
    told = f"changes in {len(verdicts)} of {len(others)} readings" + (
        f": {', '.join(verdicts)}" if verdicts else ""
    )
    return [*parts, f"Its verdict, {base['verdict']} in the base at these points, {told}."]


def under_which(rows: list[ReadingRow]) -> list[str]:
    """For each further claim: under which readings it holds, whole or in part, or under which few
    it does not."""
    told = []
    for name in rows[0]["claims"]:
        held = [
            f"{row['id']} ({row['claims'][name]})" for row in rows if row["claims"][name] in _HOLDS
        ]
        failed = [row["id"] for row in rows if row["claims"][name] not in _HOLDS]
        counted = f"{name} holds under {len(held)} of {len(rows)} readings"
        if len(failed) < len(held):
            told.append(f"{counted}, not under {', '.join(failed)}." if failed else f"{counted}.")
        else:
            told.append(f"{counted}: {', '.join(held)}." if held else f"{counted}.")
    return told


_HOLDS = (verdict.REPRODUCED, verdict.IN_PART)

_WORDS = {
    "changes": "It is reversed at some point by",
    "open": "It is not significant at some point (the 95 % interval includes 0) under",
    "kept": "It does not change under any choice for",
}
_SETTLED = "It is + or − at some point (the 95 % interval excludes 0) under some reading of"


def _signs(row: ReadingRow) -> str:
    """`+ everywhere`, or the points of each sign: `+ at 24, 36, 0 at 54`."""
    by_sign: dict[str, list[str]] = {}
    for e in row["effect"]:
        by_sign.setdefault(e["sign"].replace("-", "−"), []).append(f"{e['at']:g}")
    if len(by_sign) == 1:
        return f"{next(iter(by_sign))} everywhere"
    return ", ".join(f"{sign} at {', '.join(points)}" for sign, points in by_sign.items())
