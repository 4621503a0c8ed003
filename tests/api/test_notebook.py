"""What notebooks use: points of a sweep by their place, and tables as dataframes."""

from __future__ import annotations

import sys
import types

import dumbbell
import polars
import pytest
from dumbbell.errors import EnvironmentLacks
from helpers.scenarios import build


@pytest.fixture(scope="module")
def sweep() -> dumbbell.Sweep:
    return build().sweep({"queue.limit": ["10 pkt", "20 pkt", "30 pkt"]})


def test_a_sweep_has_its_points_by_their_place(sweep: dumbbell.Sweep) -> None:
    prints = [result.fingerprint for _, result in sweep]
    assert len(set(prints)) == 3
    assert [result.fingerprint for result in sweep.points] == prints
    changes, last = sweep[-1]
    assert (changes, last.fingerprint) == ({"queue.limit": "30 pkt"}, prints[2])
    assert sweep[0][1].fingerprint == prints[0]
    with pytest.raises(IndexError):
        sweep[3]


def test_a_table_is_a_dataframe_of_polars(sweep: dumbbell.Sweep) -> None:
    table = sweep.summary("flows")
    frame = table.to_polars()
    assert isinstance(frame, polars.DataFrame)
    assert frame.columns == table.columns
    assert frame.to_dicts() == table.rows()


def test_a_table_is_a_dataframe_of_pandas(
    sweep: dumbbell.Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the library, or else with what stands in for its constructor."""
    try:
        import pandas  # type: ignore[import-not-found]
    except ImportError:
        pandas = types.SimpleNamespace(DataFrame=lambda columns: columns)
        monkeypatch.setitem(sys.modules, "pandas", pandas)
    table = sweep.summary("flows")
    frame = table.to_pandas()
    assert list(frame) == table.columns
    assert list(frame["flow"]) == table.column("flow")


def test_rows_are_in_order_of_seed_time_and_flow() -> None:
    result = build().run(replications=2, record_every="500 ms")
    assert isinstance(result, dumbbell.Result)
    flows = [flow.name for flow in result.flows]
    rows = result.series("flows").rows()
    places = [(row["seed"], row["time_s"], flows.index(str(row["flow"]))) for row in rows]
    assert places == sorted(places)
    named = [(row["seed"], row["flow"]) for row in result.summary("flows").rows()]
    assert named == [(seed, flow) for seed in (1, 2) for flow in flows]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_missing_library_is_named(
    library: str, sweep: dumbbell.Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(EnvironmentLacks, match=f"to_{library} needs {library}: pip install"):
        getattr(sweep.summary("flows"), f"to_{library}")()
