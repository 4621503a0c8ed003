"""What a page will show: the tables to pack, and the panels, switches and events over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import api
from . import lines, looks
from .shapes import Chain, Events, Look, Page, Panel, Run, Space, Switch, Threshold, TimeSeq


@dataclass
class Contents:
    """The parts of a page, gathered run by run; `pack` makes them a page."""

    title: str
    runs: list[Run] = field(default_factory=list)
    look: dict[str, Look] = field(default_factory=dict)
    panels: dict[str, Panel] = field(default_factory=dict)
    switches: dict[str, Switch] = field(default_factory=dict)
    events: list[Events] = field(default_factory=list)
    timeseq: list[TimeSeq] = field(default_factory=list)
    space: list[Space] = field(default_factory=list)
    window: tuple[float, float] | None = None
    """The part of the runs [s] that is shown first; None: the whole."""
    _wanted: list[dict[str, Any]] = field(default_factory=list)
    _chains: list[tuple[Events, Sequence[Chain | None]]] = field(default_factory=list)

    def recorded(
        self,
        name: str,
        file: Path,
        columns: Sequence[str],
        of: dict[str, str] | None = None,
    ) -> str:
        """A table of the rows about one flow or queue of a recorded series. Returns its name."""
        self._wanted.append({"id": name, "file": str(file), "columns": list(columns), "of": of})
        return name

    def band(
        self, name: str, file: Path, columns: Sequence[str], key: str, members: Sequence[str]
    ) -> str:
        """A table of a group's 10th, 50th and 90th percentiles at each instant, as `COLUMN_p10`,
        `COLUMN_p50` and `COLUMN_p90`."""
        self._wanted.append(
            {
                "id": name,
                "file": str(file),
                "columns": list(columns),
                "key": key,
                "members": list(members),
                "quantiles": [0.1, 0.5, 0.9],
            }
        )
        return name

    def given(self, name: str, rows: Mapping[str, Sequence[Any]]) -> str:
        """A table of these columns."""
        self._wanted.append({"id": name, "rows": {key: list(rows[key]) for key in rows}})
        return name

    def explained(self, events: Events, chains: Sequence[Chain | None]) -> None:
        """The events of a flow, with a chain, or None, for each of the first rows of their
        table."""
        self.events.append(events)
        if chains:
            self._chains.append((events, chains))

    def panel(self, name: str, title: str = "", unit: str = "", period: str = "") -> Panel:
        """The panel of this name, made when it is first asked for: with a title and a unit of its
        own, else with those of `lines.PANELS`. period: what the title says of means."""
        if not title:
            title, unit = lines.PANELS[name]
            title = title.format(period=period)
        return self.panels.setdefault(
            name,
            {"id": name, "title": title, "unit": unit, "kind": "time", "series": [], "lines": []},
        )

    def threshold(self, panel: Panel, value: float, label: str) -> None:
        """A horizontal line, drawn once however many runs have it."""
        line: Threshold = {"value": value, "label": label, "look": "threshold"}
        if line not in panel["lines"]:
            panel["lines"].append(line)

    def pack(self, static: str) -> tuple[Page, list[str]]:
        """The page's JSON and its blobs in base64. static: the `id` of the element that stands for
        the page where scripts are off."""
        texts = [_json(chains) for _, chains in self._chains]
        answer = api.call("pack", {"tables": self._wanted, "texts": texts})
        for (events, _), span in zip(self._chains, answer["texts"], strict=True):
            events["chains"] = span
        self.look |= looks.PLAIN
        page: Page = {
            "format": 1,
            "title": self.title,
            "runs": self.runs,
            "look": self.look,
            "tables": answer["tables"],
            "panels": [one for one in self.panels.values() if one["series"]],
            "switches": list(self.switches.values()),
            "events": self.events,
            "timeseq": self.timeseq,
            "space": self.space,
            "static": static,
        }
        if self.window is not None:
            page["window"] = list(self.window)
        return page, answer["blobs"]


def _json(chains: Sequence[Chain | None]) -> str:
    import json

    return json.dumps(chains, ensure_ascii=False, separators=(",", ":"))
