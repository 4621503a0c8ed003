"""Results of this program as figures: `Result.plot`."""

from __future__ import annotations

import base64
import html
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from ...data.origin import Origin
from ...data.records import Run
from ...errors import ScenarioError
from ...explain import runs
from ..kinds import KINDS, draw_on_demand
from ..recorded_run import View
from ..style import Figure
from . import results


class Result(Protocol):
    """What is used of `dumbbell.Result`."""

    json: dict[str, Any]
    _origin: Origin | None

    def _labelled(self, labels: Mapping[str, Any]) -> Iterator[Run]: ...


class Figures(dict[str, Figure]):
    """Figures by kind, which a notebook shows one below the other."""

    def _repr_html_(self) -> str:
        shown = (
            f'<img alt="{html.escape(kind)}" src="data:image/png;base64,'
            f'{base64.b64encode(figure._repr_png_()).decode()}">'
            for kind, figure in self.items()
        )
        return "<br>".join(shown)


def plot(
    result: Result,
    what: Sequence[Result | Path | str],
    view: View,
    seed: int | None,
    use: Sequence[str],
) -> Figure | Figures:
    """The figure of one kind, or all that are asked for. what: kinds, and further results."""
    kinds = [word for word in what if isinstance(word, str)]
    for kind in kinds:
        if kind not in KINDS:
            raise ScenarioError(
                f"there is no kind of figure `{kind}`; there are {', '.join(KINDS)} "
                "(a file or a directory is a pathlib.Path)"
            )
    others = [other for other in what if not isinstance(other, str)]
    if others:
        given = [_given(other, seed) for other in (result, *others)]
        drawn, _ = results.draw(_apart(given), kinds, view, use)
    else:
        run = _run(result, seed)
        drawn, _ = draw_on_demand(run, run.name, kinds, view, use)
    return drawn[kinds[0]] if len(kinds) == 1 else Figures(drawn)


def _given(other: Result | Path, seed: int | None) -> results.Given:
    if isinstance(other, Path):
        return results.find(str(other), seed=seed)
    if not hasattr(other, "_origin") or "points" in other.json:
        raise ScenarioError(
            f"{other!r} is not a result: overlay results, such as sweep.points, or paths"
        )
    run = _run(other, seed)
    return results.Given(run.name, run)


def _apart(given: Sequence[results.Given]) -> list[results.Given]:
    """The results with names that differ."""
    names = [one.name for one in given]
    return [
        results.Given(f"{one.name} {names[: i + 1].count(one.name)}", one.run)
        if names.count(one.name) > 1
        else one
        for i, one in enumerate(given)
    ]


def _run(result: Result, seed: int | None) -> runs.Run:
    """A run of a result: the one of a seed, or the first."""
    found = {labels["seed"]: (run, at) for labels, run, at in result._labelled({})}
    if not found:
        raise ScenarioError("this result has no run")
    chosen = next(iter(found)) if seed is None else seed
    if chosen not in found:
        raise ScenarioError(
            f"there is no run with seed {chosen}; the seeds are {', '.join(map(str, found))}"
        )
    run, directory = found[chosen]
    origin = result._origin
    if origin is None:
        if directory is None:
            raise ScenarioError(
                "this result has neither records nor its scenario: run it again, or give "
                "Result.load its directory"
            )
        return runs.locate(directory, seed=chosen)
    data: dict[str, Any] = {**result.json, **run}
    tables = origin.tables()
    name = str(data.get("name") or tables.get("name") or "scenario")
    return runs.Run(
        result=Path(name),
        directory=directory or Path(os.devnull),
        name=name,
        version=str(data.get("version") or "?"),
        point=None,
        overrides=dict(origin.overrides),
        seed=chosen,
        seeds=len(found),
        fingerprint=str(data["fingerprint"]),
        flows=tuple(str(flow["name"]) for flow in data["flows"]),
        duration_s=float(data.get("duration_s") or 0.0),
        on="kernel" if origin.live else "sim",
        tables=tables,
        own=origin.own,
    )
