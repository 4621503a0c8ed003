"""The first runs of some points of a paper over one time axis."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..errors import InvalidRun
from ..files.declared import filled
from ..studies.frame.over_time import FOLDER, OverTime, records
from . import finding
from .entries import Paper
from .predicate import Family
from .runs import PointRunner, Runs


def record(
    paper: Paper,
    runner: PointRunner,
    measured: Mapping[str, Runs],
    numbers: Mapping[str, Family],
    out: Path,
) -> OverTime | None:
    """Records the runs below a report's directory; None if the paper declares none. A text whose
    numbers were not measured is left out, and so are all of an altered run, which it does not
    speak of. `InvalidRun` if a run is not the first of its point."""
    wanted = paper.over_time
    if wanted is None:
        return None
    home = out / FOLDER
    runs = {}
    for label, name in wanted.points.items():
        found = runner.first(paper.points[name], records(wanted.every, wanted.flows), home / name)
        if found != (expected := measured[name].runs[0]["fingerprint"]):
            raise InvalidRun(
                f"point `{name}`, recorded again, has the fingerprint {found}, not {expected}"
            )
        runs[label] = str(home / name)
    shown = {name: finding.shown(text, numbers) for name, text in wanted.show.items()}
    known = {name: text for name, text in shown.items() if text is not None}
    told = [filled(text, known) for text in wanted.text] if len(known) == len(shown) else []
    return OverTime(
        title="The runs over time" if runner.altered else wanted.title,
        text=[] if runner.altered else told,
        about=f"The first runs of {' and '.join(wanted.points)}, as in the tables.",
        runs=runs,
        window=(float(wanted.from_s), float(wanted.until_s)),
        flows=list(wanted.flows),
    )
