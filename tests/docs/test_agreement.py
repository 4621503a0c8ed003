"""The table of docs/explanation/linux-agreement.md: its causes, and what runs again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import agreement
import pytest
from dumbbell.linux import kernels

CELL = agreement.Cell("sack", "drop_tail", 20)
OTHER = agreement.Cell("cubic", "red", 80)
PAGE = """# A page

<!-- measured: agreement -->
2026-01-02, Linux 6.12.1: 2 cells, 2 with a difference that is flagged,
2 of these without a known cause.

| control | queue | RTT [ms] |
| --- | --- | --- |
| `cubic` | `red` | 80 | **9.28 / 8.17** | 7.3 / 6.7 | 166 / 142 | 49 / 48 | **not explained** |
| `sack` | `drop_tail` | 20 | 9.63 / 9.63 | **45.0 / 55.2** | 143 / 157 | 49 / 44 ~ | old |
| `sack` | `red` | 20 | 9.53 / 9.49 | 11.6 / 11.5 | 337 / 322 | 50 / 50 |  |
<!-- end measured -->

After it.
"""
CAUSES = """
[[cause]]
cc = ["sack"]
queue = ["red"]
cause = "Of another queue."
[[cause]]
cc = ["sack"]
rtt = [20, 80]
cause = "The first that covers it."
[[cause]]
cc = ["sack"]
cause = "The second."
"""


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small page beside its causes, and a machine without a kernel."""
    for name, text in (("PAGE", PAGE), ("CAUSES", CAUSES), ("KEPT", "")):
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        monkeypatch.setattr(agreement, name, file)
    monkeypatch.setattr(kernels, "current", lambda: None)
    return tmp_path / "PAGE"


def _keep(cell: agreement.Cell, release: str, goodput: float) -> None:
    """Three seeds on the kernel, which scatter by a hundredth of a Mbit/s."""
    for seed in (1, 2, 3):
        measures = {"goodput": goodput + seed / 100, "queue": 40.0, "drops": 150, "share": 0.5}
        line = {"scenario": cell.key, "cell": str(cell), "seed": seed}
        line |= {"kernel": release, "recipe": "0123"}
        with agreement.KEPT.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line | {"measures": measures}) + "\n")


def _simulated(ran: list[str]) -> Any:
    def result(cell: agreement.Cell, on: str, seed: int, series: Path | None) -> Any:
        assert on == "sim" and series is None
        ran.append(str(cell))
        queue = {"mean_packets": 40.0 + seed / 10, "drops": {"full": 150 + seed}, "marks": 0}
        flows = [{"goodput_bps": 4.8e6, "share": 0.5}, {"goodput_bps": 4.8e6, "share": 0.5}]
        return {"queues": [queue], "flows": flows}

    return result


def test_causes_are_written_anew_without_a_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Flagged rows get the first cause that covers them; others and the date stay."""
    monkeypatch.setattr(agreement, "result", _simulated(ran := []))
    assert agreement.main(["--causes"]) == 0
    text = page.read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert rows == [
        "| `cubic` | `red` | 80 | **9.28 / 8.17** | 7.3 / 6.7 | 166 / 142 | 49 / 48 "
        "| **not explained** |",
        "| `sack` | `drop_tail` | 20 | 9.63 / 9.63 | **45.0 / 55.2** | 143 / 157 | 49 / 44 ~ "
        "| The first that covers it. |",
        "| `sack` | `red` | 20 | 9.53 / 9.49 | 11.6 / 11.5 | 337 / 322 | 50 / 50 |  |",
    ]
    assert "2026-01-02, Linux 6.12.1: 3 cells, 2 with a difference that is flagged,\n1 of" in text
    assert text.endswith("\nAfter it.\n") and not ran


def test_the_simulator_runs_again_beside_what_is_kept(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only cells of which the numbers of the latest release are kept; the other rows stay."""
    _keep(CELL, "6.12.1", 9.6)
    _keep(OTHER, "6.12.1", 9.6)
    _keep(CELL, "6.12.2", 9.0)
    monkeypatch.setattr(agreement, "result", _simulated(ran := []))
    words = ["--simulator", "--cc", "sack", "cubic", "--queue", "drop_tail", "red"]
    assert agreement.main([*words, "--rtt", "20", "80"]) == 0
    assert ran == [str(CELL)] * 3, "the seeds that are kept"
    text = page.read_text(encoding="utf-8")
    assert "Linux 6.12.2: 3 cells, 2 with" in text and "| 166 / 142 |" in text
    assert (
        "| `sack` | `drop_tail` | 20 | **9.60 / 9.02** | 40.2 / 40.0 | 152 / 150 | 50 / 50 "
        "| The first that covers it. |"
    ) in text


@pytest.mark.parametrize("words", [["--causes", "--simulator"], ["--queue", "fq"], ["--rtt", "7"]])
def test_what_is_refused(page: Path, words: list[str]) -> None:
    with pytest.raises(SystemExit) as found:
        agreement.main(words)
    assert found.value.code == 2
    assert page.read_text(encoding="utf-8") == PAGE


def test_a_difference_is_flagged_beyond_limit_and_scatter() -> None:
    """Student's t at 99.9 % is 5.408 for eight seeds. What a seed gives both is no scatter."""

    def compared(difference: float, spread: float) -> agreement.Compared:
        starts = tuple(9.0 + 0.5 * (-1) ** seed for seed in range(8))
        kernel = tuple(
            ours + difference + spread * (-1) ** (seed // 2) for seed, ours in enumerate(starts)
        )
        return agreement.Compared("goodput", starts, kernel)

    assert str(compared(0.2, 0.01)) == "9.00 / 9.20"
    assert str(compared(-0.4, 0.01)) == "**9.00 / 8.60**"
    # Standard deviation 0.2 sqrt(8/7), error 0.0756, interval 0.409.
    assert str(compared(-0.4, 0.2)) == "9.00 / 8.60 ~"
    assert str(compared(-0.42, 0.2)) == "**9.00 / 8.58**"
    assert str(agreement.Compared("goodput", (9.0,), (8.0,))) == "9.00 / 8.00 ~", "one seed"


def test_flagged_cells_with_starts_far_apart(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the cells asked for, those that the table flags; they have a table and scenarios of their
    own, and the first table stays."""
    far = agreement.Cell("sack", "drop_tail", 20, agreement.APART)
    assert far.key != CELL.key and str(far) == str(CELL)
    _keep(CELL, "6.12.2", 9.6)
    _keep(far, "6.12.2", 9.0)
    _keep(agreement.Cell("sack", "red", 20, agreement.APART), "6.12.2", 9.0)
    before = page.read_text(encoding="utf-8")
    table = "<!-- measured: apart -->\nbefore\n<!-- end measured -->\n"
    page.write_text(before + table, encoding="utf-8")
    monkeypatch.setattr(agreement, "result", _simulated(ran := []))
    assert agreement.main(["--apart", "--simulator", "--cc", "sack"]) == 0
    assert ran == [str(far)] * 3
    text = page.read_text(encoding="utf-8")
    assert text.startswith(before) and "before\n" not in text
    assert "Linux 6.12.2: 1 cells, 1 with a difference that is flagged.\n" in text
    assert "| `sack-drop_tail-20` | 3 | **9.60 / 9.02** | 40.2 / 40.0 |" in text
