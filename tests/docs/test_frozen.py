"""The shipped scenarios give what `tests/frozen.json` keeps of them (`python tests/freeze.py`)."""

from __future__ import annotations

import json

import freeze


def test_the_shipped_scenarios_give_what_is_frozen() -> None:
    known = json.loads(freeze.FROZEN.read_text(encoding="utf-8"))
    found = freeze.freeze(papers=False)
    assert found == {name: known[name] for name in found}
    assert len(found) == len([name for name in known if name.startswith("scenarios/")])
