"""`dumbbell list` gives a reason for each algorithm of an RFC or a draft that is not verified."""

from __future__ import annotations

import pytest
from dumbbell import catalogue, cli


def unverified() -> list[str]:
    return [
        one.name
        for one in catalogue.algorithms()
        if one.provenance in catalogue.UNVERIFIED_CLASSES and catalogue.specified(one)
    ]


def test_each_has_a_reason_and_no_other() -> None:
    assert sorted(unverified()) == sorted(catalogue.UNVERIFIED)
    assert {"fec", "prague"} <= set(unverified())


def test_list_shows_the_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["list", "--wide"])
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("(Not verified:") == len(catalogue.UNVERIFIED)
    assert "RFC 8593 describes coders, and has no vectors" in said
