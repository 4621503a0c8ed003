"""The shipped scenarios give what `tests/frozen.json` keeps of them (`python tests/freeze.py`), in
the published form."""

from __future__ import annotations

import json

import freeze
import pytest
from helpers.results import conforming


def test_the_shipped_scenarios_give_what_is_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = freeze.printed
    monkeypatch.setattr(
        freeze, "printed", lambda *words, **options: conforming(printed(*words, **options))
    )
    known = json.loads(freeze.FROZEN.read_text(encoding="utf-8"))
    found = freeze.freeze(papers=False)
    assert found == {name: known[name] for name in found}
    assert len(found) == len([name for name in known if name.startswith("scenarios/")])
