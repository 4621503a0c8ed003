"""The page of a fabric: tiers, maps, and transfers by size."""

import base64
import json
import re
import struct
import zlib

import dumbbell
import numpy as np
import pytest
from dumbbell.view import fabric, page
from dumbbell.view.fabric import pixels
from dumbbell.view.results import Which

_SCENARIO = {
    "duration": "40 ms",
    "warmup": "10 ms",
    "tcp": {"min_rto": "5 ms"},
    "leaf_spine": {
        "leaves": 3,
        "spines": 2,
        "hosts": 3,
        "link": {"rate": "1 Gbps", "delay": "2 us"},
    },
    "flow": [{"name": "long", "from": "leaf1/h1", "to": "leaf2/h1"}],
    "session": [{"name": "mice", "pattern": "random", "load": 0.3, "size": "20 kB"}],
}


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("fabric")
    scenario = {**_SCENARIO, "record": {"every": "1 ms", "queues": True}}
    dumbbell.Scenario(scenario).run(out=folder / "result")
    page.write([str(folder / "result")], folder / "page.html", Which())
    return (folder / "page.html").read_text(encoding="utf-8")


def _panels(text: str) -> dict[str, list[str]]:
    found = re.search(r'<script type="application/json" id="dumbbell-view">(.*?)</script>', text)
    assert found
    panels = json.loads(found[1])["panels"]
    return {panel["id"]: [one["label"] for one in panel["series"]] for panel in panels}


def test_links_are_shown_by_tier(text: str) -> None:
    tiers = [
        "leaf → host, 9 links",
        "leaf → spine, 6 links",
        "spine → leaf, 6 links",
    ]
    panels = _panels(text)
    assert sorted(panels["utilization"]) == sorted(panels["queue"]) == tiers
    assert text.count('<figure class="heat">') == 2 * len(tiers)
    assert "highest on leaf2-&gt;leaf2/h1" in text


def test_transfers_are_shown_by_size(text: str) -> None:
    slowdown = next(labels for name, labels in _panels(text).items() if name.endswith("-1-2"))
    assert slowdown == ["median", "95th", "99th", "99.9th"]


def test_a_map_has_what_the_link_sent() -> None:
    cells = np.array([[0.0, 0.5, 1.0], [2.0, 0.2, 0.0]])
    uri = pixels.image(cells, "#0a141e")
    data = base64.b64decode(uri.removeprefix("data:image/png;base64,"))
    at = data.index(b"IHDR")
    assert struct.unpack(">II", data[at + 4 : at + 12]) == (3, 2)
    at = data.index(b"IDAT")
    (length,) = struct.unpack(">I", data[at - 4 : at])
    rows = zlib.decompress(data[at + 4 : at + 4 + length])
    assert [list(rows[1:13][3::4]), list(rows[14:26][3::4])] == [[0, 128, 255], [255, 51, 0]]
    assert list(rows[1:4]) == [10, 20, 30]


def test_few_links_have_no_tiers() -> None:
    node = {"name": "r1", "kind": "router"}
    link = {"name": "a", "from": 0, "to": 0, "report": True}
    assert fabric.tiers({"nodes": [node], "links": [link] * 8}) == []
    (tier,) = fabric.tiers({"nodes": [node], "links": [link] * 9})
    assert tier.label == "r → r"
