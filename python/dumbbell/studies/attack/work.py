"""An attack from the options to the files."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ... import api, catalogue
from ...files.write import write_text
from ...language.arguments import Choice, choice, refused
from ...process import interrupt
from ..frame import over_time, publish
from ..frame.over_time import OverTime
from . import harm, space, written
from .search import Generation, budget, search
from .shrink import KEEP, Shrunk, shrink
from .space import Genome
from .trial import NAME, Trials, Tried

OTHER_SEEDS = 5
"""Runs of the result under other seeds."""
COMPARED = ("newreno", "cubic", "vegas", "bbr", "bbr3")
"""Controls that the result is tried on, to tell a weakness of one from a hard path."""


@dataclass(slots=True, kw_only=True)
class Options:
    """What an attack is asked."""

    objective: str = "utilization"
    budget: str = "600"
    features: Sequence[str] = ()
    fixed: Mapping[str, float] = field(default_factory=dict)
    seed: int = 1
    use: Sequence[str] = ()
    options: Mapping[str, object] = field(default_factory=dict)


def attack(
    name: str,
    options: Options,
    out: Path | None = None,
    measure: Callable[[dict[str, object]], Mapping[str, Any]] = api.run,
    heard: Callable[[float], None] = lambda _: None,
    command: str = "",
) -> dict[str, Any]:
    """Searches for what hurts the control `name` most, shrinks it, and writes `scenario.toml`,
    `index.html`, `results.json` and the figures into `out` (default `results/attack-NAME`). Returns
    the document of `results.json`.

    `ScenarioError` names the control or the option that is wrong; nothing is run then.
    """
    started = time.perf_counter()
    publish.tools()
    objective = harm.objective(options.objective)
    allowed = budget(options.budget)
    features = space.chosen(options.features, objective.flows == 2)
    fixed = space.pinned(options.fixed)
    trials = Trials(
        cc=_control(name, options.use),
        objective=objective,
        seed=options.seed,
        use=options.use,
        options=options.options,
        measure=measure,
    )
    found, history = search(trials, features, fixed, allowed, heard)
    searched = trials.made
    shrunk = shrink(trials, found[0], fixed)
    seeds = list(range(options.seed + 1, options.seed + 1 + OTHER_SEEDS))
    document = _document(trials, found, history, shrunk)
    document |= {
        "seed": options.seed,
        "budget": options.budget,
        "features": [one.name for one in features],
        "runs": {"search": searched, "shrink": trials.made - searched},
        "other_seeds": {"seeds": seeds, "harm": trials.with_seeds(shrunk.last.genome, seeds)},
        "other_controls": {
            name: trials.with_control(shrunk.last.genome, choice(name))
            for name in COMPARED
            if name != trials.cc.text
        },
        "command": command,
    }
    tree = trials.tree(shrunk.last.genome)
    document["fingerprint"] = _fingerprint(trials, written.text(tree, []))
    document["scenario"] = written.text(tree, _comments(document, options.use))
    document["wall_s"] = time.perf_counter() - started
    directory = out or Path("results") / f"attack-{trials.cc.kind}"
    from . import page

    recorded = _recorded(trials, shrunk.last.genome, directory)
    with interrupt.held():
        write_text(directory / "scenario.toml", document["scenario"])
        document["file"] = str((directory / "scenario.toml").resolve())
        publish.publish(
            document,
            page.figures_of(document, objective),
            partial(page.html, document, objective, over_time=recorded),
            directory,
            recorded=recorded,
        )
    return document


def _recorded(trials: Trials, genome: Genome, directory: Path) -> OverTime:
    """The run of the result, and one on the same path without the attack, recorded below the
    directory of the attack."""
    flows = ["mine", "other"][: trials.objective.flows]
    genomes = {"attack": genome, "path alone": {space.PATH.name: genome[space.PATH.name]}}
    runs = {
        label: over_time.record_run(
            {"value": trials.tree(one), "name": NAME},
            [],
            trials.seed,
            trials.use,
            directory,
            number,
            flows,
        )
        for number, (label, one) in enumerate(genomes.items())
    }
    return OverTime(
        title="Over time",
        text=[
            "The run under attack, and a run on the same path without what the attack adds to it."
        ],
        about=f"The runs with seed {trials.seed}.",
        runs=runs,
        window=(float(written.WARMUP_S), float(written.WARMUP_S + written.DURATION_S) / 2),
        flows=flows,
    )


def _control(name: str, use: Sequence[str]) -> Choice:
    """The control. `ScenarioError` if there is none of this name."""
    one = choice(name)
    known = catalogue.kinds(*use)["cc"]
    if one.kind not in known:
        catalogue.find(one.kind, *use)  # Says what is near.
        raise refused(
            one.text, one.kind, "this is not a congestion control", f"write one of {known}"
        )
    return one


def _document(
    trials: Trials, found: Sequence[Tried], history: Sequence[Generation], shrunk: Shrunk
) -> dict[str, Any]:
    """What is known without files."""
    first = found[0]
    assert first.harm is not None and shrunk.last.harm is not None
    said = trials.objective.said
    return {
        "version": trials.version,
        "valid": True,
        "code": 0,
        "cc": trials.cc.text,
        "objective": trials.objective.name,
        "finding": [
            f"With {_features(first)}, {said(first.harm)}.",
            f"Shrunk to {_features(shrunk.last)}: {said(shrunk.last.harm)}.",
        ],
        "found": {"harm": first.harm, "genome": first.genome},
        "shrunk": {
            "harm": shrunk.last.harm,
            "genome": shrunk.last.genome,
            "keeps": KEEP,
            "steps": list(shrunk.steps),
        },
        "generations": [asdict(one) for one in history],
        "from_store": trials.from_store,
        "failed_runs": len(trials.errors),
        "scenario_warnings": [],
    }


def _features(one: Tried) -> str:
    """The names of the features besides the path."""
    names = [name for name in one.genome if name != space.PATH.name]
    return ", ".join(names) or "the path"


def _fingerprint(trials: Trials, text: str) -> str:
    """The fingerprint of the run of the file. The run is the one that was judged."""
    source = {"text": text, "name": "scenario.toml"}
    wanted = api.request(source, [], use=list(trials.use) or None, **trials.options)
    answer = trials.measure(wanted)
    return str(answer["fingerprint"])


def _comments(document: Mapping[str, Any], use: Sequence[str]) -> list[str]:
    """The first lines of the file."""
    files = "".join(f" --use {one}" for one in use)
    said = document["finding"][1].partition(": ")[2]
    return [
        f"Attack on {document['cc']}: {said}",
        f"`dumbbell run scenario.toml{files}` has the fingerprint {document['fingerprint']}.",
    ]
