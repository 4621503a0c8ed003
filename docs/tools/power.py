"""Writes the tables of docs/papers/power.md: which error of the simulator each verdict would have
noticed.

    python docs/tools/power.py                          # from what is kept
    python docs/tools/power.py build/power/ea-red ...   # keeps these reports first

A report is that of `dumbbell reproduce PAPER --power`; what it says of power is kept in
power/PAPER.json.
"""

from __future__ import annotations

import datetime
import json
import sys
import textwrap
from pathlib import Path
from typing import Any

from dumbbell.reproduce import power

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "papers" / "power.md"
KEPT = HERE / "power"

JSON = dict[str, Any]


def keep(report: JSON) -> None:
    """Keeps what a report says of power."""
    day = str(datetime.datetime.now(datetime.UTC).date())
    kept = {key: report[key] for key in ("paper", "title", "version")} | {"day": day}
    said = {key: value for key, value in report["power"].items() if key != "conclusion"}
    text = json.dumps(kept | {"power": said}, indent=1, ensure_ascii=False)
    (KEPT / f"{report['paper']}.json").write_text(text + "\n", encoding="utf-8")


def kept() -> list[JSON]:
    """What is kept of each paper, in the order of their names."""
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(KEPT.glob("*.json"))]


def whole(papers: list[JSON]) -> str:
    """How many verdicts have power, in all papers."""
    powers = [row["power"] for found in papers for row in found["power"]["rows"] if row["power"]]
    return (
        f"Of {len(powers)} reproduced verdicts on {len(papers)} papers, "
        f"{powers.count(power.SOME)} caught some error, {powers.count(power.NONE)} caught nothing, "
        f"and {powers.count(power.UNSTEADY)} are unsteady."
    )


def section(found: JSON) -> str:
    """The tables of a paper."""
    report = found["power"]
    rows, errors = report["rows"], report["perturbations"]
    told = power.conclusion(rows, errors)
    effort = "".join(f", `{override}`" for override in report["overrides"])
    lines = [
        f"## {found['title']}",
        "",
        *textwrap.wrap(
            f"`dumbbell reproduce {found['paper']} --power`, {found['day']}, Dumbbell "
            f"{found['version']}: {report['n']} runs of each point{effort}. {' '.join(told)}",
            100,
            break_on_hyphens=False,
        ),
    ]
    shown = [row for row in rows if row["power"]]
    if shown:
        lines += ["", "| reproduced | power | what it would have noticed |", "| --- " * 3 + "|"]
    lines += [f"| `{row['id']}` | {row['power']} | {power.said(row, errors)} |" for row in shown]
    others = [(row, power.reproduced_by(row, errors)) for row in rows if not row["power"]]
    if any(by for _, by in others):
        lines += ["", "| not reproduced | verdict | reproduced under |", "| --- " * 3 + "|"]
    lines += [f"| `{row['id']}` | {row['verdict']} | {', '.join(by)} |" for row, by in others if by]
    lines += [
        "",
        "| error | points that it changes | verdicts that it changes |",
        "| --- " * 3 + "|",
    ]
    for error in errors:
        changed = sum(row["under"][error["id"]] != row["verdict"] for row in rows)
        points = f"{error['points_changed']} of {error['points']}"
        lines.append(f"| {error['what']} | {points} | {changed} of {len(rows)} |")
    return "\n".join(lines)


def write() -> None:
    """Puts the tables into the page."""
    text = PAGE.read_text(encoding="utf-8")
    begin, end = "<!-- measured: power -->\n", "<!-- end measured -->"
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    parts = "\n\n".join([whole(kept()), *map(section, kept())])
    PAGE.write_text(f"{before}{begin}{parts}\n{end}{after}", encoding="utf-8")


def main(folders: list[str]) -> None:
    """Keeps these reports, and writes the page."""
    for folder in folders:
        keep(json.loads((Path(folder) / "report.json").read_text(encoding="utf-8")))
    write()


if __name__ == "__main__":
    main(sys.argv[1:])
