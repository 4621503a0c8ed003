"""The page itself: one file with the finding, the tables, the panels and where they come from."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import figures
from ..explain.runs import Run
from ..figures import View
from ..figures.overlay import labels
from ..figures.overlay import results as overlay
from ..figures.style import palette
from ..files.write import write_text
from ..present import findings, network, templates
from ..present.tables import result_grids, summary_line
from . import fabric, run, script
from .contents import Contents
from .files import File
from .results import Read, Which, find, read
from .shown import Shown, Side


def write(names: Sequence[str], file: Path, which: Which, command: str = "") -> list[str]:
    """Writes the page of these results to `file`. command: the one that made the result, if it is
    known. Returns what to say of repeated runs."""
    with ExitStack() as stack:
        alone = len(names) == 1
        results = [find(name, which.flows, alone) or read(name, which, stack) for name in names]
        scenarios = [None if isinstance(one, File) else one.scenario for one in results]
        said, differing = labels.labels(scenarios, names)
        titles = (one.facts.title if isinstance(one, File) else one.run.name for one in results)
        title = " and ".join(dict.fromkeys(titles))
        contents = Contents(title)
        gather(contents, results, said, which)
        text = templates.render(
            templates.PAGES / "view.html.j2",
            title=title,
            differing=differing,
            parts_=[
                _part(one, label, command)
                | {"fabric": None if isinstance(one, File) else fabric.section(contents, one, i)}
                for i, (one, label) in enumerate(zip(results, said, strict=True), 1)
            ],
            over_time=_static(results[0]),
            script=script.pack(contents),
        )
    write_text(file, text)
    return [one.note for one in results if isinstance(one, Read) and one.note]


def gather(
    contents: Contents,
    results: Sequence[Read | File],
    said: Sequence[str],
    which: Which,
    window: tuple[float, float] | None = None,
) -> None:
    """Draws results over one time axis, each under its label. window: the part of the runs [s] that
    is shown first, and whose events are explained; then the flows of `which` are the only ones that
    are on at first."""
    looks = _looks(said) if len(results) > 1 else [None]
    contents.window = window
    for number, (one, label, look) in enumerate(zip(results, said, looks, strict=True)):
        if isinstance(one, File):
            one.draw(contents, Side(number, label, look=look))
            continue
        shown = Shown(
            number,
            label,
            _named(one.run, which.named),
            one.source,
            one.plan,
            which.flows,
            look=look,
            window=window,
            only=which.flows if window is not None else (),
        )
        run.draw(contents, shown)


def _named(run: Run, name: str) -> Run:
    """The run under the name that commands on the page use."""
    return replace(run, result=Path(name)) if name else run


def _looks(said: Sequence[str]) -> list[palette.Look | None]:
    """The look of each result: that of the catalogue if the labels are its algorithms."""
    chosen = [palette.look(label) for label in said if palette.is_chosen(label)]
    if len({look.color for look in chosen}) == len(said):
        return list(chosen)
    return [palette.nth(i) for i in range(len(said))]


def _part(one: Read | File, label: str, command: str) -> dict[str, Any]:
    """What the page says of one result."""
    if isinstance(one, File):
        return {
            "label": label,
            "valid": True,
            "findings": one.facts.findings,
            "grids": one.facts.grids,
            "line": one.facts.line,
            "lacks": "",
            "network": "",
            "scenario": "",
            "facts": {"File": one.name, **(one.facts.about or {})},
            "command": one.command,
        }
    again = f" --on {one.run.on}" if one.run.live else ""
    return {
        "label": label,
        "valid": one.result.valid or one.run.live,  # Of a live run the finding says why not.
        "findings": findings.of(one.result),
        "grids": result_grids(one.result),
        "line": summary_line(one.result),
        "lacks": one.note if one.run.live else "",
        "network": network.inline(one.plan),
        "scenario": (one.run.result / "scenario.toml").read_text(encoding="utf-8"),
        "facts": _facts(one),
        "command": command
        or f"dumbbell run {one.run.result / 'scenario.toml'} --seed {one.run.seed}{again}",
    }


def _facts(one: Read) -> dict[str, str]:
    """What identifies a run."""
    seed = f"{one.run.seed}, the first of {one.run.seeds}" if one.run.seeds > 1 else one.run.seed
    return {
        "Version": one.run.version,
        "Seed": str(seed),
        "Fingerprint": one.run.fingerprint,
        **(
            {"Hosts": "real kernels" if one.run.on == "kernel" else "Linux in virtual time"}
            if one.run.live
            else {}
        ),
    }


def _static(one: Read | File) -> list[tuple[Any, str]]:
    """Figures for where scripts are off, as images, each with what it shows."""
    from markupsafe import Markup

    if isinstance(one, File):
        drawn, _ = overlay.draw([overlay.find(one.name)], one.facts.figures, View())
    else:
        drawn = figures.recorded(one.source.directory)
    image = Markup('<img src="data:image/png;base64,{}" alt="{}">')
    return [
        (
            image.format(base64.b64encode(figure._repr_png_()).decode(), f"{name} over time"),
            f"{name} over time",
        )
        for name, figure in drawn.items()
    ]
