"""`list`, `explain` and `schema`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ... import api, catalogue, shipped
from ...errors import ScenarioError
from ...reproduce import papers
from .. import completers
from ..options import Json, Use, emit, show

_NO_SOURCE = "no independent source confirms each decision"
_WARNING = re.compile(r"W\d+", re.IGNORECASE)
KINDS = (
    "aqm",
    "qdisc",
    "cc",
    "meter",
    "conditioner",
    "impairment",
    "service",
    "source",
    "paper",
    "scenario",
)


def list_(*, use: Use = [], json: Json = False) -> int:  # noqa: B006 (cyclopts reads it)
    """List every algorithm by kind, the papers, and the scenarios that ship.

    Example: `dumbbell list --json`
    """
    known = catalogue.kinds(*use)
    scenarios = shipped.scenarios()
    names = {kind: known.get(kind, []) for kind in KINDS}
    names |= {"paper": papers.names(), "scenario": list(scenarios)}
    if json:
        emit(names)
        return 0
    from ...present.grids import Grid

    ideas = {(a.kind, a.name): _idea(a) for a in catalogue.algorithms(*use)}
    ideas |= {("paper", name): papers.load(name).title for name in names["paper"]}
    ideas |= {("scenario", name): shipped.title(file) for name, file in scenarios.items()}
    for kind, members in names.items():
        if members:
            show(
                Grid(
                    kind,
                    ["name", "idea"],
                    [[n, ideas.get((kind, n), "")] for n in members],
                    text_columns=2,
                )
            )
    show(
        "`dumbbell explain NAME` describes an algorithm, `explain tcp` describes TCP; `reproduce "
        "NAME` runs a paper, and `run NAME` a scenario."
    )
    return 0


def _idea(algorithm: catalogue.Algorithm) -> str:
    """Its idea, that it is slow if it is, and why it is not verified if an RFC or a draft specifies
    it."""
    if algorithm.provenance == "own":
        return f"{algorithm.idea} ({algorithm.language}, slow: {algorithm.file})"
    if algorithm.provenance in catalogue.UNVERIFIED_CLASSES and catalogue.specified(algorithm):
        why = catalogue.UNVERIFIED.get(algorithm.name, _NO_SOURCE)
        return f"{algorithm.idea} (Not verified: {why}.)"
    return algorithm.idea


def explain(
    name: Annotated[
        str,
        Parameter(
            help="An algorithm, `tcp`, `tcp/PROFILE`, `quic`, `scream`, a key of scenarios, such "
            "as flow.rtt, or the code of a warning, such as W012.",
            completer=completers.explained,
        ),
    ],
    /,
    *,
    every: Annotated[
        bool,
        Parameter(
            name="--all",
            negative="",
            help="Also list the parameters that a variant shares with RED.",
        ),
    ] = False,
    use: Use = [],  # noqa: B006 (cyclopts reads it)
    json: Json = False,
) -> int:
    """Describe an algorithm, a key of scenarios, or a warning.

    Of an algorithm: idea, equations, and every parameter with its default, range and source. Of a
    key: meaning, unit, default, range, places and an example. Of a warning: cause and fix.

    Example: `dumbbell explain codel`
    """
    from . import keys
    from .explain import algorithm_page, tcp_page, transport_page, warning_page

    if _WARNING.fullmatch(name):
        pages = [warning_page(name)]
    elif name == "tcp" or name.startswith("tcp/") or name in catalogue.profiles():
        page, lines = tcp_page(name.removeprefix("tcp").removeprefix("/"))
        pages = [(page, lines)]
    elif name == "quic":
        pages = [transport_page(name, catalogue.quic_fields())]
    elif name == "scream":
        pages = [transport_page(name, catalogue.scream_fields())]
    elif name in papers.names():
        raise ScenarioError(f"`{name}` is a paper: `dumbbell reproduce {name}` runs it")
    elif name in catalogue.names(*use):
        pages = [algorithm_page(a, every) for a in catalogue.find(name, *use)]
    else:
        pages = keys.pages(name, *use)
    if json:
        documents = [page for page, _ in pages]
        emit(documents[0] if len(documents) == 1 else documents)
    else:
        for _, lines in pages:
            show(*lines)
    return 0


def schema(
    *,
    result: Annotated[
        bool, Parameter(negative="", help="The schema of results instead of scenario files.")
    ] = False,
    install: Annotated[
        Path | None,
        Parameter(
            help="Write the schema of scenario files as dumbbell.schema.json into this folder "
            "instead, for editors. A scenario's first line names it: #:schema "
            "./dumbbell.schema.json"
        ),
    ] = None,
    use: Use = [],  # noqa: B006 (cyclopts reads it)
    json: Json = True,
) -> int:
    """Print the JSON Schema of scenario files or of results, with or without --json.

    Example: `dumbbell schema --result`
    """
    if install is not None:
        from ...language import new

        if result:
            raise ScenarioError("--install writes the schema of scenario files: leave out --result")
        emit({"written": [str(new.install_schema(install, *use))]})
        return 0
    emit(api.result_schema() if result else api.schema(*use))
    return 0
