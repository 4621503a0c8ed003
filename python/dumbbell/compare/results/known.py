"""Why results differ from ns-2's where they do: each cause was found by looking at both sides' packets."""

from __future__ import annotations

CAUSES: dict[tuple[str, str], str] = {}


def cause(cc: str, quantity: str) -> str | None:
    """What is known about a difference; None: nothing."""
    return CAUSES.get((cc, quantity))
