"""Makes what docs/explanation/conformance.md shows, from runs of `dumbbell conform`:

    make conformance ARGS="cubic queues"

docs/gallery has a file for each algorithm of the page, `conform-NAME.json`, and
`conform-queues.json` for the table of all queues. Without names all of them are made, which takes
some minutes.
"""

from __future__ import annotations

import datetime
import json
import sys
from pathlib import Path
from typing import Any

from dumbbell import catalogue
from dumbbell.conform import documents, report, work
from dumbbell.conform.outcome import Outcome
from dumbbell.conform.scenarios import SEEDS
from dumbbell.conform.subject import Kind, Subject

GALLERY = Path(__file__).resolve().parents[1] / "gallery"
SHOWN: tuple[tuple[Kind, str], ...] = (
    ("cc", "cubic"),
    ("cc", "bbr3"),
    ("cc", "prague"),
    ("aqm", "red"),
    ("aqm", "codel"),
    ("aqm", "fq_codel"),
    ("aqm", "dualpi2"),
)
"""The algorithms of the page."""
DIGITS = 4


def kept(one: Outcome) -> dict[str, Any]:
    """What a file keeps of an outcome."""
    whole = one.as_dict()
    numbers = {"measured": _rounded(whole["measured"]), "ci95": None}
    if whole["ci95"] is not None:
        numbers["ci95"] = [_rounded(end) for end in whole["ci95"]]
    words = ("id", "document", "section", "criterion", "verdict", "why_not", "error")
    return {key: whole[key] for key in words if whole[key] is not None} | numbers


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")


def judged(kind: Kind, names: list[str]) -> list[report.Report]:
    """The reports of algorithms by the criteria of `--quick`, without a store."""
    criteria = documents.select(kind, quick=True)
    subjects = [Subject.read(kind, name) for name in names]
    jobs = [(subject, criterion) for subject in subjects for criterion in criteria]
    outcomes, _ = work.conform(jobs, work.Options())
    size = len(criteria)
    return [
        report.Report(subject, outcomes[i * size : (i + 1) * size])
        for i, subject in enumerate(subjects)
    ]


def write(name: str, document: dict[str, Any]) -> None:
    """Writes a file of the gallery."""
    text = json.dumps(document, indent=1, ensure_ascii=False)
    (GALLERY / f"conform-{name}.json").write_text(f"{text}\n", encoding="utf-8")


def main() -> None:
    """Writes every file, or those of the algorithms that are named."""
    named = sys.argv[1:]
    for kind, name in SHOWN:
        if named and name not in named:
            continue
        one = judged(kind, [name])[0]
        counts = {verdict: one.count(verdict) for verdict in ("pass", "fail", "not applicable")}
        checks = [kept(outcome) for outcome in one.outcomes]
        write(name, {"algorithm": name, "seeds": SEEDS, **counts, "checks": checks})
        print(name, counts, flush=True)
    if named and "queues" not in named:
        return
    kinds = catalogue.kinds()
    queues = [name for kind in catalogue.QUEUES for name in kinds[kind] if name != "red_rtl"]
    rows = {}
    for queue in queues:
        one = judged("aqm", [queue])[0]
        rows[queue] = {number: report.cell(one, number) for number in report.columns([one])}
        rows[queue] |= {"pass": one.count("pass"), "fail": one.count("fail")}
        day = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}"
        write("queues", {"day": day, "seeds": SEEDS, "queues": rows})
        print(queue, rows[queue]["pass"], rows[queue]["fail"], flush=True)


if __name__ == "__main__":
    main()
