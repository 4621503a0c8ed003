"""The live page of one run: the panels of its page, whose tables grow."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import api
from ...explain.runs import Run
from ...figures.recorded_run import Source
from ...present import network, templates
from ...present.units import plain_bytes, seconds
from .. import flows, queues
from ..contents import Contents
from ..shown import Shown
from . import script

if TYPE_CHECKING:
    import polars

_HERE = Path()
_DRAWING = 100
"""Columns of a network's drawing."""
_WINDOW_S = 60.0
"""Of a run in real time, the end that is shown until the reader pans."""
_GOODPUT = "goodput_bps"


@dataclass(frozen=True, slots=True)
class First:
    """The first page of a run, and what the request watches; None: the run records no series."""

    page: str
    watch: api.JSON | None


@dataclass
class Growing(Contents):
    """The parts of a page whose tables are empty yet. `tables` says to the verb `run` which rows
    they want."""

    tables: list[api.JSON] = field(default_factory=list)
    _groups: dict[str, list[str]] = field(default_factory=dict)

    def recorded(
        self, name: str, file: Path, columns: Sequence[str], of: dict[str, str] | None = None
    ) -> str:
        """A table that the recorded rows will fill."""
        self.tables.append({"id": name, "file": file.name, "columns": list(columns), "of": of})
        return super().given(name, {column: [] for column in columns})

    def band(
        self, name: str, file: Path, columns: Sequence[str], key: str, members: Sequence[str]
    ) -> str:
        """A table that the quantiles of a group will fill."""
        self._groups[_label(name)] = list(members)
        return self._band(name, file.name, columns, key, members)

    def given(self, name: str, rows: Mapping[str, Sequence[Any]]) -> str:
        """A table of goodput, which alone is computed from whole series. While the run goes on, it
        is that of each period of the record, under the names of the medians."""
        label, of = _label(name), "flows.parquet"
        if label in self._groups:
            return self._band(name, of, [_GOODPUT], "flow", self._groups[label])
        middle = f"{_GOODPUT}_p50"
        request = {"id": name, "file": of, "columns": ["time_s", _GOODPUT], "of": {"flow": label}}
        self.tables.append({**request, "rename": {_GOODPUT: middle}})
        return super().given(name, {"time_s": [], middle: []})

    def _band(
        self, name: str, file: str, columns: Sequence[str], key: str, members: Sequence[str]
    ) -> str:
        group = {"key": key, "members": list(members), "quantiles": [0.1, 0.5, 0.9]}
        self.tables.append({"id": name, "file": file, "columns": list(columns), **group})
        names = [f"{column}_p{q}" for column in columns for q in (10, 50, 90)]
        return super().given(name, {one: [] for one in ("time_s", *names)})


def _label(name: str) -> str:
    """The flow, queue or group of a table."""
    return name.split("/", 2)[2]


class _Beginning(Source):
    """What is known of a run's series when it begins: who is in them, and what queues show."""

    def __init__(self, plan: api.JSON, gauges: Mapping[str, Mapping[str, float | None]]) -> None:
        super().__init__(_HERE)
        self.__dict__["summary"] = {
            "flows": [{"name": flow["name"], "cc": _control(flow)} for flow in plan["flows"]],
            "queues": [
                {"name": link["name"], "kind": (link.get("qdisc") or link["aqm"])["kind"]}
                for link in plan["links"]
                if link["name"] in gauges
            ],
        }
        self.__dict__["plan"] = plan
        every_s = seconds(plan["record"]["every"])
        if plan["record"]["flows"]:
            self._read["flows"] = _flows(plan, every_s)
        if plan["record"]["queues"] and gauges:
            self._read["queues"] = _queues(gauges, every_s)

    def find(self, name: str) -> polars.DataFrame | None:
        return self._read.get(name)

    def order(self, name: str) -> list[str]:
        return [str(one["name"]) for one in self.summary[name]]


def first_page(wanted: api.JSON, command: str, own: Sequence[Any] = ()) -> First:
    """The page of a run that begins. wanted: the request of `run`. Errors as of `api.plan`."""
    planned = api.plan(wanted | {"points": 1}, own)
    plan = planned["points"][0]["plan"]
    contents, recorded = Growing(plan["name"]), plan["record"].get("every") is not None
    live = wanted.get("on") == "kernel"
    source = _begin(wanted, plan, contents) if recorded else None
    about = {"kind": "series", "span_s": _WINDOW_S if live else None}
    text = templates.render(
        templates.PAGES / "live.html.j2",
        title=planned["title"] or plan["name"],
        command=command,
        network=network.drawing(network.for_people(plan), width=_DRAWING),
        recorded=source is not None,
        grid=None,
        live=json.dumps(about),
        time_page=script.pack(contents),
    )
    return First(text, {"tables": contents.tables} if contents.tables else None)


def _begin(asked: api.JSON, plan: api.JSON, contents: Growing) -> Source:
    gauges = api.call("gauges", asked)
    source = _Beginning(plan, gauges)
    duration_s = seconds(str(plan["duration"]))
    names = tuple(str(flow["name"]) for flow in plan["flows"])
    # Nothing of this run is on a disk: what reads more of it than this is not asked.
    run = Run(_HERE, _HERE, plan["name"], "", None, {}, plan["seed"], 1, "", names, duration_s)
    contents.runs.append(
        {
            "label": plan["name"],
            "name": plan["name"],
            "duration_s": duration_s,
            "warmup_s": source.warmup_s,
            "seed": run.seed,
        }
    )
    shown = Shown(0, plan["name"], run, source, plan)
    queues.draw(contents, shown)
    flows.draw(contents, shown)
    return source


def _flows(plan: api.JSON, every_s: float) -> polars.DataFrame:
    """Two rows of each flow: windows of connections, and no values."""
    import polars as pl

    rows = [
        {"time_s": t, "flow": flow["name"], "cwnd_packets": window, "cwnd_bytes": size}
        for flow in plan["flows"]
        for window, size in [_window(flow)]
        for t in (0.0, every_s)
    ]
    schema = {"time_s": pl.Float64, "flow": pl.String, "cwnd_packets": pl.Float64}
    frame = pl.DataFrame(rows, schema={**schema, "cwnd_bytes": pl.Float64})
    return frame.with_columns(pl.lit(None, pl.Float64).alias(_GOODPUT))


def _window(flow: api.JSON) -> tuple[float | None, float | None]:
    """A packet of a connection, and its payload in bytes; nothing of datagrams."""
    tcp = flow["transport"].get("tcp")
    if not tcp:
        return None, None
    return 1.0, plain_bytes(tcp["mss"])


def _queues(gauges: Mapping[str, Mapping[str, float | None]], every_s: float) -> polars.DataFrame:
    """Two rows of each queue, with what it shows at first; a value that it has later is NaN."""
    import polars as pl

    names = list(dict.fromkeys(gauge for shown in gauges.values() for gauge in shown))
    nan = float("nan")

    def value(shown: Mapping[str, float | None], gauge: str) -> float | None:
        return (nan if shown[gauge] is None else shown[gauge]) if gauge in shown else None

    rows = [
        {"time_s": t, "queue": queue, **{name: value(shown, name) for name in names}}
        for queue, shown in gauges.items()
        for t in (0.0, every_s)
    ]
    schema = {"time_s": pl.Float64, "queue": pl.String}
    return pl.DataFrame(rows, schema={**schema, **dict.fromkeys(names, pl.Float64)})


def _control(flow: api.JSON) -> str | None:
    cc = flow["transport"].get("cc")
    return str(cc["kind"]) if cc else None
