"""Whether live runs can be made here."""

from __future__ import annotations

import os

import pytest
from dumbbell import EnvironmentLacks
from dumbbell.testbed import verbs


def able() -> str | None:
    """Why there are no live runs here; None if there are."""
    try:
        can = verbs.doctor()["can"]
    except EnvironmentLacks as lack:
        return lack.rendered
    return None if can["kernel"] else "this machine cannot make namespaces: see `dumbbell doctor`"


def need_kernels() -> None:
    """Skips a test, or fails where the machine must be able to."""
    why = able()
    if why is not None:
        (pytest.fail if "netns" in os.environ.get("DUMBBELL_REQUIRE", "") else pytest.skip)(why)
