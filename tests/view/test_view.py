"""The page of `view`: what is on it, and that its chains have the words of `why`."""

import json
import re
from pathlib import Path

import dumbbell
import pytest
from dumbbell.explain import why
from dumbbell.view import page
from dumbbell.view.results import Which

_SCENARIO = {
    "duration": "10 s",
    "warmup": "2 s",
    "profile": "ns2",
    "tcp": {"receive_window": "unlimited"},
    "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "10 ms"}},
    "queue": {"kind": "red", "limit": "60 pkt"},
    "flow": [{"name": "near", "count": 2, "start_spread": "1 s"}, {"name": "far", "rtt": "80 ms"}],
}


def _run(out: Path, **changes: object) -> Path:
    dumbbell.Scenario({**_SCENARIO, **changes}).run(out=out)
    return out


def _meta(file: Path) -> dict[str, object]:
    text = file.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="dumbbell-view">(.*?)</script>', text)
    assert found
    return json.loads(found[1])


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _run(tmp_path_factory.mktemp("view") / "red")


def test_a_page_has_the_panels_of_a_run(result: Path, tmp_path: Path) -> None:
    notes = page.write([str(result)], tmp_path / "page.html", Which())
    meta = _meta(tmp_path / "page.html")
    assert "repeated the run" in notes[0]
    assert [panel["id"] for panel in meta["panels"]] == [
        "queue", "probability", "delay", "cwnd", "goodput",
    ]  # fmt: skip
    assert [switch["label"] for switch in meta["switches"]] == [
        "bottleneck", "near.1", "near.2", "far",
    ]  # fmt: skip
    labels = {line["label"] for line in meta["panels"][0]["lines"]}
    assert labels == {"min_th 5", "max_th 15"}
    assert {series["table"] for p in meta["panels"] for series in p["series"]} <= set(
        meta["tables"]
    )
    assert {one["flow"] for one in meta["timeseq"]} == {"near.1", "near.2", "far"}


def test_the_finding_comes_first(result: Path, tmp_path: Path) -> None:
    page.write([str(result)], tmp_path / "page.html", Which())
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    numbers = json.loads((result / "summary.json").read_text(encoding="utf-8"))
    least = min(numbers["flows"], key=lambda flow: flow["goodput_bps"])
    assert f"{least['name']} has the smallest" in text
    assert text.index("has the smallest") < text.index('id="time-page"') < text.index("<h2>Tables")


def test_chains_have_the_words_of_why(result: Path) -> None:
    from dumbbell.explain import runs
    from dumbbell.explain.why import events, record
    from dumbbell.view.chains import chains

    loaded = record.load(runs.locate(result), "far")
    happened = events.events(loaded)
    found = list(chains(loaded, happened))
    assert len(found) == len(happened) > 10
    for event, chain in zip(happened, found, strict=True):
        same = [e for e in happened if e.time_ps == event.time_ps]
        if len(same) == 1:  # `why` answers with one of several events at an instant.
            assert chain["text"] == why.told(why.of_record(loaded, time_s=event.time_ps / 1e12))
        times = [step["t"] for step in chain["steps"]]
        assert times == sorted(times)


def test_several_results_are_named_by_what_differs(result: Path, tmp_path: Path) -> None:
    tail = _run(tmp_path / "tail", queue={"kind": "drop_tail", "limit": "60 pkt"})
    page.write([str(result), str(tail)], tmp_path / "both.html", Which())
    meta = _meta(tmp_path / "both.html")
    assert [run["label"] for run in meta["runs"]] == ["red", "drop_tail"]
    colors = {meta["look"][s["look"]]["color"] for s in meta["switches"] if s["id"][0] == "0"}
    assert len(colors) == 1
    roles = [
        {s["role"] for s in p["series"] if s["run"] == i} for p in meta["panels"] for i in (0, 1)
    ]
    assert roles[0] & roles[1]  # The lengths of the two queues are comparable.


def test_many_flows_are_groups_and_those_that_are_named(tmp_path: Path) -> None:
    flows = [{"name": "a", "count": 20, "start_spread": "1 s"}, {"name": "b", "count": 20}]
    many = _run(tmp_path / "many", flow=flows)
    page.write([str(many)], tmp_path / "page.html", Which(flows=("a.3",)))
    meta = _meta(tmp_path / "page.html")
    shown = [(s["label"], s["kind"]) for s in meta["switches"] if s["kind"] != "queue"]
    assert shown == [("a, 20 flows", "group"), ("b, 20 flows", "group"), ("a.3", "flow")]
    bands = [s for p in meta["panels"] for s in p["series"] if "band" in s]
    assert {s["switch"] for s in bands} == {"0/flow/a, 20 flows", "0/flow/b, 20 flows"}
    assert [one["flow"] for one in meta["events"]] == ["a.3"]


def test_a_word_cannot_end_the_script(tmp_path: Path) -> None:
    flow = {"name": "</script><b>x", "rtt": "80 ms"}
    _run(tmp_path / "odd", flow=[flow])
    page.write([str(tmp_path / "odd")], tmp_path / "page.html", Which())
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "</script><b>" not in text
    assert any(
        "</script><b>x" in switch["label"] for switch in _meta(tmp_path / "page.html")["switches"]
    )


def test_no_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(dumbbell.ScenarioError, match="there is no result"):
        page.write([str(tmp_path / "nothing")], tmp_path / "page.html", Which())
