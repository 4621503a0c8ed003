"""Tables by the Arrow PyCapsule protocol: what dataframe libraries get is what the files and the
JSON hold."""

from __future__ import annotations

import copy
import csv
import ctypes
import gc
import io
import pickle
import subprocess
import sys
from pathlib import Path

import dumbbell
import polars
import pytest
from helpers.exports import in_order
from helpers.scenarios import WORDS, build


def recorded(**options: object) -> dumbbell.Result:
    result = build().run(record_every="100 ms", **options)  # type: ignore[arg-type]
    assert isinstance(result, dumbbell.Result)
    return result


def test_rows_of_series_are_in_the_order_of_time_and_of_the_scenario(tmp_path: Path) -> None:
    flows = [
        {"name": "b", "count": 3, "start_spread": "1 s"},
        {"name": "a", "rtt": "90 ms", "start": "500 ms"},
    ]
    scenario = dumbbell.Scenario({**WORDS, "flow": flows})
    result = scenario.run(record_every="50 ms", record_drops=True, out=tmp_path / "r")
    assert isinstance(result, dumbbell.Result)
    stored = polars.read_parquet(tmp_path / "r" / "flows.parquet")["time_s"].to_list()
    assert stored != sorted(stored), "the file has the rows as the run wrote them"
    order = {name: i for i, name in enumerate(("b.1", "b.2", "b.3", "a"))}
    for table in ("flows", "queues", "signals"):
        command = [sys.executable, "-m", "dumbbell", "export", "csv", "r", "--table", table]
        said = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout
        rows = list(csv.DictReader(io.StringIO(said)))
        shown = result.series(table)  # type: ignore[arg-type]
        assert [float(row["time_s"]) for row in rows] == shown.numbers("time_s")
        if table == "flows":
            places = [(float(row["time_s"]), order[row["flow"]]) for row in rows]
            assert [row["flow"] for row in rows] == shown.column("flow")
            assert places == sorted(places)
        assert shown.numbers("time_s") == sorted(shown.numbers("time_s"))
    one = [*command[:-1], "flows", "--flow", "a"]
    said = subprocess.run(one, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    times = [float(row["time_s"]) for row in csv.DictReader(io.StringIO(said))]
    assert times == sorted(times) and len(times) > 10


def test_a_series_is_the_file(tmp_path: Path) -> None:
    result = recorded(out=tmp_path / "r", record_drops=True)
    for name in ("flows", "queues", "signals"):
        ours = polars.DataFrame(result.series(name))
        file = in_order(tmp_path / "r" / f"{name}.parquet")
        assert ours.columns == ["seed", *file.columns]
        assert len(ours) == len(file) > 0
        words = [c for c in file.columns if file[c].dtype == polars.Categorical]
        assert words
        for column in file.columns:
            text = column in words
            left, right = ours[column], file[column]
            assert (left.cast(str) if text else left).to_list() == (
                right.cast(str) if text else right
            ).to_list()
            assert (
                result.series(name).column(column) == (right.cast(str) if text else right).to_list()
            )


def test_replications_and_points_are_stacked_with_their_labels() -> None:
    axes = {"queue.limit": ["24 pkt", "48 pkt"], "queue.kind": ["red", "drop_tail"]}
    sweep = build().sweep(axes, replications=2, record_every="500 ms")
    frame = polars.DataFrame(sweep.series("queues"))
    assert frame.columns[:5] == ["point", "queue.limit", "queue.kind", "seed", "time_s"]
    counts = (
        frame.group_by("point", "queue.limit", "queue.kind", "seed").len().sort("point", "seed")
    )
    assert len(counts) == 8
    assert set(counts["len"]) == {len(frame) // 8}
    by_kind = frame.group_by(polars.col("queue.kind").cast(str)).agg(
        polars.col("avg").null_count(), polars.len()
    )
    assert {kind: nulls == rows for kind, nulls, rows in by_kind.rows()} == {
        "red": False,
        "drop_tail": True,
    }
    for (changes, result), i in zip(sweep, range(1, 5), strict=True):
        part = frame.filter(point=i)
        assert set(part["queue.limit"].cast(str)) == {changes["queue.limit"]}
        assert part["queue_packets"].to_list() == result.series("queues").column("queue_packets")


def test_a_summary_has_a_row_for_each_run_and_flow() -> None:
    result = build().run(replications=3)
    assert isinstance(result, dumbbell.Result)
    frame = polars.DataFrame(result.summary("flows"))
    assert frame.columns[:3] == ["seed", "flow", "cc"]
    assert len(frame) == 9
    assert frame.schema["goodput_bps"] == polars.Float64
    assert frame.schema["retransmits"] == polars.UInt64
    means = dict(
        frame.group_by(polars.col("flow").cast(str)).agg(polars.col("goodput_bps").mean()).rows()
    )
    for flow in result.flows:
        assert means[flow.name] == pytest.approx(float(flow.goodput_bps), rel=1e-12)
    queues = polars.DataFrame(result.summary("queues"))
    assert queues["drops_early"].to_list() == [run.queues[0].drops["early"] for run in result.runs]


def test_swept_values_keep_their_types() -> None:
    sweep = build().sweep(
        {"queue.max_p": [0.02, 1], "flow.b.count": [1, 2], "queue.gentle": [True, False]}
    )
    frame = polars.DataFrame(sweep.summary("queues"))
    kinds = [frame.schema[key] for key in ("point", "queue.max_p", "flow.b.count", "queue.gentle")]
    assert kinds == [polars.UInt64, polars.Float64, polars.UInt64, polars.Boolean]
    assert frame.height == 8


def test_the_capsules_are_those_of_the_protocol() -> None:
    table = recorded().series("flows")
    is_valid = ctypes.pythonapi.PyCapsule_IsValid
    is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]
    assert is_valid(table.__arrow_c_stream__(), b"arrow_array_stream")
    assert is_valid(table.__arrow_c_stream__(table.__arrow_c_schema__()), b"arrow_array_stream")
    assert is_valid(table.__arrow_c_schema__(), b"arrow_schema")
    # A stream may be taken again and again, and may be left untaken.
    frames = [polars.DataFrame(table), polars.Series(table).struct.unnest()]
    assert frames[0].equals(frames[1])
    assert len(frames[0]) == len(table) == len(table.column("time_s"))
    assert frames[0].columns == table.columns


class ArrowArray(ctypes.Structure):
    """The Arrow C data interface's structure, transcribed from its specification."""


ArrowArray._fields_ = [
    *(
        (name, ctypes.c_int64)
        for name in ("length", "null_count", "offset", "n_buffers", "n_children")
    ),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))),
    ("private_data", ctypes.c_void_p),
]
NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ArrowArray))


def addresses(table: dumbbell.Table, column: str) -> tuple[int, list[float]]:
    """Where the numbers of a column lie in the first batch of a stream, and the numbers, read from
    there."""
    capsule = table.__arrow_c_stream__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = pointer(capsule, b"arrow_array_stream")
    get_next = ctypes.cast(stream, ctypes.POINTER(ctypes.c_void_p))[1]
    batch = ArrowArray()
    assert NEXT(get_next)(stream, batch) == 0
    child = batch.children[table.columns.index(column)].contents
    where = child.buffers[1] + 8 * child.offset
    numbers = list((ctypes.c_double * child.length).from_address(where))
    batch.release(batch)
    return where, numbers


def test_a_column_is_handed_over_without_a_copy() -> None:
    table = recorded().series("flows")
    (one, numbers), (two, _) = addresses(table, "cwnd_packets"), addresses(table, "cwnd_packets")
    assert one == two
    assert numbers == table.column("cwnd_packets", len(numbers))
    assert len(numbers) > 100


def test_a_dataframe_outlives_its_table_and_its_result() -> None:
    result = recorded()
    frame = polars.DataFrame(result.series("flows"))
    expected = [row["cwnd_bytes"] for row in result.series("flows").rows()]
    del result
    gc.collect()
    assert frame["cwnd_bytes"].to_list() == expected


def test_records_without_a_directory_go_with_the_result() -> None:
    result = recorded(replications=2)
    directory = Path(result.json["out"])
    part = result.runs[0]
    assert directory.is_dir()
    del result
    gc.collect()
    assert len(part.series("queues")) > 0, "a run keeps the records of its result"
    copied = pickle.loads(pickle.dumps(part))
    assert copied.json == copy.copy(part).json == part.json
    del part
    gc.collect()
    assert not directory.exists()
    with pytest.raises(dumbbell.ScenarioError, match="was not recorded in"):
        copied.series("queues")


def test_a_saved_result_has_its_series(tmp_path: Path) -> None:
    build().run(out=tmp_path / "one", record_every="1 s", replications=2)
    loaded = dumbbell.Result.load(tmp_path / "one")
    assert set(loaded.series("flows").column("seed")) == {1, 2}
    with pytest.raises(dumbbell.ScenarioError, match="holds a single point"):
        dumbbell.Sweep.load(tmp_path / "one")
    build().sweep({"queue.limit": ["24 pkt", "48 pkt"]}, out=tmp_path / "many", record_every="1 s")
    assert set(dumbbell.Sweep.load(tmp_path / "many").series("queues").column("point")) == {1, 2}
    with pytest.raises(dumbbell.ScenarioError, match="holds a sweep"):
        dumbbell.Result.load(tmp_path / "many")


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(dumbbell.ScenarioError, match="record_every"):
        build().run().series("flows")  # type: ignore[union-attr]
    result = recorded(out=tmp_path / "r")
    with pytest.raises(dumbbell.ScenarioError, match="no series `drops`; there are flows"):
        result.series("drops")  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="no column `cwnd`; there are seed, time_s"):
        result.series("flows").column("cwnd")
    with pytest.raises(TypeError, match="`flow` contains text"):
        result.series("flows").numbers("flow")
    file = tmp_path / "r" / "flows.parquet"
    whole = file.read_bytes()
    for damaged in (
        b"",
        b"PAR1",
        whole[: len(whole) // 2],
        whole[:100] + b"\0" * (len(whole) - 100),
        b"x" * 4000,
    ):
        file.write_bytes(damaged)
        with pytest.raises(dumbbell.CheckFailed, match=r"flows\.parquet\W+is\W+damaged"):
            result.series("flows")
    (tmp_path / "r" / "summary.json").write_text("{")
    with pytest.raises(dumbbell.CheckFailed, match=r"is\W+damaged"):
        dumbbell.Result.load(tmp_path / "r")
    with pytest.raises(dumbbell.ScenarioError, match="there is no result"):
        dumbbell.Result.load(tmp_path / "nowhere")
