"""The page of docs/tools/places.py: comparisons, tables, causes."""

from __future__ import annotations

import math
import textwrap
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dumbbell.present.stats import Interval, interval
from dumbbell.studies.compare.peers.results.agreement import welch
from places_runs import input_of, kept, kept_experiments
from places_scenarios import ALL, JSON, PLACES, Scenario

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "explanation" / "agreement.md"
CAUSES = HERE / "places.toml"
LIMIT_OF_DIFFERENCE = 0.05
"""The largest difference from the simulator without a mark, of its mean."""
OPEN = "open"
"""What stands for the cause of a difference that is not explained."""

UNITS = {
    "goodput": ("goodput [Mbit/s]", 1.0),
    "queue": ("mean queue [pkt]", 1.0),
    "drops": ("dropped [%]", 100.0),
    "marks": ("marked [%]", 100.0),
    "jain": ("Jain's index", 1.0),
    "share": ("share of the first [%]", 100.0),
}


@dataclass(frozen=True)
class Compared:
    """A measure of a place beside the simulation's, a number for each seed."""

    scenario: str
    place: str
    measure: str
    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """The relative difference of the place's mean from the simulation's."""
        mean, other = interval(self.ours).mean, interval(self.theirs).mean
        return (other - mean) / mean if mean else math.copysign(math.inf, other) if other else 0.0

    @property
    def far(self) -> bool:
        """True if the difference exceeds the limit."""
        return abs(self.ratio) > LIMIT_OF_DIFFERENCE

    @property
    def scattered(self) -> bool:
        """True if the 95 % interval of the difference includes zero."""
        found = welch(self.theirs, self.ours)
        assert found.low is not None and found.high is not None
        return found.low <= 0.0 <= found.high

    @property
    def differs(self) -> bool:
        """True if the difference exceeds the limit, and the seeds do not explain it."""
        return self.far and not self.scattered

    def __str__(self) -> str:
        text = shown(self.measure, self.theirs)
        if not self.far:
            return text
        return f"{text} ~" if self.scattered else f"**{text}**"


def shown(measure: str, values: Sequence[float]) -> str:
    """A mean with half of its 95 % interval, in the unit of the table."""
    scale = UNITS[measure][1]
    found: Interval = interval([scale * value for value in values])
    digits = 3 if measure in ("goodput", "jain", "drops", "marks") else 2
    half = found.half or 0.0
    return f"{found.mean:.{digits}f} ± {half:.{digits}f}"


def samples(rows: Iterable[JSON], scenario: Scenario) -> dict[str, list[JSON]]:
    """The runs of a scenario whose input is the present one, by their places."""
    found: dict[str, list[JSON]] = {place: [] for place in PLACES}
    for row in rows:
        current = row["scenario"] == scenario.name and row["place"] not in scenario.absent
        if current and row["input"] == input_of(scenario, row["place"], row["seed"]):
            found[row["place"]].append(row)
    return found


def compared(scenario: Scenario, runs_of: dict[str, list[JSON]]) -> list[Compared]:
    """Each measure in each place, beside the simulation's."""

    def values(place: str, measure: str) -> tuple[float, ...]:
        return tuple(row["measures"][measure] for row in runs_of[place])

    return [
        Compared(scenario.name, place, measure, values(of.beside, measure), values(place, measure))
        for measure in scenario.measures
        for place, of in PLACES.items()
        if of.beside and len(runs_of[place]) > 1
    ]


def cause_of(cell: Compared, causes: JSON) -> str:
    """The first cause that covers a cell."""
    asked = {"scenario": cell.scenario, "place": cell.place, "measure": cell.measure}

    def covers(cause: JSON) -> bool:
        return all(value in cause[key] for key, value in asked.items() if key in cause)

    return next((str(each["cause"]) for each in causes["cause"] if covers(each)), OPEN)


def table(scenario: Scenario, runs_of: dict[str, list[JSON]], causes: JSON) -> list[str]:
    """The table of a scenario, and what is said of its differences."""
    cells = {(cell.measure, cell.place): cell for cell in compared(scenario, runs_of)}
    lines = [
        f"### {scenario.what}",
        "",
        f"| `{scenario.name}` | " + " | ".join(place.title for place in PLACES.values()) + " |",
        "| --- " * (len(PLACES) + 1) + "|",
    ]
    for measure in scenario.measures:
        words = [UNITS[measure][0]]
        for place, of in PLACES.items():
            if len(runs_of[place]) < 2:
                words.append("–")
            elif of.beside:
                words.append(str(cells[measure, place]))
            else:
                found = [row["measures"][measure] for row in runs_of[place]]
                words.append(shown(measure, found))
        lines.append(f"| {' | '.join(words)} |")
    notes = [
        f"- –, {PLACES[place].title}: {why}."
        for place, why in scenario.absent.items()
        if PLACES[place].beside
    ]
    if classes := [row["class"] for row in runs_of["kernel"]]:
        counted = ", ".join(f"{classes.count(name)} {name}" for name in dict.fromkeys(classes))
        notes.append(f"- Class of the live runs: {counted}.")
    told: dict[tuple[str, str], list[str]] = {}
    for cell in cells.values():
        if cell.differs:
            said = f"{cell.measure} {100 * cell.ratio:+.0f} %".replace("-", "−")
            told.setdefault((cell.place, cause_of(cell, causes)), []).append(said)
    for (place, cause), which in told.items():
        cause = "**open**, no cause was found." if cause == OPEN else cause
        notes.append(f"- {PLACES[place].title}, {', '.join(which)}: {cause}")
    return [*lines, "", *(line for note in notes for line in _wrapped(note)), ""]


def _wrapped(text: str) -> list[str]:
    """The lines of a paragraph, or of an item of a list."""
    after = "  " if text.startswith("- ") else ""
    return textwrap.wrap(text, 100, subsequent_indent=after, break_on_hyphens=False)


def experiments_table(rows: Sequence[JSON]) -> list[str]:
    """The experiments with what they gave."""
    columns = ["scenario", "simulation of", "change", "goodput [Mbit/s]", "mean queue [pkt]"]
    columns += ["dropped or marked [%]", "Jain's index", "share of the first [%]"]
    lines = [f"| {' | '.join(columns)} |", "| --- " * len(columns) + "|"]
    for row in rows:
        found = row["measures"]
        losses = "marks" if "marks" in found else "drops"
        told = [
            shown(name, found[name]) if name in found else "–"
            for name in ("goodput", "queue", losses, "jain", "share")
        ]
        changes = ", ".join(f"`{change}`" for change in row["changes"])
        title = {"sim": "Linux", "rtl": "RED as RTL", "sim-ns2": "ns-2"}[row["place"]]
        words = [f"`{row['scenario']}`", title, changes, *told]
        lines.append(f"| {' | '.join(words)} |")
    return lines


def write() -> None:
    """Puts the tables into the page."""
    rows = [row for place in PLACES for row in kept(place).values()]
    causes = tomllib.loads(CAUSES.read_text(encoding="utf-8"))
    every: list[Compared] = []
    parts: list[str] = []
    used: list[JSON] = []
    for scenario in ALL:
        found = samples(rows, scenario)
        used += [row for runs_of in found.values() for row in runs_of]
        every += compared(scenario, found)
        parts += table(scenario, found, causes)
    days = sorted({row["day"] for row in used})
    versions = sorted({row["made_by"] for row in used})
    far = [cell for cell in every if cell.far]
    differ = [cell for cell in every if cell.differs]
    unknown = [cell for cell in differ if cause_of(cell, causes) == OPEN]
    told = (
        f"{' to '.join(dict.fromkeys((days[0], days[-1])))}; {', '.join(versions)}. "
        f"{len(every)} cells, {len(used)} runs. {len(every) - len(far)} cells are within 5 % of "
        f"the simulation. Of the other {len(far)}, the seeds explain {len(far) - len(differ)}, a "
        f"cause is known of {len(differ) - len(unknown)}, and {len(unknown)} are open."
    )
    head = [*_wrapped(told), ""]
    _put("places", [*head, *parts][:-1])
    _put("experiments", experiments_table(kept_experiments()))


def _put(name: str, lines: Sequence[str]) -> None:
    """Puts lines into a part of the page."""
    text = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- measured: {name} -->\n", "<!-- end measured -->"
    before, rest = text.split(begin)
    after = rest.split(end, maxsplit=1)[1]
    page = before + begin + "\n".join(lines) + "\n" + end + after
    PAGE.write_text(page, encoding="utf-8")
