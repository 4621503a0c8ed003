"""The results in the gallery: every failure is explained, and every criterion is there."""

from __future__ import annotations

from typing import cast

import pytest
from dumbbell import catalogue
from dumbbell.conform import documents
from dumbbell.conform.subject import Kind
from parts import conform_tables

QUEUES = catalogue.kinds()


@pytest.mark.parametrize("name", conform_tables.SHOWN)
def test_each_failure_is_explained_and_nothing_else(name: str) -> None:
    failed = [one["id"] for one in conform_tables.failed(name)]
    explained = conform_tables.explanations().get(name, {})
    assert sorted(explained) == sorted(failed)
    assert all(why.endswith(".") for why in explained.values())


@pytest.mark.parametrize("name", conform_tables.SHOWN)
def test_the_files_have_today_s_criteria(name: str) -> None:
    kind = "cc" if name in QUEUES["cc"] else "aqm"
    found = conform_tables._document(name)["checks"]
    assert [one["id"] for one in found] == [
        one.id for one in documents.select(cast(Kind, kind), quick=True)
    ]
