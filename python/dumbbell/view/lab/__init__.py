"""The laboratory in the browser: one file with the simulator as WebAssembly, its script, and the
words, units and looks of the panels."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import lzma
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from ... import catalogue
from ...data import measurements, recording
from ...figures import crowd
from ...figures.style import palette
from ...present import columns, templates
from ...present.grids import unit_of
from .. import lines, looks
from ..shown import BAND

_HERE = Path(__file__).parents[1]
_POWERS = range(-9, 13)
_CUSTOM = 0
"""The kind of a section that WebAssembly does not need to run."""
_COLUMNS = {"flow": columns.FLOW, "queue": columns.QUEUE}


def template() -> dict[str, Any]:
    """What the script needs to draw any run; its shape is `Template` in web/src/lab/shapes.ts."""
    own = [looks.queue(i) for i in range(len(palette.PALETTE))]
    queues = [looks.of(look) for look in own]
    thick = looks.plain("#000000", queues[0]["dash"], lines.AVERAGE.width)
    parts = [looks.part({"color": "", "dark": "", "dash": []}, i, None) for i in range(4)]
    # The module has no simulator of RTL.
    found = [one for one in catalogue.algorithms() if one.language == "Rust"]
    return {
        "panels": {
            name: {"title": title, "unit": unit} for name, (title, unit) in lines.PANELS.items()
        },
        "lines": {
            "flow": [asdict(line) for line in lines.FLOW],
            "goodput": asdict(lines.GOODPUT),
            "length": asdict(lines.LENGTH),
            "average": asdict(lines.AVERAGE),
            "chance": asdict(lines.CHANCE),
            "wait": asdict(lines.WAIT),
        },
        "thresholds": lines.THRESHOLDS,
        "probability": lines.PROBABILITY.pattern,
        "looks": {
            "flows": [looks.of(palette.nth(i)) for i in range(len(palette.PALETTE))],
            "queues": queues,
            "parts": [{key: part[key] for key in ("dash", "marker")} for part in parts],
            "average": thick,
            **looks.PLAIN,
        },
        "most": crowd.MOST,
        "quantiles": BAND,
        "instants": recording.INSTANTS,
        "columns": {row: _columns(row) for row in _COLUMNS},
        "units": {
            unit: _units(unit)
            for unit in sorted({one["unit"] for row in _COLUMNS for one in _columns(row)})
        },
        "queues": _named(found, catalogue.QUEUES),
        "controls": _named(found, ("cc",)),
    }


def page(module: bytes, about: dict[str, Any]) -> str:
    """The page of a laboratory. module: the simulator. about: `title`, `words` (paragraphs, each
    `text`, and `set` and `button` where it sets values; `claim` is for tests), and the form:
    `scenario`, `slider`, `choice`."""
    script = (_HERE / "lab.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    form = {"scenario": about["scenario"], "sliders": about["slider"], "choices": about["choice"]}
    module = _bare(module)
    given = {"template": template(), "form": form, "bytes": len(module)}
    data = json.dumps(given, ensure_ascii=False)
    return templates.render(
        templates.PAGES / "lab.html.j2",
        title=about["title"],
        lead=about.get("lead", ""),
        words=[
            {
                "text": _marked(one["text"]),
                "button": one.get("button", ""),
                "sets": json.dumps(one["set"]) if "set" in one else "",
            }
            for one in about.get("words", ())
        ],
        others=about.get("others", ()),
        here=about.get("here", ""),
        next=about.get("next"),
        style="\n".join(
            (_HERE / name).read_text(encoding="utf-8") for name in ("page.css", "lab.css")
        ),
        policy=(
            f"default-src 'none'; script-src 'sha256-{digest}' 'wasm-unsafe-eval' blob:; "
            "worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
            "form-action 'none'"
        ),
        data=data.replace("<", "\\u003c"),
        module=_packed(module),
        script=script,
    )


@functools.cache
def _bare(module: bytes) -> bytes:
    """A module without custom sections: the names of functions are two fifths of it."""
    parts, at = [module[:8]], 8
    while at < len(module):
        size, body = _number(module, at + 1)
        if module[at] != _CUSTOM:
            parts.append(module[at : body + size])
        at = body + size
    return b"".join(parts)


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number in LEB128, and where it ends."""
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


@functools.cache
def _packed(module: bytes) -> str:
    """A module as LZMA in Base64; web/src/data/lzma.ts unpacks it."""
    packing = {
        "id": lzma.FILTER_LZMA1,
        "preset": 9 | lzma.PRESET_EXTREME,
        "dict_size": 1 << 24,
        "lc": 3,
        "lp": 0,
        "pb": 0,
    }
    packed = lzma.compress(module, format=lzma.FORMAT_RAW, filters=[packing])
    return base64.b64encode(packed).decode()


def _marked(text: str) -> Markup:
    """Words with `*emphasis*` and `**strong emphasis**` as HTML."""
    strong = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", str(escape(text)))
    return Markup(re.sub(r"\*(.+?)\*", r"<em>\1</em>", strong))


def _columns(row: str) -> list[dict[str, Any]]:
    return [
        {
            "key": key,
            "head": found.head,
            "unit": found.unit,
            "doc": found.doc,
            "rare": key in columns.RARE,
        }
        for key in _COLUMNS[row]
        for found in [measurements.find(row, key)]
    ]


def _units(unit: str) -> list[tuple[float, float, str]]:
    """From which value on numbers of a unit have which factor and name."""
    found: list[tuple[float, float, str]] = []
    for power in _POWERS:
        factor, name = unit_of(unit, 10.0**power)
        if not found or found[-1][1:] != (factor, name):
            found.append((10.0**power, factor, name))
    return found


def _named(found: list[catalogue.Algorithm], kinds: tuple[str, ...]) -> list[dict[str, str]]:
    return [
        {"name": one.name, "title": one.title, "idea": one.idea}
        for one in sorted(found, key=lambda one: one.name)
        if one.kind in kinds
    ]
