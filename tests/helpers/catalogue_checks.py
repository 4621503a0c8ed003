"""What must hold of every algorithm of a catalogue, beside the conformance suite: of the one that
is installed, and of one with the sketches of `dumbbell new` in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dumbbell import catalogue
from dumbbell.aqm_response import laws
from dumbbell.catalogue import Algorithm
from dumbbell.explain.why import decisions, templates
from dumbbell.explain.why.finding import Decision
from dumbbell.figures.style import palette
from dumbbell.language import expression
from parts import catalogue_rows

REASONS = ("early", "forced", "head", "overflow", "evicted", "policed")
OF_RED = ("RED family", "in and out of profile", "RED with an eye on flows")


def read(document: Mapping[str, Any]) -> list[Algorithm]:
    """The algorithms of a catalogue's document in which parameters have a name and a default."""
    plain = dict.fromkeys(("doc", "unit", "range", "source", "choices"))
    return [
        catalogue.read(
            kind, entry | {"parameters": [plain | parameter for parameter in entry["parameters"]]}
        )
        for kind, entries in document.items()
        for entry in entries
    ]


def check_looks(known: Sequence[Algorithm]) -> None:
    """Every queue has a look of its own, in the colors of its family if it has one."""
    found = palette.looks(known)
    queues = {a.name: a for a in known if a.kind in catalogue.QUEUES}
    looks = {name: found[name] for name in queues}
    # Points are told apart by color and marker, lines without markers by color and dash.
    assert len({(look.color, look.marker) for look in looks.values()}) == len(queues)
    assert len({(look.color, str(look.dash)) for look in looks.values()}) == len(queues)
    reds = (palette.VERMILLION, palette.YELLOW, palette.ORANGE)
    for name, a in queues.items():
        if a.family:
            assert (looks[name].color in reds) == (a.family in OF_RED), name
            assert (looks[name].color == palette.BLUE) == (a.family == "CoDel"), name
        if name.startswith("fq"):
            assert looks[name].color == palette.GREEN


def check_laws(known: Sequence[Algorithm]) -> None:
    """Every AQM has a law, or says why it has none."""
    for a in known:
        if a.kind == "aqm":
            assert laws.law_of(a) is not None or a.law["none"], f"{a.name} states no law"
        if stated := a.law.get("over"):
            parameters = {p.name for p in a.parameters}
            unknown = expression.names(stated["signals"]) - parameters - {"limit", stated["x"]}
            assert not unknown, f"{a.name}: no parameter {unknown}"


def check_explanations(known: Sequence[Algorithm]) -> None:
    """Every decision is told: by the words of the page, which can be read, else by its gauges."""
    seen = {"coin": 0.25, "avg": 7.5}
    for a in known:
        if a.kind not in decisions.DECIDE:
            continue
        clauses, story = a.explained["clauses"], a.explained["story"]
        assert not story or story in decisions.STORIES, a.name
        for condition, sentence in clauses:
            for each in (*filter(None, [condition]), *templates.expressions(sentence)):
                assert expression.names(each), f"{a.name}: {each}"
        defaults = {p.name: p.default for p in a.parameters}
        for reason in REASONS:
            d = Decision(0, "core", a.name, defaults, "50 packets", reason, False, 12, seen)
            told = decisions.explained_by(a, d)
            assert told and "nan" not in told, a.name
            if not clauses and not story:
                assert "coin = 0.25, avg = 7.5" in told
                assert "12 packets waiting" in told


def check_rows(known: Sequence[Algorithm]) -> None:
    """Every queue and every control has its rows, with its provenance and what was measured."""
    costs = json.loads(catalogue_rows.COSTS.read_text(encoding="utf-8"))
    by_name = {(a.kind, a.name): a for a in known}
    for table, kinds in {
        "queues": catalogue.QUEUES,
        "sizes": ("aqm",),
        "controls": ("cc",),
    }.items():
        columns, rows = catalogue_rows.TABLES[table](known, costs)
        names = [row[0 if table == "sizes" else 1].strip("`") for row in rows]
        assert sorted(names) == sorted(a.name for a in known if a.kind in kinds)
        assert all(len(row) == len(columns) for row in rows)
        if "provenance" in columns:
            for name, row in zip(names, rows, strict=True):
                (a,) = (by_name[kind, name] for kind in kinds if (kind, name) in by_name)
                assert row[columns.index("provenance")] == a.provenance.replace("_", " ")
                cost = costs["queues" if table == "queues" else "controls"].get(name, "–")
                assert row[columns.index("instructions")] == str(
                    cost[0] if isinstance(cost, list) else cost
                )


CHECKS = (check_looks, check_laws, check_explanations, check_rows)
