"""Several results in the same axes: result directories, flent's data, captures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dumbbell
import numpy as np
import pytest
from conftest import unsealed
from dumbbell import cli
from dumbbell.data import captures, flent
from dumbbell.figures import Source, View, delay
from dumbbell.figures.overlay import draw, labels, sides
from helpers.exports import dumbbell as command

TABLES: dict[str, Any] = {
    "duration": "6 s",
    "dumbbell": {"bottleneck": {"rate": "5 Mbps", "delay": "10 ms"}},
    "queue": {"kind": "red", "limit": "40 pkt"},
    "flow": [{"name": "near"}, {"name": "far", "rtt": "80 ms"}],
    "record": {"every": "100 ms", "packets": True},
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The scenario with RED and with CoDel, without records with PIE, and exports of the first."""
    home = tmp_path_factory.mktemp("overlay")
    found = {name: home / name for name in ("red", "codel", "pie")}
    for name, out in found.items():
        tables = {**TABLES, "queue": {"kind": name, "limit": "40 pkt"}}
        if name == "pie":
            tables.pop("record")
        dumbbell.Scenario(tables).run(out=out)
    for format, name in (("flent", "x.flent.gz"), ("pcapng", "x.pcapng"), ("pcap", "x.pcap")):
        command("export", format, found["red"], "-o", home / name)
        found[name] = home / name
    return found


def test_results_of_every_sort_are_drawn(
    results: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["plot", *map(str, results.values()), "--out", str(tmp_path), "--json"]
    assert cli._code([*words, "cwnd", "goodput", "queue", "delay"]) == 0
    printed, errors = capsys.readouterr()
    drawn = {Path(p).name for p in json.loads(printed)["written"]}
    assert {f"{kind}.svg" for kind in draw.KINDS} <= drawn
    # The one without records is repeated.
    assert "pie has no recorded series and packets: repeated the run" in errors
    assert errors.count("\n") == 1


def test_a_capture_has_the_goodput_and_the_round_trips_of_the_run(
    results: dict[str, Path],
) -> None:
    run = sides.of_run(Source(results["red"]), ["goodput"], View())
    for name in ("x.pcapng", "x.pcap"):
        found = sides.of_capture(results[name], View())
        for mine, theirs in zip(run.lines["goodput"], found.lines["goodput"], strict=True):
            total = 0.1 * np.nansum(mine.values)
            # Without what was unacknowledged, or in a last period that is not whole.
            assert 0.1 * theirs.values.sum() == pytest.approx(total, rel=0.05)
        assert found.round_trip and found.delay_s[0] > 0.024  # The path, 2 x (10 + 2 x 1) ms.
    both = [captures.directions(results[name]) for name in ("x.pcapng", "x.pcap")]
    assert [d.acked[-1][1] for d in both[0]] == [d.acked[-1][1] for d in both[1]]


def test_flents_data_are_the_series(results: dict[str, Path]) -> None:
    run = sides.of_run(Source(results["red"]), ["cwnd", "goodput"], View())
    found = sides.of_flent(results["x.flent.gz"], View())
    for kind in ("cwnd", "goodput"):
        theirs = {line.name: line for line in found.lines[kind]}
        for mine in run.lines[kind]:
            known = np.isfinite(mine.values)
            assert theirs[mine.name].values == pytest.approx(mine.values[known])
    assert len(flent.read(results["x.flent.gz"]).flows) == 2


def test_pooled_delays_are_those_of_all_packets(results: dict[str, Path]) -> None:
    source = Source(results["red"])
    each = delay.delays(source, View())
    pooled = delay.pooled(source, View())
    assert pooled == pytest.approx(np.sort(np.concatenate([d.one_way_s for d in each])))


def test_a_label_is_what_differs(results: dict[str, Path]) -> None:
    red, codel = TABLES, {**TABLES, "queue": "codel", "name": "other", "record": {}}
    assert labels.labels([red, codel], ["a", "b"]) == (
        ["red", "codel"],
        "queue.kind: red / codel",
    )
    slow = {**TABLES, "flow": [{"name": "near"}, {"name": "far", "rtt": "90 ms"}], "seed": 2}
    assert labels.labels([red | {"seed": 1}, slow], ["a", "b"])[0] == [
        "flow.far.rtt: 80 ms, seed: 1",
        "flow.far.rtt: 90 ms, seed: 2",
    ]
    # Of files without a scenario, of equal ones, and where too much differs: their names.
    assert labels.labels([red, None, codel], ["a", "b", "c"])[0] == ["red", "b", "codel"]
    assert labels.labels([red, red], ["a", "b"]) == (["a", "b"], "")
    other = {"duration": "1 s", "warmup": "0 s", "queue": "pie", "seed": 7, "dumbbell": {}}
    assert labels.labels([red, other], ["a", "b"]) == (["a", "b"], "")
    assert labels.labels([red, codel, codel], ["a", "b", "c"])[0] == ["red", "codel, b", "codel, c"]


def test_flows_with_the_same_names_share_a_panel(results: dict[str, Path]) -> None:
    side = sides.of_run(Source(results["red"]), ["goodput"], View())
    turned = sides.Side({"goodput": side.lines["goodput"][::-1]}, np.array([]))
    from dumbbell.figures.style import palette

    named = [sides.Named(str(i), palette.nth(i), one) for i, one in enumerate((side, turned))]
    figure = draw.draw(named, ["goodput"])["goodput"]
    assert [axes.get_ylabel().split("\n")[0] for axes in figure.axes] == ["near", "far"]
    for axes in figure.axes:
        first, second = (line.get_ydata() for line in axes.lines[:2])
        assert np.asarray(first) == pytest.approx(np.asarray(second), nan_ok=True)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("red", "codel", "timeseq"), 2, "`timeseq` shows one result"),
        (("red", "nothing"), 2, "no result of this name"),
        (("red", "noise"), 2, "is not a result"),
        (("red", "cut.pcapng"), 3, "damaged"),
        (("red", "cut.flent.gz"), 3, "damaged"),
        (("x.pcapng", "x.pcap", "queue"), 2, "none of the results has the data of `queue`"),
        (("red", "codel", "--flow", "neer"), 2, "there is no flow `neer`"),
    ],
)
def test_what_cannot_be_overlaid_is_said(
    words: tuple[str, ...],
    code: int,
    says: str,
    results: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    (tmp_path / "noise").write_bytes(b"nothing of the kind")
    for name in ("x.pcapng", "x.flent.gz"):
        data = results[name].read_bytes()
        (tmp_path / f"cut{name[1:]}").write_bytes(data[: len(data) // 2 + 1])
    places = {**results, **{p.name: p for p in tmp_path.iterdir()}}
    given = [str(places.get(word, word)) for word in words]
    assert cli._code(["plot", *given, "--out", str(tmp_path / "out")]) == code
    assert says in capsys.readouterr().err


def test_a_live_run_beside_its_simulation_is_labelled_by_where_it_ran(
    results: dict[str, Path], tmp_path: Path
) -> None:
    import shutil

    from dumbbell.figures.overlay import results as overlay

    live = tmp_path / "live"
    shutil.copytree(results["red"], live)
    unsealed(live, on="kernel")
    given = [overlay.find(str(place)) for place in (results["red"], live)]
    figure = overlay.draw(given, ["goodput"], View())[0]["goodput"]
    legend = figure.axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["sim", "kernel"]
