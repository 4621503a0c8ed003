"""The network of the comparisons; no figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from .network import NET


@pytest.fixture(autouse=True)
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longer than running; commands, which are processes of their own, still draw."""
    monkeypatch.setattr("dumbbell.studies.compare.queues.figures.figures_of", lambda document: [])


@pytest.fixture
def net(tmp_path: Path) -> Path:
    path = tmp_path / "net.toml"
    path.write_text(NET)
    return path
