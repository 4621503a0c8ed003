"""What a run tells while it goes on: rows that are, one after the other, those of its records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dumbbell
import numpy as np
import pytest
from dumbbell import ScenarioError, api
from dumbbell.view.live import series
from helpers.live.packed import inflated, joined, numbers, same

BANDS = {"key": "flow", "members": ["near.1", "near.2", "far"], "quantiles": [0.1, 0.5, 0.9]}
TABLES = [
    {
        "id": "near",
        "file": "flows.parquet",
        "columns": ["time_s", "cwnd_packets", "ssthresh_bytes", "srtt_us"],
        "of": {"flow": "near.1"},
    },
    {
        "id": "queue",
        "file": "queues.parquet",
        "columns": ["time_s", "queue_packets", "queue_bytes", "avg"],
        "of": {"queue": "bottleneck"},
    },
    {"id": "all", "file": "flows.parquet", "columns": ["cwnd_packets", "srtt_us"], **BANDS},
    {
        "id": "goodput",
        "file": "flows.parquet",
        "columns": ["time_s", "goodput_bps"],
        "of": {"flow": "far"},
        "rename": {"goodput_bps": "goodput_bps_p50"},
    },
]


def request(**more: Any) -> dict[str, Any]:
    changes = ['duration="200 s"']
    return api.request(
        {"path": "scenarios/first.toml"}, changes, record={"every": "100 ms"}, **more
    )


def test_the_pieces_are_the_records(tmp_path: Path) -> None:
    told: list[str] = []
    wanted = request(out=str(tmp_path / "run"), watch={"tables": TABLES})
    api.run(wanted, watch=told.append)
    pieces = joined([json.loads(text) for text in told])
    files = [table | {"file": str(tmp_path / "run" / str(table["file"]))} for table in TABLES]
    packed = api.call("pack", {"tables": files})
    blobs = inflated(packed["blobs"])
    assert set(pieces) == {table["id"] for table in TABLES}
    for name, table in packed["tables"].items():
        assert set(pieces[name]) == set(table["columns"])
        for column, coded in table["columns"].items():
            same(pieces[name][column], numbers(coded, blobs), column)


def test_watching_changes_no_result(tmp_path: Path) -> None:
    plain = api.run(request(out=str(tmp_path / "plain")))
    watched = api.run(
        request(out=str(tmp_path / "watched"), watch={"tables": TABLES, "results": True}),
        watch=lambda _: None,
    )
    assert watched["fingerprint"] == plain["fingerprint"]
    for name in ("flows", "queues"):
        one, other = (tmp_path / run / f"{name}.parquet" for run in ("plain", "watched"))
        assert one.read_bytes() == other.read_bytes()


def test_the_results_of_a_study_are_told() -> None:
    told: list[str] = []
    wanted = request(watch={"results": True}, replications=2)
    wanted["overrides"] = ['duration="12 s"', "sweep.grid={'queue.limit'=['30 pkt','60 pkt']}"]
    data = api.run(wanted, watch=told.append)
    ended = [one for text in told for one in json.loads(text)["ended"]]
    by_place = {(one["point"], one["seed"]): one for one in ended}
    assert len(by_place) == len(ended) == 4
    for number, point in enumerate(data["points"]):
        for run in point["runs"]:
            found = by_place[number, run["seed"]]
            assert found["run"]["fingerprint"] == run["fingerprint"]
            assert found["overrides"] == point["overrides"]


def test_a_watcher_that_fails_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", heard.append)

    def fails(_: str) -> None:
        raise RuntimeError("no")

    data = api.run(request(out=str(tmp_path / "run"), watch={"tables": TABLES}), watch=fails)
    assert data["valid"]
    assert heard


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"id": "a", "file": "packets.parquet", "columns": ["time_s"]}, "does not grow"),
        ({"id": "a", "columns": ["time_s"]}, "needs either"),
    ],
)
def test_other_tables_are_refused(table: dict[str, Any], said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        api.run(request(watch={"tables": [table]}))


def test_the_first_page_has_the_panels_of_the_last(tmp_path: Path) -> None:
    """What is drawn while the run goes on stands on the page of its end, in the same tables."""
    wanted = request(out=str(tmp_path / "run"))
    wanted["overrides"] = ['duration="15 s"']
    first = series.first_page(wanted, "dumbbell run")
    api.run(wanted)
    dumbbell.view.write([str(tmp_path / "run")], tmp_path / "view.html", _which())
    [early, late] = [_meta(first.page), _meta((tmp_path / "view.html").read_text("utf-8"))]
    assert early["panels"] == late["panels"]
    assert early["look"].items() <= late["look"].items()
    assert [one["id"] for one in early["switches"]] == [one["id"] for one in late["switches"]]
    assert first.watch is not None
    grown = {table["id"] for table in first.watch["tables"]}
    assert grown == set(early["tables"]) <= set(late["tables"])
    for name in grown:
        assert set(early["tables"][name]["columns"]) == set(late["tables"][name]["columns"])


def test_many_flows_are_groups_from_the_start(tmp_path: Path) -> None:
    wanted = request(out=str(tmp_path / "run"))
    wanted["overrides"] = ['duration="20 s"', "flow.0.count=12"]
    first = series.first_page(wanted, "dumbbell run")
    assert first.watch is not None
    told: list[str] = []
    api.run(wanted | {"watch": first.watch}, watch=told.append)
    pieces = joined([json.loads(text) for text in told])
    early = _meta(first.page)
    assert set(pieces) == set(early["tables"])
    for name, table in early["tables"].items():
        assert set(table["columns"]) == set(pieces[name])
        assert len({len(column) for column in pieces[name].values()}) == 1
        assert (np.diff(pieces[name]["time_s"]) > 0).all()


def _which() -> Any:
    from dumbbell.view.results import Which

    return Which()


def _meta(page: str) -> Any:
    text = page.partition('id="dumbbell-view">')[2].partition("</script>")[0]
    return json.loads(text)


def test_of_many_rows_every_nth_instant_is_told(tmp_path: Path) -> None:
    """40,000 instants of three flows and a queue are more than anybody sees."""
    told: list[str] = []
    wanted = request(out=str(tmp_path / "run"), watch={"tables": TABLES[:2]})
    wanted |= {"record": {"every": "5 ms"}}
    api.run(wanted, watch=told.append)
    pieces = joined([json.loads(text) for text in told])
    files = [table | {"file": str(tmp_path / "run" / str(table["file"]))} for table in TABLES[:2]]
    packed = api.call("pack", {"tables": files})
    blobs = inflated(packed["blobs"])
    for name, table in packed["tables"].items():
        step = 4  # 160,000 rows, of which 40,000 are shown.
        assert table["rows"] == 40_000 or table["rows"] == 40_001
        for column, coded in table["columns"].items():
            same(pieces[name][column], numbers(coded, blobs)[::step], column)
