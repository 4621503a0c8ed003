"""Runs of a study over one time axis: recorded beside its document, drawn on its page."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import api
from ...data import recording
from ...errors import ScenarioError
from ...files import reading
from ...files.write import write_json
from ...language import overrides

if TYPE_CHECKING:
    from ...view.contents import Contents
    from .design import Row
    from .runs import Laboratory

FOLDER = "over-time"
"""The folder of these runs, each a result by itself."""
_FILE = "over-time.json"
_SERIES = ("flows", "queues", "signals", "reactions", "packets")


@dataclass(frozen=True, slots=True)
class OverTime:
    """Runs to be drawn over one time axis: the heading, paragraphs on what there is to see, which
    runs these are, the directory of each run by its label, the part of the runs [s] that is shown
    first (None: the whole), and the flows that are shown at first and whose packets were recorded
    (none: all)."""

    title: str
    text: Sequence[str]
    about: str
    runs: Mapping[str, str]
    window: tuple[float, float] | None = None
    flows: Sequence[str] = ()

    def draw(self, contents: Contents) -> dict[str, Any]:
        """Draws the runs, and returns what the template says of them."""
        from ...view import page
        from ...view.results import Which, read

        which = Which(flows=tuple(self.flows))
        with ExitStack() as stack:
            results = [read(directory, which, stack) for directory in self.runs.values()]
            page.gather(contents, results, list(self.runs), which, self.window)
        return {
            "title": self.title,
            "text": self.text,
            "about": self.about,
            "command": shlex.join(["dumbbell", "view", *self.runs.values()]),
            "figures": _static(self),
        }


def records(every: str = "10 ms", flows: Sequence[str] = ()) -> list[str]:
    """The overrides that record what a page over time needs: series with this period, packets of
    these flows (none: of all)."""
    return recording.overrides(_SERIES, every, flows)


def record(
    laboratory: Laboratory,
    row: Row,
    seed: int,
    directory: Path,
    number: int,
    flows: Sequence[str] = (),
) -> str:
    """Makes a run of a study's point again with records, packets of these flows among them, below
    the study's directory; returns where it is."""
    base = laboratory.base
    scenario = {**base.scenario, "replications": 1}
    scenario.pop("stop", None)
    changes = [f"{key}={overrides.toml(value)}" for key, value in row.items()]
    source = {"value": scenario, "name": base.name}
    return record_run(source, changes, seed, laboratory.use, directory, number, flows)


def record_run(
    source: Mapping[str, object],
    changes: Sequence[str],
    seed: int,
    use: Sequence[str],
    directory: Path,
    number: int,
    flows: Sequence[str] = (),
) -> str:
    """Makes one run of a scenario with overrides as `record` does; returns where it is."""
    where = directory / FOLDER / f"run-{number + 1}"
    api.run(
        api.request(
            dict(source),
            [*changes, *records(flows=flows)],
            use=list(use) or None,
            seed=seed,
            replications=1,
            out=str(where),
        )
    )
    return str(where)


def save(directory: Path, made: OverTime | None) -> None:
    """Writes down what the runs in a study's directory show; without any, removes what an earlier
    study said."""
    file = directory / FOLDER / _FILE
    if made is None:
        file.unlink(missing_ok=True)
        return
    home = directory / FOLDER
    names = {label: str(Path(run).relative_to(home)) for label, run in made.runs.items()}
    write_json(file, {**asdict(made), "runs": names})


def load(directory: Path) -> OverTime | None:
    """What `save` wrote into a study's directory; None if there is nothing. `ScenarioError` if it
    is damaged."""
    home = directory / FOLDER
    if not (home / _FILE).is_file():
        return None
    try:
        said = json.loads(reading.text(home / _FILE))
        return OverTime(
            title=str(said["title"]),
            text=[str(one) for one in said["text"]],
            about=str(said["about"]),
            runs={str(label): str(home / name) for label, name in said["runs"].items()},
            window=None if said["window"] is None else (said["window"][0], said["window"][1]),
            flows=[str(one) for one in said["flows"]],
        )
    except (OSError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise ScenarioError(
            f"{home / _FILE} is damaged: {error}\nhelp: make the study again"
        ) from None


def _static(made: OverTime) -> list[tuple[str, str]]:
    """The windows of the runs side by side, as an `<svg>` element with its caption, for where
    scripts are off."""
    from ... import figures

    panels = list(_panels(made))
    if not panels:
        return []
    drawn = figures.side_by_side(panels, "congestion window [packets]")
    return [(figures.svg(drawn, "over-time-windows"), "Congestion windows over time.")]


def _panels(made: OverTime) -> Iterable[tuple[str, list[Any]]]:
    """A panel for each run, with a trace for each flow that is shown."""
    from ...data import series as recorded
    from ...figures.compare import Trace

    low, high = made.window or (0.0, float("inf"))
    for label, directory in made.runs.items():
        frame = recorded.read(Path(directory), "flows")
        if frame is None:
            continue
        part = frame.filter((frame["time_s"] >= low) & (frame["time_s"] <= high))
        part = part.drop_nulls("cwnd_packets")
        yield (
            label,
            [
                Trace(str(name), rows["time_s"].to_list(), rows["cwnd_packets"].to_list())
                for name, rows in recorded.parts(part, "flow")
                if not made.flows or name in made.flows
            ],
        )
