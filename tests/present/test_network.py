"""The drawing of a network as SVG: what is in it, that nothing overlaps, and what it does with
names and sizes that no one expects."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell.cli import main
from dumbbell.present import network
from dumbbell.present.network import lettering
from helpers.scenarios import WORDS

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
SHIPPED = sorted((ROOT / "scenarios").glob("*.toml"))

LOT = {
    "duration": "1 s",
    "parking_lot": {"hops": 3, "bottleneck": {"rate": "10 Mbps", "delay": "10 ms"}},
    "flow": [
        {"name": "long"},
        *({"name": f"cross{i}", "count": 4, "path": [i, i + 1]} for i in range(3)),
    ],
}
FORTY = {
    "duration": "1 s",
    "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "1 ms"}},
    "flow": [{"name": "a", "count": 40}, {"name": "b", "cc": "cubic"}],
}


def _ring(nodes: int) -> dict[str, Any]:
    """Routers in a circle, each with a host, and a chord."""
    pairs = [(f"r{i}", f"r{(i + 1) % nodes}") for i in range(nodes)] + [("r0", f"r{nodes // 2}")]
    queue = {"kind": "red", "limit": "20 pkt"}
    slow = {"rate": "10 Mbps", "delay": "5 ms", "queue": queue}
    fast = {"rate": "1 Gbps", "delay": "1 ms"}
    return {
        "duration": "1 s",
        "host": [{"name": f"h{i}"} for i in range(nodes)],
        "router": [{"name": f"r{i}"} for i in range(nodes)],
        "link": [{"between": list(pair), **slow} for pair in pairs]
        + [{"between": [f"h{i}", f"r{i}"], **fast} for i in range(nodes)],
        "flow": [{"from": f"h{i}", "to": f"h{(i + 2) % nodes}"} for i in range(nodes)],
    }


PLANS: dict[str, Any] = {
    **{path.stem: path for path in SHIPPED},
    "lot": LOT,
    "forty": FORTY,
    "ring": _ring(6),
}


def _plan(of: Any) -> dict[str, Any]:
    read = dumbbell.Scenario.from_file if isinstance(of, Path) else dumbbell.Scenario
    return dict(read(of).check(points=1)[0]["plan"])


def _drawings(of: Any) -> Iterator[ET.Element]:
    """Each drawing of a page: from left to right, from top to bottom."""
    found = re.findall(r"<svg .*?</svg>", network.inline(_plan(of)), re.DOTALL)
    yield from map(ET.fromstring, found)


Area = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def _areas(drawing: ET.Element) -> list[tuple[str, Area]]:
    """Where each text stands, each box, and each symbol of a queue."""
    found = []
    for text in drawing.iter(f"{SVG}text"):
        width = lettering.width(text.text or "")
        x, y = float(text.get("x", "")), float(text.get("y", ""))
        left = x - width / 2 if text.get("text-anchor") == "middle" else x
        area = (left, y - 0.75 * lettering.SIZE, left + width, y + 0.22 * lettering.SIZE)
        found.append((f"text {text.text}", area))
    for rect in drawing.iter(f"{SVG}rect"):
        x, y, w, h = (float(rect.get(key, "")) for key in ("x", "y", "width", "height"))
        found.append(("rect", (x, y, x + w, y + h)))
    return found


def _inside(a: Area, b: Area) -> bool:
    return a[0] >= b[0] and a[1] >= b[1] and a[2] <= b[2] and a[3] <= b[3]


def _overlap(a: Area, b: Area) -> bool:
    apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    return not apart


def _overlapping(drawing: ET.Element) -> list[tuple[str, str]]:
    """Pairs of what overlaps; a name in its box does not."""
    return [
        (one, other)
        for (one, a), (other, b) in combinations(_areas(drawing), 2)
        if _overlap(a, b) and not (other == "rect" and one != "rect" and _inside(a, b))
    ]


@pytest.mark.parametrize("name", PLANS)
def test_nothing_overlaps_and_nothing_is_cut_off(name: str) -> None:
    for drawing in _drawings(PLANS[name]):
        assert _overlapping(drawing) == []
        size = tuple(float(drawing.get(key, "")) for key in ("width", "height"))
        assert all(_inside(area, (0, 0, *size)) for _, area in _areas(drawing))


def test_an_overlap_is_found() -> None:
    drawing = next(_drawings(SHIPPED[0]))
    first, second, *_ = drawing.iter(f"{SVG}text")
    second.set("x", str(float(first.get("x", "")) + 5))
    second.set("y", first.get("y", ""))
    assert _overlapping(drawing)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_text_and_svg_show_the_same_links(path: Path) -> None:
    plan = _plan(path)
    drawing = next(_drawings(path))
    said = " ".join(drawing.itertext())
    for cable in network.scene(plan).cables:
        assert f"{cable.rate}, {cable.delay}" in said and cable.queue in said
        assert f"{cable.rate}, {cable.delay}" in network.drawing(plan)
    assert len(list(drawing.iter(f"{SVG}desc"))) == 1


def test_a_phone_can_read_the_shipped_scenarios() -> None:
    for path in SHIPPED:
        *_, narrow = _drawings(path)
        assert float(narrow.get("width", "")) * 0.8 <= 330


def test_hosts_that_are_alike_are_one_box() -> None:
    wide, narrow = _drawings(FORTY)
    for drawing in (wide, narrow):
        said = [text.text for text in drawing.iter(f"{SVG}text")]
        assert said.count("40 hosts") == 2 and "40 flows: sack" in said
        assert "b/sender" in said and "1 flow: cubic" in said


def test_data_show_their_direction_by_arrows() -> None:
    drawing = ET.fromstring(network.document(_plan(WORDS)).partition("\n")[2])
    cables = network.scene(_plan(WORDS)).cables
    assert len(list(drawing.iter(f"{SVG}polygon"))) == len(cables) == 7
    both = WORDS | {"flow": [*WORDS["flow"], {"name": "c", "direction": "reverse"}]}
    drawing = ET.fromstring(network.document(_plan(both)).partition("\n")[2])
    assert len(list(drawing.iter(f"{SVG}polygon"))) == 8  # Of nine cables, all but the bottleneck.


def test_a_drawing_is_the_same_each_time() -> None:
    assert network.inline(_plan(LOT)) == network.inline(_plan(LOT))


def test_names_are_escaped_and_long_ones_shortened() -> None:
    bad = '<script>alert("x")</script>&'
    scenario = _ring(4)
    for host in scenario["host"]:
        if host["name"] == "h0":
            host["name"] = bad
    for link in scenario["link"]:
        link["between"] = [bad if end == "h0" else end for end in link["between"]]
    for flow in scenario["flow"]:
        for end in ("from", "to"):
            flow[end] = bad if flow[end] == "h0" else flow[end]
    html = network.inline(_plan(scenario))
    assert "<script" not in html and "&lt;script" in html
    for drawing in _drawings(scenario):
        assert any(bad in (title.text or "") for title in drawing.iter(f"{SVG}title"))
        assert not any(bad == text.text for text in drawing.iter(f"{SVG}text"))
    assert lettering.xml("a\x01b\x0c") == "a\ufffdb\ufffd"


def test_a_network_that_is_too_large_is_text() -> None:
    plan = _plan(_ring(60))
    assert network.inline(plan).startswith("<pre>")
    with pytest.raises(ValueError, match="more than 80 links"):
        network.document(plan)


def _show(file: Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["show", str(ROOT / "scenarios" / "first.toml"), "--svg", str(file)])
    return int(ended.value.code or 0)


def test_show_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "first.svg"
    assert _show(file) == 0
    drawing = ET.parse(file).getroot()
    assert drawing.tag == f"{SVG}svg" and "The network of first" in "".join(drawing.itertext())
    assert "Links" not in capsys.readouterr().out
    assert _show(tmp_path / "first.png") == 2
    assert "ends with .svg" in capsys.readouterr().err
