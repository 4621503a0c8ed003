"""What a notebook shows: tables and drawings of objects, errors, progress; and the example
notebooks themselves."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import dumbbell
import nbformat
import pytest
from helpers.scenarios import build
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# What is neither closed nor holds anything.
VOID = {"br"}


class Page(HTMLParser):
    """Reads HTML strictly: what is opened is closed, in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def page(thing: Any) -> Page:
    return Page(thing._repr_html_())


def test_a_scenario_shows_its_network_and_every_parameter() -> None:
    shown = page(build())
    assert shown.seen.count("svg") == 2  # For a wide page, and for a narrow one.
    assert "10 Mbps, 5 ms" in shown.text and "queue at left: red, 36 pkt" in shown.text
    assert "red of bottleneck: all parameters" in shown.text
    assert re.search(r"max_th\s*12 pkt", shown.text)
    assert shown.seen.count("details") == 2


def test_a_wrong_scenario_shows_what_is_wrong() -> None:
    assert (
        "did you mean `max_th`" in page(build().with_({"queue.max_tj": "3 pkt"}, check=False)).text
    )


def test_a_large_network_is_not_drawn() -> None:
    shown = page(build().with_({"flow.b.count": 5000}))
    assert "5001 flows over" in shown.text and "svg" not in shown.seen
    assert len(shown.text) < 5000


def test_many_hosts_are_drawn_as_one() -> None:
    shown = page(build().with_({"flow.b.count": 300}))
    assert "300 hosts" in shown.text and "300 flows: sack" in shown.text
    assert len(shown.text) < 10000


def test_a_result_shows_intervals_and_the_queue_over_time() -> None:
    result = build().run(replications=3, record_every="50 ms")
    shown = page(result)
    assert re.search(r"\d ± \d", shown.text)
    assert shown.seen.count("polyline") == 1
    assert "fingerprint" in shown.text
    assert page(build().run()).seen.count("svg") == 0
    result.json["valid"] = False
    assert "not valid" in page(result).text


def test_a_sweep_shows_a_row_for_each_point() -> None:
    sweep = build().sweep({"queue.limit": [f"{n} pkt" for n in range(10, 40)]}, replications=2)
    shown = page(sweep)
    assert shown.seen.count("rect") == 24
    assert "… and 6 more" in shown.text
    assert "10 pkt" in shown.text
    assert "goodput [Mbps]" in sweep.table()
    assert sweep.table().count(" pkt ") == 30


def test_names_of_users_are_escaped() -> None:
    evil = '<script>alert("x")</script>&'
    words = {"name": evil, "title": evil, "flow": [{"name": evil}], "queue": {"kind": "red"}}
    try:
        scenario = dumbbell.Scenario({**build()._source["value"], **words})
        result = scenario.run(record_every="1 s")
    except dumbbell.ScenarioError:
        # A scenario may refuse such a name; what is loaded from a file may have it all the same.
        result = build().run(record_every="1 s")
    assert isinstance(result, dumbbell.Result)
    result.json |= {"name": evil}
    for row in (*result.json["flows"], *result.json["queues"]):
        row["name"] = row["kind"] = row["cc"] = evil
    sweep = dumbbell.Sweep({"name": evil, "points": [{**result.json, "overrides": {evil: evil}}]})
    for thing in (
        result,
        sweep,
        result.series("flows"),
        sweep.summary("flows"),
        dumbbell.Scenario(name=evil),
    ):
        html = thing._repr_html_()
        assert "<script" not in html
        assert "script" not in Page(html).seen


def test_a_table_shows_its_first_rows() -> None:
    result = build().run(record_every="10 ms")
    assert isinstance(result, dumbbell.Result)
    shown = page(result.series("flows"))
    assert shown.seen.count("tr") == 11
    assert ", the first 10" in shown.text


def test_an_error_is_its_message_in_ipython() -> None:
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance(colors='nocolor')\n"
        "shell.run_cell('import dumbbell')\n"
        "shell.run_cell('dumbbell.Scenario(duration=\"10 bananas\").check()')\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert "ScenarioError:" in said
    assert "10 bananas" in said
    assert "Traceback" not in said
    assert "door.py" not in said


def test_progress_without_a_notebook_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    build().run(replications=2, progress=True)
    said = capsys.readouterr().err
    assert "2 of 2 runs" in said
    assert said.endswith("\r\x1b[K"), "the line is gone at the end"


def test_what_progress_raises_stops_the_run() -> None:
    def refuse(*_: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        build().with_({"duration": "100000 s"}).run(progress=refuse)


def test_there_are_notebooks_and_none_has_outputs() -> None:
    assert len(NOTEBOOKS) == 3
    for path in NOTEBOOKS:
        book = json.loads(path.read_text())
        code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
        assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code), (
            path.name
        )
        assert book["cells"][0]["source"][0].startswith("# ")


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that leaves nothing in the user's home."""
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "MPLCONFIGDIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))


def run(book: Any, where: Path) -> list[Any]:
    """Runs a notebook; the outputs of its cells in order."""
    NotebookClient(
        book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(where)}}
    ).execute()
    return [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, private: None) -> None:
    outputs = run(nbformat.read(path, as_version=4), tmp_path)
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert {"image/png", "text/plain"} <= kinds
    said = "".join(output["text"] for output in outputs if output.output_type == "stream")
    assert "Traceback" not in said
    assert list(tmp_path.glob("*.parquet")) == []
    check = CHECKS.get(path.stem[0])
    assert check is not None
    check(outputs, said)


def _first_steps(outputs: list[Any], said: str) -> None:
    html = [
        output["data"]["text/html"] for output in outputs if "text/html" in output.get("data", {})
    ]
    assert "queue at left" in html[0] and "<svg" in html[0]
    assert any("polyline" in text for text in html)
    assert "did you mean `max_th`" in said


def _red(outputs: list[Any], said: str) -> None:
    waits = [float(x) for x in re.findall(r"packets wait ([+-][\d.]+) ms", said)]
    assert len(waits) == 4
    assert all(wait < 0 for wait in waits), "packets wait less at RED"


def _sawtooth(outputs: list[Any], said: str) -> None:
    pairs = re.findall(r"([\d.]+)% measured, +([\d.]+)% by the closed form", said)
    assert len(pairs) == 5
    assert all(abs(float(ours) - float(law)) < 1.5 for ours, law in pairs)
    found = re.search(r"carries at least (\d+)% .* carries ([\d.]+)% of the capacity", said)
    assert found is not None
    assert int(found[1]) >= 90
    assert float(found[2]) >= 95


CHECKS = {"1": _first_steps, "2": _red, "3": _sawtooth}
